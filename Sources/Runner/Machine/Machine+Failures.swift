import Exchange
import Recipe
import Vocabulary

extension Machine {
  /// Runs a fiber until it waits, ends, or the turn is over.
  mutating func run(_ id: UInt64) {
    guard let index = fibers.index(of: id) else { return }
    guard fibers.begin(index) else { return }
    var outcome = Outcome.goesOn
    withFiber(index) { machine, fiber in
      loop: while true {
        switch machine.interpret(&fiber) {
        case .waits:
          fiber.rounds = 0
          outcome = .waits
          break loop
        case .turnOver:
          machine.isTurnOver = true
          outcome = .goesOn
          break loop
        case .ended, .predicate:
          outcome = .ended
          break loop
        case .leaves:
          outcome = .gone
          break loop
        case .failed(let problem):
          fiber.isInDoubt = false
          if !machine.unwind(&fiber, problem) {
            outcome = .failed(problem)
            break loop
          }
          machine.blamed = nil
          if fiber.wait != .none {
            fiber.rounds = 0
            outcome = .waits
            break loop
          }
          // Attempts that fail at once count as loop rounds, so that signals and limits are
          // checked.
          machine.fuel -= Self.roundsOfAttempt
          if machine.fuel <= 0 {
            machine.isTurnOver = true
            break loop
          }
        }
      }
    }
    defer { endLeftHandlers() }
    guard let place = fibers.index(of: id) else { return }
    ranAt = fibers[place].frames.last?.pc ?? ranAt
    switch outcome {
    case .waits: if !fibers[place].isFileWait { fibers.release(id) }
    case .goesOn:
      // Continue it first in the next turn, because an atomic step must not be interrupted.
      fibers.enqueueFirst(place)
    case .ended:
      fibers.release(id)
      fiberEnded(place)
    case .gone: fibers.release(id)
    case .failed(let problem):
      fibers.release(id)
      unhandled(place, problem)
    }
  }

  private enum Outcome {
    case waits, goesOn, ended, gone
    case failed(Problem)
  }

  /// A failure with its place in the recipe.
  func problem(_ failure: Failure, _ fiber: borrowing Fiber, device: Int? = nil) -> Problem {
    var line = RecipeLine.none
    if let pc = blamed ?? fiber.frames.last?.pc, program.rangeOf.indices.contains(pc) {
      line = program.lines.line(of: program.rangeOf[pc])
    }
    var meant = device
    if meant == nil, let frame = fiber.frames.last, case .device(let index) = fiber.slots[frame.base + 1],
      failure.layer != .recipe, failure.layer != .os
    {
      meant = index
    }
    return Problem(failure, line: line, device: meant)
  }

  mutating func beginTry(_ index: Int, _ fiber: inout Fiber, _ base: Int) throws(Failure) {
    let site = program.tries[index]
    var state = TryState(
      site: index, attempt: 1, times: nil, every: nil, limit: nil, handlers: fiber.frames[fiber.frames.count - 1].handlers.count,
      device: fiber.slots[base + 1])
    if let operand = site.times {
      guard let count = read(operand.raw, fiber, base).whole, count >= 1 else {
        throw .value("`try … times` takes a whole number of at least 1")
      }
      state.times = Int(clamping: count)
    }
    if let operand = site.every {
      guard case .duration(let span) = read(operand.raw, fiber, base), span > .zero else {
        throw .value("`every` takes a duration above zero")
      }
      state.every = span
    }
    if state.times == nil, state.every == nil { state.times = 1 }
    state.limit = try limit(site.within, standard: nil, fiber, base)
    fiber.frames[fiber.frames.count - 1].tries.append(state)
  }

  /// Leaves the innermost `try`, and restores the `it` that its `otherwise` replaced.
  mutating func endTry(_ fiber: inout Fiber) {
    let top = fiber.frames.count - 1
    if let it = fiber.frames[top].tries.popLast()?.rescued { fiber.slots[fiber.frames[top].base] = it }
  }

