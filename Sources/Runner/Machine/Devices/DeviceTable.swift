import Exchange
import Vocabulary

/// The devices that a run knows, by number. Nothing that is done for each report, notification or
/// turn looks at all of them: they are found by their address, and those with something under way
/// or something to be saved stand in lists of their own, kept by every change.
///
/// Writing to a device or to its attribute cache marks its row; writing to its link marks none.
/// A number stays that of its device until `forget`; then it is given to another.
struct DeviceTable: Sendable {
  private var all: [Device] = []
  private var links: [DeviceLink] = []
  /// Attribute caches, each in a row of its own.
  private var caches: [GattKnowledge?] = []
  /// One for each device.
  private var states: [State] = []
  /// By the 48 bits of the address: the first, and the second where a public and a random address
  /// have the same bits.
  private var places: [UInt64: Place] = [:]
  /// Whose link is made, held or waited for, ascending: the only ones with a deadline, an operation
  /// or a fiber that connects them.
  private(set) var active: [Int] = []
  private var changed: [Int] = []
  private var heard: [Int] = []
  private var deleted: [RowKey] = []
  /// Numbers without a device, descending: the smallest is taken next.
  private var free: [Int] = []
  /// Beyond so many it is worth looking for those that nobody can name.
  var limit = DeviceTable.least

  static let least = 4096
  /// Free numbers stay in a checkpoint as gaps; more of them than this are not made, nor read.
  static let gapLimit = 1 << 18

  private struct State: Sendable {
    var isChanged = false
    var isCacheChanged = false
    /// Something that its advertisements said is not saved yet: they come again, so it is saved
    /// with what else is, or after a while.
    var isHeard = false
    /// Is in the list of those that are changed, heard, or active.
    var isListed = false
    var isHeardListed = false
    var isActive = false
  }

  private struct Place: Sendable {
    var first: Int
    var second: Int?
  }

  init() {}

  /// The devices of a checkpoint; all are written again.
  init(_ devices: [Device], caches: [(device: Int, cache: GattKnowledge)] = []) {
    for (index, device) in devices.enumerated() {
      appendPlace()
      if device.isGone {
        free.append(index)
      } else {
        put(device, at: index)
        mark(index)
      }
    }
    for (device, cache) in caches where self.caches.indices.contains(device) { self.caches[device] = cache }
    free.reverse()
    limit = Swift.max(Self.least, 2 * known)
  }

  /// How many devices there are; `count` is one more than the greatest number.
  var known: Int { all.count - free.count }

  private mutating func appendPlace() {
    all.append(.gone)
    links.append(DeviceLink())
    caches.append(nil)
    states.append(State())
  }

  /// A new device under the smallest number that is free.
  /// - Parameter isHeard: known by an advertisement only, which comes again.
  mutating func insert(_ device: Device, isHeard: Bool = false) -> Int {
    let index: Int
    if let place = free.popLast() {
      index = place
    } else {
      appendPlace()
      index = all.count - 1
    }
    put(device, at: index)
    if isHeard { markHeard(index) } else { mark(index) }
    return index
  }

  private mutating func put(_ device: Device, at index: Int) {
    all[index] = device
    links[index] = DeviceLink()
    links[index].rssi = device.rssi
    caches[index] = nil
    place(index, at: device.bits)
    noteActivity(index)
  }

  /// A device has another address. One that has it already gets the other's in exchange: nothing is
  /// known of that one any more but what the recipe made of it.
  mutating func rename(_ index: Int, to address: Address) {
    let old = all[index].addressValue
    let other = self.index(of: AddressValue(address))
    guard other != index else { return }
    all[index].bits = address.bits
    all[index].kind = address.kind
    if let other {
      all[other].bits = old.bits
      all[other].kind = old.kind
      mark(other)
    }
    mark(index)
    replace(index, by: other, at: old.bits)
    if let other { replace(other, by: index, at: address.bits) } else { place(index, at: address.bits) }
  }

  private mutating func replace(_ index: Int, by other: Int?, at bits: UInt64) {
    guard let place = places[bits] else { return }
    if place.second == index {
      places[bits]?.second = other
    } else if place.first == index {
      places[bits] = other.map { Place(first: $0, second: place.second) } ?? place.second.map { Place(first: $0) }
    }
  }

