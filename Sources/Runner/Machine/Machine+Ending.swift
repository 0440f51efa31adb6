import Exchange
import Vocabulary

extension Machine {
  static let grace = TimeSpan.seconds(5)

  /// Ends the run after the last statement of the body. Queued events are handled first, and
  /// running handlers get five seconds.
  mutating func bodyEnded() {
    guard life == .running else { return }
    if exit.reason != .failed { exit = ExitStatus(code: 0, reason: .finished) }
    rememberEnding()
    life = .draining(now.moment + Self.grace)
  }

  /// Saves how the run ends, so that a run killed during its end continues with that.
  private mutating func rememberEnding() {
    header.urgent.ending = exit.reason.rawValue + 1
    header.urgent.endingCode = Int64(exit.code)
  }

  /// `stop with code N` in `on stop` or `on failure`. A signal has its own code.
  mutating func setCode(ofEnd code: UInt16?) {
    guard let code, !isFrozen else { return }
    exit.code = Int32(code)
    rememberEnding()
  }

  /// Whether it ends because of a failure.
  package var isFailing: Bool {
    if case .stopping = life { exit.reason == .failed } else { false }
  }

  /// Continues an end that a kill interrupted.
  mutating func restoreEnding() {
    guard header.value.ending > 0, let reason = StopReason(rawValue: header.value.ending - 1) else { return }
    if reason == .failed, past?.reason == .stopped, header.value.isStopping {
      // The run had already ended with a failure, and is now resumed.
      header.urgent.ending = 0
      header.urgent.isStopping = false
      for index in fibers.indices.reversed() where fibers[index].isStop { _ = fibers.remove(at: index) }
      return
    }
    exit = ExitStatus(code: Int32(truncatingIfNeeded: header.value.endingCode), reason: reason)
    life = header.value.isStopping ? .stopping(now.moment + Self.grace) : .draining(now.moment + Self.grace)
  }

  /// Ends the run after `stop` or an unhandled failure. No more events are handled.
  /// - Parameter problem: the failure, for `on failure`.
  mutating func stopNow(after problem: Problem? = nil) {
    switch life {
    case .running, .draining:
      rememberEnding()
      beginStop(after: problem)
    case .stopping, .closing, .done: break
    }
  }

  /// Ends the run on an outside request. The checkpoint does not change, so that the run can
  /// continue later. A run that already ends by itself completes its `on stop`; a second request
  /// cuts it off.
  mutating func requestStop(_ reason: StopReason) {
    switch life {
    case .running, .draining:
      exit = ExitStatus(code: reason == .terminated ? 143 : 130, reason: reason)
      beginStop()
    case .stopping:
      switch exit.reason {
      case .interrupted, .terminated: beginClose()
      case .finished, .stopped, .failed:
        if isEndRequested { beginClose() }
        isEndRequested = true
      }
    case .closing: finish()
    case .done: break
    }
  }

  private mutating func beginStop(after problem: Problem? = nil) {
    life = .stopping(now.moment + Self.grace)
    isRestoring = false
    if !isFrozen { header.urgent.isStopping = true }
    fibers.releaseAll()
    // Fibers that reserved a link for themselves have ended.
    for index in devices.active {
      switch devices[link: index].phase {
      case .firstSetUp, .onConnect: devices[link: index].phase = .ready
      case .idle, .kept, .locating, .connecting, .gated, .settingUp, .ready, .closing: break
      }
    }
    // `on failure` too has the time of `on stop`, and comes first.
    if let problem { runFailureHandlers(problem) }
    for unit in activeHandlers.map(\.unit) {
      guard case .handler(let site) = program.units[unit].role, case .event(.stop) = site.trigger else { continue }
      addFiber(role: .stop(unit: unit), unit: unit, it: .text(exit.reason.word), device: soleDevice)
    }
  }

  /// Advances the end of the run as far as possible now.
  mutating func advanceEnd() {
    if case .draining(let deadline) = life {
      let isBusy =
        fibers.hasReady || !events.isEmpty || isCatchingUp
        || fibers.contains { fiber in
          switch fiber.role {
          case .handler, .connect, .setUp, .timer, .whenever, .failure, .branch: true
          case .body, .restore, .stop: false
          }
        }
      if !isBusy || deadline <= now.moment {
        reportUnhandled()
        beginStop()
      }
    }
    if case .stopping(let deadline) = life {
      // Fibers of `on stop` that were just started run in the next turn.
      let isRunning = fibers.contains(where: \.isStop)
      if isRunning, deadline <= now.moment { cutStopOff() }
      if !isRunning || deadline <= now.moment { beginClose() }
    }
    if case .closing(let deadline) = life {
      let isOpen = devices.active.contains { devices[link: $0].phase != .idle }
      if !isOpen || deadline <= now.moment { finish() }
    }
  }

