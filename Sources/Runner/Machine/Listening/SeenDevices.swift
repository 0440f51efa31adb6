import Exchange
import Vocabulary

/// For which devices each `whenever` has started, each with a row. Bounded: addresses rotate, and
/// what has ended longest ago is forgotten first.
struct SeenDevices: Sendable {
  /// In the order of their numbers.
  private var all: [SeenDevice] = []
  private var isChanged: [Bool] = []
  private var places: [Key: UInt64] = [:]
  private var byFiber: [UInt64: UInt64] = [:]
  private var deleted: [RowKey] = []
  private var next: UInt64 = 1
  private(set) var running: [Int: Int] = [:]

  /// So many devices are remembered at most, and so many activations of one `whenever` run.
  static let limit = 4096
  static let fiberLimit = 1024

  private struct Key: Hashable {
    var unit: Int
    var address: Address
  }

  init() {}

  /// Those of a checkpoint. An activation that is not there any more has ended.
  init(stored: [SeenDevice], isRunning: (UInt64) -> Bool, now: Instant) {
    for var entry in stored {
      if let fiber = entry.fiber, !isRunning(fiber) {
        entry.fiber = nil
        entry.ended = now
      }
      // Pauses go by the wall clock over a kill, which may have been a reboot.
      if let ended = entry.ended {
        entry.ended = Instant(moment: now.moment - max(now.wall - ended.wall, .zero), wall: ended.wall)
      }
      insert(entry)
      next = max(next, entry.id + 1)
    }
  }

  var count: Int { all.count }

  /// Whether an activation may start now.
  func mayStart(_ unit: Int, _ address: Address, again: TimeSpan?, _ now: Instant) -> Bool {
    guard let id = places[Key(unit: unit, address: address)], let place = place(of: id) else { return true }
    guard all[place].fiber == nil, let again, let ended = all[place].ended else { return false }
    return now.moment - ended.moment >= again
  }

  func isFull(_ unit: Int) -> Bool { running[unit, default: 0] >= Self.fiberLimit }

  mutating func start(_ unit: Int, _ address: Address, _ fiber: UInt64) {
    if let id = places[Key(unit: unit, address: address)], let place = place(of: id) { remove(place) }
    if all.count >= Self.limit, let oldest = all.indices.first(where: { all[$0].fiber == nil }) { remove(oldest) }
    insert(SeenDevice(id: next, unit: unit, address: address, fiber: fiber, ended: nil))
    next += 1
  }

  mutating func end(_ fiber: UInt64, _ now: Instant) {
    guard let id = byFiber.removeValue(forKey: fiber), let place = place(of: id) else { return }
    running[all[place].unit, default: 1] -= 1
    // The order is that of their ends, so that the first is the one to forget.
    var entry = all[place]
    remove(place)
    entry.id = next
    entry.fiber = nil
    entry.ended = now
    next += 1
    insert(entry)
  }

  private func place(of id: UInt64) -> Int? {
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low < all.count && all[low].id == id ? low : nil
  }

  private mutating func insert(_ entry: SeenDevice) {
    all.append(entry)
    isChanged.append(true)
    places[Key(unit: entry.unit, address: entry.address)] = entry.id
    if let fiber = entry.fiber {
      byFiber[fiber] = entry.id
      running[entry.unit, default: 0] += 1
    }
  }

  private mutating func remove(_ place: Int) {
    let entry = all.remove(at: place)
    isChanged.remove(at: place)
    places[Key(unit: entry.unit, address: entry.address)] = nil
    deleted.append(RowKey(.seen, entry.id))
  }

  /// Without rows to delete: the caller has all of them deleted.
  mutating func removeAll() { self = SeenDevices() }

  // MARK: Rows

  mutating func rewrite() {
    deleted.removeAll()
    for index in isChanged.indices { isChanged[index] = true }
  }

  mutating func takeDeleted(in commit: inout Commit) {
    if deleted.isEmpty { return }
    for key in deleted { commit.rows.append(Commit.Row(key, nil)) }
    deleted.removeAll(keepingCapacity: true)
  }

  mutating func store(in commit: inout Commit) {
    for index in all.indices.reversed() {
      guard isChanged[index] else { continue }
      isChanged[index] = false
      commit.rows.append(Commit.Row(RowKey(.seen, all[index].id), all[index].encoded))
    }
  }
}