  /// Moves the fiber to what handles a failure: another attempt or an `otherwise`. Returns false
  /// and changes nothing if there is none.
  mutating func unwind(_ fiber: inout Fiber, _ problem: Problem) -> Bool {
    guard fiber.frames.contains(where: { frame in frame.tries.contains { handles($0, problem, fiber) } }) else { return false }
    var attempts = 1
    while !fiber.frames.isEmpty {
      let top = fiber.frames.count - 1
      while let attempt = fiber.frames[top].tries.last {
        if attempt.rescued != nil {
          // An `otherwise` does not handle its own failures.
          leaveHandlers(&fiber, attempt)
          endTry(&fiber)
          continue
        }
        let site = program.tries[attempt.site]
        restore(&fiber, attempt)
        attempts = max(attempts, attempt.attempt)
        if mayTryAgain(attempt, problem, fiber) {
          reportAttempt(attempt, problem)
          fiber.frames[top].tries[fiber.frames[top].tries.count - 1].attempt += 1
          fiber.frames[top].pc = site.start
          if let every = attempt.every, every > .zero {
            fiber.wait = .retry(now + every)
          } else {
            fiber.rounds += Self.roundsOfAttempt
          }
          return true
        }
        if let rescue = site.rescue {
          var counted = problem
          if attempts > 1 { counted.extra.set("attempts", .int(Int64(attempts))) }
          let (last, base) = (fiber.frames[top].tries.count - 1, fiber.frames[top].base)
          fiber.frames[top].tries[last].rescued = fiber.slots[base]
          // `within` limits the attempts, not the `otherwise`.
          fiber.frames[top].tries[last].limit = nil
          fiber.slots[base] = .problem(counted)
          fiber.frames[top].pc = rescue
          return true
        }
        fiber.frames[top].tries.removeLast()
      }
      popFrame(&fiber)
    }
    return false
  }

  /// Logs a failed attempt that is followed by another.
  private mutating func reportAttempt(_ attempt: TryState, _ problem: Problem) {
    let count = attempt.times.map { " of \($0)" } ?? ""
    let failure = problem.failure
    let place = program.lines.text(of: problem.line)
    note(.debug, "\(place): attempt \(attempt.attempt)\(count) failed (\(failure.kind.word)): \(failure.message)")
  }

  private func handles(_ attempt: TryState, _ problem: Problem, _ fiber: borrowing Fiber) -> Bool {
    guard attempt.rescued == nil else { return false }
    return program.tries[attempt.site].rescue != nil || mayTryAgain(attempt, problem, fiber)
  }

  /// Whether another attempt follows. Never after `unsure`, because at most once must not become
  /// twice; and not without end if there is no pause.
  private func mayTryAgain(_ attempt: TryState, _ problem: Problem, _ fiber: borrowing Fiber) -> Bool {
    if problem.failure.kind == .unsure { return false }
    if fiber.rounds >= Self.roundLimit, attempt.every ?? .zero <= .zero { return false }
    if let limit = attempt.limit, limit.due <= now.moment { return false }
    guard let times = attempt.times else { return true }
    return attempt.attempt < times
  }

  private mutating func restore(_ fiber: inout Fiber, _ attempt: TryState) {
    let top = fiber.frames.count - 1
    fiber.slots[fiber.frames[top].base + 1] = latestDevice(fiber, attempt)
    leaveHandlers(&fiber, attempt)
  }

  private mutating func leaveHandlers(_ fiber: inout Fiber, _ attempt: TryState) {
    let top = fiber.frames.count - 1
    while fiber.frames[top].handlers.count > attempt.handlers {
      if let handler = fiber.frames[top].handlers.popLast() { leaveHandler(handler) }
    }
  }

  /// A device that the attempt itself has connected stays the current one; a change by an inner
  /// `with` is undone.
  private func latestDevice(_ fiber: borrowing Fiber, _ attempt: TryState) -> Value {
    let current = fiber.slots[fiber.frames[fiber.frames.count - 1].base + 1]
    return attempt.device.isNothing ? current : attempt.device
  }

