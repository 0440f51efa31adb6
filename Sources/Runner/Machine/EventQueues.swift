import Exchange
import Vocabulary

/// What has happened and is not handled yet: a lane for each handler and device, the events that
/// some `wait for` may take, and the counts of those that did not fit. Each event has a row.
struct EventQueues: Sendable {
  private var lanes: [Lane] = []
  /// Events that some `wait for` may take.
  private(set) var kept = StoredEvents()
  private(set) var drops = DropCounts()
  private var deleted: [RowKey] = []

  /// So many events wait in a lane at most, and so many are kept.
  static let limit = 1024
  /// Advertisements wait only while fewer events than this wait in all lanes.
  static let endlessLimit = 4096

  /// The events that one handler has still to take from one device, in order.
  private struct Lane: Equatable, Sendable {
    var unit: Int
    var device: Int
    /// The handler runs.
    var isBusy = false
    var events = StoredEvents()
  }

  /// What becomes of an event.
  enum Admission: Equatable, Sendable {
    /// The handler is free: whoever starts it says so with `setBusy`.
    case start(lane: Int)
    case queued
    case dropped
  }

  init() {}

  /// The events of a checkpoint.
  init(queued: [(unit: Int, event: MachineEvent)], kept: [MachineEvent], dropped: [DroppedEvents]) {
    self.kept = StoredEvents(stored: kept)
    drops = DropCounts(stored: dropped)
    for (unit, event) in queued { lanes[lane(unit, event.device)].events.appendStored(event) }
  }

  /// Without rows to delete: the caller has all of them deleted.
  mutating func removeAll() {
    lanes.removeAll()
    kept = StoredEvents()
    drops.removeAll()
    deleted.removeAll()
  }

  // MARK: Handlers

  var isEmpty: Bool { !lanes.contains { !$0.events.isEmpty } }
  var count: Int { lanes.reduce(0) { $0 + $1.events.count } }

  /// Devices of which a handler runs or has events to take.
  var devices: [Int] { lanes.filter { $0.isBusy || !$0.events.isEmpty }.map(\.device) }

  /// Hands an event to the lane of its handler and device.
  mutating func admit(_ event: MachineEvent, _ unit: Int, keepingLatest: Bool) -> Admission {
    // Who is on the air is endless, whatever a handler does with it.
    let isEndless = if case .advertised = event.kind { true } else { false }
    if isEndless, index(unit, event.device) == nil, lanes.count >= Self.limit { return .dropped }
    let place = lane(unit, event.device)
    if !lanes[place].isBusy { return .start(lane: place) }
    if keepingLatest {
      while take(place) != nil {}
    } else if lanes[place].events.count >= Self.limit || isEndless && count >= Self.endlessLimit {
      return .dropped
    }
    lanes[place].events.append(event)
    return .queued
  }

  mutating func setBusy(_ isBusy: Bool, lane: Int) { lanes[lane].isBusy = isBusy }

  /// Nothing of a lane is left: its place is given up.
  mutating func close(_ lane: Int) {
    if !lanes[lane].isBusy, lanes[lane].events.isEmpty { lanes.remove(at: lane) }
  }

  /// The handler runs already, in a run that is taken up.
  mutating func resume(_ unit: Int, _ device: Int) { lanes[lane(unit, device)].isBusy = true }

  /// The lane of a handler and device, if it has one.
  func index(_ unit: Int, _ device: Int) -> Int? { lanes.firstIndex { $0.unit == unit && $0.device == device } }

  /// How many events wait for a handler.
  func waiting(_ unit: Int, _ device: Int) -> Int { index(unit, device).map { lanes[$0].events.count } ?? 0 }

  /// The next event of a lane.
  mutating func take(_ lane: Int) -> MachineEvent? {
    guard let (event, isStored) = lanes[lane].events.take() else { return nil }
    if isStored { deleted.append(.queued(event, lanes[lane].unit)) }
    return event
  }

  mutating func forget(where isForgotten: (_ device: Int) -> Bool) { lanes.removeAll { isForgotten($0.device) } }

  /// Nothing waits for these handlers any more.
  mutating func forget(units: [Int]) {
    for place in lanes.indices.reversed() where units.contains(lanes[place].unit) {
      while take(place) != nil {}
      lanes.remove(at: place)
    }
  }

  private mutating func lane(_ unit: Int, _ device: Int) -> Int {
    if let place = index(unit, device) { return place }
    lanes.append(Lane(unit: unit, device: device))
    return lanes.count - 1
  }

  // MARK: `wait for`

  mutating func keep(_ event: MachineEvent) { kept.append(event) }

  /// The pairing of a question has ended: whoever comes to it finds it gone.
  mutating func withdraw(_ question: PairingQuestionID) {
    kept.withdraw(question)
    for place in lanes.indices { lanes[place].events.withdraw(question) }
  }

  /// Forgets kept events up to this one.
  mutating func prune(through sequence: UInt64) {
    while let event = kept.first, event.sequence <= sequence { _ = takeKept() }
  }

  /// The oldest that is kept.
  mutating func takeKept() -> MachineEvent? {
    guard let (event, isStored) = kept.take() else { return nil }
    if isStored { deleted.append(RowKey(.keptEvent, event.sequence)) }
    return event
  }

  // MARK: Dropped

  mutating func countDropped(line: RecipeLine, device: Int, count: UInt64 = 1, at now: Moment) {
    drops.count(line: line, device: device, by: count, at: now)
  }

  mutating func takeDueDrops(_ now: Moment) -> [DroppedEvents] { drops.takeDue(now) }

  mutating func takeDrops() -> [DroppedEvents] { drops.take() }

  /// Whether the header, which has the counts, must be written: with what else is, or for itself.
  mutating func takeDropChanges() -> (isChanged: Bool, isUrgent: Bool) { drops.takeChanges() }

  // MARK: Rows

  /// Has the rows of all events written anew.
  mutating func rewrite() {
    deleted.removeAll()
    for place in lanes.indices { lanes[place].events.rewrite() }
    kept.rewrite()
  }

  mutating func takeDeleted(in commit: inout Commit) {
    if deleted.isEmpty { return }
    for key in deleted { commit.rows.append(Commit.Row(key, nil)) }
    deleted.removeAll(keepingCapacity: true)
  }

  mutating func store(in commit: inout Commit) {
    for place in lanes.indices where lanes[place].events.hasNew {
      let unit = lanes[place].unit
      for event in lanes[place].events.takeNew() {
        var writer = ByteWriter()
        writer.put(UInt16(truncatingIfNeeded: unit))
        event.write(to: &writer)
        commit.rows.append(Commit.Row(.queued(event, unit), writer.bytes))
      }
    }
    guard kept.hasNew else { return }
    for event in kept.takeNew() { commit.rows.append(Commit.Row(RowKey(.keptEvent, event.sequence), event.encoded)) }
  }
}
