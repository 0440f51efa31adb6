package import Journal
import Recipe
import Runner
package import Vocabulary

/// The contents of a checkpoint, for display.
package struct RunSummary {
  package private(set) var lines: [(title: String, text: String)] = []

  package init(_ found: RunSnapshot, _ zone: TimeZoneRules) {
    guard let snapshot = try? Snapshot(rows: found.rows) else {
      lines.append(("state", "unreadable"))
      return
    }
    let loaded = RecipeLoader.parse(name: found.record.path, stored: found.record.text)
    if let recipe = loaded.recipe, case .success(let program) = Compiler.compile(recipe, sources: loaded.sources) {
      for line in snapshot.fiberLines(program) { lines.append(("at", line)) }
    }
    for line in snapshot.deviceLines { lines.append(("device", line)) }
    for line in snapshot.timerLines(zone) { lines.append(("timer", line)) }
    if snapshot.isUnsure { lines.append(("unsure", "the outcome of an effect is unknown")) }
  }

  /// The place of a run's body: `line 26: reconnect forever`; `nil` if it is over or its file
  /// cannot be read.
  package static func place(of id: RunID, in state: StateDirectory) -> String? {
    guard let found = try? RunStore.peek(id, in: state), !found.rows.isEmpty else { return nil }
    return RunSummary(found, .utc).lines.first { $0.title == "at" }?.text
  }
}
