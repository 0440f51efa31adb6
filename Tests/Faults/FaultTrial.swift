import Exchange
import Glibc
import Host
import Journal
import Linux
import Runner
import Session
import Simulator
import Vocabulary
import World

/// One run of one seed, with everything that went wrong in it.
final class FaultTrial {
  struct Verdict: Sendable {
    var findings: [String] = []
    /// How it ended: `8 ended`, `130 goes on`.
    var course = ""
    /// Why a running run may still fail to work once the faults are over.
    var excuse = ""
    var scenario = ""
    var summary = ""
    var mostLooks = 0
    var mostDatabase = 0
    var span = TimeSpan.zero
    var faults = 0
    /// The run's log, if it is repeated.
    var log = ""
  }

  /// Whether every packet is logged.
  private let isTalkative: Bool
  private let sabotage: FaultyTransport.Sabotage?
  private let seed: UInt64
  private let scenario: FaultScenario
  private var verdict = Verdict()
  private var ledger = Ledger()
  /// Lines printed and records appended.
  private var yield = 0

  init(seed: UInt64, of scenarios: [FaultScenario], isTalkative: Bool = false, sabotage: FaultyTransport.Sabotage? = nil) {
    self.isTalkative = isTalkative
    self.sabotage = sabotage
    self.seed = seed
    scenario = scenarios[FaultScenario.place(of: seed, among: scenarios.count)]
  }

  /// Every command of the run and its outcome.
  private struct Ledger {
    var open: [OperationID] = []
    var closed: Set<OperationID> = []
    var unanswered: Set<OperationID> = []
    var findings: [String] = []

    mutating func take(_ message: ExchangeMessage) {
      switch message {
      case .request(let request):
        switch request.command {
        case .acknowledge, .cancel, .answer: break
        default: open.append(request.id)
        }
      case .report(let report):
        switch report.event {
        case .completed(let id, _), .connected(let id, _, _):
          if let place = open.firstIndex(of: id) {
            open.remove(at: place)
            closed.insert(id)
          } else {
            findings.append(closed.contains(id) ? "\(id) had two outcomes" : "\(id) has an outcome and was never asked for")
          }
        default: break
        }
      }
    }
  }

  /// Limits beyond which something has grown that should not.
  private enum Bound {
    static let looks = 3_000
    static let database = 4 << 20
    /// A recipe has few fibers: its body, its handlers, and one per device and tick.
    static let fibers = 16
    static let commands = 64
    /// The time within which a run must work again: an unanswered request costs 30 s, and back-off
    /// reaches one minute.
    static let recovery = TimeSpan.seconds(240)
    static let stopping = TimeSpan.seconds(30)
  }

  private func find(_ text: String) { if verdict.findings.count < 8 { verdict.findings.append(text) } }

  func run() throws -> Verdict {
    verdict.scenario = scenario.name
    guard let place = Place() else { throw FaultScenario.Missing(description: "no place") }
    guard let devices = scenario.devices.recipe, let recipe = scenario.recipe.recipe else { return verdict }
    let start = Instant.simulationStart
    let air = try SimulatedAir(recipe: devices, sources: scenario.devices.sources, seed: seed, at: start)
    let controller = air.addController(name: "run", at: start)
    let plan = FaultPlan(seed: seed, peers: air.peripheralNames.count, ends: scenario.window)
    verdict.summary = plan.summary
    let transport = FaultyTransport(air: air, controller: controller, plan: plan, at: start)
    transport.sabotage = sabotage
    let inputs = try InputReader(environment: { _ in nil }).read(scenario.inputs, of: recipe, scenario.recipe.sources)
    let output = OutputPipe.collecting()
    let errors = OutputPipe.collecting()
    let console = Console(
      style: Console.Style(loudness: isTalkative ? .packets : .normal), output: output, errors: errors)
    let state = StateDirectory(path: "\(place.path)/state")
    let runPlan = RunPlan(
      loaded: scenario.recipe, path: scenario.recipe.name, identity: RunIdentity(owner: .name("faults"), inputs: inputs.identity),
      inputs: inputs, options: RunOptions(directory: place.path), state: state)
    var surroundings = RunSurroundings(transport: transport, console: console, bootID: "virtual", seed: seed)
    surroundings.watch = { [self] message in ledger.take(message) }
    surroundings.hook = { [self] point in
      if point.side == .after {
        switch point.kind {
        case .print, .append: yield += 1
        default: break
        }
      }
      return .goOn
    }
    let session = try RunStarter(runPlan, console: console, bootID: "virtual", zone: .utc, at: start).session(
      surroundings, at: start)
    let loop = RunLoop(session: session, clock: .virtual(start))
    var rounds = 0
    loop.afterRound = { [self] now in
      rounds += 1
      if rounds % 64 == 0 { session.tidy() }
      if rounds % 16 == 0 { look(session) }
      if transport.isSpinning {
        find("it spins at \(now.moment - start.moment)")
        session.abandon(at: now)
      }
    }
    drive(loop, session, transport, start.moment)
    finish(loop, session, transport, start.moment)
    loop.afterRound = { _ in }
    verdict.mostLooks = transport.mostLooks
    verdict.faults = transport.faults
    verdict.span = loop.now.moment - start.moment
    verdict.mostDatabase = place.size(of: "state")
    judge(session, transport, errors.collected)
    if isTalkative { verdict.log = errors.collected + output.collected }
    return verdict
  }

