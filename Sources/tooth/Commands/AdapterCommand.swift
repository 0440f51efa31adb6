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
        word.map { "tooth adapter has no \($0)" } ?? "tooth adapter needs an action",
        hint: "tooth adapter reset, or tooth adapters to list them")
    }
    guard let task = try AdapterTask(arguments) else { return 9 }
    let (hasKeeper, peers) = task.order(.resetAdapter(force: task.force))
    return hasKeeper
      ? peers.map { byKeeper(task, $0) } ?? 9 : task.care { care throws(AdapterMaintenance.Trouble) in try direct(task, care) }
  }

  private static func byKeeper(_ task: AdapterTask, _ peers: [Address]) -> Int32 {
    switch task.awaitStatus({ $0.info != nil }) {
    case .reached(let status):
      let links = peers.isEmpty ? "it had no links" : "links ended: \(peers.map(\.withKind).joined(separator: ", "))"
      task.report("\(task.name): reset by its keeper; \(links)\n") { object in
        object.set("keeper", Int(status.process))
        object.set("address", status.info?.address.withKind)
        object.set("links", peers.map(\.withKind))
      }
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

  private static func direct(_ task: AdapterTask, _ care: AdapterMaintenance) throws(AdapterMaintenance.Trouble) -> Int32 {
    let health = try care.reset()
    let how = health.wasReopened ? " after the connection to it was opened again" : ""
    let words = [health.address?.withKind, health.bluetooth.map { "Bluetooth \($0)" }].compactMap { $0 }
    let about = words.isEmpty ? "" : "; \(words.joined(separator: ", "))"
    task.report("\(task.name): reset, and it answered\(how)\(about)\n") { object in
      object.setNull("keeper")
      object.set("address", health.address?.withKind)
      object.set("bluetooth", health.bluetooth)
      object.set("reopened", health.wasReopened)
      object.set("answered_ms", Int(health.took.milliseconds))
    }
    return 0
  }
}
