import Adapters
import Exchange
import Host
import Journal
import KeeperProcess
import Linux
import Recipe
import Runner
package import Session
import Simulator
import Vocabulary

/// An effect of a run in which nothing was killed.
package struct MetEffect: Equatable, Sendable {
  /// The number of the effect, from 1 over all processes of the run.
  package var number: Int
  package var words: String
  package var line: String
}

/// Where a run is killed.
package struct KillPoint: Equatable, Sendable {
  /// The index among the recipes that the test starts, in order.
  package var run: Int
  package var number: Int
  package var side: EffectPoint.Side
}

/// A recipe that a test has started: its process, or none while it is killed.
final class StartedRecipe {
  let subject: Int
  let name: String
  private var plan: RunPlan
  private(set) var session: RunSession?
  /// The session that is being started, which has effects before `session` is set.
  private weak var starting: RunSession?
  private var port: KeptPort?
  private var controller: ControllerID?
  private let world: KeptWorld
  private let packets: PacketLog
  private let isDirect: Bool
  private let seed: UInt64
  private(set) var starts = 0
  private var lastPlace = (line: 0, text: "")

  private(set) var isFinished = false
  private(set) var exitCode: Int32?
  /// Whether its process was killed after its last commit.
  private(set) var hasEnded = false
  /// Whether its last effect was a commit.
  private var hasCommittedLast = false
  /// Whether its hook has killed it, so that it restarts at once.
  private(set) var isDead = false

  /// All output on stderr so far, of all its processes.
  private(set) var errors = ""
  private var errorPipe: OutputPipe?
  private var errorsTaken = ""
  private(set) var lines: [String] = []
  private var partial = ""
  /// Output that the last commit may not contain.
  private var pending: String?
  private var isRepeatable = false

  // How much of these the test already knows.
  var reportedErrors = 0
  var reportedLines = 0
  var hasReportedLines = false
  var errorCount: Int { errors.utf8.count }
  var ownController: ControllerID? { controller }

  /// The first failure in a handler that was not handled, with the texts it refers to.
  private(set) var handlerFailure: (finding: Diagnostic, sources: [SourceText])?

  /// Where to kill it.
  var kill: KillPoint?
  /// The number of effects so far. Their descriptions are only kept if needed.
  private(set) var count = 0
  var isTraced = false
  /// Whether to record the line of its latest effect.
  var isLocated = false
  /// The line from which its latest effect came.
  private var lastLine = ""
  private(set) var trail: [MetEffect] = []
  private(set) var writes = AskedWrites()
  /// The replacement for stdin, answers and programs.
  var script: ScriptedInput
  var reportedCommands = -1
  /// Its secret inputs.
  var secrets: [[UInt8]] = []

  init(
    subject: Int, name: String, plan: RunPlan, world: KeptWorld, packets: PacketLog, isDirect: Bool, seed: UInt64,
    script: ScriptedInput
  ) {
    self.script = script
    self.subject = subject
    self.name = name
    self.plan = plan
    self.world = world
    self.packets = packets
    self.isDirect = isDirect
    self.seed = seed
  }

  /// Starts its process, for the first time or after a kill.
  func start(isResume: Bool = false, at now: Instant) {
    starting = nil
    isFinished = false
    exitCode = nil
    isDead = false
    starts += 1
    let output = OutputPipe.collecting()
    let errors = OutputPipe.collecting()
    errorPipe = errors
    errorsTaken = ""
    let console = Console(style: Console.Style(), output: output, errors: errors)
    let host: any HostPort
    if isDirect {
      let own = controller ?? world.air.addController(name: "run \(subject)", at: now)
      controller = own
      host = LocalHost(
        transport: LoggedTransport(SimulatedTransport(air: world.air, controller: own), packets), console: console,
        toolbox: Toolbox(entropy: .seeded(SplitMix(seed: UInt64(starts))), bonds: BondStore(of: plan.state)))
    } else {
      let port = world.port()
      self.port = port
      host = KeeperHost(port: port, version: KeptWorld.version)
    }
    var plan = plan
    plan.isResume = isResume
    // `resume` continues however long the run was dead.
    plan.checkpointAge = .days(3650)
    var surroundings = RunSurroundings(
      host: host, console: console, bootID: SimulatedWorld.bootID, seed: seed &+ UInt64(starts),
      hook: { [unowned self] point in take(point) })
    surroundings.watch = { [unowned self] message in take(message) }
    surroundings.script = script
    surroundings.made = { [unowned self] session in starting = session }
    do throws(StartRefusal) {
      session = nil
      let starter = try RunStarter(plan, console: console, bootID: SimulatedWorld.bootID, zone: .utc, at: now)
      let made = try starter.session(surroundings, at: now)
      session = made
      // A run that waits for nothing is over before `session` is set.
      if made.isKilled, made.isOver, hasCommittedLast { hasEnded = true }
    } catch {
      announce(error, console)
      finish(error.exitCode)
    }
  }

