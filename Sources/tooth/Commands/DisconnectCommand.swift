import Adapters
import Keeper
import Linux
import Packets
import Vocabulary

/// `tooth disconnect --all`.
enum DisconnectCommand {
  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    let arguments = try Arguments(line, of: command, inputs: [])
    try arguments.noWords(command)
    guard arguments.has("all") else {
      throw UsageError("tooth disconnect ends every link of an adapter; --all confirms that", hint: "tooth disconnect --all")
    }
    guard let task = try AdapterTask(arguments) else { return 9 }
    let asked = SystemClock.now().moment
    let (hasKeeper, peers) = task.order(.disconnectAll(force: task.force))
    if hasKeeper { return peers.map { byKeeper(task, $0, asked) } ?? 9 }
    let cut = task.kernelLinks()
    return task.care { care throws(AdapterMaintenance.Trouble) in try direct(task, care, cut) }
  }

  private static func byKeeper(_ task: AdapterTask, _ peers: [Address], _ asked: Moment) -> Int32 {
    // Ignore links that a client has made since the request.
    func stays(_ peer: Address, _ status: KeeperStatus) -> Bool {
      status.links.contains { $0.peer == peer && $0.since <= asked }
    }
    let staying: [Address] =
      switch task.awaitStatus({ status in !peers.contains { stays($0, status) } }) {
      // A keeper that exits closes all links.
      case .reached, .gone: []
      case .late(let status): peers.filter { peer in status.map { stays(peer, $0) } ?? true }
      }
    let ended = peers.filter { !staying.contains($0) }
    report(ended.map { Ended(name: $0.withKind, handle: nil, peer: $0.withKind) }, task, byKeeper: true, areAllListed: true)
    guard staying.isEmpty else {
      task.console.complain(
        "\(staying.count == 1 ? "a link" : "\(staying.count) links") did not end within \(AdapterTask.patience): "
          + staying.map(\.withKind).joined(separator: ", "),
        hint: "tooth adapter reset --adapter \(task.name) --force ends every link")
      return 9
    }
    if peers.isEmpty, !task.isJSON { task.console.note("\(task.name) has no links") }
    return 0
  }

  private static func direct(_ task: AdapterTask, _ care: AdapterMaintenance, _ cut: [Address]) throws(AdapterMaintenance.Trouble)
    -> Int32
  {
    var handles: [ConnectionHandle]?
    var links: [AdapterMaintenance.Link] = []
    do throws(AdapterMaintenance.Trouble) {
      handles = try care.links()
      links = try care.end(handles ?? [])
    } catch {
      // If the controller does not answer, reset it without knowing its links.
      if case .gone = error { throw error }
      handles = nil
    }
    _ = try care.reset()
    let known = cut.map { Ended(name: $0.withKind, handle: nil, peer: $0.withKind) }
    let unknown = links.map { link in
      Ended(name: "handle \(link.handle)\(link.reason == nil ? " (by the reset)" : "")", handle: Int(link.handle.raw), peer: nil)
    }
    let areAllListed = handles != nil && care.hasSeenAll
    report(known + unknown, task, byKeeper: false, areAllListed: areAllListed)
    if !areAllListed {
      task.console.note(
        "the controller did not list all its links; it was reset, which ends them, and their devices notice within a minute")
    } else if known.isEmpty, unknown.isEmpty, !task.isJSON {
      task.console.note("\(task.name) has no links")
    }
    return 0
  }

  /// A link that has ended: its displayed name, and its handle or address if known.
  private struct Ended {
    var name: String
    var handle: Int?
    var peer: String?
  }

  private static func report(_ links: [Ended], _ task: AdapterTask, byKeeper: Bool, areAllListed: Bool) {
    task.report(links.map { "\(task.name): link ended: \($0.name)\n" }.joined()) { object in
      object.set(
        "links",
        links.map { link in
          var object = JSONObject()
          object.set("handle", link.handle)
          object.set("peer", link.peer)
          return object
        })
      object.set("keeper", byKeeper)
      object.set("listed", areAllListed)
      object.set("reset", !byKeeper)
    }
  }
}
