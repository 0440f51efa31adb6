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
    header.value.ending = exit.reason.rawValue + 1
    header.value.endingCode = Int64(exit.code)
  }

  /// Goes on with an end that a kill cut short. False when there was none.
  mutating func takeUpEnding() -> Bool {
    guard header.value.ending > 0, let reason = StopReason(rawValue: header.value.ending - 1) else { return false }
    guard past?.reason != .stopped else {
      // It had ended in full, and somebody wants it to go on nevertheless.
      header.value.ending = 0
      return false
    }
    exit = ExitStatus(code: Int32(truncatingIfNeeded: header.value.endingCode), reason: reason)
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
    fibers.releaseAll()
    for unit in activeHandlers {
      guard case .handler(let site) = program.units[unit].role, case .event(.stop) = site.trigger else { continue }
      addFiber(role: .stop(unit: unit), unit: unit, it: .text(exit.reason.word), device: soleDevice)
    }
  }

  /// Moves the end on, as far as it can go now.
  mutating func advanceEnd() {
    if case .draining(let deadline) = life {
      let isBusy =
        fibers.hasReady || !events.isEmpty
        || fibers.contains { fiber in
          switch fiber.role {
          case .handler, .connect, .timer, .whenever, .failure, .branch: true
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
      let isOpen = devices.active.contains { devices[link: $0].phase != .idle }
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
    endListening()
    for index in devices.indices {
      switch devices[link: index].phase {
      case .locating, .connecting, .gated: withdrawAttempt(index)
      case .kept, .settingUp, .firstSetUp, .onConnect, .ready: close(index)
      case .idle, .closing: break
      }
    }
    settleWithKeeper()
    if program.serverTable != nil { request(nextOperation(), .stopAdvertising) }
    if !adapter.isUp { adapter.dropHeld() }
  }

  mutating func finish() {
    guard life != .done else { return }
    life = .done
    tellDrops()
    if exit.code == 0, header.value.failures > 0 {
      exit.code = header.value.failureCode == 0 ? 1 : Int32(truncatingIfNeeded: header.value.failureCode)
    }
    // How the run ended is synced, and with it what this turn commits.
    effects.append(.finished(exit))
  }

  /// `restart`: from the top, keeping only what `remember` keeps.
  mutating func restart() {
    tellDrops()
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
    fibers.removeAll()
    pieces.removeAll()
    settleWithKeeper()
    listens.removeAll()
    seen.removeAll()
    devices.removeAll()
    hearings.removeAll()
    surroundings.deviceNames.removeAll()
    timers.removeAll()
    events.removeAll()
    output = Tracked(nil, isChanged: false)
    activeHandlers.removeAll()
    isRestoring = false
    header.value.failures = 0
    header.value.ending = 0
    header.value.failureCode = 0
    for index in variables.indices where program.variables[index].kind == .state { variables.load(.unset, at: index) }
    variables.dropChanges()
    clearsAll = true
    header.rewrite()
    isTurnOver = true
    runInitialisers { $0.isConstant }
    for index in variables.indices where program.variables[index].kind == .remembered { variables.rewrite(index) }
    enterTopLevelHandlers()
    addFiber(role: .body, unit: Program.body)
  }
}
