import Adapters
import Keeper
import Linux
import Packets
import Vocabulary

/// `tooth adapter reset`.
enum AdapterCommand {
  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    let arguments = try Arguments(line, of: command, inputs: [])
    guard arguments.words == ["reset"] else {
      let word = arguments.words.first { $0 != "reset" }
      throw UsageError(
        word.map { "tooth adapter has no \($0)" } ?? "tooth adapter what?",
        hint: "tooth adapter reset, or tooth adapters to list them")
    }
    guard let task = try AdapterTask(arguments) else { return 9 }
    let (hasKeeper, peers) = task.order(.resetAdapter(force: task.force))
    return hasKeeper
      ? peers.map { byKeeper(task, $0) } ?? 9 : task.care { care throws(AdapterCare.Trouble) in try direct(task, care) }
  }

  private static func byKeeper(_ task: AdapterTask, _ peers: [Address]) -> Int32 {
    switch task.awaitStatus({ $0.info != nil }) {
    case .reached(let status):
      let links = peers.isEmpty ? "it had no links" : "links ended: \(peers.map(\.withKind).joined(separator: ", "))"
      task.tell(
        [
          ("keeper", "\(status.process)"), ("address", status.info.map { task.quoted($0.address.withKind) } ?? "null"),
          ("links", "[\(peers.map { task.quoted($0.withKind) }.joined(separator: ","))]"),
        ], "\(task.name): reset by its keeper; \(links)\n")
      return 0
    case .late:
      task.console.complain(
        "\(task.name) was not ready again within \(AdapterTask.patience) after its reset",
        hint: "tooth keeper status --adapter \(task.name)")
      return 9
    case .gone:
      task.console.complain(
        "the keeper of \(task.name) ended before it was ready again",
        hint: "try again: without a keeper the adapter is reset from here")
      return 9
    }
  }

  private static func direct(_ task: AdapterTask, _ care: AdapterCare) throws(AdapterCare.Trouble) -> Int32 {
    let health = try care.reset()
    let how = health.wasReopened ? " after the connection to it was opened again" : ""
    let words = [health.address?.withKind, health.bluetooth.map { "Bluetooth \($0)" }].compactMap { $0 }
    let about = words.isEmpty ? "" : "; \(words.joined(separator: ", "))"
    task.tell(
      [
        ("keeper", "null"), ("address", health.address.map { task.quoted($0.withKind) } ?? "null"),
        ("bluetooth", health.bluetooth.map { task.quoted($0) } ?? "null"), ("reopened", "\(health.wasReopened)"),
        ("answered_ms", "\(health.took.milliseconds)"),
      ], "\(task.name): reset, and it answered\(how)\(about)\n")
    return 0
  }
}
