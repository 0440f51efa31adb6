package import Exchange
package import Host
package import Journal
import Linux
package import Recipe
package import Runner
package import Vocabulary

/// One run in one process: its machine, host, database and files. `perform` contains the one
/// `switch` over effects.
///
/// The caller passes packets and the time in, and reads `nextDeadline`. The order is: events to the
/// machine, a turn, its commit, its effects. No effect happens before the commit with its intent.
/// Only a turn in the middle of a computation has neither commit nor effects.
package final class RunSession {
  var machine: Machine
  package let host: any HostPort
  let gate: EffectGate
  let store: RunStore?
  let shared: LazySharedStore?
  /// The folders to which writing is limited, if it is.
  let fence: WriteFence?
  let appender: Appender
  let console: Console
  let options: RunOptions
  package internal(set) var sources: [SourceText]
  /// The prompt, if the run has one.
  var prompt: Prompt?
  /// Asks the keeper for its links and their users; `nil` without a keeper.
  package var heldLinks: (() -> [HeldLink])?
  /// Those that were shown last.
  var seenLinks: [HeldLink] = []
  /// The editor of the line that is being typed at the terminal.
  var editor: LineEditor?
  var history: LineHistory?
  /// The question that the line answers, and the answer; `nil` inside means the end of the input.
  var asked: EffectID?
  var answer: String??
  /// Gets every printed line.
  package var onPrint: ((PrintedLine) -> Void)?
  /// The tree of `info` on a terminal, which is drawn at the end.
  var tree: AttributeTree?
  /// The plot of `watch --plot`, and when it was last drawn.
  var plot: ValuePlot?
  var plottedAt: Moment?
  var isPlotInWords = false
  var isPlotNew = false
  /// When the line was last drawn.
  var drawnAt: Moment?
  /// The entry for which the prompt waits, since when, and when the line about it is drawn next.
  var busy: (entry: Int, since: Moment, due: Moment)?
  /// Whether a prompt without editing is the last output on the screen.
  var isPlainPromptShown = false
  let zone: TimeZoneRules
  var formatter: PrintFormatter
  /// The descriptions of exchanges for `--verbose`.
  var words: ExchangeWords?
  let watch: ExchangeWatch?
  let dump: PacketDump?
  /// Whether the run ends because of its adapter.
  var endsByAdapter = false
  /// The first failure in a handler that was not handled; `tooth test` fails with it.
  package var handlerFailure: Diagnostic?
  /// Whether the body waits where it failed and that was reported.
  var wasParked = false
  /// Whether the run ends because of a link, whose last packets `tooth runs show --link` explains.
  var endsByLink = false

  /// Appends whose outcome the machine knows, for the next commit.
  var settled: [EffectID] = []
  /// The columns of CSV files that this process has read.
  var knownColumns: [(path: String, columns: [String])] = []
  /// Attribute caches that are not in the shared database yet.
  var discovered: [(address: Address, attributeCache: AttributeCache)] = []
  var syncDue: Moment?
  var finishedWith: ExitStatus?
  var closeBy: Moment?
  /// When to record the next sign of life.
  var signDue: Moment?
  var lastFinding: Diagnostic?
  var isOutputGone = false
  /// The running programs.
  var commands: [Command] = []
  /// stdin, if the recipe uses it.
  var lines: LineReader?
  /// The script of a test.
  private(set) var script: ScriptedInput?
  /// The last tenth that was logged, and its meter.
  var meterTenth = -1
  var meterTotal = ""
  /// The open questions; the first one is shown.
  var questions: [(id: EffectID, text: String, isSecret: Bool)] = []
  /// Whether it ends for a process that continues at once.
  var isMakingWay = false
  /// Whether SIGHUP ends the run, which the exit code says.
  package var isHungUp = false
  /// When programs are killed, because the run was asked to end.
  var endsBy: Moment?

  /// Whether the process is dead, so that nothing more is done.
  package var isKilled: Bool { gate.isKilled }
  /// Whether everything is done: links are closed, the end is committed.
  package internal(set) var isOver = false
  /// Whether the machine can continue at once.
  package internal(set) var hasMore = false
  package internal(set) var exitStatus = ExitStatus(code: 0, reason: .finished)
  /// Why the checkpoint cannot be written: exit code 11.
  package internal(set) var journalFailure: JournalFailure?
  /// Whether `--time-limit` ended it.
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
    formatter.isRecipe = options.printsRecipe
    if machine.program.readsLines || machine.program.asks { lines = LineReader(descriptor: options.hasInput ? 0 : -1) }
    if let prompt {
      self.prompt = Prompt(book: prompt.book, options: prompt.options)
      self.prompt?.failureCode = machine.entries.list.first { $0.code != 0 }?.code
      self.prompt?.number = (machine.entries.list.last?.number ?? 0) + 1
      if options.hasInput { lines = LineReader(descriptor: 0) }
      // A program asks for what it needs.
      self.machine.observes = !prompt.options.isScript
    }
    if console.style.loudness >= .verbose { words = ExchangeWords() }
  }

  /// Replaces the terminal and programs by the script of a test.
  func take(_ script: ScriptedInput?) {
    guard let script else { return }
    self.script = script
    script.begin()
    lines = machine.program.readsLines ? script.rest.map { LineReader(text: $0) } : nil
  }

  /// The number of effects so far.
  package var effectCount: Int { gate.count }
  package var commitCount: Int { store?.commits ?? 0 }
  /// The amount of state in the host and the machine.
  package var hostCensus: HostCensus { host.census }
  package var machineCensus: MachineCensus { machine.census }

  /// Whether nothing can continue at this moment and all requested connections are ready.
  package var isIdle: Bool { !hasMore && finishedWith == nil && machine.isIdle }
  /// The line of the body; `.none` in handlers.
  package var bodyLine: RecipeLine { machine.restorePoint.line }
  /// The first line that does something: of the body or, if it has none, of a handler.
  package var firstLine: RecipeLine {
    let lines = machine.program.statements.map { machine.program.lines.line(of: $0.range) }
    return lines.filter { $0.file == 0 }.min { $0.number < $1.number } ?? 1
  }
  /// Whether the recipe serves peripherals.
  package var serves: Bool { !machine.program.servers.isEmpty }
  /// The line of the recipe that requests an effect.
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
  /// Whether the run is over except for its links, which are being closed.
  package var isEnding: Bool { finishedWith != nil }
  /// Whether a signal or the time limit ended the run, so that it can continue. A run that was
  /// already ending by itself completes its end.
  package var isCutShort: Bool {
    switch exitStatus.reason {
    case .interrupted, .terminated: true
    case .failed: isTimeUp && exitStatus.code == 8
    case .finished, .stopped: finishedWith == nil
    }
  }
  /// Whether the body is over or waits only for handlers.
  package var isInHandlers: Bool { machine.restorePoint.line == .none }
  /// The place of the body, as a line of text.
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
      plotDue, busyDue)
  }

  private var commandDue: Moment? { commands.isEmpty ? nil : commandDeadline(after: SystemClock.now().moment) }

  /// Starts the host after the machine was started or restored, and completes files after a kill.
  /// `prepared` runs before the machine acts, but need not delay the controller.
  package func begin(
    unfinished: [AppendIntent], seed: UInt64, at now: Instant, prepared: () -> Void = {}
  ) throws(JournalFailure) {
    // The files were just opened.
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

  /// Takes what the host has received. Returns false if there was nothing.
  package func receive(at now: Instant) -> Bool {
    guard !isKilled, !isOver else { return false }
    var arrival = host.receive(at: now)
    if arrival == .nothing { return false }
    attend(at: now)
    while arrival == .more, !isKilled {
      // After a pause, a process may find more packets than the events that may wait for a handler,
      // so it handles events in between.
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

  /// Performs what is due.
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

  /// The precision of the time at which a killed run was last alive.
  private static let signEvery = TimeSpan.minutes(1)

  func sign(at now: Instant) {
    guard let store else { return }
    signDue = now.moment + Self.signEvery
    // A run without commits must check its files too.
    do throws(JournalFailure) { try store.verify() } catch { return fail(error, at: now) }
    store.sign(at: now.wall)
  }

  /// Asks the run to end.
  package func stop(_ reason: StopReason, at now: Instant) {
    guard !isKilled, !isOver, finishedWith == nil else { return }
    if endsBy == nil { endsBy = now.moment + Self.endPatience }
    machine.handle(.stopRequested(reason), at: now)
    work(at: now)
  }

  private static let endPatience = TimeSpan.seconds(5)

  /// The exit code of a process that SIGHUP ended.
  static let hangUpCode: Int32 = 129

  /// Whether the host can keep its state for a process that continues.
  package var canMakeWay: Bool { host.keepsLinks }

  /// Ends the run for another process that continues at once. The host keeps its state for it if
  /// possible; otherwise this is a normal stop.
  package func makeWay(at now: Instant) {
    guard canMakeWay else { return stop(.terminated, at: now) }
    guard !isKilled, !isOver, finishedWith == nil else { return }
    isMakingWay = true
    machine.handle(.replacementRequested, at: now)
    work(at: now)
  }

  /// The time limit is over. The run ends like a failed one, but its checkpoint stays for `tooth
  /// resume`.
  package func timeUp(at now: Instant) {
    guard !isTimeUp, finishedWith == nil else { return }
    isTimeUp = true
    stop(.interrupted, at: now)
  }

  /// Performs maintenance while there is nothing else to do.
  package func tidy() {
    guard !isKilled, !isOver else { return }
    store?.tidy()
    host.tidy()
    saveDiscovered()
  }

  // MARK: Host

  /// Takes the reports that the host does not store. Releases its packets if no commit will follow.
  func attend(at now: Instant) {
    guard !isKilled else { return }
    while let report = host.next(atRest: false) { take(report, at: now) }
    if finishedWith != nil || journalFailure != nil { host.release(at: now) }
    if host.isEnded, finishedWith != nil { finish(at: now) }
  }

  func take(_ report: HostReport, at now: Instant) {
    watch?(.report(report))
    announce(report.event, at: now)
    note(report.event, at: now)
    switch report.event {
    case .attributeCacheChanged(let address, let attributeCache):
      // Other runs can only use a cache that a Database Hash can confirm, or the fact that there is
      // none.
      if attributeCache.databaseHash != nil || attributeCache.lacksHash, shared != nil {
        discovered.removeAll { $0.address == address }
        discovered.append((address, attributeCache))
      }
    case .attributeCacheDropped(let address, _):
      discovered.removeAll { $0.address == address }
      try? shared?.existing()?.forget(address)
    default: break
    }
    machine.handle(.host(report), at: now)
  }

  /// Adds the cache of other runs to the connection to a device that this run does not know.
  func withCache(_ request: HostRequest) -> HostRequest {
    guard let shared, case .connect(var connect) = request.command, connect.attributeCache == nil else { return request }
    connect.attributeCache = (try? shared.existing()?.attributeCache(of: connect.peer, at: SystemClock.now().wall)) ?? nil
    var request = request
    request.command = .connect(connect)
    return request
  }

  // MARK: Turns

  /// Runs the machine until it waits, for a limited number of turns.
  func work(at now: Instant) {
    hasMore = false
    for _ in 0..<256 {
      guard !isKilled, finishedWith == nil, journalFailure == nil else { return }
      // A controller is waiting for what is held, and we for its answer.
      let turn = machine.turn(at: now, commits: host.holdsPackets)
      if let end = machine.catchUpEnd { machine.awaitReports(through: host.newest(before: end)) }
      if turn.isUncommitted { break }
      let settledNow = settled
      settled = []
      let intents = plan(turn.effects, at: now)
      keepFailures(of: turn.effects, at: now)
      if !commit(turn.commit, intents: intents.intents, settled: settledNow, at: now) { return }
      host.release(at: now)
      if isKilled { return }
      for (id, failure) in intents.failures { machine.handle(.fileWritten(id, failure), at: now) }
      for effect in turn.effects {
        perform(effect, intents: intents.intents, at: now)
        if isKilled || journalFailure != nil { return }
      }
      appender.settle()
      // A signal is pending; the rest can wait.
      if Signals.isPending || turn.isLong { break }
      if turn.effects.isEmpty, !turn.hasMore, intents.failures.isEmpty, !takeReports(at: now) { return }
    }
    hasMore = finishedWith == nil
  }

  /// Takes a few of the reports that the host stores while the machine is at rest. Returns false if
  /// there are none.
  func takeReports(at now: Instant) -> Bool {
    guard finishedWith == nil, !machine.isRestoring else { return false }
    var count = 0
    while count < machine.reportLimit {
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
