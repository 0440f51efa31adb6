import Exchange
import Vocabulary

/// The fibers of a run, ordered by number, and the queue of those that can continue. Writing to a
/// fiber marks its row; removing it deletes the row.
struct Scheduler: Sendable {
  private var all: [Fiber] = []
  /// One per fiber, in the same order.
  private var states: [State] = []
  /// Fibers that can continue, in order.
  private var ready: [UInt64] = []
  private var deleted: [RowKey] = []
  /// A fiber inside an atomic step, during which no other fiber runs.
  private(set) var exclusive: UInt64?

  private struct State: Sendable {
    var isChanged = true
    var isStored = false
    /// Whether it is in the list of fibers that can continue.
    var isQueued = false
  }

  /// Which fibers may run.
  enum Admission: Equatable, Sendable { case all, restore, stop, none }

  init() {}

  /// The fibers of a checkpoint. None can continue yet, and all are marked to be rewritten.
  init(stored fibers: [Fiber]) {
    all = fibers
    states = Array(repeating: State(isStored: true), count: fibers.count)
  }

  // MARK: Adding and removing

  func index(of id: UInt64) -> Int? {
    var (start, end) = (0, all.count)
    while start < end {
      let middle = (start + end) / 2
      if all[middle].id < id { start = middle + 1 } else { end = middle }
    }
    return start < all.count && all[start].id == id ? start : nil
  }

  /// The fiber that waits for the results of this scan.
  func index(scanning operation: OperationID) -> Int? { all.indices.first { all[$0].wait.scanOperation == operation } }

  /// Adds a fiber, which must have the greatest number so far. It can run.
  mutating func add(_ fiber: Fiber) {
    all.append(fiber)
    states.append(State(isQueued: true))
    ready.append(fiber.id)
  }

  mutating func remove(at index: Int) -> Fiber {
    let fiber = all.remove(at: index)
    if states.remove(at: index).isStored { deleted.append(RowKey(.fiber, fiber.id)) }
    ready.removeAll { $0 == fiber.id }
    release(fiber.id)
    return fiber
  }

  /// Does not delete rows; the caller deletes all of them.
  mutating func removeAll() { self = Scheduler() }

  /// Takes a fiber out while it is changed, to avoid copies. `putBack` must follow.
  mutating func takeOut(_ index: Int) -> Fiber {
    states[index].isChanged = true
    return takeOutToAsk(index)
  }

  /// As `takeOut`, for work that does not change the fiber, so its row is not marked.
  mutating func takeOutToAsk(_ index: Int) -> Fiber {
    var fiber = Fiber.none
    swap(&fiber, &all[index])
    all[index].id = fiber.id
    all[index].role = fiber.role
    return fiber
  }

  /// Has no effect if the fiber was removed in the meantime.
  mutating func putBack(_ fiber: consuming Fiber) {
    guard let place = index(of: fiber.id) else { return }
    swap(&fiber, &all[place])
  }

  /// Takes out the found devices of a fiber's scan, to avoid copies. `putFound` must follow.
  mutating func takeFound(_ index: Int) -> [ScanWait.Found] {
    guard case .scan(var scan) = all[index].wait else { return [] }
    all[index].wait = .none
    var found: [ScanWait.Found] = []
    swap(&found, &scan.found)
    all[index].wait = .scan(scan)
    return found
  }

  mutating func putFound(_ found: [ScanWait.Found], _ index: Int) {
    guard case .scan(var scan) = all[index].wait else { return }
    scan.found = found
    all[index].wait = .scan(scan)
  }

  // MARK: Scheduling

  var hasReady: Bool { !ready.isEmpty }

  /// Lets a waiting fiber continue.
  mutating func wake(_ index: Int) {
    self[index].wait = .none
    enqueue(index)
  }

  mutating func enqueue(_ index: Int) {
    guard !states[index].isQueued else { return }
    states[index].isQueued = true
    ready.append(all[index].id)
  }

  /// Lets a fiber continue before all others.
  mutating func enqueueFirst(_ index: Int) {
    states[index].isQueued = true
    ready.insert(all[index].id, at: 0)
    exclusive = all[index].id
  }

  /// Removes and returns the next fiber that can continue, searching from a position of the list.
  mutating func takeNext(from position: inout Int, _ admission: Admission) -> UInt64? {
    // An exclusive fiber comes first; while it waits, no fiber runs.
    if let exclusive {
      guard let place = ready.firstIndex(of: exclusive) else { return nil }
      ready.remove(at: place)
      return exclusive
    }
    while position < ready.count {
      let id = ready[position]
      if mayRun(id, admission) {
        ready.remove(at: position)
        return id
      }
      position += 1
    }
    return nil
  }

  /// Whether any fiber can continue now.
  func canGoOn(_ admission: Admission) -> Bool {
    if let exclusive { return ready.contains(exclusive) }
    return ready.contains { mayRun($0, admission) }
  }

  /// Begins to run a fiber. Returns false if it waits.
  mutating func begin(_ index: Int) -> Bool {
    states[index].isQueued = false
    return all[index].wait == .none
  }

  private func mayRun(_ id: UInt64, _ admission: Admission) -> Bool {
    if admission == .all { return true }
    guard let index = index(of: id) else { return true }
    return mayRun(all[index], admission)
  }

  private func mayRun(_ fiber: borrowing Fiber, _ admission: Admission) -> Bool {
    switch admission {
    case .all: true
    case .restore: fiber.isRestore
    case .stop: fiber.isStop
    case .none: false
    }
  }

  /// Blocks all other fibers until `release`.
  mutating func reserve(_ id: UInt64) { exclusive = id }

  mutating func release(_ id: UInt64) { if exclusive == id { exclusive = nil } }

  mutating func releaseAll() { exclusive = nil }

  // MARK: Rows

  /// Marks the rows of all fibers to be rewritten.
  mutating func rewrite() {
    deleted.removeAll()
    for index in states.indices { states[index].isChanged = true }
  }

  mutating func takeDeleted(in commit: inout Commit) { commit.takeDeleted(&deleted) }

  mutating func store(in commit: inout Commit) {
    for index in states.indices where states[index].isChanged {
      states[index].isChanged = false
      states[index].isStored = true
      commit.rows.append(Commit.Row(RowKey(.fiber, all[index].id), all[index].withoutSecrets.encoded))
    }
  }
}

extension Scheduler: RandomAccessCollection {
  var startIndex: Int { 0 }
  var endIndex: Int { all.count }

  subscript(index: Int) -> Fiber {
    _read { yield all[index] }
    _modify {
      states[index].isChanged = true
      yield &all[index]
    }
  }
}
