import Exchange
import Vocabulary

extension Machine {
  static let grace = TimeSpan.seconds(5)

  /// The body has done its last statement: queued events are handled first, running handlers get
  /// five seconds.
  mutating func bodyEnded() {
    guard life == .running else { return }
    if exit.reason != .failed { exit = ExitStatus(code: 0, reason: .finished) }
    rememberEnding()
    life = .draining(now.moment + Self.grace)
  }

  /// A run that is killed while it ends goes on ending: nothing of it is done again.
  private mutating func rememberEnding() {
    header.ending = exit.reason.rawValue + 1
    header.endingCode = Int64(exit.code)
    isHeaderDirty = true
  }

  /// Goes on with an end that a kill cut short. False when there was none.
  mutating func takeUpEnding() -> Bool {
    guard header.ending > 0, let reason = StopReason(rawValue: header.ending - 1) else { return false }
    guard past?.reason != .stopped else {
      // It had ended in full, and somebody wants it to go on nevertheless.
      header.ending = 0
      isHeaderDirty = true
      return false
    }
    exit = ExitStatus(code: Int32(truncatingIfNeeded: header.endingCode), reason: reason)
    if reason == .finished { life = .draining(now.moment + Self.grace) } else { beginStop() }
    return true
  }

  /// `stop`, or a failure that nobody handled: no more events.
  mutating func stopNow() {
    switch life {
    case .running, .draining:
      rememberEnding()
      beginStop()
    case .stopping, .closing, .done: break
    }
  }

  /// Somebody outside wants the end. The checkpoint stays as it is, so that the run can go on
  /// later.
  mutating func requestStop(_ reason: StopReason) {
    switch life {
    case .running, .draining:
      exit = ExitStatus(code: reason == .terminated ? 143 : 130, reason: reason)
      beginStop()
    case .stopping: beginClose()
    case .closing: finish()
    case .done: break
    }
  }

  private mutating func beginStop() {
    life = .stopping(now.moment + Self.grace)
    isRestoring = false
    exclusive = nil
    for unit in activeHandlers {
      guard case .handler(let site) = program.units[unit].role, case .event(.stop) = site.trigger else { continue }
      addFiber(role: .stop(unit: unit), unit: unit, it: .text(exit.reason.word), device: soleDevice)
    }
  }

  /// Moves the end on, as far as it can go now.
  mutating func advanceEnd() {
    if case .draining(let deadline) = life {
      let isBusy =
        !ready.isEmpty || lanes.contains { $0.count > 0 }
        || fibers.contains { fiber in
          switch fiber.role {
          case .handler, .connect, .timer, .failure: true
          case .body, .restore, .stop: false
          }
        }
      if !isBusy || deadline <= now.moment { beginStop() }
    }
    if case .stopping(let deadline) = life {
      // Fibers of `on stop` that were just started run in the next turn.
      let isRunning = fibers.contains(where: \.isStop)
      if !isRunning || deadline <= now.moment { beginClose() }
    }
    if case .closing(let deadline) = life {
      let isOpen = devices.active.contains { devices[$0].phase != .idle }
      if !isOpen || deadline <= now.moment { finish() }
    }
  }

  private mutating func beginClose() {
    // A keeper holds them for the process that follows.
    if leavesLinks { return finish() }
    life = .closing(now.moment + Self.grace)
    for fiber in fibers {
      if case .scan(let scan) = fiber.wait, let operation = scan.operation { endScan(operation) }
    }
    for index in devices.indices {
      switch devices[index].phase {
      case .locating, .connecting, .gated: withdrawAttempt(index)
      case .kept, .settingUp, .firstSetUp, .onConnect, .ready: close(index)
      case .idle, .closing: break
      }
    }
    settleWithKeeper()
    if program.serverTable != nil { request(nextOperation(), .stopAdvertising) }
    if !isAdapterUp { heldRequests.removeAll() }
  }

  mutating func finish() {
    guard life != .done else { return }
    life = .done
    tellDrops()
    if exit.code == 0, header.failures > 0 {
      exit.code = header.failureCode == 0 ? 1 : Int32(truncatingIfNeeded: header.failureCode)
    }
    // How the run ended is synced, and with it what this turn commits.
    effects.append(.finished(exit))
  }

  /// `restart`: from the top, keeping only what `remember` keeps.
  mutating func restart() {
    tellDrops()
    header.dropped.removeAll()
    for fiber in fibers {
      if case .scan(let scan) = fiber.wait, let operation = scan.operation { endScan(operation) }
    }
    for index in devices.indices {
      switch devices[index].phase {
      case .locating, .connecting, .gated: withdrawAttempt(index)
      case .kept, .settingUp, .firstSetUp, .onConnect, .ready, .closing:
        if let address = devices[index].address { request(nextOperation(), .disconnect(address)) }
      case .idle: break
      }
    }
    fibers.removeAll()
    settleWithKeeper()
    ready.removeAll()
    devices.removeAll()
    hearings.removeAll()
    heardDue = nil
    surroundings.deviceNames.removeAll()
    timers.removeAll()
    lanes.removeAll()
    kept.removeAll()
    output = nil
    deadRows.removeAll()
    activeHandlers.removeAll()
    exclusive = nil
    isRestoring = false
    header.failures = 0
    header.ending = 0
    header.failureCode = 0
    for index in variables.indices where program.variables[index].kind == .state { variables[index] = .unset }
    for index in isVariableDirty.indices { isVariableDirty[index] = false }
    dirtyVariables.removeAll()
    clearsAll = true
    isHeaderDirty = true
    isOutputDirty = false
    isTurnOver = true
    runInitialisers { $0.isConstant }
    for index in variables.indices where program.variables[index].kind == .remembered { markVariable(index) }
    enterTopLevelHandlers()
    addFiber(role: .body, unit: Program.body)
  }
}
