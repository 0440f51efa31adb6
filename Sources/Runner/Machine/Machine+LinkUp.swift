import Exchange
import Recipe
import Vocabulary

extension Machine {
  mutating func connected(_ operation: OperationID, _ address: Address, _ info: LinkInfo) {
    guard let index = devices.active.first(where: { isConnecting($0, operation) }) ?? deviceIndex(address) else { return }
    guard case .connecting = devices[link: index].phase else {
      // An attempt that was withdrawn and succeeded all the same: nobody wants this link.
      if !devices[link: index].isLinked { request(nextOperation(), .disconnect(address)) }
      return
    }
    devices[index].kind = address.kind
    devices[link: index].info = info
    if let failure = unprovenBond(index, info) { return refuseLink(index, failure) }
    if info.encrypted { settleAnswers(about: index) }
    devices[link: index].wasUseful = false
    if devices[link: index].resumeLimit == nil, !devices[index].wasLinked { devices[index].isResumed = false }
    devices[link: index].resumeLimit = nil
    devices[index].wasLinked = true
    devices[index].hasLink = true
    devices[index].isSetUp = false
    effects.append(
      .progressed(ProgressReport(.connected, device: devices[index].text, text: "connected to \(devices[index].text)")))
    setUp(index, from: 0)
  }

  /// `use pairing strict`: why a link that a bond encrypts is not used. A `pair` of the recipe
  /// makes a better bond over that link.
  private func unprovenBond(_ index: Int, _ info: LinkInfo) -> Failure? {
    guard program.settings.pairsStrictly, info.encrypted, !info.isProven, program.pairs.isEmpty else { return nil }
    let name = devices[index].text
    return Failure(
      .refused,
      "the bond with \(name) is not an authenticated one of LE Secure Connections, which `use pairing strict` requires",
      blame: .ours, layer: .smp,
      hint: "`pair` with `on passkey` in this recipe makes one; so does `tooth forget \(name)` followed by `tooth pair \(name)`")
  }

  /// A link that was made and is not used.
  private mutating func refuseLink(_ index: Int, _ failure: Failure) {
    if devices[index].isWanted {
      linkRefused(index, failure)
    } else {
      devices[link: index].resumeLimit = nil
      for id in linkWaiters(index) { if let fiber = fibers.index(of: id) { fail(fiber, failure, device: index) } }
    }
    close(index)
  }

  private func isConnecting(_ index: Int, _ operation: OperationID) -> Bool {
    if case .connecting(operation, _) = devices[link: index].phase { true } else { false }
  }

  /// The set-up list, in its order, before anything else.
  mutating func setUp(_ index: Int, from item: Int) {
    guard let address = devices[index].address else { return }
    devices[index].setUpDone = item
    if item >= pairingPlace(index) ?? devices[index].setUp.count, let renewal = renewal(index), mayGoOn(renewal) {
      return waitForRenewal(index, renewal)
    }
    if item < devices[index].setUp.count {
      let operation = nextOperation()
      devices[link: index].phase = .settingUp(item, operation)
      request(operation, .gatt(address, devices[index].setUp[item].request))
      return
    }
    devices[index].setUpFailures = 0
    if let connector = devices[index].connector, let place = fibers.index(of: connector), mayGoOn(place) {
      devices[link: index].phase = .firstSetUp
      devices[link: index].isUp = true
      for id in linkWaiters(index) { if let fiber = fibers.index(of: id) { complete(fiber) } }
      sendQueued(index)
    } else {
      devices[index].connector = nil
      becomeReady(index)
    }
  }

  /// While the run ends, only `on stop` runs.
  func mayGoOn(_ index: Int) -> Bool { !isStopping || fibers[index].isStop }

  mutating func setUpCompleted(_ index: Int, _ result: Result<Outcome, Failure>) {
    guard case .settingUp(let item, _) = devices[link: index].phase else { return }
    switch result {
    case .success: setUp(index, from: item + 1)
    case .failure(let failure):
      if failure.kind == .disconnected || failure.kind == .cancelled { return }
      // `unsubscribe` has taken it out in the meantime.
      guard devices[index].setUp.indices.contains(item) else { return setUp(index, from: devices[index].setUp.count) }
      if runOtherwise(index, devices[index].setUp[item], as: item, failure) { return }
      setUpFailed(index, devices[index].setUp[item].statement, failure)
      // The attempt has failed: the link is closed and the next one follows with back-off.
      close(index)
    }
  }

