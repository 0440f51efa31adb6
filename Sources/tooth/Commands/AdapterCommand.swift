import Keeper
import Linux
import Packets
import Stage
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
    if hasKeeper {
      guard let peers else { return 9 }
      guard let status = task.awaitStatus(within: .seconds(15), { $0.info != nil }) else {
        task.console.complain(
          "\(task.name) was not ready again within 15 s after its reset", hint: "tooth keeper status --adapter \(task.name)")
        return 9
      }
      let links = peers.map { task.quoted($0.withKind) }.joined(separator: ",")
      task.console.print(
        task.isJSON
          ? "{\"adapter\":\(task.quoted(task.name)),\"keeper\":\(status.process),\"address\":"
            + "\(status.info.map { task.quoted($0.address.withKind) } ?? "null"),\"links\":[\(links)]}\n"
          : "\(task.name): reset by its keeper; \(peers.isEmpty ? "it had no links" : "links ended: \(peers.map(\.withKind).joined(separator: ", "))")\n"
      )
      return 0
    }
    return task.care { care throws(AdapterCare.Trouble) in
      let health = try care.reset()
      if task.isJSON {
        task.console.print(
          "{\"adapter\":\(task.quoted(task.name)),\"keeper\":null,\"address\":"
            + "\(health.address.map { task.quoted($0.withKind) } ?? "null"),\"bluetooth\":\(health.bluetooth.map { task.quoted($0) } ?? "null"),"
            + "\"reopened\":\(health.wasReopened),\"answered_ms\":\(health.took.milliseconds)}\n")
      } else {
        var text =
          "\(task.name): reset, and it answered\(health.wasReopened ? " when the connection to it had been opened anew" : "")"
        let facts = [health.address?.withKind, health.bluetooth.map { "Bluetooth \($0)" }].compactMap { $0 }
        if !facts.isEmpty { text += "; \(facts.joined(separator: ", "))" }
        task.console.print(text + "\n")
      }
      return 0
    }
  }
}
