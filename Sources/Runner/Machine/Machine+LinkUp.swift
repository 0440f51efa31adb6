import Exchange
import Recipe
import Vocabulary

extension Machine {
  mutating func connected(_ operation: OperationID, _ address: Address, _ info: LinkInfo) {
    guard let index = devices.active.first(where: { isConnecting($0, operation) }) ?? deviceIndex(address) else { return }
    guard case .connecting = devices[link: index].phase else {
      // A withdrawn attempt has succeeded anyway, and its link is not needed.
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

  /// `use pairing strict`: why a link encrypted by a bond is not used. If the recipe has a `pair`,
  /// it makes a better bond over this link.
  private func unprovenBond(_ index: Int, _ info: LinkInfo) -> Failure? {
    guard program.settings.pairsStrictly, info.encrypted, !info.isProven, program.pairs.isEmpty else { return nil }
    let name = devices[index].text
    return Failure(
      .refused,
      "the bond with \(name) is not an authenticated one of LE Secure Connections, which `use pairing strict` requires",
      blame: .ours, layer: .smp,
      hint:
        "`pair` with `on passkey` in this recipe makes one; so does `tooth forget \(name)` followed by `tooth pair \(name) --passkey CODE`"
    )
  }

  /// Closes a link that may not be used.
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

  /// Runs the set-up list in order, before anything else.
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

  /// While the run ends, only `on stop` continues.
  func mayGoOn(_ index: Int) -> Bool { !isStopping || fibers[index].isStop }

  mutating func setUpCompleted(_ index: Int, _ result: Result<Outcome, Failure>) {
    guard case .settingUp(let item, _) = devices[link: index].phase else { return }
    switch result {
    case .success: setUp(index, from: item + 1)
    case .failure(let failure):
      if failure.kind == .disconnected || failure.kind == .cancelled { return }
      // `unsubscribe` has removed the item in the meantime.
      guard devices[index].setUp.indices.contains(item) else { return setUp(index, from: devices[index].setUp.count) }
      if runOtherwise(index, devices[index].setUp[item], as: item, failure) { return }
      setUpFailed(index, devices[index].setUp[item].statement, failure)
      // The attempt has failed, so close the link; the next attempt follows with back-off.
      close(index)
    }
  }

  /// Runs the `otherwise` of a set-up statement in its own fiber. Returns false if there is none.
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

  /// The `try` of a statement, and the start of its `otherwise`.
  func rescue(of statement: Int) -> (site: Int, pc: Int)? {
    for (site, attempt) in program.tries.enumerated() {
      guard let pc = attempt.rescue, program.statement(of: attempt) == statement else { continue }
      return (site, pc)
    }
    return nil
  }

  /// Continues the set-up after an `otherwise`.
  mutating func otherwiseEnded(_ index: Int, _ item: Int) {
    let isRenewal = item == Fiber.Role.refusedLink
    switch devices[link: index].phase {
    // Continue with the `pair` itself, which does nothing if the bond was renewed.
    case .settingUp(item, _):
      let next = isRenewal ? pairingPlace(index) ?? devices[index].setUp.count : item + 1
      setUp(index, from: min(next, devices[index].setUp.count))
    case .idle: if isRenewal, devices[index].isWanted { scheduleAttempt(index, listens: false) }
    default: break
    }
  }

  /// Fails the connection attempt after an `otherwise` has failed.
  mutating func otherwiseFailed(_ place: Int, _ index: Int, _ item: Int, _ problem: Problem, _ range: SourceRange) {
    setUpFailed(index, Problem(problem.failure, line: problem.line, device: problem.device ?? index), range)
    if case .settingUp(item, _) = devices[link: index].phase { close(index) }
    fiberEnded(place)
  }

  /// Handles the failure of a statement that is repeated on later connections: logs and counts it,
  /// and runs `on failure`.
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
    // The next attempt would fail in the same way.
    devices[index].setUpFailures = 0
    raiseAtWaiters(index, failure)
  }

  /// Handles a link that the device or its bond refused. This is a failure of the repeated `pair`,
  /// whose `otherwise` handles it, or of the statements that wait for the device.
  mutating func linkRefused(_ index: Int, _ failure: Failure) {
    guard failure.isRefusalOfLink else { return }
    let pairing = pairing(of: index)
    if renewal(index) != nil {
      // Fail only what was tried without a new bond.
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
    // If no statement waits, there is no line to report.
    setUpFailed(index, pairing?.statement ?? place ?? -1, failure)
  }

  // MARK: Renewing bonds

  /// The `pair` item of the set-up list.
  private func pairing(of index: Int) -> SetUpItem? { devices[index].setUp.first(where: \.isPairing) }

  private func pairingPlace(_ index: Int) -> Int? { devices[index].setUp.firstIndex(where: \.isPairing) }

  /// The fiber that runs the `otherwise` of the `pair` after the device refused a link.
  private func renewal(_ index: Int) -> Int? {
    fibers.firstIndex { $0.role == .setUp(device: index, item: Fiber.Role.refusedLink) }
  }

  /// Whether a fiber runs the `otherwise` of the device's `pair`, which renews the bond. For such a
  /// fiber, the device stays wanted and keeps its set-up.
  func renews(_ index: Int, _ role: Fiber.Role) -> Bool {
    guard case .setUp(index, let item) = root(of: role) else { return false }
    return item == Fiber.Role.refusedLink || item == pairingPlace(index)
  }

  /// Pauses the set-up at a `pair` whose `otherwise` is still running and may use the link.
  private mutating func waitForRenewal(_ index: Int, _ renewal: Int) {
    devices[link: index].phase = .settingUp(Fiber.Role.refusedLink, nextOperation())
    for id in linkWaiters(index) {
      if let place = fibers.index(of: id), renews(index, fibers[place].role) { complete(place) }
    }
    sendQueued(index)
  }

  /// Ends the first set-up at `ready`, or when the connecting fiber ends. From now on `on connect`
  /// and all others may use the link.
  mutating func firstSetUpEnded(_ index: Int, by fiber: UInt64) {
    guard devices[index].connector == fiber else { return }
    devices[index].connector = nil
    if devices[link: index].phase == .firstSetUp { becomeReady(index) }
  }

  mutating func becomeReady(_ index: Int) {
    devices[index].wasReady = true
    devices[index].isSetUp = true
    devices[index].failedAttempts = 0
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
      // On a kept link, it continues where it was.
      if fibers.contains(where: { $0.role == .connect(unit: unit, device: index) }) { continue }
      addFiber(role: .connect(unit: unit, device: index), unit: unit, it: .device(index), device: index)
    }
    devices[link: index].phase = started ? .onConnect : .ready
    deliver(.connected, device: index)
    deliverHeld(index)
    sendQueued(index)
    watchServices(index)
  }

  /// Delivers what came before the set-up was complete: when it is, or when it never will be.
  mutating func deliverHeld(_ index: Int) {
    for event in devices.takeHeld(index) { deliver(event.kind, device: index, at: event.at) }
  }

  /// Discovers Generic Attribute, because the host subscribes to Service Changed only after a
  /// discovery or after it has verified its cache.
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

  /// Resets the back-off after a link has been useful.
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
  /// The statement of this `try` or `otherwise`.
  fileprivate func statement(of attempt: TrySite) -> Int? {
    statementOf.indices.contains(attempt.start - 1) ? Int(statementOf[attempt.start - 1]) : nil
  }

  /// The `pair` that has this `otherwise`.
  func pairing(of attempt: TrySite) -> Int? {
    guard let rescue = attempt.rescue, let statement = statement(of: attempt) else { return nil }
    let pairs = (attempt.start..<rescue).contains { code[$0].code == .pair && Int(statementOf[$0]) == statement }
    return pairs ? statement : nil
  }
}