  /// Ends everything inside a `try` whose `within` has expired, ignoring inner `otherwise`s.
  mutating func cutOff(_ index: Int, frame: Int, attempt: Int) {
    if case .operation(let operation) = fibers[index].wait {
      let isAwaited = operation.cut == .attempt(frame: frame, place: attempt)
      if operation.policy == .fail, !isAwaited, awaitsWithdrawal(index, .attempt(frame: frame, place: attempt)) { return }
      if !isAwaited { withdraw(operation) }
      let isUnsure = operation.policy == .fail && (operation.mayHaveLeft || operation.lost != nil) && operation.lost != .notSent
      return endAttempts(index, frame: frame, attempt: attempt, isUnsure: isUnsure)
    }
    if case .command(let command) = fibers[index].wait, command.policy == .fail {
      return endAttempts(index, frame: frame, attempt: attempt, isUnsure: true)
    }
    if case .branches = fibers[index].wait {
      let id = fibers[index].id
      // The branches' ends must not continue the loop.
      fibers[index].wait = .forever
      let isUnsure = cancelBranches(of: id, reportsUnsure: false)
      guard let place = fibers.index(of: id) else { return }
      return endAttempts(place, frame: frame, attempt: attempt, isUnsure: isUnsure)
    }
    endAttempts(index, frame: frame, attempt: attempt, isUnsure: false)
  }

  /// Ends what runs inside a `try` whose time is over.
  mutating func endAttempts(_ index: Int, frame: Int, attempt: Int, isUnsure: Bool) {
    let id = fibers[index].id
    let failure =
      isUnsure
      ? Failure(.unsure, "the time ran out while a write or a program was in progress", blame: .radio, delivered: .maybe)
      : Failure(.timeout, "the `try` took longer than its `within`", blame: .recipe)
    cancelWait(index)
    withFiber(index) { machine, fiber in
      // An attempt that was still waiting for its pause does not count.
      if case .retry = fiber.wait, fiber.frames.count == frame + 1, fiber.frames[frame].tries.count == attempt + 1 {
        fiber.frames[frame].tries[attempt].attempt -= 1
      }
      while fiber.frames.count > frame + 1 { machine.popFrame(&fiber) }
      while fiber.frames[frame].tries.count > attempt + 1 { machine.endTry(&fiber) }
      fiber.wait = .none
    }
    guard let place = fibers.index(of: id) else { return }
    fibers.release(id)
    // Its limit is over, so no further attempt is made.
    fail(place, failure)
  }

  /// Withdraws the request that a fiber waits for.
  mutating func cancelWait(_ index: Int) {
    switch fibers[index].wait {
    case .scan(let scan): if let operation = scan.operation { endScan(operation) }
    case .link(let device, _): if !devices[device].isWanted { withdrawAttempt(device) }
    case .asked(let effect): effects.append(.withdrawn(effect))
    case .command(let command): effects.append(.withdrawn(command.effect))
    default: break
    }
  }

  /// Handles a failure that the fiber does not handle.
  mutating func unhandled(_ index: Int, _ problem: Problem) {
    let fiber = fibers[index]
    if case .branch(_, let number, _) = fiber.role {
      let pc = blamed ?? fiber.frames.last?.pc ?? -1
      blamed = nil
      return fiberEnded(index, BranchWait.Failed(number: number, problem: problem, pc: pc))
    }
    if case .setUp(let device, let item) = fiber.role {
      let range = place(of: problem, at: blamed ?? fiber.frames.last?.pc ?? 0)
      blamed = nil
      return otherwiseFailed(index, device, item, problem, range)
    }
    // Ignore failures of a body that was stopped while waiting.
    if fiber.role == .body, life != .running, !isDraining { return }
    let range = place(of: problem, at: blamed ?? fiber.frames.last?.pc ?? 0)
    blamed = nil
    if isEntry(fiber) { return entryFailed(index, problem, range) }
    var attempts = 1
    if let counted = problem.extra["attempts"]?.whole { attempts = Int(clamping: counted) }
    for frame in fiber.frames { for attempt in frame.tries { attempts = max(attempts, attempt.attempt) } }
    var problem = problem
    if attempts > 1 { problem.extra.set("attempts", .int(Int64(attempts))) }
    let isBody = fiber.role == .body
    // A failing `on failure` must not start itself again.
    let isOnFailure =
      switch fiber.role {
      case .failure: true
      case .stop(let unit): failureHandlers.contains(unit)
      default: false
      }
    let isParked = isBody && parksOnFailure && life == .running
    // The end itself is not ended by what fails in it.
    let ends = !isParked && !fiber.isStop && (isBody || environment.isStrict || program.settings.strict)
    let name = problem.device.flatMap { devices.indices.contains($0) ? devices[$0].text : nil }
    var report = FailureReport(
      failure: problem.failure, range: range, device: name, attempts: attempts, ends: ends, isOfHandler: !isBody)
    report.parks = isParked
    effects.append(.failed(report))
    let code = problem.failure.kind == .user ? problem.failure.code.map(Int32.init) : nil
    if ends {
      exit = ExitStatus(code: code ?? problem.failure.kind.exitCode, reason: .failed)
      // `tooth resume` connects again, as after a kill: the statement needs the link that is lost.
      if isBody, problem.failure.kind == .disconnected, let device = problem.device, devices.indices.contains(device) {
        devices[device].wasLinked = true
      }
      // The fiber stays at the failed statement, so that `tooth resume` can continue there.
      withFiber(index) { machine, fiber in
        fiber.wait = .none
        let top = fiber.frames.count - 1
        if top >= 0 { fiber.frames[top].pc = machine.statementStart(fiber.frames[top].pc) }
      }
      return stopNow(after: isOnFailure ? nil : problem)
    }
    if isParked {
      header.countParked(code: code ?? problem.failure.kind.exitCode)
      park(index)
      return runFailureHandlers(problem)
    }
    refuseFailed(index)
    header.countFailure(code: code)
    fiberEnded(index)
    if !isOnFailure { runFailureHandlers(problem) }
  }