  private func announce(_ refusal: StartRefusal, _ console: Console) {
    switch refusal {
    case .recipe(let refusal), .changed(let refusal): console.findings(refusal.findings, in: refusal.sources)
    case .journal(let failure): console.complain(failure.message, hint: failure.hint)
    case .adapter(let refusal): console.complain(refusal.message, hint: refusal.hint)
    }
  }

  /// Whether a real program is running, which does not know the virtual time.
  var runsPrograms: Bool { session?.hasCommands ?? false }

  /// Ends a recipe that was killed after its last commit.
  func end() {
    isDead = false
    finish(session?.exitStatus.code ?? 0)
  }

  /// Kills the process, like SIGKILL.
  func drop(at now: Instant) {
    guard session != nil else { return }
    takeErrors()
    lastPlace = place
    session = nil
    if let controller { world.air.hostGone(controller, at: now) }
    if let connection = port?.connection { world.gone(connection) }
    port = nil
    isRepeatable = true
  }

  /// Performs what is possible at this instant.
  func work(at now: Instant) {
    guard let session, !isFinished else { return }
    RunLoop.round(session, at: now)
    session.tidy()
    if handlerFailure == nil, let finding = session.handlerFailure { handlerFailure = (finding, session.sources) }
    if session.isKilled {
      isDead = true
    } else if session.isOver {
      takeErrors()
      finish(session.exitStatus.code)
      if let connection = port?.connection { world.gone(connection) }
      if let controller { world.air.hostGone(controller, at: now) }
      self.session = nil
    }
  }

  private func finish(_ code: Int32) {
    takeErrors()
    isFinished = true
    exitCode = code
    if !partial.isEmpty {
      lines.append(partial)
      partial = ""
    }
  }

  var nextMoment: Moment? {
    guard let session, !isFinished else { return nil }
    return earliest(session.nextDeadline, session.host.nextMoment)
  }

  /// Whether it can continue at this instant or needs attention.
  var hasMore: Bool { session.map { $0.hasMore || $0.hasLine || $0.isKilled || $0.isOver } ?? false }
  var isIdle: Bool { !isFinished && session?.isIdle ?? false }

  /// The line of its text where its body is, or was when it was killed.
  var place: (line: Int, text: String) {
    guard let session else { return isFinished ? (0, "") : lastPlace }
    return (session.bodyLine.number, session.text(of: session.bodyLine))
  }

  /// What it does, with its name and a line.
  var activity: String {
    let last = lastLine.isEmpty ? "" : " after \(lastLine)"
    if isFinished { return "\(name) finished with exit code \(exitCode ?? 0)\(last)" }
    guard let session else { return "\(name) is killed" }
    return session.isInHandlers ? "\(name) waits in its handlers\(last)" : "\(name) is at \(session.activity)"
  }

  func takeErrors() {
    guard let text = errorPipe?.collected, text.utf8.count != errorsTaken.utf8.count else { return }
    errors += text.dropFirst(errorsTaken.count)
    errorsTaken = text
  }

  // MARK: Effects

