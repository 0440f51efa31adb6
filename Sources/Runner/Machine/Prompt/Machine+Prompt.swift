package import Vocabulary
import Exchange
package import Recipe

/// A run that waits for entries. Its body is at its end, and each entry is a frame on top of it.
extension Machine {
  /// Whether the next entry can be run.
  package var isAtPrompt: Bool {
    guard life == .running, !isRestoring, !isOutputPending else { return false }
    return fibers.contains { $0.role == .body && $0.wait == .prompt }
  }

  /// The number of the running entry.
  package var entryUnderWay: Int? {
    guard let last = entries.list.indices.last, entries.list[last].state == .running else { return nil }
    return last
  }

  /// The number of the running entry as the user counts, and how long the statement for which it
  /// waits may take, from when to when.
  package var entryProgress: (number: Int, limit: (from: Moment, span: TimeSpan)?)? {
    guard let place = entryUnderWay, let fiber = fibers.firstIndex(where: { isEntry($0) }) else { return nil }
    return (entries.list[place].number, fibers[fiber].wait.limit.map { ($0.due - $0.span, $0.span) })
  }

  /// `it` and the current device of the body; at a prompt, those that the next entry begins with.
  var bodyValues: (it: Value, device: Value)? {
    guard let body = fibers.first(where: { $0.role == .body }), !body.frames.isEmpty else { return nil }
    let place = entryFrame(of: body).map { $0 - 1 } ?? (body.wait == .prompt ? body.frames.count - 1 : 0)
    let base = body.frames[place].base
    return (body.slots[base], body.slots[base + 1])
  }

  /// The current device, which the next entry can use without `of`.
  package var deviceAtPrompt: EntryChecker.Device {
    guard case .device(let index)? = bodyValues?.device, devices.indices.contains(index) else { return .none }
    return devices[index].isWanted || devices[link: index].phase != .idle ? .connected : .found
  }

  /// Runs an entry. Its row is in the commit before its first effect.
  /// - Parameters:
  ///   - program: the previous program with the entry appended.
  ///   - unit: of the entry.
  ///   - number: number of the entry among the typed lines, from 1.
  ///   - undoing: an entry whose handlers and timers end with this one.
  package mutating func enter(
    _ text: String, _ program: Program, unit: Int, number: Int, undoing: Int? = nil, at now: Instant
  ) {
    guard isAtPrompt, let index = fibers.firstIndex(where: { $0.role == .body }), program.units.indices.contains(unit),
      case .entry(_, let handlers) = program.units[unit].role
    else { return }
    self.now = now
    for variable in self.program.variables.indices
    where self.program.variables[variable].kind == .constant && program.variables[variable].kind == .state {
      // It can change from now on, so it needs a row.
      variables.rewrite(variable)
    }
    self.program = program
    variables.grow(to: program.variables.count)
    if let undoing, let place = entries.list.firstIndex(where: { $0.number == undoing }) {
      for handler in entries.list[place].handlers { leaveHandler(ActiveHandler(unit: handler)) }
      entries.update(place) {
        $0.handlers = []
        $0.state = .undone
      }
    }
    entries.append(Entry(text: text, number: number, unit: unit, handlers: []))
    withFiber(index) { _, fiber in
      let below = fiber.frames[fiber.frames.count - 1].base
      let (it, device) = (fiber.slots[below], fiber.slots[below + 1])
      let base = fiber.slots.count
      fiber.frames.append(Frame(unit: unit, pc: program.units[unit].entry, base: base, destination: 0))
      fiber.slots += Array(repeating: .unset, count: max(program.units[unit].localCount, Operand.firstFree))
      fiber.slots[base] = it
      fiber.slots[base + 1] = device
      fiber.slots[base + 2] = .unset
      fiber.slots[base + 3] = .nothing
      fiber.rounds = 0
    }
    fibers.wake(index)
    let place = entries.list.count - 1
    for handler in handlers {
      do throws(Failure) {
        try enterHandler(ActiveHandler(unit: handler))
        entries.update(place) { $0.handlers.append(handler) }
      } catch {
        return fail(index, error)
      }
    }
  }

  /// Ends the session.
  /// - Parameters:
  ///   - code: the exit code; nonzero means failure.
  ///   - isWhole: whether all input was read; otherwise the user left.
  package mutating func endPrompt(code: Int32, isWhole: Bool, at now: Instant) {
    guard life == .running else { return }
    self.now = now
    if isParked, let index = fibers.firstIndex(where: { $0.role == .body }) {
      // `tooth resume` continues at the failed statement.
      exit = ExitStatus(code: Int32(truncatingIfNeeded: header.value.failureCode), reason: .failed)
      header.forgiveFailure()
      withFiber(index) { _, fiber in fiber.wait = .none }
      return stopNow()
    }
    exit = ExitStatus(code: code, reason: code != 0 ? .failed : isWhole ? .finished : .stopped)
    stopNow()
  }

  func isEntry(_ fiber: borrowing Fiber) -> Bool { entryFrame(of: fiber) != nil }

  /// The frame of the entry: above the body, or above the procedure in which the body failed.
  func entryFrame(of fiber: borrowing Fiber) -> Int? {
    guard fiber.role == .body else { return nil }
    var place = fiber.frames.count - 1
    while place > 0 {
      if program.isEntry(fiber.frames[place].unit) { return place }
      place -= 1
    }
    return nil
  }

