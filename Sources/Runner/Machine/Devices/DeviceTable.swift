import Exchange
import Vocabulary

/// The devices that a run knows, by number. Nothing that is done for each report, notification or turn looks at all of them: they are found by
/// their address, and those with something under way or something to be saved stand in lists of their own, kept by every change.
struct DeviceTable: Sendable {
  private var all: [Device] = []
  /// By the 48 bits of the address: the first, and the second where a public and a random address have the same bits.
  private var places: [UInt64: Place] = [:]
  /// Whose link is made, held or waited for, ascending: the only ones with a deadline, an operation or a fiber that connects them.
  private(set) var active: [Int] = []
  private var isActive: [Bool] = []
  private var dirty: [Int] = []
  private var isListed: [Bool] = []

  private struct Place: Sendable {
    var first: Int
    var second: Int?
  }

  init() {}

  init(_ devices: [Device]) { for device in devices { append(device) } }

  mutating func append(_ device: Device) {
    let index = all.count
    all.append(device)
    isActive.append(false)
    isListed.append(false)
    if places[device.bits] == nil {
      places[device.bits] = Place(first: index)
    } else if places[device.bits]?.second == nil {
      places[device.bits]?.second = index
    }
    noteChange(index)
  }

  mutating func removeAll() { self = DeviceTable() }

  /// The device of an address; types are compared only when both sides know them.
  func index(of address: AddressValue) -> Int? {
    guard let place = places[address.bits] else { return nil }
    if all[place.first].addressValue.isSame(as: address) { return place.first }
    if let second = place.second, all[second].addressValue.isSame(as: address) { return second }
    return nil
  }

  /// Those that were marked since the last time, ascending, and which of their rows; the marks are taken off.
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
      isListed[index] = false
    }
    return marked
  }

  private mutating func noteChange(_ index: Int) {
    if all[index].isDirty || all[index].isKnowledgeDirty, !isListed[index] {
      isListed[index] = true
      dirty.append(index)
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
  /// The first place from which on the condition holds, in an array in which it holds for an end of it only.
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
