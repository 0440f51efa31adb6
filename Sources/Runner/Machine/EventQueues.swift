import Exchange
import Vocabulary

/// Events that are not handled yet: a lane for each handler and device, the events kept for `wait
/// for`, and the counts of dropped ones. Each event has a row.
struct EventQueues: Sendable {
  private var lanes: [Lane] = []
  /// Events kept for `wait for`.
  private(set) var kept = StoredEvents()
  /// As `Lane.older`.
  private var olderKept = 0
  private(set) var drops = DropCounts()
  private var deleted: [RowKey] = []

  /// The maximum number of events in a lane, and of kept events.
  static let limit = 1024
  /// Advertisements are queued only while all lanes together have fewer events than this.
  static let endlessLimit = 4096
  /// The maximum number of events of a lane, and of kept events, that happened while no process
  /// ran. A keeper holds half as many for a link.
  static let backlog = 8192

  /// The queued events of one handler and one device, in order.
  private struct Lane: Equatable, Sendable {
    var unit: Int
    var device: Int
    /// Whether the handler is running.
    var isBusy = false
    /// When the event happened that it handles; `nil` if it handles none, or an earlier process
    /// began with it.
    var handled: Moment?
    var events = StoredEvents()
    /// How many of its events happened before this process began, and do not count for the limit:
    /// the run is not slow, but was away.
    var older = 0
  }

  /// The result of adding an event.
  enum Admission: Equatable, Sendable {
    /// The handler is free. The caller starts it and calls `begin`.
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
    // Otherwise each restart would admit as many as the limit.
    olderKept = max(0, kept.count - Self.limit)
    for place in lanes.indices { lanes[place].older = max(0, lanes[place].events.count - Self.limit) }
  }

  /// Does not delete rows; the caller deletes all of them.
  mutating func removeAll() {
    lanes.removeAll()
    kept = StoredEvents()
    drops.removeAll()
    deleted.removeAll()
  }

  // MARK: Handlers

  var isEmpty: Bool { !lanes.contains { !$0.events.isEmpty } }
  var count: Int { lanes.reduce(0) { $0 + $1.events.count } }

  /// What waits in each lane. Advertisements do not count, because they never end.
  var backlogs: [(unit: Int, device: Int, count: Int)] {
    lanes.compactMap { lane in
      if case .advertised? = lane.events.first?.kind { return nil }
      return lane.events.isEmpty ? nil : (lane.unit, lane.device, lane.events.count)
    }
  }

  /// Devices for which a handler runs or has queued events.
  var devices: [Int] { lanes.filter { $0.isBusy || !$0.events.isEmpty }.map(\.device) }

  /// Adds an event to the lane of its handler and device.
  /// - Parameter isOlder: Whether it happened before this process began.
  mutating func admit(_ event: MachineEvent, _ unit: Int, keepingLatest: Bool, isOlder: Bool = false) -> Admission {
    // Advertisements never end, whatever a handler does with them.
    let isEndless = if case .advertised = event.kind { true } else { false }
    if isEndless, index(unit, event.device) == nil, lanes.count >= Self.limit { return .dropped }
    let place = lane(unit, event.device)
    if !lanes[place].isBusy { return .start(lane: place) }
    if keepingLatest {
      while take(place) != nil {}
    } else if isOlder, !isEndless, lanes[place].older < Self.backlog {
      lanes[place].older += 1
    } else if lanes[place].events.count >= Self.limit + lanes[place].older || isEndless && count >= Self.endlessLimit {
      return .dropped
    }
    lanes[place].events.append(event)
    return .queued
  }

  /// The handler of a lane begins with an event.
  mutating func begin(_ event: MachineEvent, lane: Int) {
    lanes[lane].isBusy = true
    lanes[lane].handled = event.at.moment
  }

  mutating func end(lane: Int) {
    lanes[lane].isBusy = false
    lanes[lane].handled = nil
  }

  /// Whether the handler of a lane handles an event that happened before a moment.
  func handles(before moment: Moment, lane: Int) -> Bool { lanes[lane].handled.map { $0 < moment } ?? false }

  /// Whether events that happened before a moment are queued or being handled.
  func hasAny(before moment: Moment) -> Bool {
    lanes.indices.contains { place in
      lanes[place].events.first.map { $0.at.moment < moment } ?? false || handles(before: moment, lane: place)
    }
  }

  /// Removes a lane that is idle and empty.
  mutating func close(_ lane: Int) {
    if !lanes[lane].isBusy, lanes[lane].events.isEmpty { lanes.remove(at: lane) }
  }

  /// Marks the handler as running in a restored run.
  mutating func resume(_ unit: Int, _ device: Int) { lanes[lane(unit, device)].isBusy = true }

  /// The lane of a handler and device, if there is one.
  func index(_ unit: Int, _ device: Int) -> Int? { lanes.firstIndex { $0.unit == unit && $0.device == device } }

  /// The number of events queued for a handler.
  func waiting(_ unit: Int, _ device: Int) -> Int { index(unit, device).map { lanes[$0].events.count } ?? 0 }

  /// Removes and returns the next event of a lane.
  mutating func take(_ lane: Int) -> MachineEvent? {
    guard let (event, isStored) = lanes[lane].events.take() else { return nil }
    if lanes[lane].older > 0 { lanes[lane].older -= 1 }
    if isStored { deleted.append(.queued(event, lanes[lane].unit)) }
    return event
  }

  mutating func forget(where isForgotten: (_ device: Int) -> Bool) { lanes.removeAll { isForgotten($0.device) } }

  /// Drops the queued events of these handlers.
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

  mutating func keep(_ event: MachineEvent, isOlder: Bool = false) {
    if isOlder, olderKept < Self.backlog { olderKept += 1 }
    kept.append(event)
  }

  var keepsTooMuch: Bool { kept.count > Self.limit + olderKept }

  /// Withdraws the question of a pairing that has ended.
  mutating func withdraw(_ question: PairingQuestionID) {
    kept.withdraw(question)
    for place in lanes.indices { lanes[place].events.withdraw(question) }
  }

  /// Drops kept events up to and including this one.
  mutating func prune(through sequence: UInt64) {
    while let event = kept.first, event.sequence <= sequence { _ = takeKept() }
  }

  /// Removes and returns the oldest kept event.
  mutating func takeKept() -> MachineEvent? {
    guard let (event, isStored) = kept.take() else { return nil }
    if olderKept > 0 { olderKept -= 1 }
    if isStored { deleted.append(RowKey(.keptEvent, event.sequence)) }
    return event
  }

  // MARK: Dropped events

  mutating func countDropped(line: RecipeLine, device: Int, count: UInt64 = 1, at now: Moment) {
    drops.count(line: line, device: device, by: count, at: now)
  }

  mutating func takeDueDrops(_ now: Moment) -> [DroppedEvents] { drops.takeDue(now) }

  mutating func takeDrops() -> [DroppedEvents] { drops.take() }

  /// Whether the header, which contains the counts, must be saved, and whether that is urgent.
  mutating func takeDropChanges() -> (isChanged: Bool, isUrgent: Bool) { drops.takeChanges() }

  // MARK: Rows

  /// Marks the rows of all events to be rewritten.
  mutating func rewrite() {
    deleted.removeAll()
    for place in lanes.indices { lanes[place].events.rewrite() }
    kept.rewrite()
  }

  mutating func takeDeleted(in commit: inout Commit) { commit.takeDeleted(&deleted) }

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