  private mutating func place(_ index: Int, at bits: UInt64) {
    if places[bits] == nil {
      places[bits] = Place(first: index)
    } else if places[bits]?.second == nil {
      places[bits]?.second = index
    }
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
      links[index] = DeviceLink()
      caches[index] = nil
      (states[index].isChanged, states[index].isCacheChanged, states[index].isHeard) = (false, false, false)
      delete(RowKey(.device, UInt64(index)))
      forgotten.append(index)
    }
    free = (free + forgotten).sorted(by: >)
    return forgotten
  }

  /// Without rows to delete: the caller has all of them deleted.
  mutating func removeAll() { self = DeviceTable() }

  /// The run has made no more of it than a name that was heard.
  func isStranger(_ index: Int) -> Bool {
    let link = links[index]
    return !isBusy(index) && link.info == nil && link.held.isEmpty && link.located.isEmpty && caches[index] == nil
      && all[index].isUntouched
  }

  /// Something is under way, or due: who asks what is looks at these only.
  private func isBusy(_ index: Int) -> Bool {
    links[index].phase != .idle || links[index].resumeLimit != nil || all[index].connector != nil
  }

  /// The device of an address; types are compared only when both sides know them.
  func index(of address: AddressValue) -> Int? {
    guard let place = places[address.bits] else { return nil }
    if all[place.first].addressValue.isSame(as: address) { return place.first }
    if let second = place.second, all[second].addressValue.isSame(as: address) { return second }
    return nil
  }

  private mutating func noteActivity(_ index: Int) {
    let isBusy = isBusy(index)
    guard isBusy != states[index].isActive else { return }
    states[index].isActive = isBusy
    let place = active.partitioningIndex { $0 >= index }
    if isBusy { active.insert(index, at: place) } else { active.remove(at: place) }
  }

  // MARK: Rows

  private mutating func list(_ index: Int) {
    guard !states[index].isListed else { return }
    states[index].isListed = true
    changed.append(index)
  }

  private mutating func mark(_ index: Int) {
    states[index].isChanged = true
    list(index)
  }

  private mutating func markHeard(_ index: Int) {
    states[index].isHeard = true
    guard !states[index].isHeardListed else { return }
    states[index].isHeardListed = true
    heard.append(index)
  }

  mutating func delete(_ key: RowKey) { deleted.append(key) }

  /// Has the rows of all devices written anew.
  mutating func rewrite() {
    deleted.removeAll()
    for index in all.indices where !all[index].isGone {
      states[index].isCacheChanged = true
      mark(index)
    }
    rewriteHeld()
  }

  mutating func takeDeleted(in commit: inout Commit) {
    if deleted.isEmpty { return }
    for key in deleted { commit.rows.append(Commit.Row(key, nil)) }
    deleted.removeAll(keepingCapacity: true)
  }

  /// The rows of those that were marked since the last time, ascending.
  mutating func store(in commit: inout Commit) {
    if changed.isEmpty { return }
    var list: [Int] = []
    swap(&list, &changed)
    list.sort()
    for index in list {
      let state = states[index]
      states[index].isListed = false
      states[index].isChanged = false
      states[index].isCacheChanged = false
      if state.isChanged { store(index, in: &commit) }
      if state.isCacheChanged { commit.rows.append(Commit.Row(RowKey(.knowledge, UInt64(index)), caches[index]?.encoded)) }
    }
  }

  /// The rows of those that were heard since the last time and not saved for another reason.
  mutating func storeHeard(in commit: inout Commit) {
    if heard.isEmpty { return }
    var list: [Int] = []
    swap(&list, &heard)
    list.sort()
    for index in list {
      states[index].isHeardListed = false
      if states[index].isHeard { store(index, in: &commit) }
    }
  }

  /// The row has the signal strength of this moment, whose changes alone are not saved.
  private mutating func store(_ index: Int, in commit: inout Commit) {
    states[index].isHeard = false
    all[index].rssi = links[index].rssi
    commit.rows.append(Commit.Row(RowKey(.device, UInt64(index)), all[index].encoded))
  }
}

extension DeviceTable: RandomAccessCollection {
  var startIndex: Int { 0 }
  var endIndex: Int { all.count }

  subscript(index: Int) -> Device {
    _read { yield all[index] }
    _modify {
      mark(index)
      yield &all[index]
      noteActivity(index)
    }
  }

  /// The same for what an advertisement says, which comes again: it is saved with what else is, or
  /// after a while.
  subscript(heard index: Int) -> Device {
    _read { yield all[index] }
    _modify {
      markHeard(index)
      yield &all[index]
    }
  }

  /// The link, which is not saved.
  subscript(link index: Int) -> DeviceLink {
    _read { yield links[index] }
    _modify {
      yield &links[index]
      noteActivity(index)
    }
  }

  /// The attribute cache.
  subscript(cache index: Int) -> GattKnowledge? {
    _read { yield caches[index] }
    _modify {
      states[index].isCacheChanged = true
      list(index)
      yield &caches[index]
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
