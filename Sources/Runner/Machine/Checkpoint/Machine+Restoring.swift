package import Exchange
package import Vocabulary

extension Machine {
  /// Restores a run from its checkpoint; replaces `start`.
  /// - Parameter snapshot: of this program, or adapted to it by `aligned(to:)`.
  package init(
    program: Program, restoring snapshot: Snapshot, remembered: [(name: String, value: [UInt8])],
    inputs: [(name: String, value: Value)], environment: MachineEnvironment, past: PastRun, at now: Instant
  ) throws(RestoreFailure) {
    self.init(program: program, inputs: inputs, environment: environment, at: now)
    try Self.validate(snapshot, program)
    header = HeaderRow(stored: snapshot.header)
    fibers = Scheduler(stored: snapshot.fibers)
    pieces = PieceStore(stored: snapshot.pieces)
    devices = DeviceTable(snapshot.devices, caches: snapshot.caches)
    timers = Timers(stored: snapshot.timers)
    listens = Listens(stored: snapshot.listens)
    seen = SeenDevices(stored: snapshot.seen, isRunning: { fibers.index(of: $0) != nil }, now: now)
    restoreServed(snapshot, past)
    events = EventQueues(
      queued: snapshot.queued.map { ($0.unit, $0.event.restored(isKept: past.kept != nil)) },
      kept: snapshot.kept.map { $0.restored(isKept: past.kept != nil) },
      dropped: snapshot.header.dropped)
    output = Tracked(snapshot.output, isChanged: false)
    entries = EntryTable(stored: snapshot.entries)
    self.past = past
    restoredAt = now.moment
    catchUp = CatchUp(end: now.moment, newest: past.kept?.newest ?? EventNumber(0), patience: now.moment + Self.grace)
    runInputDefaults()
    runInitialisers { $0.isConstant }
    take(remembered)
    for entry in snapshot.variables {
      guard let index = program.variables.firstIndex(where: { $0.name == entry.name && $0.isSaved }) else { continue }
      variables.restore(entry.value.settled(secrets, holder: entry.name), at: index, parts: entry.parts)
    }
    if snapshot.isAligned { restoreNames(snapshot, remembered) }
    // An edit added the input, or an older version wrote the checkpoint.
    for index in variables.indices where program.variables[index].isKeptInput {
      if !snapshot.variables.contains(where: { $0.name == program.variables[index].name }) { variables.rewrite(index) }
    }
    settleSecrets()
    surroundings.deviceNames = devices.map(\.text)
    moveClocks(past)
    restoreHeard(past)
    restoreKept(past, snapshot.held)
    restoreFibers()
    for fiber in fibers {
      guard case .scan(let scan) = fiber.wait, let operation = scan.operation else { continue }
      runningScans.resume(operation, found: scan.found, isStored: snapshot.hasFoundRows)
    }
    activeHandlers = restoredHandlers().filter { !snapshot.newHandlers.contains($0.unit) }
    for unit in snapshot.newHandlers {
      // A period that cannot be computed is reported when the block is entered again.
      try? enterHandler(ActiveHandler(unit: unit))
    }
    if snapshot.isAligned { rewriteEverything() }
    isOutputPending = output.value != nil
    restoreEnding()
    if life != .running || !deliverRestore(pastValue(past)) { restoreAll() }
  }

  /// Gives values to names that an edited recipe declares in another way, and to early ones and
  /// served attributes that it adds.
  private mutating func restoreNames(_ snapshot: Snapshot, _ remembered: [(name: String, value: [UInt8])]) {
    for index in program.variables.indices where variables[index] == .unset {
      let name = program.variables[index].name
      switch program.variables[index].kind {
      case .remembered:
        if let value = snapshot.value(of: name)?.settled(secrets, holder: name), !value.holdsSecret { variables[index] = value }
      case .state where snapshot.namesNotRemembered.contains(name):
        if let value = remembered.first(where: { $0.name == name }).flatMap({ try? Value(encoded: $0.value) }) {
          variables[index] = value
        }
      case .state, .constant, .input, .secret: break
      }
    }
    let missing = variables.indices.filter {
      let kind = program.variables[$0].kind
      return (kind == .state || kind == .remembered) && variables[$0] == .unset
    }
    runInitialisers { missing.contains($0.variable) }
    guard let template = served else { return }
    for attribute in template.attributes where snapshot.newAttributes.contains(attribute.id.raw) {
      guard let start = attribute.initial,
        let value = try? encode(evaluate(unit: template.unit, at: start), for: attribute.path)
      else { continue }
      server.set(attribute.id, value)
    }
  }