  /// Fails the current statement of `on stop` when its time is over.
  private mutating func cutStopOff() {
    let running = fibers.compactMap { fiber -> UInt64? in
      if case .stop = fiber.role { fiber.id } else { nil }
    }
    for id in running {
      guard let place = fibers.index(of: id) else { continue }
      if case .branches = fibers[place].wait { fibers[place].wait = .forever }
      let isUnsure = cancelBranches(of: id, reportsUnsure: false)
      guard let index = fibers.index(of: id) else { continue }
      var device: Int?
      if case .operation(let operation) = fibers[index].wait { device = operation.device }
      var failure = overdueStop(fibers[index])
      if isUnsure { failure = Failure(.unsure, cutText(fibers[index]), blame: .radio, delivered: .maybe) }
      var problem: Problem?
      askingFiber(index) { machine, fiber in problem = machine.problem(failure, fiber, device: device) }
      if case .operation(let operation) = fibers[index].wait { withdraw(operation) }
      cancelWait(index)
      fibers.release(id)
      if let problem { unhandled(index, problem) }
    }
  }

  /// The handler of a fiber of the end.
  private func ending(_ fiber: borrowing Fiber) -> String {
    if case .stop(let unit) = fiber.role, failureHandlers.contains(unit) { "`on failure`" } else { "`on stop`" }
  }

  private func cutText(_ fiber: borrowing Fiber) -> String {
    "the 5s that \(ending(fiber)) may take ran out while a write or a program was in progress"
  }

  private func overdueStop(_ fiber: borrowing Fiber) -> Failure {
    switch fiber.wait {
    case .operation(let operation):
      let name = devices[operation.device].text
      if operation.sent == nil, !devices[link: operation.device].isLinked {
        return Failure(
          .unreachable, "\(name) did not come back within the 5s that \(ending(fiber)) may take", blame: .radio, layer: .hci,
          delivered: operation.lost ?? .notSent)
      }
      if operation.policy == .fail, operation.mayHaveLeft || operation.lost != nil, operation.lost != .notSent {
        return Failure(.unsure, cutText(fiber), blame: .radio, delivered: operation.lost ?? .maybe)
      }
    case .command(let command) where command.policy == .fail:
      return Failure(.unsure, cutText(fiber), blame: .recipe, layer: .os, delivered: .maybe)
    default: break
    }
    return Failure(.timeout, "\(ending(fiber)) may take 5s, but this statement took longer", blame: .recipe)
  }

  private mutating func beginClose() {
    // A keeper holds the links for the next process.
    if leavesLinks { return finish() }
    life = .closing(now.moment + Self.grace)
    for fiber in fibers {
      if case .scan(let scan) = fiber.wait, let operation = scan.operation { endScan(operation) }
    }
    endListening()
    for index in devices.indices {
      switch devices[link: index].phase {
      case .locating, .connecting, .gated: withdrawAttempt(index)
      case .kept, .settingUp, .firstSetUp, .onConnect, .ready: close(index)
      case .idle, .closing: break
      }
    }
    settleWithKeeper()
    if server.site != nil { request(nextOperation(), .stopAdvertising) }
    if !adapter.isUp { adapter.dropHeld() }
  }

  mutating func finish() {
    guard life != .done else { return }
    life = .done
    reportDrops()
    if exit.code == 0, header.value.failures > 0 {
      exit.code = header.value.failureCode == 0 ? 1 : Int32(truncatingIfNeeded: header.value.failureCode)
    }
    // The exit status is synced, together with this turn's commit.
    effects.append(.finished(exit))
  }

  /// `restart`: starts again from the top, keeping only what `remember` keeps. In `on failure` and
  /// `on stop`, the run does not end.
  mutating func restart(_ rounds: Int) {
    life = .running
    exit = ExitStatus(code: 0, reason: .finished)
    reportDrops()
    for fiber in fibers {
      if case .scan(let scan) = fiber.wait, let operation = scan.operation { endScan(operation) }
    }
    for index in devices.indices {
      switch devices[link: index].phase {
      case .locating, .connecting, .gated: withdrawAttempt(index)
      case .kept, .settingUp, .firstSetUp, .onConnect, .ready, .closing:
        if let address = devices[index].address { request(nextOperation(), .disconnect(address)) }
      case .idle: break
      }
    }
    endListening()
    endIdleWork()
    fibers.removeAll()
    pieces.removeAll()
    settleWithKeeper()
    listens.removeAll()
    seen.removeAll()
    leaveAir()
    server.removeAll()
    devices.removeAll()
    runningScans.removeAll()
    surroundings.deviceNames.removeAll()
    timers.removeAll()
    events.removeAll()
    output = Tracked(nil, isChanged: false)
    activeHandlers.removeAll()
    isRestoring = false
    header.value.failures = 0
    header.value.ending = 0
    header.value.isStopping = false
    header.value.failureCode = 0
    for index in variables.indices where program.variables[index].kind == .state { variables.load(.unset, at: index) }
    variables.dropChanges()
    clearsAll = true
    header.rewrite()
    isTurnOver = true
    runInitialisers { $0.isConstant }
    for index in variables.indices where program.variables[index].kind == .remembered || program.variables[index].isKeptInput {
      variables.rewrite(index)
    }
    enterTopLevelHandlers()
    let body = addFiber(role: .body, unit: Program.body)
    if let place = fibers.index(of: body) { fibers[place].rounds = rounds }
  }
}
