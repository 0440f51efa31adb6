import Exchange
import Vocabulary

/// The devices for which each `whenever` has started, each with a row. Bounded because addresses
/// rotate; the activation that ended longest ago is forgotten first.
struct SeenDevices: Sendable {
  /// Ordered by number.
  private var all: [SeenDevice] = []
  private var isChanged: [Bool] = []
  private var places: [Key: UInt64] = [:]
  private var byFiber: [UInt64: UInt64] = [:]
  private var deleted: [RowKey] = []
  private var next: UInt64 = 1
  private(set) var running: [Int: Int] = [:]

  /// The maximum number of devices, and of concurrent activations of a `whenever`.
  static let limit = 4096
  static let fiberLimit = 1024

  private struct Key: Hashable {
    var unit: Int
    var address: Address
  }

  init() {}

  /// The devices of a checkpoint. Activations without a fiber have ended.
  init(stored: [SeenDevice], isRunning: (UInt64) -> Bool, now: Instant) {
    for var entry in stored {
      if let fiber = entry.fiber, !isRunning(fiber) {
        entry.fiber = nil
        entry.ended = now
      }
      // Across a kill, which may include a reboot, pauses are measured by the wall clock.
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
    // Entries are ordered by their end, so that the first one is forgotten first.
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

  /// Does not delete rows; the caller deletes all of them.
  mutating func removeAll() { self = SeenDevices() }

  // MARK: Rows

  mutating func rewrite() {
    deleted.removeAll()
    for index in isChanged.indices { isChanged[index] = true }
  }

  mutating func takeDeleted(in commit: inout Commit) { commit.takeDeleted(&deleted) }

  mutating func store(in commit: inout Commit) {
    for index in all.indices.reversed() {
      guard isChanged[index] else { continue }
      isChanged[index] = false
      commit.rows.append(Commit.Row(RowKey(.seen, all[index].id), all[index].encoded))
    }
  }
}