  /// Rewrites all rows of an edited recipe in one commit, because the numbers of variables,
  /// handlers and places have changed.
  mutating func rewriteEverything() {
    clearsAll = true
    for index in variables.indices where program.variables[index].isSaved && variables[index] != .unset {
      variables.rewrite(index)
    }
    fibers.rewrite()
    pieces.rewrite()
    devices.rewrite()
    timers.rewrite()
    events.rewrite()
    runningScans.rewrite()
    listens.rewrite()
    seen.rewrite()
    entries.rewrite()
    server.rewrite()
    header.rewrite()
    if output.value != nil { output.rewrite() }
  }

  /// Moves due times by the boot clock if the machine has not rebooted, otherwise by the wall
  /// clock. Time limits start again.
  private mutating func moveClocks(_ past: PastRun) {
    let isSameBoot = header.value.bootID == environment.bootID
    // The clock is not set if it is before the last commit; then remaining times count from now.
    let isClockSet = now.wall >= past.at.wall
    func moved(_ due: Instant) -> Instant {
      if isSameBoot { return due }
      let left = isClockSet ? due.wall - now.wall : due.wall - past.at.wall
      return Instant(moment: now.moment + left, wall: now.wall + left)
    }
    timers.moveClocks(now, moved)
    for index in fibers.indices {
      switch fibers[index].wait {
      case .span(let due): fibers[index].wait = .span(moved(due))
      case .retry(let due): fibers[index].wait = .retry(moved(due))
      default: break
      }
    }
    renewLimits()
    header.value.bootID = environment.bootID
  }

  /// Begins all time limits again: at the start, and when `on restore` has ended, during which
  /// nothing else happens.
  private mutating func renewLimits() {
    func fresh(_ limit: Limit?) -> Limit? { limit.map { Limit(span: $0.span, due: now.moment + $0.span) } }
    for index in fibers.indices {
      for frame in fibers[index].frames.indices {
        for attempt in fibers[index].frames[frame].tries.indices {
          fibers[index].frames[frame].tries[attempt].limit = fresh(fibers[index].frames[frame].tries[attempt].limit)
        }
      }
      switch fibers[index].wait {
      case .until(let site, let limit): fibers[index].wait = .until(site: site, fresh(limit))
      case .event(let site, let limit): fibers[index].wait = .event(site: site, fresh(limit))
      case .link(let device, let limit): fibers[index].wait = .link(device: device, fresh(limit))
      case .scan(var scan):
        scan.limit = fresh(scan.limit)
        fibers[index].wait = .scan(scan)
      case .operation(var operation):
        operation.limit = fresh(operation.limit)
        fibers[index].wait = .operation(operation)
      case .command(var command):
        command.limit = fresh(command.limit)
        fibers[index].wait = .command(command)
      case .none, .forever, .span, .retry, .reconnect, .file, .published, .closing, .forgetting, .branches, .asked, .prompt: break
      }
    }
  }

  /// Restores the links that a keeper held; without a keeper they ended with the last process.
  private mutating func restoreKept(_ past: PastRun, _ held: [MachineEvent]) {
    for event in held {
      if devices.indices.contains(event.device) {
        devices.holdStored(event, event.device)
      } else {
        devices.delete(RowKey(.heldEvent, event.sequence))
      }
    }
    guard let kept = past.kept else {
      for index in devices.indices where devices[index].isSetUp || devices[index].hasLink {
        devices[index].isSetUp = false
        devices[index].hasLink = false
      }
      return
    }
    adapter.resume(isUp: kept.isAdapterUp)
    newestKept = OperationID(header.newestOperation)
    for index in devices.indices where devices[index].wasLinked {
      let link = kept.links.first { $0.peer == devices[index].address }
      guard link != nil || devices[index].hasLink else {
        // The link was being restored and this keeper never had it, so there is no end to report.
        devices[index].isSetUp = false
        continue
      }
      devices[index].hasLink = true
      devices[link: index].phase = .kept
      devices[link: index].info = link?.info
      devices[link: index].isUp = devices[index].isSetUp
      devices[link: index].wasUseful = devices[index].isSetUp
    }
  }

