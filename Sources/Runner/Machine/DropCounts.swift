import Exchange
import Vocabulary

/// Counts events that full queues dropped, and decides when to warn. Warnings about a queue that
/// stays full become rarer. The counts are saved in the header's row.
struct DropCounts: Sendable {
  private(set) var entries: [DroppedEvents] = []
  /// When the next warning is due; `period` and `rest` space the warnings.
  private var due: Moment?
  private var period = Self.firstCount
  private var rest = Moment(nanoseconds: 0)
  private var isChanged = false
  /// Whether a count changed and must be saved with this turn.
  private var isUrgent = false

  /// The delay before the first warning, and the longest delay between two warnings about a queue
  /// that stays full.
  static let firstCount = TimeSpan.seconds(1)
  static let longestCount = TimeSpan.seconds(60)

  init() {}

  /// Counts that a killed process had not reported.
  init(stored entries: [DroppedEvents]) { self.entries = entries }

  /// - Parameter line: line of the handler whose queue is full; none for events of `wait for`.
  mutating func count(line: RecipeLine, device: Int, by count: UInt64 = 1, at now: Moment) {
    if let place = entries.firstIndex(where: { $0.line == line && $0.device == device }) {
      entries[place].count += count
    } else {
      entries.append(DroppedEvents(line: line, device: device, count: count))
    }
    isChanged = true
    isUrgent = true
    if due == nil { due = max(now + Self.firstCount, rest) }
  }

  mutating func removeAll() {
    if !entries.isEmpty { isChanged = true }
    entries.removeAll()
  }

  var nextDeadline: Moment? { due }

  /// The unreported counts, if a warning is due. Forgets counts that were already reported.
  mutating func takeDue(_ now: Moment) -> [DroppedEvents] {
    if entries.isEmpty { return [] }
    forgetReported()
    guard let moment = due else {
      if !entries.isEmpty { due = max(now + Self.firstCount, rest) }
      return []
    }
    guard moment <= now else { return [] }
    let goesOn = moment <= rest + max(period, .minutes(1))
    period = goesOn ? min(period * 2, Self.longestCount) : Self.firstCount
    due = nil
    rest = now + period
    return take()
  }

  /// All unreported counts.
  mutating func take() -> [DroppedEvents] {
    var new: [DroppedEvents] = []
    for index in entries.indices where entries[index].count > entries[index].reported {
      var entry = entries[index]
      entry.count -= entry.reported
      entry.reported = 0
      new.append(entry)
      entries[index].reported = entries[index].count
    }
    return new
  }

  private mutating func forgetReported() {
    guard entries.contains(where: { $0.reported > 0 }) else { return }
    for index in entries.indices {
      entries[index].count -= entries[index].reported
      entries[index].reported = 0
    }
    entries.removeAll { $0.count == 0 }
    isChanged = true
  }

  mutating func takeChanges() -> (isChanged: Bool, isUrgent: Bool) {
    defer { (isChanged, isUrgent) = (false, false) }
    return (isChanged, isUrgent)
  }
}