  /// Runs the `otherwise` of a set-up statement in a fiber of its own. False when it has none.
  /// - Parameter item: its number, or `refusedLink`.
  private mutating func runOtherwise(_ index: Int, _ done: SetUpItem, as item: Int, _ failure: Failure) -> Bool {
    guard let rescue = rescue(of: done.statement) else { return false }
    let unit = Int(program.unitOf[rescue.pc])
    let id = addFiber(role: .setUp(device: index, item: item), unit: unit, device: index)
    guard let place = fibers.index(of: id) else { return false }
    withFiber(place) { machine, fiber in
      for slot in done.locals.indices where slot < fiber.slots.count { fiber.slots[slot] = done.locals[slot] }
      fiber.slots[0] = .problem(Problem(failure, line: machine.program.line(of: done.statement), device: index))
      fiber.slots[1] = .device(index)
      fiber.frames[0].pc = rescue.pc
      fiber.frames[0].tries = [
        TryState(
          site: rescue.site, attempt: 1, times: 1, every: nil, limit: nil, handlers: 0, device: .device(index), rescued: .nothing)
      ]
    }
    return true
  }

  /// The `otherwise` of a statement: its `try`, and where it begins.
  func rescue(of statement: Int) -> (site: Int, pc: Int)? {
    for (site, attempt) in program.tries.enumerated() {
      guard let pc = attempt.rescue, program.statement(of: attempt) == statement else { continue }
      return (site, pc)
    }
    return nil
  }

  /// An `otherwise` of the set-up is over, and the set-up goes on.
  mutating func otherwiseEnded(_ index: Int, _ item: Int) {
    let isRenewal = item == Fiber.Role.refusedLink
    switch devices[link: index].phase {
    // The `pair` itself follows, which has nothing to do if the bond was renewed.
    case .settingUp(item, _):
      let next = isRenewal ? pairingPlace(index) ?? devices[index].setUp.count : item + 1
      setUp(index, from: min(next, devices[index].setUp.count))
    case .idle: if isRenewal, devices[index].isWanted { scheduleAttempt(index, listens: false) }
    default: break
    }
  }

  /// It failed itself, and so has the attempt to connect.
  mutating func otherwiseFailed(_ place: Int, _ index: Int, _ item: Int, _ problem: Problem, _ range: SourceRange) {
    setUpFailed(index, Problem(problem.failure, line: problem.line, device: problem.device ?? index), range)
    if case .settingUp(item, _) = devices[link: index].phase { close(index) }
    fiberEnded(place)
  }

  /// A statement that is done again on a later connection has failed: logged, counted, and handed
  /// to `on failure`.
  private mutating func setUpFailed(_ index: Int, _ statement: Int, _ failure: Failure) {
    let range = program.statements.indices.contains(statement) ? program.statements[statement].range : .none
    setUpFailed(index, Problem(failure, line: program.line(of: statement), device: index), range)
  }

  private mutating func setUpFailed(_ index: Int, _ problem: Problem, _ range: SourceRange) {
    let failure = problem.failure
    effects.append(
      .failed(FailureReport(failure: failure, range: range, device: devices[index].text, attempts: 1, ends: false)))
    header.countFailure()
    runFailureHandlers(problem)
    devices[index].setUpFailures += 1
    guard devices[index].setUpFailures >= 3, failure.isRefusalOfLink else { return }
    // It will not be otherwise the next time.
    devices[index].setUpFailures = 0
    raiseAtWaiters(index, failure)
  }

  /// The link was there, and the device or its bond would not have it: that is the failure of the
  /// `pair` that is done again with each link, whose `otherwise` handles it, or of whoever waits
  /// for the device.
  mutating func linkRefused(_ index: Int, _ failure: Failure) {
    guard failure.isRefusalOfLink else { return }
    let pairing = pairing(of: index)
    if renewal(index) != nil {
      // what it tried without a new bond
      for id in fibers.map(\.id) {
        guard let place = fibers.index(of: id), renews(index, fibers[place].role) else { continue }
        switch fibers[place].wait {
        case .link(index, _): fail(place, failure, device: index)
        case .operation(let operation) where operation.device == index: fail(place, failure, device: index)
        default: break
        }
      }
      return
    }
    if let pairing, runOtherwise(index, pairing, as: Fiber.Role.refusedLink, failure) { return }
    let waiting = fibers.first { fiber in
      switch fiber.wait {
      case .reconnect(_, let wanted): wanted.contains(index)
      case .link(index, _): true
      default: false
      }
    }
    let place = waiting?.frames.last.map { Int(program.statementOf[$0.pc]) }
    // It may be that nobody waits: then no line is to blame.
    setUpFailed(index, pairing?.statement ?? place ?? -1, failure)
  }

  // MARK: Bonds that are renewed

