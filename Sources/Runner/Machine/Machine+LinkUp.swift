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
      guard let pc = attempt.rescue, program.statementOf.indices.contains(attempt.start - 1),
        Int(program.statementOf[attempt.start - 1]) == statement
      else { continue }
      return (site, pc)
    }
    return nil
  }

  /// An `otherwise` of the set-up is over, and the set-up goes on.
  mutating func otherwiseEnded(_ index: Int, _ item: Int) {
    guard case .settingUp(item, _) = devices[link: index].phase else { return }
    setUp(index, from: min(item + 1, devices[index].setUp.count))
  }

  /// It failed itself, and so has the attempt to connect.
  mutating func otherwiseFailed(_ place: Int, _ index: Int, _ item: Int, _ failure: Failure) {
    var statement = devices[index].setUp.indices.contains(item) ? devices[index].setUp[item].statement : -1
    if item == Fiber.Role.refusedLink { statement = pairing(of: index)?.statement ?? -1 }
    setUpFailed(index, statement, failure)
    if case .settingUp(item, _) = devices[link: index].phase { close(index) }
    fiberEnded(place)
  }

  /// A statement that is done again on a later connection has failed: logged, counted, and handed
  /// to `on failure`.
  private mutating func setUpFailed(_ index: Int, _ statement: Int, _ failure: Failure) {
    let range = program.statements.indices.contains(statement) ? program.statements[statement].range : .none
    effects.append(
      .failed(FailureReport(failure: failure, range: range, device: devices[index].text, attempts: 1, ends: false)))
    header.countFailure()
    runFailureHandlers(Problem(failure, line: program.line(of: statement), device: index))
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
    if let pairing, rescue(of: pairing.statement) != nil {
      let role = Fiber.Role.setUp(device: index, item: Fiber.Role.refusedLink)
      // one that still runs learns nothing new
      if fibers.contains(where: { $0.role == role }) { return }
      if runOtherwise(index, pairing, as: Fiber.Role.refusedLink, failure) { return }
    }
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

  /// The `pair` of the set-up list.
  private func pairing(of index: Int) -> SetUpItem? {
    devices[index].setUp.first { if case .pair = $0.request { true } else { false } }
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
