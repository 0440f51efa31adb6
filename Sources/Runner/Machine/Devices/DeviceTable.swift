import Exchange
import Vocabulary

/// The devices that a run knows, by number. Nothing that is done for each report, notification or
/// turn looks at all of them: they are found by their address, and those with something under way
/// or something to be saved stand in lists of their own, kept by every change.
///
/// A number stays that of its device until `forget`; then it is given to another.
struct DeviceTable: Sendable {
  private var all: [Device] = []
  /// By the 48 bits of the address: the first, and the second where a public and a random address
  /// have the same bits.
  private var places: [UInt64: Place] = [:]
  /// Whose link is made, held or waited for, ascending: the only ones with a deadline, an operation
  /// or a fiber that connects them.
  private(set) var active: [Int] = []
  private var isActive: [Bool] = []
  private var dirty: [Int] = []
  private var isListed: [Bool] = []
  private var heard: [Int] = []
  private var isHeardListed: [Bool] = []
  /// Numbers without a device, descending: the smallest is taken next.
  private var free: [Int] = []
  /// Beyond so many it is worth looking for those that nobody can name.
  var limit = DeviceTable.least

  static let least = 4096
  /// Free numbers stay in a checkpoint as gaps; more of them than this are not made, nor read.
  static let gapLimit = 1 << 18

  private struct Place: Sendable {
    var first: Int
    var second: Int?
  }

  init() {}

  init(_ devices: [Device]) {
    for (index, device) in devices.enumerated() {
      if device.isGone {
        appendPlace()
        free.append(index)
      } else {
        _ = append(device)
      }
    }
    free.reverse()
    limit = Swift.max(Self.least, 2 * known)
  }

  /// How many devices there are; `count` is one more than the greatest number.
  var known: Int { all.count - free.count }

  private mutating func appendPlace() {
    all.append(.gone)
    isActive.append(false)
    isListed.append(false)
    isHeardListed.append(false)
  }

  /// A new device under the smallest number that is free.
  mutating func insert(_ device: Device) -> Int {
    guard let index = free.popLast() else { return append(device) }
    put(device, at: index)
    return index
  }

  private mutating func append(_ device: Device) -> Int {
    appendPlace()
    put(device, at: all.count - 1)
    return all.count - 1
  }

  private mutating func put(_ device: Device, at index: Int) {
    all[index] = device
    if places[device.bits] == nil {
      places[device.bits] = Place(first: index)
    } else if places[device.bits]?.second == nil {
      places[device.bits]?.second = index
    }
    noteChange(index)
  }

  /// Takes devices out, whose numbers nobody has; what is not taken out is known still.
  /// - Parameter indices: ascending, of devices with nothing under way.
  /// - Returns: those that were taken out.
  mutating func forget(_ indices: [Int]) -> [Int] {
    var forgotten: [Int] = []
    for index in indices where free.count + forgotten.count < Self.gapLimit {
      let bits = all[index].bits
      if let place = places[bits] {
        if place.first != index {
          places[bits]?.second = nil
        } else if let second = place.second {
          places[bits] = Place(first: second)
        } else {
          places[bits] = nil
        }
      }
      all[index] = .gone
      forgotten.append(index)
    }
    free = (free + forgotten).sorted(by: >)
    return forgotten
  }

  mutating func removeAll() { self = DeviceTable() }

  /// The device of an address; types are compared only when both sides know them.
  func index(of address: AddressValue) -> Int? {
    guard let place = places[address.bits] else { return nil }
    if all[place.first].addressValue.isSame(as: address) { return place.first }
    if let second = place.second, all[second].addressValue.isSame(as: address) { return second }
    return nil
  }

  /// Those that were marked since the last time, ascending, and which of their rows; the marks are
  /// taken off.
  mutating func takeDirty() -> [(index: Int, device: Bool, knowledge: Bool)] {
    if dirty.isEmpty { return [] }
    var list: [Int] = []
    swap(&list, &dirty)
    list.sort()
    var marked: [(index: Int, device: Bool, knowledge: Bool)] = []
    for index in list {
      marked.append((index, all[index].isDirty, all[index].isKnowledgeDirty))
      all[index].isDirty = false
      all[index].isKnowledgeDirty = false
      if marked[marked.count - 1].device { all[index].isHeard = false }
      isListed[index] = false
    }
    return marked
  }

  /// Those that were heard since the last time and not saved for another reason, ascending.
  mutating func takeHeard() -> [Int] {
    if heard.isEmpty { return [] }
    var list: [Int] = []
    swap(&list, &heard)
    list.sort()
    for index in list { isHeardListed[index] = false }
    list.removeAll { !all[$0].isHeard }
    for index in list { all[index].isHeard = false }
    return list
  }

  private mutating func noteChange(_ index: Int) {
    if all[index].isDirty || all[index].isKnowledgeDirty, !isListed[index] {
      isListed[index] = true
      dirty.append(index)
    }
    if all[index].isHeard, !isHeardListed[index] {
      isHeardListed[index] = true
      heard.append(index)
    }
    let isBusy = all[index].isBusy
    guard isBusy != isActive[index] else { return }
    isActive[index] = isBusy
    let place = active.partitioningIndex { $0 >= index }
    if isBusy { active.insert(index, at: place) } else { active.remove(at: place) }
  }
}

extension DeviceTable: RandomAccessCollection, MutableCollection {
  var startIndex: Int { 0 }
  var endIndex: Int { all.count }

  subscript(index: Int) -> Device {
    _read { yield all[index] }
    _modify {
      yield &all[index]
      noteChange(index)
    }
  }
}

extension Array {
  /// The first place from which on the condition holds, in an array in which it holds for an end of
  /// it only.
  fileprivate func partitioningIndex(where holds: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = low + (high - low) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
