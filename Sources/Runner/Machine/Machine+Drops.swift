import Exchange
import Vocabulary

extension Machine {
  /// Warns about dropped events if a warning is due.
  mutating func reportDueDrops() { logDrops(events.takeDueDrops(now.moment)) }

  /// Warns about all unreported dropped events.
  mutating func reportDrops() { logDrops(events.takeDrops()) }

  /// Warns about events that their handlers did not reach before the end of the recipe.
  mutating func reportUnhandled() {
    for (unit, device, count) in events.backlogs {
      guard case .handler(let site) = program.units[unit].role else { continue }
      let name = devices.indices.contains(device) ? " of \(devices[device].text)" : ""
      note(
        .warning,
        "\(count) event\(count == 1 ? "" : "s")\(name) for the handler of \(program.lines.text(of: site.line)) "
          + "\(count == 1 ? "was" : "were") not handled: the recipe has ended, and its handlers had 5s more")
    }
  }

  /// Warns once for each queue that has dropped events.
  private mutating func logDrops(_ entries: [DroppedEvents]) {
    for entry in entries {
      let count = entry.count
      let events = count == 1 ? "1 event" : "\(count) events"
      let name = devices.indices.contains(entry.device) ? " of \(devices[entry.device].text)" : ""
      let were = count == 1 ? "was" : "were"
      note(
        .warning,
        entry.line == .none
          ? "\(events)\(name) that no `wait for` took \(were) dropped: more than \(EventQueues.limit) are waiting"
          : "\(events)\(name) for the handler of \(program.lines.text(of: entry.line)) \(were) dropped: it does not keep up")
    }
  }
}