  private func restoredHandlers() -> [ActiveHandler] {
    var units: [Int] = []
    for unit in program.units.indices {
      if case .handler(let site) = program.units[unit].role, site.isTopLevel { units.append(unit) }
    }
    for entry in entries.list { units += entry.handlers }
    var handlers = units.map { ActiveHandler(unit: $0) }
    for fiber in fibers { for frame in fiber.frames { handlers += frame.handlers } }
    if !program.isPeripheral, let served { handlers += served.handlers.map { ActiveHandler(unit: $0) } }
    return handlers
  }

  /// Continues fibers whose wait does not survive its process.
  private mutating func restoreFibers() {
    // Pending effects were repeated or never performed; either way the fiber continues.
    for index in fibers.indices {
      switch fibers[index].wait {
      case .file(_, let repeats):
        // An append is already completed from its intent; a save is simply repeated.
        fibers[index].wait = .none
        if !repeats { fibers[index].frames[fibers[index].frames.count - 1].pc += 1 }
      // Ask the question again, and remove the bond again.
      case .asked, .forgetting: fibers[index].wait = .none
      case .closing(let device) where devices[link: device].phase == .kept: break
      // The keeper is asked again, with the same number.
      case .published where past?.kept != nil: break
      case .published where fibers[index].taken != nil: fibers[index].taken?.isLost = true
      case .published, .closing:
        fibers[index].wait = .none
        fibers[index].frames[fibers[index].frames.count - 1].pc += 1
      default: break
      }
      switch fibers[index].role {
      case .handler(let unit, let device):
        events.resume(unit, device)
      case .timer(_, let number): timers.resume(number)
      case .body, .connect, .setUp, .whenever, .restore, .stop, .failure, .branch: break
      }
    }
    for index in fibers.indices where fibers[index].wait == .none { fibers.enqueue(index) }
  }

  /// Starts the `on restore` handlers, which run exclusively.
  private mutating func deliverRestore(_ it: Value) -> Bool {
    // After a kill during `on restore`, start it again, because it got the wrong past.
    for index in fibers.indices.reversed() where fibers[index].isRestore { _ = fibers.remove(at: index) }
    for unit in activeHandlers.map(\.unit) {
      guard case .handler(let site) = program.units[unit].role, case .event(.restore) = site.trigger else { continue }
      addFiber(role: .restore(unit: unit), unit: unit, it: it)
      isRestoring = true
    }
    return isRestoring
  }

  private func pastValue(_ past: PastRun) -> Value {
    let unsureCount = fibers.count { fiber in
      if case .operation(let operation) = fiber.wait {
        operation.mayHaveLeft && operation.policy == .fail && devices[link: operation.device].phase != .kept
      } else if case .command(let command) = fiber.wait {
        command.policy == .fail
      } else {
        false
      }
    }
    var record = Record()
    record.set("reason", .text(past.reason.rawValue))
    record.set("at", .time(past.at.wall))
    record.set("down_for", .duration(max(now.wall - past.at.wall, .zero).rounded))
    record.set("line", .int(Int64(restorePoint.line.number)))
    record.set("devices", .list(devices.indices.filter { devices[$0].wasLinked || devices[$0].isWanted }.map { .device($0) }))
    record.set("unsure", .int(Int64(unsureCount)))
    record.set("edited", .bool(past.isEdited))
    let linked = devices.indices.filter { devices[$0].wasLinked }
    let centrals = server.state.centrals
    let areKept =
      linked.allSatisfy { index in past.kept?.links.contains { $0.peer == devices[index].address } ?? false }
      && centrals.allSatisfy { index in past.kept?.centrals.contains { $0.peer == devices[index].address } ?? false }
    record.set("link", .text(linked.isEmpty && centrals.isEmpty ? "none" : areKept ? "kept" : "lost"))
    record.set("missed", .int(Int64(past.kept?.missed ?? 0)))
    return .record(record)
  }

