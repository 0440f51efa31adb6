import Exchange
import Vocabulary

/// Queues that are full: every event that they cannot take is counted, and told with others in one
/// line.
extension Machine {
  /// How long counting goes on before the first warning, and at most between two of a queue that
  /// stays full.
  static let firstCount = TimeSpan.seconds(1)
  static let longestCount = TimeSpan.seconds(60)

  /// An event was dropped: of a handler's queue, or (no line) of what `wait for` might have taken.
  mutating func countDropped(line: RecipeLine, device: Int) {
    if let place = header.dropped.firstIndex(where: { $0.line == line && $0.device == device }) {
      header.dropped[place].count += 1
    } else {
      header.dropped.append(DroppedEvents(line: line, device: device, count: 1))
    }
    isHeaderDirty = true
    mustKeepHeader = true
    if dropsDue == nil { dropsDue = max(now.moment + Self.firstCount, dropsRest) }
  }

  /// What the last warning told of is no longer owed; what is due is told.
  mutating func tellDropsThatAreDue() {
    guard !header.dropped.isEmpty else { return }
    forgetToldDrops()
    guard let due = dropsDue else {
      // What a killed process had not told of.
      if !header.dropped.isEmpty { dropsDue = max(now.moment + Self.firstCount, dropsRest) }
      return
    }
    guard due <= now.moment else { return }
    // A queue that stays full is told of more and more seldom.
    let goesOn = due <= dropsRest + max(dropsPeriod, .minutes(1))
    dropsPeriod = goesOn ? min(dropsPeriod * 2, Self.longestCount) : Self.firstCount
    dropsDue = nil
    dropsRest = now.moment + dropsPeriod
    tellDrops()
  }

  private mutating func forgetToldDrops() {
    guard header.dropped.contains(where: { $0.told > 0 }) else { return }
    for index in header.dropped.indices {
      header.dropped[index].count -= header.dropped[index].told
      header.dropped[index].told = 0
    }
    header.dropped.removeAll { $0.count == 0 }
    isHeaderDirty = true
  }

  /// One warning for each queue that has lost something.
  mutating func tellDrops() {
    for index in header.dropped.indices {
      let entry = header.dropped[index]
      let count = entry.count - entry.told
      guard count > 0 else { continue }
      header.dropped[index].told = entry.count
      let events = count == 1 ? "1 event" : "\(count) events"
      let name = devices.indices.contains(entry.device) ? " of \(devices[entry.device].text)" : ""
      let were = count == 1 ? "was" : "were"
      note(
        .warning,
        entry.line == .none
          ? "\(events)\(name) that no `wait for` took \(were) dropped: more than \(Lane.limit) are waiting"
          : "\(events)\(name) for the handler of \(program.lines.text(of: entry.line)) \(were) dropped: it does not keep up")
    }
  }
}
