import Keeper
import Linux
import Packets
import Stage
import Vocabulary

/// `tooth disconnect --all`.
enum DisconnectCommand {
  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    let arguments = try Arguments(line, of: command, inputs: [])
    try arguments.noWords(command)
    guard arguments.has("all") else {
      throw UsageError("tooth disconnect ends every link of an adapter, and wants to be told so", hint: "tooth disconnect --all")
    }
    guard let task = try AdapterTask(arguments) else { return 9 }
    let (hasKeeper, peers) = task.order(.disconnectAll(force: task.force))
    if hasKeeper {
      guard let peers else { return 9 }
      let isOver = task.awaitStatus(within: .seconds(15)) { status in !status.links.contains { peers.contains($0.peer) } } != nil
      tell(
        peers.map { ($0.withKind, "null", task.quoted($0.withKind)) }, task, ["keeper": "true", "listed": "true", "reset": "false"])
      guard isOver else {
        task.console.complain(
          "not all of them had ended after 15 s, or a client has connected anew", hint: "tooth keeper status --adapter \(task.name)"
        )
        return 9
      }
      return 0
    }
    let cut = task.kernelLinks()
    return task.care { care throws(AdapterCare.Trouble) in
      var handles: [ConnectionHandle]?
      var links: [AdapterCare.Link] = []
      do throws(AdapterCare.Trouble) {
        handles = try care.links()
        links = try care.end(handles ?? [])
      } catch {
        // A controller that does not answer is not asked, but told.
        if case .gone = error { throw error }
        handles = nil
      }
      _ = try care.reset()
      let known = cut.map { ($0.withKind, "null", task.quoted($0.withKind)) }
      let unknown = links.map { ("handle \($0.handle)\($0.reason == nil ? " (by the reset)" : "")", "\($0.handle.raw)", "null") }
      tell(
        known + unknown, task, ["keeper": "false", "listed": "\(handles != nil && care.hasSeenAll)", "reset": "true"])
      if handles == nil || !care.hasSeenAll {
        task.console.note(
          "the controller did not tell all its links; it was reset, which ends them, and their devices notice within a minute")
      }
      return 0
    }
  }

  /// Each link by its name, its handle and its address, both as JSON.
  private static func tell(_ links: [(name: String, handle: String, peer: String)], _ task: AdapterTask, _ facts: [String: String])
  {
    if task.isJSON {
      let list = links.map { "{\"handle\":\($0.handle),\"peer\":\($0.peer)}" }.joined(separator: ",")
      let rest = ["keeper", "listed", "reset"].map { "\"\($0)\":\(facts[$0] ?? "null")" }.joined(separator: ",")
      return _ = task.console.print("{\"adapter\":\(task.quoted(task.name)),\"links\":[\(list)],\(rest)}\n")
    }
    for link in links { task.console.print("\(task.name): link ended: \(link.name)\n") }
    if links.isEmpty, facts["listed"] == "true" { task.console.note("\(task.name) has no links") }
  }
}