  /// The range that a failure is reported for. If a `try` passes it on because no `otherwise if`
  /// matches, that is still the statement inside the `try`.
  private func place(of problem: Problem, at pc: Int) -> SourceRange {
    guard program.code.indices.contains(pc), program.code[pc].code == .rethrow, problem.line != .none,
      let statement = program.statements.last(where: { program.lines.line(of: $0.range) == problem.line })
    else { return range(of: pc) }
    return statement.range
  }

  func statementStart(_ pc: Int) -> Int {
    guard program.statementOf.indices.contains(pc) else { return pc }
    let statement = Int(program.statementOf[pc])
    guard program.statements.indices.contains(statement) else { return pc }
    let info = program.statements[statement]
    return info.start <= pc ? info.start : pc
  }

  /// The units of the active `on failure`s.
  var failureHandlers: [Int] {
    activeHandlers.map(\.unit).filter {
      if case .handler(let site) = program.units[$0].role, case .event(.failure) = site.trigger { true } else { false }
    }
  }

  /// Starts `on failure`. While the run ends, it belongs to the end and has the rest of its time.
  mutating func runFailureHandlers(_ problem: Problem) {
    var isEnding = false
    if case .stopping(let deadline) = life {
      guard now.moment < deadline else { return }
      isEnding = true
    }
    for unit in failureHandlers {
      let role: Fiber.Role = isEnding ? .stop(unit: unit) : .failure(unit: unit)
      if fibers.contains(where: { $0.role == role }) { continue }
      addFiber(role: role, unit: unit, it: .problem(problem), device: problem.device)
    }
  }

  /// Handles the end of a fiber.
  mutating func fiberEnded(_ index: Int, _ failure: BranchWait.Failed? = nil) {
    let fiber = fibers.remove(at: index)
    if case .branches = fiber.wait { cancelBranches(of: fiber.id, reportsUnsure: true) }
    for frame in fiber.frames { for handler in frame.handlers { leaveHandler(handler) } }
    for device in devices.active where devices[device].connector == fiber.id { firstSetUpEnded(device, by: fiber.id) }
    finishServerRequest(fiber)
    hasNews = true
    switch fiber.role {
    case .body: bodyEnded()
    case .handler(let unit, let device): laneFreed(unit, device)
    case .connect(_, let device): onConnectEnded(device)
    case .setUp(let device, let item): otherwiseEnded(device, item)
    case .whenever: wheneverEnded(fiber.id)
    case .timer(_, let number): timerFreed(number)
    case .restore: restoreEnded()
    case .stop, .failure: break
    case .branch(let parent, let number, _):
      giveBackDevices(of: fiber.id)
      branchEnded(number, of: parent, failure, leaves: fiber.leaves)
    }
  }
}

extension Fiber {
  var isFileWait: Bool { if case .file = wait { true } else { false } }
}