  private func take(_ point: EffectPoint) -> EffectVerdict {
    hasCommittedLast = false
    if point.side == .before {
      count += 1
      if isTraced || isLocated { lastLine = line(point.kind) }
      if isTraced { trail.append(MetEffect(number: count, words: Self.words(point.kind), line: lastLine)) }
    }
    if let kill, kill.number == count, kill.side == point.side {
      // Readers of its output have seen what was done before the process died.
      if point.side == .after { note(point.kind) }
      return .kill
    }
    if point.side == .after { note(point.kind) }
    return .goOn
  }

  /// The line of an effect with its file. An effect of no statement, such as the commit after the
  /// last one, belongs to the line before it.
  private func line(_ kind: EffectKind) -> String {
    guard let session = session ?? starting else { return lastLine }
    let line = session.line(of: kind)
    if line == .none { return lastLine.isEmpty ? text(of: session.firstLine, in: session) : lastLine }
    return text(of: line, in: session)
  }

  private func text(of line: RecipeLine, in session: RunSession) -> String {
    let text = session.text(of: line)
    return line.file == 0 ? "\(text) of \(name)" : text
  }

  private func note(_ kind: EffectKind) {
    switch kind {
    case .print(let text):
      defer { pending = text }
      if isRepeatable {
        isRepeatable = false
        if text == pending { return }
      }
      var rest = partial + text
      while let end = rest.firstIndex(of: "\n") {
        lines.append(String(rest[..<end]))
        rest = String(rest[rest.index(after: end)...])
      }
      partial = rest
    case .commit:
      hasCommittedLast = true
      script.settle()
      // The commit contains what was printed before it.
      if starts == 1 || !isRepeatable { pending = nil }
      // Once the end is committed, nothing can continue.
      if session?.isOver ?? false { hasEnded = true }
    default: break
    }
  }

  private func take(_ message: ExchangeMessage) {
    if case .request(let request) = message { writes.take(request, at: lastLine) }
  }

  private static func words(_ kind: EffectKind) -> String {
    switch kind {
    case .commit: "the commit of its checkpoint"
    case .packet: "a packet to the controller"
    case .request(let request): words(request.command)
    case .resumed: "telling the keeper where it continues"
    case .goodbye: "its goodbye to the keeper"
    case .print(let text): "print \(short(text))"
    case .log(let text): "log \(short(text))"
    case .append(let path): "append to \(file(path))"
    case .save(let path): "save to \(file(path))"
    case .command(let text): "run \(short(text))"
    }
  }

  private static func words(_ command: HostCommand) -> String {
    switch command {
    case .scan: "scan"
    case .connect: "connect"
    case .disconnect: "disconnect"
    case .gatt(_, let operation): words(operation)
    case .cancel: "withdrawing a request"
    case .acknowledge: "acknowledging an event"
    case .publish: "publishing the attributes"
    case .advertise: "advertise"
    case .stopAdvertising: "stop advertising"
    case .forgetBond: "forget"
    case .update: "update"
    case .publishValue: "notify"
    case .answer, .answerPairing: "answer"
    case .offerOutOfBand: "out-of-band data"
    }
  }

  private static func words(_ operation: GattRequest) -> String {
    switch operation {
    case .discover: "discover"
    case .read(let path): "read \(path.text)"
    case .write(let path, _): "write to \(path.text)"
    case .writeWithoutResponse(let path, _): "write to \(path.text) without response"
    case .subscribe(let path): "subscribe to \(path.text)"
    case .unsubscribe(let path): "unsubscribe from \(path.text)"
    case .locate(let path): "looking for \(path.text)"
    case .hidden(let inner): words(inner)
    case .readRSSI: "read rssi"
    case .pair: "pair"
    case .adjust(.phy(let phy)): "request phy \(phy.name)"
    case .adjust(.interval): "request interval"
    }
  }

  private static func short(_ text: String) -> String {
    let line = text.split(separator: "\n").first.map(String.init) ?? ""
    return "\"\(line.count > 40 ? "\(line.prefix(40))…" : line)\""
  }

  private static func file(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }
}
