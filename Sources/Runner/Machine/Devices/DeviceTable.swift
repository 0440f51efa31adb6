import Exchange
import Vocabulary

/// The devices that a run knows, by number. Work per report, notification or turn never visits all
/// devices: they are looked up by address, and separate lists have the active and changed ones.
///
/// Writing to a device or to its attribute cache marks its row; writing to its link does not.
/// A device keeps its number until `forget`; then the number is reused.
struct DeviceTable: Sendable {
  private var all: [Device] = []
  private var links: [DeviceLink] = []
  /// Attribute caches, each in a row of its own.
  private var caches: [AttributeCache?] = []
  /// One per device.
  private var states: [State] = []
  /// Indices by the 48 bits of the address. `second` is used if a public and a random address have
  /// the same bits.
  private var places: [UInt64: Place] = [:]
  /// Devices with a link, an attempt, something due or a held event, ascending. Only these have a
  /// deadline, an operation or a connecting fiber.
  private(set) var active: [Int] = []
  private var changed: [Int] = []
  private var heard: [Int] = []
  private var deleted: [RowKey] = []
  /// Free numbers, descending; the smallest is used next.
  private var free: [Int] = []
  /// The number of devices above which `forgetUnreferencedDevices` is worthwhile.
  var limit = DeviceTable.least

  static let least = 4096
  /// The maximum number of free numbers, which are gaps in a checkpoint.
  static let gapLimit = 1 << 18

  private struct State: Sendable {
    var isChanged = false
    var isCacheChanged = false
    /// Whether advertised data is unsaved. It will be repeated, so it is saved with other rows or
    /// after a while.
    var isHeard = false
    /// Membership in the lists of changed, heard and active devices.
    var isListed = false
    var isHeardListed = false
    var isActive = false
  }

  private struct Place: Sendable {
    var first: Int
    var second: Int?
  }

  init() {}

  /// The devices of a checkpoint; all are marked to be rewritten.
  init(_ devices: [Device], caches: [(device: Int, cache: AttributeCache)] = []) {
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

  /// The number of devices; `count` is the greatest number plus one.
  var known: Int { all.count - free.count }

  private mutating func appendPlace() {
    all.append(.gone)
    links.append(DeviceLink())
    caches.append(nil)
    states.append(State())
  }

  /// Adds a device with the smallest free number.
  /// - Parameter isHeard: whether it is known only from an advertisement, which will be repeated.
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

  /// Changes the address of a device. A device that already has it gets the old address in
  /// exchange, because only the recipe's use of that device still matters.
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

  /// Removes devices to which nothing refers. Devices beyond the gap limit are kept.
  /// - Parameter indices: ascending, of inactive devices.
  /// - Returns: the removed devices.
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

  /// Does not delete rows; the caller deletes all of them.
  mutating func removeAll() { self = DeviceTable() }

  /// Whether the run knows no more of it than its advertisements.
  func isUnreferenced(_ index: Int) -> Bool {
    let link = links[index]
    return !isBusy(index) && link.info == nil && link.located.isEmpty && caches[index] == nil
      && all[index].isUntouched
  }

  /// Whether it is active, something is due, or an event waits.
  private func isBusy(_ index: Int) -> Bool {
    links[index].phase != .idle || links[index].resumeLimit != nil || all[index].connector != nil || !links[index].held.isEmpty
  }

  /// The device of an address. Address types are compared only if both are known.
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

  /// Marks the rows of all devices to be rewritten.
  mutating func rewrite() {
    deleted.removeAll()
    for index in all.indices where !all[index].isGone {
      states[index].isCacheChanged = true
      mark(index)
    }
    rewriteHeld()
  }

  mutating func takeDeleted(in commit: inout Commit) { commit.takeDeleted(&deleted) }

  /// Stores the rows marked since the last call, ascending.
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
      if state.isCacheChanged { commit.rows.append(Commit.Row(RowKey(.attributeCache, UInt64(index)), caches[index]?.encoded)) }
    }
  }

  /// Stores the rows of devices that were only heard since the last call.
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

  /// Stores a row with the current signal strength, which alone does not mark the row.
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

  /// As above, for advertised data. It will be repeated, so it is saved with other rows or after a
  /// while.
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
  subscript(cache index: Int) -> AttributeCache? {
    _read { yield caches[index] }
    _modify {
      states[index].isCacheChanged = true
      list(index)
      yield &caches[index]
    }
  }
}

extension Array {
  /// The first index from which on the condition holds, by binary search.
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