  /// The current statement of the body: its line and its text.
  package var restorePoint: (line: RecipeLine, text: String) {
    let fiber = fibers.first { header.value.isStopping && $0.isStop } ?? fibers.first { $0.role == .body }
    guard let frame = fiber?.frames.last, let statement = program.statement(at: frame.pc) else { return (.none, "") }
    return (program.line(of: statement), program.lines.quote(program.statements[statement].range))
  }

  /// Resumes timers, scans and pending connections after `on restore`.
  mutating func restoreEnded() {
    guard !fibers.contains(where: \.isRestore) else { return }
    isRestoring = false
    catchUp?.end = now.moment
    renewLimits()
    restoreAll()
  }

  /// While a run ends, only what `on stop` needs is resumed.
  private mutating func restoreAll() {
    renewCatchUp()
    for index in devices.indices where devices[link: index].phase != .kept { deliverHeld(index) }
    for fiber in fibers.map({ (id: $0.id, isStop: $0.isStop) }) where !isStopping || fiber.isStop { resumeFiber(fiber.id) }
    if !isStopping {
      restoreQuestions()
      restoreListening()
      restoreServer()
    }
    if !isStopping || fibers.contains(where: \.isStop) { for index in devices.indices { restoreLink(index) } }
    settleWithKeeper()
  }

  /// Releases what the keeper holds and this run does not continue.
  mutating func settleWithKeeper() {
    guard let newestKept, let kept = past?.kept else { return }
    self.newestKept = nil
    for (peer, _) in kept.links
    where !devices.indices.contains(where: { devices[$0].address == peer && devices[link: $0].phase != .idle }) {
      request(nextOperation(), .disconnect(peer))
    }
    let scans = fibers.compactMap { fiber in
      if case .scan(let scan) = fiber.wait { scan.operation } else { nil }
    }
    effects.append(.resumed(upTo: newestKept, except: scans + listens.operations))
  }

  private mutating func resumeFiber(_ id: UInt64) {
    guard let index = fibers.index(of: id) else { return }
    if let device = fibers[index].role.linkedDevice, devices[link: device].phase != .kept {
      // `on connect` belongs to one link, so end it; it runs again on the next link.
      if case .operation(let operation) = fibers[index].wait, operation.mayHaveLeft, operation.policy == .fail {
        var problem: Problem?
        askingFiber(index) { machine, fiber in
          problem = machine.problem(
            machine.unsure(operation, "the run was \(machine.pastWord) while it was in progress"), fiber, device: device)
        }
        if let problem { unhandled(index, problem) }
      } else {
        fiberEnded(index)
      }
      return
    }
    switch fibers[index].wait {
    case .published where fibers[index].taken?.isLost ?? false: break
    case .published where fibers[index].question != nil: answerAgain(index)
    case .published(let operation): publishAgain(index, operation)
    case .command(let command): restoreCommand(index, command)
    case .scan(var scan):
      if let operation = scan.operation, newestKept != nil {
        // With the same number, so that the keeper continues the scan, or starts it if it is
        // unknown.
        request(operation, .scan(ScanRequest(duty: duty(.full), filter: filter(of: scan.site, fibers[index]))))
        return
      }
      startListening(&scan, fibers[index])
      fibers[index].wait = .scan(scan)
    case .operation(let operation) where operation.isSecret && operation.pieces?.offset ?? 0 > 0:
      let place = operation.pieces.map { "\($0.offset) of \($0.total)" } ?? ""
      fail(
        index, unsure(operation, "\(place) bytes were written when the run was \(pastWord), and a secret is not saved"),
        device: operation.device)
    case .operation(let operation)
    where operation.sent != nil && !operation.isSecret && devices[link: operation.device].phase == .kept:
      askAgain(operation)
    case .operation(var operation):
      guard operation.sent != nil else {
        if operation.isSecret { doAgain(index, operation) }
        return
      }
      let mayHaveLeft = operation.mayHaveLeft
      operation.isVerifying = false
      operation.isLocating = false
      operation.sent = nil
      guard mayHaveLeft else {
        if operation.isSecret { return doAgain(index, operation) }
        fibers[index].wait = .operation(operation)
        return
      }
      operation.lost = operation.lost ?? .maybe
      switch operation.policy {
      case .fail: fail(index, unsure(operation, "the run was \(pastWord) while it was in progress"), device: operation.device)
      case .skip:
        guard operation.takeNextPiece(at: now.moment) else { return complete(index) }
        fibers[index].wait = .operation(operation)
      case .harmless, .repeat, .verify:
        if operation.isSecret { return doAgain(index, operation) }
        fibers[index].wait = .operation(operation)
      }
    default: break
    }
  }

