import Adapters
import Host
import Journal
import Keeper
import KeeperProcess
import Linux
import Runner
import Session
import Vocabulary

/// `tooth status`: shows adapters, keepers, links and runs on one page. Changes nothing and starts
/// no keeper.
enum StatusCommand {
  private struct Kept {
    var status: KeeperStatus
    var links: [HeldLinks.Device]
  }

  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    let arguments = try Arguments(line, of: command, inputs: [])
    try arguments.noWords(command)
    let console = Console(style: arguments.style())
    let state = try? StateDirectory.choose(option: arguments.value("state"), environment: environment)
    let adapters = AdapterSummary.all()
    var silent: [String] = []
    let keepers = KeptAdapters.running().compactMap { place -> Kept? in
      guard case .statusReport(let status)? = try? KeeperLink.ask(.status, place, patience: .seconds(2)) else {
        silent.append(place.name)
        return nil
      }
      return Kept(status: status, links: HeldLinks(status, state).devices)
    }
    for name in silent {
      console.note("warning: the keeper of \(name) does not answer; run `tooth doctor` for details")
    }
    let runs = state.map { Self.runs(in: $0) } ?? []
    if console.style.format == .json {
      console.print(json(adapters, keepers, runs) + "\n")
    } else {
      console.printFolded(text(adapters, keepers, runs, console.style, hasSilent: !silent.isEmpty))
    }
    return 0
  }

  private struct Run {
    var id: RunID
    var record: RunRecord
    var standing: RunStatus
    var last: WallTime
    var place: String?
  }

  /// Runs that are running or can be continued, the newest first, at most 20.
  private static func runs(in state: StateDirectory) -> [Run] {
    guard realPath(state.path) != nil else { return [] }
    var list: [Run] = []
    let now = SystemClock.now().wall
    for known in KnownRun.all(in: state) {
      guard let found = known.snapshot else { continue }
      let standing = RunStatus(found.record, known.id, state)
      let rows = standing.isRunning ? [] : (try? RunStore.peek(known.id, in: state))?.rows ?? []
      guard standing.isOpen(found.record, hasState: !rows.isEmpty) else { continue }
      list.append(
        Run(
          id: known.id, record: found.record, standing: standing, last: found.lastSeen(at: now),
          place: RunSummary.place(of: known.id, in: state)))
      if list.count == 20 { break }
    }
    return list
  }

  private static func text(_ adapters: [AdapterSummary], _ keepers: [Kept], _ runs: [Run], _ style: Console.Style, hasSilent: Bool)
    -> String
  {
    let sign = style.ascii ? "*" : "●"
    var lines: [String] = []
    let daemon = SocketHolder.daemon
    let holders = adapters.contains { $0.use == .program } ? SocketHolder.ofUserChannels() : []
    let now = SystemClock.now().wall
    for adapter in adapters where !keepers.contains(where: { $0.status.adapter == adapter.name }) {
      lines.append(
        "\(HelpText.padded(adapter.name, 6))\(HelpText.padded(adapter.address.map { "\($0)" } ?? "-", 19))\(AdaptersCommand.standing(adapter, holders, daemon))"
      )
    }
    for keeper in keepers {
      let status = keeper.status
      let count = "\(keeper.links.count) link\(keeper.links.count == 1 ? "" : "s")"
      let address = (status.info?.address ?? status.address).map { "\($0)" } ?? "not ready"
      lines.append(
        "\(HelpText.padded(Shown.text(status.adapter), 6))  \(address)  kept (process \(status.process), \((now - status.since).rough))  \(count)"
      )
      for link in keeper.links {
        let name = Shown.padded(link.name.map { Shown.name($0, ascii: style.ascii) } ?? "-", 14)
        let clients = link.clients.map { client in
          let left = status.clients.first { $0.name == client }?.heldFor
          return Shown.text(client) + (left.map { " (died, held for \($0.rough) more)" } ?? "")
        }
        lines.append("  \(sign) \(name)  \(link.address)  \(clients.joined(separator: ", "))")
      }
    }
    if adapters.isEmpty, keepers.isEmpty, !hasSilent { lines.append("no adapters") }
    let width = runs.map(\.standing.text.utf8.count).max() ?? 0
    for (index, run) in runs.enumerated() {
      let place = run.place.map { "  \(style.ascii ? ">" : "▸") \($0)" } ?? ""
      // The age is meaningless for simulated times.
      let age = run.record.isVirtual ? "virtual" : (now - run.record.started).rough
      lines.append(
        "\(index == 0 ? "runs" : "    ")  \(HelpText.padded(run.standing.text, width))  \(Shown.text(RunStatus.recipe(run.record)))\(Shown.text(place))  \(age)"
      )
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func json(_ adapters: [AdapterSummary], _ keepers: [Kept], _ runs: [Run]) -> String {
    let zone = LocalTime.rules()
    var page = JSONObject()
    let daemon = SocketHolder.daemon
    page.set(
      "adapters",
      adapters.map { adapter in
        var object = JSONObject()
        object.set("name", adapter.name)
        object.set("address", adapter.address.map { "\($0)" })
        object.set("state", AdaptersCommand.standing(adapter, [], daemon))
        return object
      })
    page.set(
      "keepers",
      keepers.map { keeper in
        var object = JSONObject()
        object.set("adapter", keeper.status.adapter)
        object.set("process", Int(keeper.status.process))
        object.set("since", zone.civil(keeper.status.since).description)
        object.set("links", keeper.links.count)
        return object
      })
    page.set(
      "links",
      keepers.flatMap { keeper in
        keeper.links.map { link in
          var object = JSONObject()
          object.set("adapter", keeper.status.adapter)
          object.set("address", link.address.withKind)
          object.set("name", link.name)
          object.set("clients", link.clients)
          return object
        }
      })
    page.set(
      "runs",
      runs.map { run in
        var object = JSONObject()
        object.set("id", run.id.text)
        object.set("state", run.standing.word)
        object.set("exit_code", run.standing.exitCode.map { Int($0) })
        object.set("process", run.standing.process.map { Int($0) })
        object.set("recipe", run.record.path)
        object.set("at", run.place)
        object.set("started", zone.civil(run.record.started).description)
        object.set("last", zone.civil(run.last).description)
        return object
      })
    return page.text
  }
}
