import Adapters
import Glibc
import Host
import Journal
import Keeper
import KeeperProcess
import Linux
import Recipe
import Runner
import Session
import Vocabulary
import World

/// `tooth keeper run`, `status` and `stop`.
enum KeeperCommand {
  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    let arguments = try Arguments(line, of: command, inputs: [])
    let console = Console(style: arguments.style())
    guard arguments.words.count <= 1 else {
      throw UsageError("tooth keeper does one thing at a time", hint: HelpText.usage(command))
    }
    let word = arguments.words.first ?? "status"
    guard command.verbs.contains(word) else {
      if let near = Spelling.nearest(to: word, among: command.verbs) {
        throw UsageError("tooth keeper has no \(word) — did you mean \(near)?")
      }
      throw UsageError("tooth keeper has no \(word)", hint: HelpText.usage(command))
    }
    let choice = AdapterChoice(arguments.value("adapter"))
    var name = choice.keeperName(in: workingDirectory())
    // The adapter may be given by address or not at all, but its keeper is found by its name.
    if case .kernel(let named) = choice, let found = KeptAdapters.find(named) { name = found.name }
    guard let name else {
      if let refusal = choice.refusal {
        console.complain(refusal.message, hint: refusal.hint)
        return 9
      }
      if case .kernel(let named) = choice {
        let fault = AdapterFault.noAdapter
        let refusal = AdapterRefusal(fault, named)
        console.complain(refusal.message, hint: refusal.hint)
        return 9
      }
      throw UsageError("a simulated adapter exists only in the process that uses it, and has no keeper")
    }
    let place = KeeperPlace(adapter: name)
    let shown = choice.shown(arguments.value("adapter"), else: name)
    switch word {
    case "run":
      // If no adapter was named, use the one that was found.
      return try serve(choice == .kernel(.any) ? AdapterChoice(name) : choice, name, place, arguments, console)
    case "stop": return stop(shown, place, arguments, console)
    default: return status(shown, place, arguments, console)
    }
  }

  // MARK: Running the keeper

  /// Bonds are stored in the state folder of the keeper's user.
  private static func toolbox() -> Toolbox {
    guard let state = try? StateDirectory.choose(option: nil, environment: environment) else {
      return Toolbox(bonds: .nowhere("the keeper has no state directory; set XDG_STATE_HOME"))
    }
    return Toolbox(bonds: .folder(BondFolder(state: state.path)))
  }

  private static func serve(
    _ choice: AdapterChoice, _ name: String, _ place: KeeperPlace, _ arguments: Arguments, _ console: Console
  ) throws(UsageError) -> Int32 {
    let zone = LocalTime.rules()
    let now = SystemClock.now()
    let seed = SystemClock.seed()
    let hold = try arguments.duration("hold") ?? KeeperLimits.hold
    let keep = try arguments.duration("keep") ?? KeeperLimits.keep
    let privateFor = try arguments.duration("private-address")
    let cutting = arguments.has("take")
    let inherited = InheritedDescriptors(environment: environment)
    // Clients may already be waiting on an inherited socket. Until one is served, errors are
    // reported to them.
    var inheritedListener = inherited[KeeperHandover.listener].map { LocalListener(adopting: $0, path: place.socket) }
    if inheritedListener == nil {
      inheritedListener = CurrentProcess.inheritedListeners().first.map { LocalListener(adopting: $0) }
    }
    do throws(AdapterRefusal) {
      let signals: Signals
      let listener: LocalListener
      var lock: ProcessLock
      do throws(SystemFailure) {
        try place.make()
        guard let held = try ProcessLock(place.lock) else {
          // Two clients have each started a keeper; the other one is running.
          console.note("\(name) already has a keeper")
          return 0
        }
        lock = held
      } catch { throw AdapterRefusal("\(error)") }
      defer { lock.release() }
      let manager = ServiceManager(environment: environment)
      let fingerprint = KeeperMemory.fingerprint(of: "\(HelpText.version) \(CurrentProcess.programMark)")
      let opening: () throws(SystemFailure) -> any Transport = { () throws(SystemFailure) -> any Transport in
        do throws(AdapterRefusal) {
          return try AdapterOpener.open(choice, cutting: cutting, seed: seed, at: now, zone: zone).transport
        } catch { throw SystemFailure(error.message, code: ENODEV) }
      }
      let handover = KeeperHandover(manager, toolbox: toolbox(), opening: opening)
      let successor = handover.takeOver(inherited, fingerprint: fingerprint, seed: seed, at: now)
      let adapter = successor == nil ? try AdapterOpener.open(choice, cutting: cutting, seed: seed, at: now, zone: zone) : nil
      do throws(SystemFailure) {
        // Until here, signals end the process at once, like SIGKILL.
        signals = try Signals(patience: .seconds(5))
        console.watch(signals)
        if let inheritedListener {
          listener = inheritedListener
        } else {
          listener = try place.listen()
          // While the next process starts, clients wait on this socket instead of starting their
          // own keeper.
          manager?.store(listener.descriptor, name: KeeperHandover.listener, isPolled: false)
        }
      } catch { throw AdapterRefusal("\(error)") }
      inheritedListener = nil
      let configuration = KeeperConfiguration(
        version: HelpText.version, adapter: name, user: CurrentProcess.user, letsGroupIn: place.folder == KeeperPlace.shared,
        hold: hold,
        keep: keep,
        host: HostConfiguration(
          ownAddress: arguments.ownAddress, maximumCentrals: HostLimits.centrals, isKernels: choice.isKernels,
          privateFor: privateFor))
      let engine: KeeperEngine
      if let successor {
        engine = successor
      } else if let transport = adapter?.transport {
        let keeper = Keeper(configuration: configuration, seed: seed, process: CurrentProcess.number, at: now)
        engine = handover.begin(keeper, transport, fingerprint: fingerprint)
      } else {
        throw AdapterRefusal("there is no adapter")
      }
      // Its memory contains values that clients write, which may be secret.
      Privileges.keepOutOfDumps()
      let watchdog = ServiceManager.watchdogInterval(environment: environment).map { TimeSpan.microseconds($0) }
      let loop = KeeperLoop(
        engine: engine, listener: listener, signals: signals, manager: manager, watchdog: watchdog, seed: seed, at: now
      ) { text in console.log(.log, text, at: SystemClock.now().wall, in: zone) }
      console.note("\(name) is \(successor == nil ? "kept" : "kept on"); its socket is \(place.socket)")
      if successor == nil { loop.start(seed: seed) }
      manager?.ready("keeps \(name)")
      loop.listenAgain = {
        do throws(SystemFailure) {
          try place.make()
          guard try lock.takeAgain() else { return nil }
          let again = try place.listen()
          // The next process adopts this one.
          manager?.remove(KeeperHandover.listener)
          manager?.store(again.descriptor, name: KeeperHandover.listener, isPolled: false)
          return again
        } catch { return nil }
      }
      loop.isReplaced = { ServiceJob.isRestart { console.log(.log, $0, at: SystemClock.now().wall, in: zone) } }
      loop.run()
      if loop.hasMadeWay {
        console.note("\(name) is handed over to the next keeper")
        return 0
      }
      manager?.stopping()
      handover.close()
      loop.listener.remove()
      manager?.remove(KeeperHandover.listener)
      if let failure = engine.keeper.lostBecause { throw AdapterRefusal(failure.message, hint: failure.hint) }
      return 0
    } catch {
      if let inheritedListener { UnavailableKeeper.refuseClients(at: inheritedListener, because: error) }
      console.complain(error.message, hint: error.hint)
      return error.exitCode
    }
  }

  // MARK: Status and stop

  private static func stop(_ name: String, _ place: KeeperPlace, _ arguments: Arguments, _ console: Console) -> Int32 {
    guard place.hasSocket else { return stopped(name, console) }
    do throws(KeeperUnreachable) {
      switch try KeeperLink.ask(.stop(force: arguments.has("force")), place, patience: .seconds(15)) {
      case nil:
        console.note("the keeper of \(name) has ended")
        if arguments.has("force") { console.note("note: a run that used it starts another one; end the run to free the adapter") }
        return 0
      case .refused(let refusal):
        console.complain(refusal.text, hint: refusal.hint)
        return 9
      case .some:
        console.complain("the keeper of \(name) did not understand the request")
        return 9
      }
    } catch {
      if error.isAbsent { return stopped(name, console) }
      console.complain(error.text, hint: error.hint)
      return 9
    }
  }

  private static func stopped(_ name: String, _ console: Console) -> Int32 {
    console.note("\(name) has no keeper")
    return 0
  }

  private static func status(_ name: String, _ place: KeeperPlace, _ arguments: Arguments, _ console: Console) -> Int32 {
    guard place.hasSocket else { return absent(name, console) }
    do throws(KeeperUnreachable) {
      switch try KeeperLink.ask(.status, place, patience: .seconds(5)) {
      case .statusReport(let status):
        if console.style.format == .json {
          console.print(json(status, of: name))
        } else {
          console.printFolded(text(status, of: name))
        }
        return 0
      case .refused(let refusal):
        console.complain(refusal.text, hint: refusal.hint)
        return 9
      default:
        console.complain("the keeper of \(name) did not answer")
        return 9
      }
    } catch {
      if error.isAbsent { return absent(name, console) }
      console.complain(error.text, hint: error.hint)
      return 9
    }
  }

  private static func absent(_ name: String, _ console: Console) -> Int32 {
    if console.style.format == .json {
      var object = JSONObject()
      object.set("adapter", name)
      object.setNull("keeper")
      console.print(object.text + "\n")
    }
    console.note("\(name) has no keeper")
    return 9
  }

  private static func text(_ status: KeeperStatus, of name: String) -> String {
    let zone = LocalTime.rules()
    var lines = ["\(name): kept by process \(status.process) since \(zone.civil(status.since)), tooth \(status.version)"]
    if let info = status.info {
      lines.append("  adapter   \(info.address.withKind), \(info.extended ? "extended" : "legacy") advertising")
    } else {
      lines.append("  adapter   not ready")
    }
    lines.append("  times     holds for \(status.hold), stays for \(status.keep)")
    for link in status.links {
      lines.append(
        "  link      \(link.peer.withKind), every \(link.info.interval), MTU \(link.info.mtu)\(link.isEnding ? ", ending" : "")")
    }
    for client in status.clients {
      var line = "  client    \(Shown.text(client.name)), "
      if let left = client.heldFor {
        line += "gone, held for \(TimeSpan.seconds(left.milliseconds / 1000)) more"
      } else {
        line += "process \(client.process)"
      }
      line += ", \(client.links.count) link\(client.links.count == 1 ? "" : "s"), \(client.waiting) events unacknowledged"
      if client.missed > 0 { line += ", \(client.missed) values missed" }
      lines.append(line)
    }
    if status.clients.isEmpty { lines.append("  client    none") }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func json(_ status: KeeperStatus, of name: String) -> String {
    var object = JSONObject()
    object.set("adapter", name)
    object.set("process", Int(status.process))
    object.set("version", status.version)
    object.set("address", status.info?.address.withKind)
    object.set("links", status.links.map(\.peer.withKind))
    object.set(
      "clients",
      status.clients.map { client in
        var object = JSONObject()
        object.set("name", client.name)
        object.set("process", Int(client.process))
        object.set("held_for_seconds", client.heldFor.map { Int($0.milliseconds / 1000) })
        object.set("links", client.links.map(\.withKind))
        object.set("unacknowledged", client.waiting)
        object.set("missed", client.missed)
        return object
      })
    return object.text + "\n"
  }
}