  /// Repeats a request with the same number. The keeper performs it unless it already has, and
  /// reports the outcome in either case.
  private mutating func askAgain(_ operation: OperationWait) {
    guard let number = operation.sent, let address = devices[operation.device].address else { return }
    request(number, .gatt(address, operation.command))
  }

  /// Restarts a statement whose value was secret and is not in the checkpoint. If it may have been
  /// written already, `verify` reads first.
  private mutating func doAgain(_ index: Int, _ operation: OperationWait) {
    fibers[index].isInDoubt = operation.policy == .verify && operation.lost != nil
    let top = fibers[index].frames.count - 1
    fibers[index].frames[top].pc = statementStart(fibers[index].frames[top].pc)
    fibers.wake(index)
  }

  private var pastWord: String { past?.reason.rawValue ?? "killed" }

  private mutating func restoreLink(_ index: Int) {
    if devices[link: index].phase == .kept { return restoreKeptLink(index) }
    let wasLinked = devices[index].wasLinked
    let isAwaited = fibers.contains { fiber in
      if case .link(index, _) = fiber.wait { true } else { false }
    }
    guard wasLinked || devices[index].isWanted || isAwaited, devices[link: index].phase == .idle else { return }
    if !isAwaited, hasNoOwner(index) {
      devices[index].wasLinked = false
      return
    }
    devices[index].isResumed = wasLinked
    if wasLinked, !devices[index].isWanted { devices[link: index].resumeLimit = now.moment + Self.connectTimeout }
    beginAttempt(index)
  }
}

extension Machine {
  /// Whether the activation or branch that made the link had ended before the kill, but the link
  /// was not closed yet.
  private func hasNoOwner(_ index: Int) -> Bool {
    if devices[index].isWanted || devices[index].isHeldByRun || !devices[index].holders.isEmpty { return false }
    return !fibers.contains { if case .closing(index) = $0.wait { true } else { false } }
  }

  /// The set-up item whose `otherwise` is running for a device.
  private func otherwiseUnderWay(_ index: Int) -> Int? {
    for fiber in fibers { if case .setUp(index, let item) = fiber.role, fiber.role.linkedDevice != nil { return item } }
    return nil
  }

  /// Resumes a kept link without repeating any set-up that is already done.
  private mutating func restoreKeptLink(_ index: Int) {
    guard let address = devices[index].address, let kept = past?.kept else { return }
    devices[index].isResumed = true
    let isClosing = fibers.contains { fiber in
      if case .closing(index) = fiber.wait { true } else { false }
    }
    // If the keeper has closed it, its report follows; until then the link is not used.
    if isClosing || hasNoOwner(index) { return close(index) }
    // The keeper reports its end with the time at which it ended.
    guard kept.links.contains(where: { $0.peer == address }) else { return }
    if devices[index].isSetUp, devices[index].connector.map({ fibers.index(of: $0) == nil }) ?? true {
      becomeReady(index)
    } else if let item = otherwiseUnderWay(index) {
      devices[link: index].phase = .settingUp(item, nextOperation())
      sendQueued(index)
    } else {
      setUp(index, from: min(devices[index].setUpDone, devices[index].setUp.count))
    }
  }
}

extension TimeSpan {
  /// Rounded to milliseconds, as displayed.
  var rounded: TimeSpan { .milliseconds(milliseconds) }
}