  // MARK: Ends of entries

  /// Moves an entry to one of its end instructions, leaving all open blocks.
  mutating func lead(_ index: Int, to state: EntryState, with value: Value) {
    withFiber(index) { machine, fiber in
      guard let place = machine.entryFrame(of: fiber) else { return }
      while fiber.frames.count > place + 1 { machine.popFrame(&fiber) }
      guard case .entry(let end, _) = machine.program.units[fiber.frames[place].unit].role else { return }
      while let handler = fiber.frames[place].handlers.popLast() { machine.leaveHandler(handler) }
      fiber.frames[place].tries = []
      fiber.frames[place].pc = end + Int(state.rawValue)
      fiber.slots[fiber.frames[place].base + 2] = value
      fiber.wait = .none
      fiber.isInDoubt = false
    }
    fibers.enqueue(index)
  }

  /// Ends only the entry after an unhandled failure in it.
  mutating func entryFailed(_ index: Int, _ problem: Problem, _ range: SourceRange) {
    var attempts = 1
    if let told = problem.extra["attempts"]?.whole { attempts = Int(clamping: told) }
    for frame in fibers[index].frames { for attempt in frame.tries { attempts = max(attempts, attempt.attempt) } }
    let name = problem.device.flatMap { devices.indices.contains($0) ? devices[$0].text : nil }
    effects.append(.failed(FailureReport(failure: problem.failure, range: range, device: name, attempts: attempts, ends: false)))
    let code = problem.failure.kind == .user ? problem.failure.code.map(Int32.init) : nil
    entries.update(entries.list.count - 1) { $0.code = code ?? problem.failure.kind.exitCode }
    lead(index, to: .failed, with: .problem(problem))
  }

  /// `entryEnd`: removes the frame, and the body waits for the next entry.
  mutating func endEntry(_ op: Op, _ fiber: inout Fiber) -> Stop {
    guard let place = entryFrame(of: fiber), fiber.frames.count == place + 1,
      let state = EntryState(rawValue: UInt8(truncatingIfNeeded: op.a))
    else { return .ended }
    let (base, below) = (fiber.frames[place].base, fiber.frames[place - 1].base)
    var end = EntryEnd(number: entries.list.last?.number ?? 0, state: state)
    switch fiber.slots[base + 2] {
    case .problem(let problem) where state == .failed:
      (end.failureKind, end.failureText) = (problem.failure.kind.word, problem.failure.message)
    case let value: if value != .unset, state == .done { end.value = value }
    }
    fiber.slots[below] = fiber.slots[base]
    // A device that was not reached does not replace a connected one.
    if state == .done || isLinked(fiber.slots[base + 1]) || !isLinked(fiber.slots[below + 1]) {
      fiber.slots[below + 1] = fiber.slots[base + 1]
    }
    popFrame(&fiber)
    let id = fiber.id
    for device in devices.active where devices[device].connector == id { firstSetUpEnded(device, by: id) }
    entries.update(entries.list.count - 1) { $0.state = state }
    show([], nil, line: .none, .ended(end))
    isTurnOver = true
    return pause(&fiber, .prompt)
  }

  private func isLinked(_ value: Value) -> Bool {
    guard case .device(let index) = value, devices.indices.contains(index) else { return false }
    return devices[link: index].isLinked
  }

  // MARK: Display

  mutating func echo(_ op: Op, _ fiber: inout Fiber, _ base: Int) throws(Failure) -> Stop? {
    let value = try outward(read(op.a, fiber, base))
    if op.c & EchoFlags.skipsNothing != 0, value.isNothing { return nil }
    var name: String?
    if case .device(let index) = fiber.slots[base + 1], devices.indices.contains(index) { name = devices[index].text }
    let line = program.lines.line(of: program.rangeOf[fiber.frames[fiber.frames.count - 1].pc])
    let isEntry = op.c & EchoFlags.entry != 0
    if isEntry { fiber.slots[base + 2] = value }
    show([value], name, line: line, isEntry ? .echo(echo(of: value, named: program.names[Int(op.b)], by: fiber)) : nil)
    return over(&fiber)
  }

  private func echo(of value: Value, named name: String, by fiber: borrowing Fiber) -> Echo {
    guard let received = observed.received, received.statement == statement(of: fiber), received.value == value else {
      return Echo(name: name)
    }
    return Echo(name: name, octets: received.octets, unit: received.unit ?? "")
  }

  private func statement(of fiber: borrowing Fiber) -> Int { Int(program.statementOf[fiber.frames[fiber.frames.count - 1].pc]) }

  /// Remembers what a statement of an entry received, in case the same one displays it.
  mutating func received(_ value: Value, from octets: [UInt8], of uuid: UUID, by fiber: borrowing Fiber) {
    guard let frame = fiber.frames.last, program.isEntry(frame.unit) else { return }
    observed.received = ReceivedValue(
      statement: statement(of: fiber), value: value, octets: octets, unit: program.formats.unit(of: uuid))
  }

  private mutating func show(_ values: [Value], _ device: String?, line: RecipeLine, _ prompt: PromptOutput?) {
    let pending = PendingOutput(
      effect: nextEffect(), level: nil, values: values, ending: "\n", device: device, line: line, prompt: prompt)
    output.value = pending
    effects.append(effect(of: pending))
  }
}
