package import Exchange
package import Host
package import Journal
import Linux
package import Recipe
package import Runner
package import Vocabulary

/// One run in one process: its machine, its host, its database and its files. The performer of
/// effects is the one `switch` in `perform`.
///
/// Whoever drives it hands in packets and the time, and asks for `nextDeadline`. Order of work:
/// events to the machine, a turn, its commit, its effects. Nothing leaves before the commit that
/// holds its intent. Only a turn in the middle of a computation has neither.
package final class RunSession {
  var machine: Machine
  package let host: any HostPort
  let gate: EffectGate
  let store: RunStore?
  let shared: LazySharedStore?
  /// Where the recipe may write, when not everywhere.
  let fence: WriteFence?
  let appender: Appender
  let console: Console
  let options: RunOptions
  package internal(set) var sources: [SourceText]
  /// Of a run that waits for what is typed.
  var prompt: Prompt?
  /// Asks the keeper which links it has, and for whom; nothing without one.
  package var heldLinks: (() -> [HeldLink])?
  /// The line that is typed at its terminal.
  var editor: LineEditor?
  var history: LineHistory?
  /// The question that the line answers, and the answer, nothing inside at the end of the input.
  var asked: EffectID?
  var answer: String??
  /// Of `info` on a terminal: it is drawn at the end.
  var tree: AttributeTree?
  /// Of `watch --plot`, and when it was drawn.
  var plot: ValuePlot?
  var plottedAt: Moment?
  var isPlotNew = false
  /// When the line was drawn last.
  var drawnAt: Moment?
  /// A prompt is the last thing on the screen, where lines are not edited.
  var isPlainPromptShown = false
  let zone: TimeZoneRules
  var formatter: PrintFormatter
  /// For `--verbose`.
  var words: ExchangeWords?
  let watch: ExchangeWatch?
  let dump: PacketDump?
  /// The run ends because of its adapter.
  var endsByAdapter = false
  /// The first failure that nothing handled in a handler: `tooth test` fails with it.
  package var handlerFailure: Diagnostic?
  /// The body waits where it failed, and that was told.
  var wasParked = false
  /// Or because of a link: `tooth runs show --link` looks at its last packets.
  var endsByLink = false

  /// Outcomes of appends that the machine knows, for the next commit.
  var settled: [EffectID] = []
  /// Columns of CSV files that this process has looked at.
  var knownColumns: [(path: String, columns: [String])] = []
  /// What was found out about devices and is not in the shared database yet.
  var discovered: [(address: Address, knowledge: GattKnowledge)] = []
  var syncDue: Moment?
  var finishedWith: ExitStatus?
  var closeBy: Moment?
  /// When the next sign of life is due.
  var signDue: Moment?
  var lastFinding: Diagnostic?
  var isOutputGone = false
  /// Programs that run.
  var commands: [Command] = []
  /// stdin, when the recipe has to do with it.
  var lines: LineReader?
  /// Of a test.
  private(set) var script: ScriptedInput?
  /// The tenth that was logged last, and of what.
  var meterTenth = -1
  var meterTotal = ""
  /// What waits for an answer; the first one is shown.
  var questions: [(id: EffectID, text: String, isSecret: Bool)] = []
  /// Ends for a process that goes on at once.
  var isMakingWay = false

  /// The process is dead: nothing is done any more.
  package var isKilled: Bool { gate.isKilled }
  /// All is done: links are closed, the end is written down.
  package internal(set) var isOver = false
  /// The machine has more to do at once.
  package internal(set) var hasMore = false
  package internal(set) var exitStatus = ExitStatus(code: 0, reason: .finished)
  /// The checkpoint cannot be kept: exit code 11.
  package internal(set) var journalFailure: JournalFailure?
  /// Ended by `--time-limit`.
  package internal(set) var isTimeUp = false

  package init(
    machine: Machine, host: any HostPort, store: RunStore?, shared: LazySharedStore?, console: Console, options: RunOptions,
    sources: [SourceText], zone: TimeZoneRules, hook: EffectHook? = nil, watch: ExchangeWatch? = nil, dump: PacketDump? = nil,
    prompt: (book: PromptBook, options: PromptOptions)? = nil
  ) {
    self.machine = machine
    fence = options.writableFolders.map { WriteFence($0) }
    appender = Appender(within: fence)
    self.host = host
    gate = EffectGate(hook)
    self.store = store
    self.shared = shared
    self.console = console
    self.options = options
    self.sources = sources
    self.zone = zone
    self.watch = watch
    self.dump = dump
    formatter = PrintFormatter(format: console.style.format, zone: zone)
    if machine.program.readsLines || machine.program.asks { lines = LineReader(descriptor: options.hasInput ? 0 : -1) }
    if let prompt {
      self.prompt = Prompt(book: prompt.book, options: prompt.options)
      self.prompt?.failureCode = machine.entries.list.first { $0.code != 0 }?.code
      self.prompt?.number = (machine.entries.list.last?.number ?? 0) + 1
      if options.hasInput { lines = LineReader(descriptor: 0) }
      // A program asks for what it wants.
      self.machine.observes = !prompt.options.isScript
    }
    if console.style.loudness >= .verbose { words = ExchangeWords() }
  }

  /// A test stands in for the terminal and for programs.
  func take(_ script: ScriptedInput?) {
    guard let script else { return }
    self.script = script
    script.begin()
    lines = machine.program.readsLines ? script.rest.map { LineReader(text: $0) } : nil
  }

  /// How many effects there were.
  package var effectCount: Int { gate.count }
  package var commitCount: Int { store?.commits ?? 0 }
  /// How much the host and the machine hold.
  package var hostCensus: HostCensus { host.census }
  package var machineCensus: MachineCensus { machine.census }

  /// Nothing goes on by itself at this moment, and what is to be connected is ready.
  package var isIdle: Bool { !hasMore && finishedWith == nil && machine.isIdle }
  /// Where the body stands; `.none` in its handlers.
  package var bodyLine: RecipeLine { machine.restorePoint.line }
  /// Where the recipe asks for an effect that is about to be performed.
  package func line(of effect: EffectKind) -> RecipeLine {
    switch effect {
    case .request(let request): machine.line(asking: request.id)
    case .print, .log: machine.outputLine
    case .append, .save: machine.fileLine
    case .commit, .packet, .command: machine.turnLine
    case .resumed, .goodbye: machine.restorePoint.line
    }
  }
  package func text(of line: RecipeLine) -> String { machine.program.lines.text(of: line) }
  /// The run is over but for its links, which are being closed.
  package var isEnding: Bool { finishedWith != nil }
  /// The body is over or waits for nothing of its own.
  package var isInHandlers: Bool { machine.restorePoint.line == .none }
  /// Where the body stands, in a line.
  package var activity: String {
    let point = machine.restorePoint
    guard point.line != .none else { return "waits in its handlers" }
    return Shown.text("\(machine.program.lines.text(of: point.line)): \(point.text)")
  }

  // MARK: Time

  package var nextDeadline: Moment? {
    if isOver || isKilled { return nil }
    return earliest(
      host.nextDeadline, finishedWith == nil ? machine.earliestDeadline() : nil, syncDue, closeBy, signDue, commandDue, redrawDue,
      plotDue)
  }

  private var commandDue: Moment? { commands.isEmpty ? nil : commandDeadline(after: SystemClock.now().moment) }

  /// The machine has been started or restored: the host begins, and what files a kill left
  /// unfinished is put right. `prepared` is what must be done before the machine acts, and need not
  /// delay the controller.
  package func begin(
    unfinished: [AppendIntent], seed: UInt64, at now: Instant, prepared: () -> Void = {}
  ) throws(JournalFailure) {
    // Its files have just been opened.
    signDue = store == nil ? nil : now.moment + Self.signEvery
    store?.sign(at: now.wall)
    for intent in unfinished {
      var failure: Failure?
      do throws(SystemFailure) {
        _ = try appender.reconcile(intent.path, offset: intent.offset, intent.bytes)
      } catch {
        failure = Self.failure(error)
      }
      settled.append(intent.id)
      machine.handle(.fileWritten(intent.id, failure), at: now)
    }
    host.begin(seed: seed, through: gate, at: now)
    attend(at: now)
    if isKilled { return }
    prepared()
    work(at: now)
  }

  /// Takes what has arrived at the host. False when there was nothing.
  package func receive(at now: Instant) -> Bool {
    guard !isKilled, !isOver else { return false }
    var arrival = host.receive(at: now)
    if arrival == .nothing { return false }
    attend(at: now)
    while arrival == .more, !isKilled {
      // A process that was not given the processor for a while finds more packets than events may
      // wait for a handler: it works them off in between.
      for _ in 0..<16 {
        work(at: now)
        if isKilled || isOver { return true }
        if !hasMore { break }
      }
      arrival = host.receive(at: now)
      attend(at: now)
    }
    work(at: now)
    return true
  }

  /// Looks at the clock, and does what is due.
  package func wake(at now: Instant) {
    guard !isKilled, !isOver else { return }
    host.wake(at: now)
    attend(at: now)
    if let due = syncDue, due <= now.moment { sync(at: now) }
    if let due = signDue, due <= now.moment { sign(at: now) }
    drawPlot(at: now)
    work(at: now)
    if let closeBy, closeBy <= now.moment { finish(at: now) }
  }

  /// How long ago a killed run was alive is known to this length.
  private static let signEvery = TimeSpan.minutes(1)

  func sign(at now: Instant) {
    guard let store else { return }
    signDue = now.moment + Self.signEvery
    // A run that has nothing to commit looks after its files too.
    do throws(JournalFailure) { try store.verify() } catch { return fail(error, at: now) }
    store.sign(at: now.wall)
  }

  /// Somebody wants the run to end.
  package func stop(_ reason: StopReason, at now: Instant) {
    guard !isKilled, !isOver, finishedWith == nil else { return }
    machine.handle(.stopRequested(reason), at: now)
    work(at: now)
  }

  /// Whether what the host holds for the run can be left to a process that goes on with it.
  package var canMakeWay: Bool { host.keepsLinks }

  /// Another process goes on with this run at once: what its host holds for it is left there, if it
  /// can be. Else it is a stop like any other.
  package func makeWay(at now: Instant) {
    guard canMakeWay else { return stop(.terminated, at: now) }
    guard !isKilled, !isOver, finishedWith == nil else { return }
    isMakingWay = true
    machine.handle(.replacementRequested, at: now)
    work(at: now)
  }

  /// The time limit is over: the run ends like a failed one. Its checkpoint stays as it is, so
  /// `tooth resume` goes on.
  package func timeUp(at now: Instant) {
    guard !isTimeUp, finishedWith == nil else { return }
    isTimeUp = true
    stop(.interrupted, at: now)
  }

  /// What may be done while nobody waits.
  package func tidy() {
    guard !isKilled, !isOver else { return }
    store?.tidy()
    host.tidy()
    saveDiscovered()
  }

  // MARK: The host

  /// What the host tells at once is taken, and what it wants to say leaves where nothing more is
  /// committed.
  func attend(at now: Instant) {
    guard !isKilled else { return }
    while let report = host.next(atRest: false) { take(report, at: now) }
    if finishedWith != nil || journalFailure != nil { host.release(at: now) }
    if host.isEnded, finishedWith != nil { finish(at: now) }
  }

  func take(_ report: HostReport, at now: Instant) {
    watch?(.report(report))
    tell(report.event, at: now)
    note(report.event, at: now)
    switch report.event {
    case .knowledgeChanged(let address, let knowledge):
      // Only what a Database Hash can prove is worth keeping for other runs, or that there is none.
      if knowledge.databaseHash != nil || knowledge.lacksHash, shared != nil {
        discovered.removeAll { $0.address == address }
        discovered.append((address, knowledge))
      }
    case .knowledgeDropped(let address, _):
      discovered.removeAll { $0.address == address }
      try? shared?.existing()?.forget(address)
    default: break
    }
    machine.handle(.host(report), at: now)
  }

  /// A connection to a device that this run knows nothing of begins with what other runs found out.
  func withCache(_ request: HostRequest) -> HostRequest {
    guard let shared, case .connect(var connect) = request.command, connect.knowledge == nil else { return request }
    connect.knowledge = (try? shared.existing()?.knowledge(of: connect.peer, at: SystemClock.now().wall)) ?? nil
    var request = request
    request.command = .connect(connect)
    return request
  }

  // MARK: Turns

  /// Runs the machine until it waits, at most some turns at a time.
  func work(at now: Instant) {
    hasMore = false
    for _ in 0..<256 {
      guard !isKilled, finishedWith == nil, journalFailure == nil else { return }
      let turn = machine.turn(at: now)
      if turn.isUncommitted { break }
      let told = settled
      settled = []
      let intents = plan(turn.effects, at: now)
      if !commit(turn.commit, intents: intents.intents, settled: told, at: now) { return }
      host.release(at: now)
      if isKilled { return }
      for (id, failure) in intents.failures { machine.handle(.fileWritten(id, failure), at: now) }
      for effect in turn.effects {
        perform(effect, intents: intents.intents, at: now)
        if isKilled || journalFailure != nil { return }
      }
      appender.settle()
      // Somebody wants the run to end, or may: what is left waits.
      if Signals.isPending || turn.isLong { break }
      if turn.effects.isEmpty, !turn.hasMore, intents.failures.isEmpty, !takeReports(at: now) { return }
    }
    hasMore = finishedWith == nil
  }

  /// What a host keeps until it is taken is taken when the machine is at rest, a few at a time.
  /// False when there is nothing to take.
  func takeReports(at now: Instant) -> Bool {
    guard finishedWith == nil, !machine.isRestoring else { return false }
    var count = 0
    while count < 64 {
      if let report = host.next(atRest: true) {
        take(report, at: now)
      } else if let met = host.takeMeeting() {
        machine.meetKeeper(met.identity, session: met.session)
      } else {
        break
      }
      count += 1
    }
    return count > 0
  }
}
