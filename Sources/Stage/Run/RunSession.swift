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
  private var machine: Machine
  private var node: HostNode
  /// The host, where a keeper has it; then `node` is of no use.
  private var remote: RemoteHost?
  private let transport: any Transport
  private let store: RunStore?
  private let shared: LazySharedStore?
  private let appender = Appender()
  private let console: Console
  private let options: RunOptions
  private let sources: [SourceText]
  private let zone: TimeZoneRules
  private var formatter: PrintFormatter
  private let capture: Capture?
  private let hook: EffectHook?
  private let watch: ExchangeWatch?
  private let dump: PacketDump?
  private var seed: UInt64 = 0
  /// The run ends because of its adapter.
  private var endsByAdapter = false
  /// Who the run is at its keeper.
  private var keeperIdentity: [UInt8] { machine.keeperIdentity }

  private var effects = 0
  /// Packets of the host that wait for the next commit.
  private var outgoing: [[UInt8]] = []
  /// Outcomes of appends that the machine knows, for the next commit.
  private var settled: [EffectID] = []
  /// Columns of CSV files that this process has looked at.
  private var knownColumns: [(path: String, columns: [String])] = []
  /// What was found out about devices and is not in the shared database yet.
  private var discovered: [(address: Address, knowledge: GattKnowledge)] = []
  private var syncDue: Moment?
  private var finishedWith: ExitStatus?
  private var closeBy: Moment?
  /// When the next sign of life is due.
  private var signDue: Moment?
  private var isTransportLost = false
  private var lastFinding: Diagnostic?
  private var isOutputGone = false
  /// Ends for a process that goes on at once.
  private var isMakingWay = false

  /// The process is dead: nothing is done any more.
  package private(set) var isKilled = false
  /// All is done: links are closed, the end is written down.
  package private(set) var isOver = false
  /// The machine has more to do at once.
  package private(set) var hasMore = false
  package private(set) var exitStatus = ExitStatus(code: 0, reason: .finished)
  /// The checkpoint cannot be kept: exit code 11.
  package private(set) var journalFailure: JournalFailure?
  /// Ended by `--time-limit`.
  package private(set) var isTimeUp = false
  /// When the first packet left, for measurements.
  package private(set) var firstPacketAt: TimeSpan?

  package init(
    machine: Machine, transport: any Transport, store: RunStore?, shared: LazySharedStore?, console: Console, options: RunOptions,
    sources: [SourceText], zone: TimeZoneRules, capture: Capture? = nil, hook: EffectHook? = nil,
    watch: ExchangeWatch? = nil, dump: PacketDump? = nil, remote: RemoteHost? = nil
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
  private func reopen(at now: Instant) {
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

  private func sign(at now: Instant) {
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

  private func feed(_ input: HostInput, at now: Instant) {
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
  private func release(at now: Instant) {
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

  private func take(_ report: HostReport, at now: Instant) {
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
  private func withCache(_ request: HostRequest) -> HostRequest {
    guard let shared, case .connect(var connect) = request.command, connect.knowledge == nil else { return request }
    connect.knowledge = (try? shared.existing()?.knowledge(of: connect.peer)) ?? nil
    var request = request
    request.command = .connect(connect)
    return request
  }

  // MARK: Turns

  /// Runs the machine until it waits, at most some turns at a time.
  private func work(at now: Instant) {
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
  private func takeReports(at now: Instant) -> Bool {
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

  private func commit(_ commit: Commit, intents: [AppendIntent], settled: [EffectID], at now: Instant) -> Bool {
    guard let store else { return true }
    let isEmpty = commit.isEmpty && intents.isEmpty && settled.isEmpty
    if isEmpty { return true }
    do throws(JournalFailure) {
      var problem: JournalFailure?
      perform(.commit(synced: commit.mustSync)) {
        do throws(JournalFailure) {
          if commit.mustSync { try syncFiles() }
          try store.commit(commit, appends: intents, settled: settled, at: now.wall)
        } catch {
          problem = error
        }
      }
      if let problem { throw problem }
      if isKilled { return false }
      if store.unsynced == 0 {
        syncDue = nil
      } else if syncDue == nil {
        syncDue = now.moment + options.syncWithin
      }
      return true
    } catch {
      fail(error, at: now)
      return false
    }
  }

  private func syncFiles() throws(JournalFailure) {
    do throws(SystemFailure) {
      try appender.sync()
    } catch {
      throw JournalFailure(error.isDiskFull ? .diskFull : .unwritable, "\(error)")
    }
  }

  private func sync() {
    syncDue = nil
    do throws(JournalFailure) {
      try syncFiles()
      try store?.sync()
    } catch {
      journalFailure = error
    }
  }

  /// The checkpoint cannot be kept any more: what was committed stands, nothing further is done.
  private func fail(_ failure: JournalFailure, at now: Instant) {
    journalFailure = failure
    exitStatus = ExitStatus(code: 11, reason: .failed)
    finishedWith = exitStatus
    close(at: now)
  }

  // MARK: Effects

  /// Numbers an effect, and lets the watcher decide.
  private func perform(_ kind: EffectKind, _ action: () -> Void) {
    guard !isKilled else { return }
    effects += 1
    guard let hook else {
      action()
      return
    }
    let number = effects
    switch hook(EffectPoint(number: number, side: .before, kind: kind)) {
    case .kill:
      isKilled = true
      return
    case .leaveOut: return
    case .goOn: action()
    }
    if hook(EffectPoint(number: number, side: .after, kind: kind)) == .kill { isKilled = true }
  }

  private func perform(_ effect: RunnerEffect, intents: [AppendIntent], at now: Instant) {
    switch effect {
    case .request(let request):
      guard remote != nil else { return feed(.request(withCache(request)), at: now) }
      perform(.request(request)) { remote?.send(withCache(request), at: now) }
    case .resumed(let upTo, let except): perform(.resumed) { remote?.resumed(upTo: upTo, except: except, at: now) }
    case .print(let id, let line):
      let (text, warning) = formatter.text(line, machine.surroundings, at: now.wall)
      perform(.print(text)) { console.print(text) }
      if isKilled { return }
      if let warning { console.log(.warning, warning, at: now.wall, in: zone) }
      machine.handle(.outputWritten(id), at: now)
      if console.outputFailure != nil { outputEnded(at: now) }
    case .log(let id, let level, let text):
      perform(.log(text)) { log(level, text, at: now) }
      if isKilled { return }
      if id.raw != 0 { machine.handle(.outputWritten(id), at: now) }
    case .append(let id, _, _):
      guard let intent = intents.first(where: { $0.id == id }) else { return }
      var failure: Failure?
      perform(.append(path: intent.path)) {
        do throws(SystemFailure) {
          try appender.append(intent.path, offset: intent.offset, intent.bytes)
        } catch {
          failure = Self.failure(error)
        }
      }
      if isKilled { return }
      settled.append(id)
      machine.handle(.fileWritten(id, failure), at: now)
    case .save(let id, let path, let bytes):
      let target = absolute(path, in: options.directory)
      var failure = refusal(target)
      if failure == nil {
        perform(.save(path: target)) {
          do throws(SystemFailure) {
            try saveFile(target, bytes)
          } catch {
            failure = Self.failure(error)
          }
        }
      }
      if isKilled { return }
      machine.handle(.fileWritten(id, failure), at: now)
    case .failed(let report): show(report, at: now)
    case .progressed(let report): show(report, at: now)
    case .finished(let status):
      var status = status
      if status.reason == .interrupted || status.reason == .stopped {
        if isTimeUp { status = ExitStatus(code: 8, reason: .failed) }
        if isOutputGone { status = ExitStatus(code: console.outputIsBroken ? 0 : 1, reason: .stopped) }
      }
      finishedWith = status
      exitStatus = status
      close(at: now)
    }
  }

  /// What the appends of a turn will write and where: stored with the turn, so that a kill in between can be put right.
  private func plan(_ effects: [RunnerEffect], at now: Instant) -> (intents: [AppendIntent], failures: [(EffectID, Failure)]) {
    var intents: [AppendIntent] = []
    var failures: [(EffectID, Failure)] = []
    for case .append(let id, let path, let content) in effects {
      let target = absolute(path, in: options.directory)
      if let refused = refusal(target) {
        failures.append((id, refused))
        continue
      }
      do throws(SystemFailure) {
        let offset = try appender.size(of: target)
        let bytes: [UInt8]
        switch content {
        case .bytes(let given): bytes = given
        case .csv(let columns, let cells):
          if offset > 0, let wrong = otherColumns(target, columns) {
            failures.append((id, wrong))
            continue
          }
          let line = cells.joined(separator: ",") + "\n"
          bytes = Array(((offset == 0 ? columns.map(CSV.quoted).joined(separator: ",") + "\n" : "") + line).utf8)
          if offset == 0 { remember(columns, of: target) }
        }
        appender.plan(target, offset: offset, count: bytes.count)
        intents.append(AppendIntent(id: id, path: target, offset: offset, bytes: bytes))
      } catch {
        failures.append((id, Self.failure(error)))
      }
    }
    return (intents, failures)
  }

  private func remember(_ columns: [String], of path: String) {
    knownColumns.removeAll { $0.path == path }
    knownColumns.append((path, columns))
  }

  /// A row under a header of other columns would be read wrongly by everybody.
  private func otherColumns(_ path: String, _ columns: [String]) -> Failure? {
    let there: [String]
    if let known = knownColumns.first(where: { $0.path == path }) {
      there = known.columns
    } else {
      guard let head = readHead(path, limit: 65536), let rows = try? CSV.rows(head), let first = rows.first else { return nil }
      there = first
      remember(first, of: path)
    }
    guard there != columns else { return nil }
    return Failure(
      .file, "\(path) has the columns \(there.joined(separator: ", ")), this record has \(columns.joined(separator: ", "))",
      blame: .recipe,
      hint: "append to another file, or give the record the same fields")
  }

  /// Recipes that came from elsewhere write below the working directory only.
  private func refusal(_ path: String) -> Failure? {
    guard let folders = options.writableFolders else { return nil }
    let folder = realPath(parent(of: path)) ?? parent(of: path)
    guard !folders.contains(where: { folder == $0 || folder.hasPrefix($0 == "/" ? "/" : $0 + "/") }) else { return nil }
    return Failure(
      .file, "a recipe that is no file may not write to \(path)", blame: .recipe,
      hint: "allow it with --allow write-files=\(folder)")
  }

  private static func failure(_ failure: SystemFailure) -> Failure {
    // Root without its capabilities is a user like any other, which surprises.
    let hint =
      failure.isDenied && Privileges.isRoot
      ? "tooth gives up root's privileges when it takes the adapter: start it as the owner of the folder, after sudo setcap cap_net_admin+ep \(Privileges.program)"
      : nil
    return Failure(.file, "\(failure)", blame: .ours, layer: .os, code: UInt16(clamping: failure.code), hint: hint)
  }

  // MARK: Output

  private func log(_ level: LogLevel, _ text: String, at now: Instant) { console.log(level, text, at: now.wall, in: zone) }

  /// The protocol log of `--verbose`.
  private func show(_ packet: [UInt8], isSent: Bool, at now: Instant) {
    guard console.style.loudness == .verbose else { return }
    log(.debug, "\(isSent ? ">" : "<") \(Hex.text(PacketRing.redacted(packet)))", at: now)
  }

  private func event(_ kind: String, device: String?, text: String, extra: String = "", at now: Instant) {
    guard console.style.format == .json else { return }
    var line = "{\"time\":"
    JSON.quote(zone.civil(now.wall).description, to: &line)
    line += ",\"event\":"
    JSON.quote(kind, to: &line)
    line += ",\"device\":"
    if let device { JSON.quote(device, to: &line) } else { line += "null" }
    line += ",\"text\":"
    JSON.quote(text, to: &line)
    console.print(line + extra + "}\n")
  }

  private func show(_ report: ProgressReport, at now: Instant) {
    event(report.kind.rawValue, device: report.device, text: report.text, at: now)
    console.progress(report.text)
  }

  private func show(_ report: FailureReport, at now: Instant) {
    if report.ends, report.failure.kind == .adapter { endsByAdapter = true }
    var line = 0
    if sources.indices.contains(Int(report.range.file)) { line = sources[Int(report.range.file)].line(of: report.range.start) }
    event(
      "failure", device: report.device, text: report.failure.message,
      extra: ",\"kind\":\"\(report.failure.kind.word)\",\"line\":\(line)", at: now)
    let finding = FailureText.finding(report)
    if let shown = lastFinding, shown.code == finding.code, shown.message == finding.message, shown.range == finding.range,
      !report.ends
    {
      // The same again, in a handler that runs often: a line is enough.
      console.log(.error, "again at line \(line): \(finding.message)", at: now.wall, in: zone)
      return
    }
    lastFinding = finding
    console.findings([finding], in: sources)
  }

  /// Nobody reads stdout any more: the run ends, quietly.
  private func outputEnded(at now: Instant) {
    guard finishedWith == nil, !isOutputGone else { return }
    isOutputGone = true
    if !console.outputIsBroken, let failure = console.outputFailure { console.complain("\(failure)") }
    machine.handle(.stopRequested(.stopped), at: now)
  }

  // MARK: The end

  private func close(at now: Instant) {
    guard closeBy == nil else { return }
    // The host has a limit of its own; this one is for a host that does not keep it.
    closeBy = now.moment + .seconds(5)
    if remote != nil {
      if isMakingWay { remote?.leave() } else { perform(.goodbye) { remote?.goodbye(at: now) } }
      finish(at: now)
      return
    }
    if isTransportLost {
      finish(at: now)
      return
    }
    feed(.closing, at: now)
  }

  private func finish(at now: Instant) {
    guard !isOver, !isKilled, let status = finishedWith else { return }
    isOver = true
    closeBy = nil
    saveDiscovered()
    console.clearProgress()
    capture?.flush()
    if endsByAdapter { dump?.write(node.host, telling: console) }
    if journalFailure == nil, let store {
      let ending: RunRecord.Ending =
        switch status.reason {
        case .finished: .finished
        case .stopped: .stopped
        case .failed: .failed
        case .interrupted: .interrupted
        case .terminated: .terminated
        }
      do throws(JournalFailure) {
        try syncFiles()
        var problem: JournalFailure?
        perform(.commit(synced: true)) {
          do throws(JournalFailure) { try store.finish(ending, code: status.code, at: now.wall) } catch { problem = error }
        }
        if let problem { throw problem }
      } catch {
        journalFailure = error
      }
    }
    if journalFailure != nil { exitStatus = ExitStatus(code: 11, reason: .failed) }
  }

  private func saveDiscovered() {
    guard !discovered.isEmpty, let shared else { return }
    // A cache that cannot be written costs round trips, no more.
    for entry in discovered { try? shared.open().keep(entry.knowledge, of: entry.address, at: SystemClock.now().wall) }
    discovered = []
  }

  /// Leaves at once, as after a second Ctrl-C: links are left to their supervision timeout.
  package func abandon(at now: Instant) {
    guard !isOver, !isKilled else { return }
    isOver = true
    remote?.goodbye(at: now)
    exitStatus = ExitStatus(code: 130, reason: .interrupted)
    try? store?.finish(.interrupted, code: 130, at: now.wall)
  }
}