  private func drive(_ loop: RunLoop, _ session: RunSession, _ transport: FaultyTransport, _ start: Moment) {
    let limit: Moment?
    if case .within(let span) = scenario.end { limit = start + span } else { limit = nil }
    let outcome = loop.run(until: earliest(start + scenario.window, limit))
    guard outcome == .timeUp else { return }
    transport.cease(at: loop.now)
    if let limit {
      if loop.run(until: limit) == .timeUp { find("it has not ended within \(limit - start)") }
      return
    }
    // Two faults have no cure: a permanently silent controller, and a false Disconnection Complete,
    // after which the peer keeps its link and does not advertise.
    if transport.isSilentForEver { return }
    let before = yield
    let bound = transport.mayDisagree ? Bound.recovery + HostLimits.waitingHeartbeat : Bound.recovery
    let last = loop.now.moment + bound
    while loop.now.moment < last {
      guard loop.run(until: loop.now.moment + .seconds(2)) == .timeUp else { return }
      if scenario.end.isMet(yield - before, session.hostCensus) { return }
    }
    if !transport.forgeries.isEmpty {
      verdict.excuse = "forged: \(transport.forgeries.joined(separator: " "))"
      return
    }
    find(
      "it is of no use \(bound) after everything is well again; host: \(session.hostCensus); run: \(session.machineCensus)"
    )
  }

  private func finish(_ loop: RunLoop, _ session: RunSession, _ transport: FaultyTransport, _ start: Moment) {
    guard !session.isOver else {
      verdict.course = "\(session.exitStatus.code) ended"
      return
    }
    session.stop(.interrupted, at: loop.now)
    if loop.run(until: loop.now.moment + Bound.stopping) != .ended { find("it does not stop within \(Bound.stopping)") }
    verdict.course = "\(session.exitStatus.code) stopped"
  }

  /// Checks what must stay bounded at all times.
  private func look(_ session: RunSession) {
    let host = session.hostCensus
    let machine = session.machineCensus
    if host.commands > Bound.commands { find("\(host.commands) commands wait for the controller") }
    if host.links > 8 { find("\(host.links) links") }
    if host.devices > HostLimits.devices { find("\(host.devices) devices are remembered") }
    if host.early > HostLimits.earlyPackets { find("\(host.early) early packets") }
    if host.keptValues > AttributeLimits.keptValues * 2 * max(1, host.links) { find("\(host.keptValues) kept values") }
    if host.requestedConnections > 8 || host.scans > 4 { find("\(host.requestedConnections) wishes, \(host.scans) scans") }
    if host.operations > 32 * max(1, host.links) { find("\(host.operations) operations") }
    if host.unsentFrames > 512 { find("\(host.unsentFrames) frames wait") }
    if machine.fibers > Bound.fibers { find("\(machine.fibers) fibers") }
    if machine.queuedEvents > 4 * 1024 || machine.keptEvents > 1024 || machine.heldEvents > 4 * 1024 { find("events: \(machine)") }
    if machine.heldRequests > 256 { find("\(machine.heldRequests) requests wait for the adapter") }
    if machine.devices > 8 { find("\(machine.devices) devices of the run") }
  }

  private func judge(_ session: RunSession, _ transport: FaultyTransport, _ errors: String) {
    let code = session.exitStatus.code
    switch code {
    case 0, 20...99, 130: break
    case 1, 4...10:
      if !errors.contains("error[T") { find("exit code \(code), and no failure is shown") }
    default: find("exit code \(code): \(errors.suffix(300))")
    }
    for finding in ledger.findings { find(finding) }
    if session.isOver {
      let host = session.hostCensus
      if !ledger.open.isEmpty {
        find("\(ledger.open.count) commands without outcome: \(ledger.open.prefix(4))")
      }
      if host.links + host.requestedConnections + host.scans + host.operations + host.commands > 0 { find("left over: \(host)") }
    }
    if verdict.mostDatabase > Bound.database { find("the database has \(verdict.mostDatabase) octets") }
    if transport.mostLooks > Bound.looks { find("\(transport.mostLooks) rounds within one second") }
    if let limit = scenario.writes {
      let count = transport.writes.count { $0 == limit.value }
      if count > limit.most { find("\(count) writes of \(limit.value), which may leave only \(limit.most) times") }
    }
  }
}

extension FaultScenario.End {
  func isMet(_ yield: Int, _ host: HostCensus) -> Bool {
    switch self {
    case .within: false
    case .goesOn: yield >= 3
    case .staysConnected: host.readyLinks > 0
    case .listens: host.scans > 0
    }
  }
}

/// A temporary directory for one run.
final class Place {
  let path: String

  init?() {
    var template = Array((access("/dev/shm", W_OK) == 0 ? "/dev/shm/tooth-faults-XXXXXX" : "/tmp/tooth-faults-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { return nil }
    path = template.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  deinit { Self.each(in: path, remove: true) }

  /// Bytes of all files below a folder.
  func size(of folder: String) -> Int { Self.each(in: "\(path)/\(folder)", remove: false) }

  @discardableResult
  private static func each(in path: String, remove: Bool) -> Int {
    var sum = 0
    guard let folder = opendir(path) else { return 0 }
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard name != ".", name != ".." else { continue }
      let inner = "\(path)/\(name)"
      var status = stat()
      guard lstat(inner, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        sum += each(in: inner, remove: remove)
      } else {
        sum += Int(status.st_size)
        if remove { unlink(inner) }
      }
    }
    closedir(folder)
    if remove { rmdir(path) }
    return sum
  }
}
