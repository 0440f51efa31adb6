import Exchange
package import Host
package import Journal
package import Linux
package import Recipe
package import Runner
package import Vocabulary

/// One run in one process: its machine, its host, its database and its files. The performer of effects is the one `switch` in `perform`.
///
/// Whoever drives it hands in packets and the time, and asks for `nextDeadline`. Order of work: events to the machine, a turn, its commit, its
/// effects. Nothing leaves before the commit that holds its intent.
package final class RunSession {
  var machine: Machine
  var node: HostNode
  /// The host, where a keeper has it; then `node` is of no use.
  var remote: KeeperHost?
  let transport: any Transport
  let store: RunStore?
  let shared: LazySharedStore?
  let appender = Appender()
  let console: Console
  let options: RunOptions
  let sources: [SourceText]
  let zone: TimeZoneRules
  var formatter: PrintFormatter
  let capture: Capture?
  let hook: EffectHook?
  let watch: ExchangeWatch?
  let dump: PacketDump?
  var seed: UInt64 = 0
  /// The run ends because of its adapter.
  var endsByAdapter = false
  /// Who the run is at its keeper.
  var keeperIdentity: [UInt8] { machine.keeperIdentity }

  var effects = 0
  /// Packets of the host that wait for the next commit.
  var outgoing: [[UInt8]] = []
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
  var isTransportLost = false
  var lastFinding: Diagnostic?
  var isOutputGone = false
  /// Ends for a process that goes on at once.
  var isMakingWay = false

  /// The process is dead: nothing is done any more.
  package internal(set) var isKilled = false
  /// All is done: links are closed, the end is written down.
  package internal(set) var isOver = false
  /// The machine has more to do at once.
  package internal(set) var hasMore = false
  package internal(set) var exitStatus = ExitStatus(code: 0, reason: .finished)
  /// The checkpoint cannot be kept: exit code 11.
  package internal(set) var journalFailure: JournalFailure?
  /// Ended by `--time-limit`.
  package internal(set) var isTimeUp = false
  /// When the first packet left, for measurements.
  package internal(set) var firstPacketAt: TimeSpan?

  package init(
    machine: Machine, transport: any Transport, store: RunStore?, shared: LazySharedStore?, console: Console, options: RunOptions,
    sources: [SourceText], zone: TimeZoneRules, capture: Capture? = nil, hook: EffectHook? = nil,
    watch: ExchangeWatch? = nil, dump: PacketDump? = nil, remote: KeeperHost? = nil
  ) {
    self.remote = remote
    self.machine = machine
    self.transport = transport
    self.store = store
    self.shared = shared
    self.console = console
    self.options = options
    self.sources = sources
    self.zone = zone
    self.capture = capture
    self.hook = hook
    self.watch = watch
    self.dump = dump
    node = HostNode(
      configuration: HostConfiguration(
        asksSilentController: transport.canHang, isKernels: transport.isKernels, mayBeAnother: transport.mayBeAnother))
    formatter = PrintFormatter(format: console.style.format, zone: zone)
  }

  /// How many effects there were.
  package var effectCount: Int { effects }
  package var commitCount: Int { store?.commits ?? 0 }
  /// How much the host and the machine hold.
  package var hostCensus: HostCensus { node.host.census }
  package var machineCensus: MachineCensus { machine.census }

  /// The run is over but for its links, which are being closed.
  package var isEnding: Bool { finishedWith != nil }
  /// Where the body stands, in a line.
  package var activity: String {
    let point = machine.restorePoint
    return point.line > 0 ? "line \(point.line): \(point.text)" : "waits in its handlers"
  }

  // MARK: Time

  package var nextDeadline: Moment? {
    if isOver || isKilled { return nil }
    return earliest(
      remote.map(\.nextDeadline) ?? node.nextDeadline, finishedWith == nil ? machine.nextDeadline : nil, syncDue, closeBy, signDue)
  }

  /// The machine has been started or restored: the host begins, and what files a kill left unfinished is put right.
  /// `prepared` is what must be done before the machine acts, and need not delay the controller.
  package func begin(
    unfinished: [AppendIntent], seed: UInt64, at now: Instant, prepared: () -> Void = {}
  ) throws(JournalFailure) {
    sign(at: now)
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
    self.seed = seed
    if remote == nil {
      feed(.started(seed: seed), at: now)
      // The host resets the controller, whoever it works for: no turn has to be committed before, and the controller works while the rest is opened.
      release(at: now)
      if isKilled { return }
    }
    prepared()
    work(at: now)
  }

  package func receive(_ packets: [[UInt8]], at now: Instant) {
    guard !isKilled, !isOver else { return }
    if remote != nil {
      for message in packets { remote?.take(message, at: now) }
      work(at: now)
      return
    }
    for (index, packet) in packets.enumerated() {
      capture?.record(packet, isSent: false, at: now.wall)
      show(packet, isSent: false, at: now)
      feed(.packet(packet), at: now)
      if isKilled { return }
      if index % Self.mostAtOnce == Self.mostAtOnce - 1, index + 1 < packets.count {
        // A process that was not given the processor for a while finds more packets than events may wait for a handler: it works them off in between.
        for _ in 0..<16 {
          work(at: now)
          if isKilled || isOver { return }
          if !hasMore { break }
        }
      }
    }
    work(at: now)
  }

  /// Something was wrong with what came from the controller.
  package func receive(_ faults: [H4Stream.Fault], at now: Instant) {
    guard !isKilled, !isOver else { return }
    for fault in faults {
      switch fault {
      case .outOfStep: feed(.outOfStep(fault.text), at: now)
      case .packetsDropped(let count): feed(.packetsDropped(count), at: now)
      case .backInStep: log(.log, fault.text, at: now)
      case .noAnswer, .halfPacket: log(.warning, fault.text, at: now)
      }
    }
    work(at: now)
  }

  /// The host wants another connection to the controller.
  func reopen(at now: Instant) {
    outgoing = []
    do throws(SystemFailure) {
      if node.host.wantsAnother {
        log(.warning, "\(try transport.takeAnother(at: now)) is taken instead", at: now)
      } else {
        try transport.reopen(at: now)
      }
      isTransportLost = false
      feed(.started(seed: seed), at: now)
    } catch {
      feed(.transportLost("\(error)"), at: now)
    }
  }

  /// How many packets are taken before the machine has its turns. Far fewer than events may wait for a handler.
  private static let mostAtOnce = 256

  /// The controller is gone.
  package func transportLost(_ why: String, at now: Instant) {
    if remote != nil {
      remote?.lost(at: now)
      return
    }
    guard !isTransportLost, !isKilled, !isOver else { return }
    isTransportLost = true
    feed(.transportLost(why), at: now)
    work(at: now)
  }

  /// The controller is there again.
  package func transportBack(at now: Instant) {
    guard isTransportLost, !isKilled, !isOver else { return }
    feed(.transportBack, at: now)
    work(at: now)
  }

  /// Looks at the clock, and does what is due.
  package func wake(at now: Instant) {
    guard !isKilled, !isOver else { return }
    if remote != nil {
      remote?.wake(at: now)
    } else if let deadline = node.nextDeadline, deadline <= now.moment {
      feed(.deadline, at: now)
    }
    if let due = syncDue, due <= now.moment { sync() }
    if let due = signDue, due <= now.moment { sign(at: now) }
    work(at: now)
    if let closeBy, closeBy <= now.moment { finish(at: now) }
  }

  /// How long ago a killed run was alive is known to this length.
  private static let signEvery = TimeSpan.minutes(1)

  func sign(at now: Instant) {
    guard let store else { return }
    store.sign(at: now.wall)
    signDue = now.moment + Self.signEvery
  }

  /// Somebody wants the run to end.
  package func stop(_ reason: StopReason, at now: Instant) {
    guard !isKilled, !isOver, finishedWith == nil else { return }
    machine.handle(.stopRequested(reason), at: now)
    work(at: now)
  }

  /// Another process goes on with this run at once: what a keeper holds for it is left there. Without a keeper it is a stop like any other.
  package func makeWay(at now: Instant) {
    guard remote != nil else { return stop(.terminated, at: now) }
    guard !isKilled, !isOver, finishedWith == nil else { return }
    isMakingWay = true
    machine.handle(.replacementRequested, at: now)
    work(at: now)
  }

  /// The time limit is over: the run ends like a failed one. Its checkpoint stays as it is, so `tooth resume` goes on.
  package func timeUp(at now: Instant) {
    guard !isTimeUp, finishedWith == nil else { return }
    isTimeUp = true
    stop(.interrupted, at: now)
  }

  /// What may be done while nobody waits.
  package func tidy() {
    guard !isKilled, !isOver else { return }
    store?.tidy()
    capture?.flush()
    saveDiscovered()
  }

  // MARK: The host

  func feed(_ input: HostInput, at now: Instant) {
    guard !isKilled else { return }
    if let watch, case .request(let request) = input { watch(.request(request)) }
    let output = node.feed(input, at: now)
    if let watch { for report in output.reports { watch(.report(report)) } }
    outgoing += output.packets
    for report in output.reports { take(report, at: now) }
    if output.reopens { reopen(at: now) }
    // at the end nothing more is committed
    if finishedWith != nil || journalFailure != nil { release(at: now) }
    if output.isClosed, finishedWith != nil { finish(at: now) }
  }

  /// What the host says follows from what it has just reported: it leaves when that is committed, so that a discovery answer is never asked
  /// for twice because its knowledge was lost.
  func release(at now: Instant) {
    guard !outgoing.isEmpty else { return }
    let packets = outgoing
    outgoing = []
    for packet in packets {
      perform(.packet(packet)) {
        capture?.record(packet, isSent: true, at: now.wall)
        show(packet, isSent: true, at: now)
        if firstPacketAt == nil { firstPacketAt = SystemClock.processTime() }
        transport.send(packet, at: now)
      }
      if isKilled { return }
    }
  }

  func take(_ report: HostReport, at now: Instant) {
    switch report.event {
    case .knowledgeChanged(let address, let knowledge):
      // Only what a Database Hash can prove is worth keeping for other runs.
      if knowledge.databaseHash != nil, shared != nil {
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
    connect.knowledge = (try? shared.existing()?.knowledge(of: connect.peer)) ?? nil
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
      let told = settled
      settled = []
      let intents = plan(turn.effects, at: now)
      if !commit(turn.commit, intents: intents.intents, settled: told, at: now) { return }
      release(at: now)
      if isKilled { return }
      for (id, failure) in intents.failures { machine.handle(.fileWritten(id, failure), at: now) }
      for effect in turn.effects {
        perform(effect, intents: intents.intents, at: now)
        if isKilled || journalFailure != nil { return }
      }
      appender.settle()
      if turn.effects.isEmpty, !turn.hasMore, intents.failures.isEmpty, !takeReports(at: now) { return }
    }
    hasMore = finishedWith == nil
  }

  /// What the keeper has reported is taken when the machine is at rest, a few at a time: what it does not take stays with the keeper, and there
  /// is room for much. False when there is nothing to take.
  func takeReports(at now: Instant) -> Bool {
    guard remote != nil, finishedWith == nil, !machine.isTellingRestore else { return false }
    if let refusal = remote?.refusal {
      guard !isTransportLost else { return false }
      isTransportLost = true
      take(HostReport(number: EventNumber(0), at: now, event: .adapterLost(refusal)), at: now)
      return true
    }
    if remote?.hasNewSession ?? false {
      remote?.sessionIsNoted()
      machine.meetKeeper(keeperIdentity, session: remote?.session ?? 0)
    }
    var count = 0
    while count < 64, let report = remote?.next() {
      take(report, at: now)
      count += 1
    }
    return count > 0
  }
}