  /// The `pair` of the set-up list.
  private func pairing(of index: Int) -> SetUpItem? { devices[index].setUp.first(where: \.isPairing) }

  private func pairingPlace(_ index: Int) -> Int? { devices[index].setUp.firstIndex(where: \.isPairing) }

  /// The fiber that runs the `otherwise` of the `pair`, because the device refused a link.
  private func renewal(_ index: Int) -> Int? {
    fibers.firstIndex { $0.role == .setUp(device: index, item: Fiber.Role.refusedLink) }
  }

  /// Whether a fiber runs the `otherwise` of the device's `pair`, which renews the bond. For such a
  /// fiber, the device stays wanted and keeps its set-up.
  func renews(_ index: Int, _ role: Fiber.Role) -> Bool {
    guard case .setUp(index, let item) = root(of: role) else { return false }
    return item == Fiber.Role.refusedLink || item == pairingPlace(index)
  }

  /// The set-up has come to the `pair` whose `otherwise` still runs: it may use the link, and the
  /// set-up goes on after it.
  private mutating func waitForRenewal(_ index: Int, _ renewal: Int) {
    devices[link: index].phase = .settingUp(Fiber.Role.refusedLink, nextOperation())
    for id in linkWaiters(index) {
      if let place = fibers.index(of: id), renews(index, fibers[place].role) { complete(place) }
    }
    sendQueued(index)
  }

  /// `ready`, or the end of the fiber that connected: from here on `on connect` and everybody else
  /// may use the link.
  mutating func firstSetUpEnded(_ index: Int, by fiber: UInt64) {
    guard devices[index].connector == fiber else { return }
    devices[index].connector = nil
    if devices[link: index].phase == .firstSetUp { becomeReady(index) }
  }

  mutating func becomeReady(_ index: Int) {
    devices[index].wasReady = true
    devices[index].isSetUp = true
    devices[link: index].isUp = true
    effects.append(.progressed(ProgressReport(.ready, device: devices[index].text, text: "\(devices[index].text) is ready")))
    var started = false
    for handler in isStopping ? [] : activeHandlers where handler.serves(index) {
      let unit = handler.unit
      guard case .handler(let site) = program.units[unit].role, case .event(.connect(let target)) = site.trigger, !site.isOfServer
      else { continue }
      if let target, case .value(let operand) = target, !operand.isLocal {
        let value = operand.isGlobal ? variables[operand.index] : program.constants[operand.index]
        guard (try? device(of: value)) == index else { continue }
      }
      started = true
      // On a link that was kept it goes on where it was.
      if fibers.contains(where: { $0.role == .connect(unit: unit, device: index) }) { continue }
      addFiber(role: .connect(unit: unit, device: index), unit: unit, it: .device(index), device: index)
    }
    devices[link: index].phase = started ? .onConnect : .ready
    deliver(.connected, device: index)
    for event in devices.takeHeld(index) { deliver(event.kind, device: index, at: event.at) }
    sendQueued(index)
    watchServices(index)
  }

  /// The host subscribes to Service Changed only where it has discovered something, or has asked
  /// whether what is known still holds.
  mutating func watchServices(_ index: Int) {
    guard program.watchesServices, devices[index].isSetUp, let address = devices[index].address else { return }
    request(nextOperation(), .gatt(address, .discover([UUID(0x1801)])))
  }

  mutating func onConnectEnded(_ index: Int) {
    guard devices[link: index].phase == .onConnect else { return }
    let isRunning = fibers.contains { fiber in
      if case .connect(_, index) = fiber.role { true } else { false }
    }
    if isRunning { return }
    devices[link: index].phase = .ready
    sendQueued(index)
  }

  /// A link has shown its use: the delay of the next attempt begins anew.
  mutating func wasOfUse(_ index: Int) {
    guard !devices[link: index].wasUseful else { return }
    devices[link: index].wasUseful = true
    if devices[index].step != 0 || devices[index].failedAttempts != 0 {
      devices[index].step = 0
      devices[index].failedAttempts = 0
    }
  }
}

extension Program {
  /// The statement that has this `try`, or this `otherwise`.
  fileprivate func statement(of attempt: TrySite) -> Int? {
    statementOf.indices.contains(attempt.start - 1) ? Int(statementOf[attempt.start - 1]) : nil
  }

  /// The `pair` whose `otherwise` this is.
  func pairing(of attempt: TrySite) -> Int? {
    guard let rescue = attempt.rescue, let statement = statement(of: attempt) else { return nil }
    let pairs = (attempt.start..<rescue).contains { code[$0].code == .pair && Int(statementOf[$0]) == statement }
    return pairs ? statement : nil
  }
}
