import Exchange
import Recipe
import Vocabulary

extension Machine {
  /// Performs an instruction with side effects. `nil` means to continue after it.
  mutating func perform(_ op: Op, _ fiber: inout Fiber, _ base: Int) throws(Failure) -> Stop? {
    if isAsking, op.code.mayWait {
      throw .value(
        op.code == .readFile ? "a condition cannot read a file" : "a condition can only compute: it cannot wait, print or store",
        hint: op.code == .readFile ? "read it before, with `let`" : nil)
    }
    switch op.code {
    case .output: return try output(program.outputs[Int(op.a)], &fiber, base)
    case .append: return try append(op, &fiber, base)
    case .save: return try save(op, &fiber, base)
    case .readFile:
      let path = try fileName(read(op.b, fiber, base))
      let effect = nextEffect()
      effects.append(.readFile(effect, path: path, limit: Value.largestText))
      // It is part of a statement that must not be interrupted.
      fibers.reserve(fiber.id)
      isTurnOver = true
      return pause(&fiber, .file(effect, repeats: true))
    case .expect:
      let text = TextRendering.text(of: try read(op.a, fiber, base).masked(), surroundings)
      throw Failure(.expectation, text, blame: .recipe)
    case .expectCompared:
      let text = TextRendering.text(of: try read(op.a, fiber, base).masked(), surroundings)
      var failure = Failure(.expectation, text, blame: .recipe)
      failure.compared = (try side(read(op.b, fiber, base)), try side(read(op.c, fiber, base)))
      throw failure
    case .prompt: return pause(&fiber, .prompt)
    case .echo: return try echo(op, &fiber, base)
    case .entryEnd: return endEntry(op, &fiber)
    case .order: return try order(program.orders[Int(op.b)], op.a, &fiber, base)
    case .fail:
      let text = TextRendering.text(of: try read(op.a, fiber, base).masked(), surroundings)
      throw Failure(.user, text, blame: .recipe, code: try exitCode(read(op.b, fiber, base)))
    case .stop:
      let code = try exitCode(read(op.a, fiber, base))
      if isStopping {
        // The run already ends, so only this handler is over.
        setCode(ofEnd: code)
        return .ended
      }
      exit = ExitStatus(code: Int32(code ?? 0), reason: .stopped)
      stopNow()
      return .leaves
    case .restart:
      // Its rounds go on, so that a recipe that only restarts ends.
      let rounds = fiber.rounds + Self.roundsOfRestart
      guard rounds < Self.roundLimit else {
        throw .value(
          "the recipe never waits: it restarts again and again without a statement that waits",
          hint: "put a `wait` before `restart`")
      }
      // A run that ends on request goes on at its next start, where it was.
      if isFrozen { return .ended }
      restart(rounds)
      return .leaves
    case .checkpoint:
      mustSync = true
      return over(&fiber)
    case .ready:
      if program.isPeripheral { try beginServing(0, at: fiber.frames[fiber.frames.count - 1].pc) }
      if case .device(let index) = fiber.slots[base + 1], devices.indices.contains(index) { firstSetUpEnded(index, by: fiber.id) }
      return nil
    case .scan: return try beginScan(Int(op.a), &fiber, base)
    case .connect: return try connect(program.connects[Int(op.a)], &fiber, base)
    case .reconnect: return try reconnect(Int(op.a), &fiber, base)
    case .disconnect:
      let index = try device(program.devices[Int(op.a)], fiber, base)
      return disconnect(index, &fiber)
    case .forget: return try forget(program.devices[Int(op.a)], &fiber, base)
    case .discover: return try discover(program.discovers[Int(op.a)], &fiber, base)
    case .pair: return try pair(program.pairs[Int(op.a)], &fiber, base)
    case .request: return try request(program.requests[Int(op.a)], &fiber, base)
    case .read: return try readAttribute(program.reads[Int(op.a)], &fiber, base)
    case .write: return try write(program.writes[Int(op.a)], &fiber, base)
    case .subscribe: return try subscribe(program.subscribes[Int(op.a)], &fiber, base, on: true)
    case .unsubscribe: return try subscribe(program.subscribes[Int(op.a)], &fiber, base, on: false)
    case .run: return try run(program.runs[Int(op.a)], &fiber, base)
    case .ask: return try ask(program.questions[Int(op.a)], &fiber, base)
    case .meter:
      try meter(read(op.a, fiber, base), of: read(op.b, fiber, base))
      return nil
    case .atOnce: return try beginBranches(Int(op.a), &fiber, base)
    case .leaveBranches:
      fiber.leaves = true
      return .ended
    case .waitSpan:
      guard case .duration(let span) = read(op.a, fiber, base) else {
        throw .value("`wait` takes a duration, not \(read(op.a, fiber, base).typeName)", hint: "`wait 5s`")
      }
      endMark(&fiber)
      return pause(&fiber, .span(now + max(span, .zero)))
    case .waitForever: return pause(&fiber, .forever)
    case .waitUntil: return try waitUntil(Int(op.a), &fiber, base)
    case .waitEvent: return try waitEvent(Int(op.a), &fiber, base)
    case .serve: return try serve(Int(op.a), &fiber)
    case .stopServing: return stopServing(Int(op.a), &fiber)
    case .publish: return try publish(program.publishes[Int(op.a)], &fiber, base)
    case .update:
      try update(program.attributes[Int(op.a)], read(op.b, fiber, base), &fiber)
      return nil
    case .answer:
      return try answer(read(op.a, fiber, base), &fiber)
    case .refuse:
      return try refuse(read(op.a, fiber, base), &fiber)
    case .advertise:
      try advertise(program.advertises[Int(op.a)], fiber, base)
      return nil
    case .stopAdvertising:
      stopAdvertising()
      return nil
    default: throw Failure(.value, "unknown instruction: \(op.code)", blame: .ours)
    }
  }

  /// One side of a comparison, in the language's notation.
  private func side(_ value: Value) throws(Failure) -> String {
    let value = outwardOpen(try value.masked())
    let text: String
    switch value {
    case .text, .list, .record: text = JSON.text(of: value, surroundings)
    default: text = TextRendering.text(of: value, surroundings)
    }
    return text.utf8.count > Self.longestSide ? "\(text.prefix(Self.longestSide)) …" : text
  }

  private static let longestSide = 500

  /// Lets the fiber wait.
  func pause(_ fiber: inout Fiber, _ wait: Wait) -> Stop {
    fiber.wait = wait
    return .waits
  }

  /// Completes a statement with an effect. The effect leaves with this turn, and the fiber
  /// continues in the next one.
  func over(_ fiber: inout Fiber) -> Stop {
    fiber.frames[fiber.frames.count - 1].pc += 1
    return .turnOver
  }

  private func exitCode(_ value: Value) throws(Failure) -> UInt16? {
    if value.isNothing { return nil }
    if value.isSecret { throw .value("a secret cannot be an exit code", hint: "others can see exit codes") }
    guard let code = value.whole, (20...99).contains(code) else {
      throw .value("a recipe's own exit code is 20 to 99", hint: "lower codes already have a meaning")
    }
    return UInt16(code)
  }

  /// The deadline of a `within`.
  func limit(_ site: WithinSite, standard: TimeSpan?, _ fiber: borrowing Fiber, _ base: Int) throws(Failure) -> Limit? {
    let span: TimeSpan
    switch site {
    case .forever: return nil
    case .standard:
      guard let standard else { return nil }
      span = standard
    case .computed(let operand):
      guard case .duration(let given) = read(operand.raw, fiber, base) else {
        throw .value("`within` takes a duration, not \(read(operand.raw, fiber, base).typeName)", hint: "`within 10s`")
      }
      span = max(given, .zero)
    }
    return Limit(span: span, due: now.moment + span)
  }

  // MARK: Output and files

  private mutating func output(_ site: OutputSite, _ fiber: inout Fiber, _ base: Int) throws(Failure) -> Stop? {
    let values = Array(fiber.slots[base + site.first..<base + site.first + site.count])
    var ending = "\n"
    if let operand = site.ending { ending = TextRendering.text(of: try read(operand.raw, fiber, base).masked(), surroundings) }
    var name: String?
    if case .device(let index) = fiber.slots[base + 1], devices.indices.contains(index) { name = devices[index].text }
    let level: LogLevel? =
      switch site.channel {
      case .print: nil
      case .log: .log
      case .warn: .warning
      case .debug: .debug
      }
    let line = program.lines.line(of: program.rangeOf[fiber.frames[fiber.frames.count - 1].pc])
    // Devices have no meaning outside the run, so output their names.
    let pending = PendingOutput(
      effect: nextEffect(), level: level, values: try values.map { (value) throws(Failure) in try outward(value) }, ending: ending,
      device: name,
      line: line)
    output.value = pending
    effects.append(effect(of: pending))
    return over(&fiber)
  }

  func effect(of pending: PendingOutput) -> RunnerEffect {
    guard let level = pending.level else {
      return .print(
        pending.effect,
        PrintedLine(
          values: pending.values, ending: pending.ending, device: pending.device, line: pending.line.number,
          file: program.lines.fileName(of: pending.line), prompt: pending.prompt))
    }
    let text = pending.values.map { TextRendering.text(of: $0, surroundings) }.joined(separator: " ")
    return .log(pending.effect, level, text)
  }

  func outward(_ value: Value) throws(Failure) -> Value { outwardOpen(try value.masked()) }

  private func outwardOpen(_ value: Value) -> Value {
    switch value {
    case .device(let index): devices.indices.contains(index) ? .text(devices[index].text) : .nothing
    case .list(let list): .list(list.map { outwardOpen($0) })
    case .record(let record): .record(Record(record.fields.map { Record.Field($0.key, outwardOpen($0.value)) }))
    default: value
    }
  }

  private mutating func append(_ op: Op, _ fiber: inout Fiber, _ base: Int) throws(Failure) -> Stop? {
    let first = base + Int(op.a)
    let path = try fileName(fiber.slots[first + 1])
    let value = try outward(fiber.slots[first])
    let effect = nextEffect()
    effects.append(.append(effect, path: path, try content(of: value, path)))
    fibers.reserve(fiber.id)
    isTurnOver = true
    return pause(&fiber, .file(effect, repeats: false))
  }

  private func content(of value: Value, _ path: String) throws(Failure) -> AppendContent {
    if path.hasSuffix(".csv") {
      switch value {
      case .record(let record):
        return .csv(columns: record.fields.map(\.key), cells: record.fields.map { CSV.line([$0.value], surroundings) })
      case .list(let list): return .csv(columns: [], cells: list.map { CSV.line([$0], surroundings) })
      default: return .csv(columns: [], cells: [CSV.line([value], surroundings)])
      }
    }
    if path.hasSuffix(".jsonl") { return .line(Array((JSON.text(of: value, surroundings) + "\n").utf8)) }
    if case .bytes(let bytes) = value { return .bytes(bytes) }
    return .line(Array((TextRendering.text(of: value, surroundings) + "\n").utf8))
  }

  private mutating func save(_ op: Op, _ fiber: inout Fiber, _ base: Int) throws(Failure) -> Stop? {
    let first = base + Int(op.a)
    let path = try fileName(fiber.slots[first + 1])
    let value = try outward(fiber.slots[first])
    let bytes: [UInt8]
    if path.hasSuffix(".json") {
      bytes = Array((JSON.text(of: value, surroundings) + "\n").utf8)
    } else if path.hasSuffix(".csv") {
      bytes = Array((try CSV.text(of: value, surroundings)).utf8)
    } else if case .bytes(let own) = value {
      bytes = own
    } else {
      bytes = Array((TextRendering.text(of: value, surroundings) + "\n").utf8)
    }
    let effect = nextEffect()
    effects.append(.save(effect, path: path, bytes))
    fibers.reserve(fiber.id)
    isTurnOver = true
    return pause(&fiber, .file(effect, repeats: true))
  }

  private func fileName(_ value: Value) throws(Failure) -> String {
    guard case .text(let path) = value else {
      throw .value(
        "a file name is a text, not \(value.typeName)", hint: value.fileNameHint)
    }
    guard !path.isEmpty else { throw .value("the file name is empty") }
    guard !path.utf8.contains(0) else { throw .value("a file name cannot contain the character \\u{0}") }
    return path
  }

  mutating func fileWritten(_ effect: EffectID, _ failure: Failure?) {
    for index in fibers.indices {
      guard case .file(effect, _) = fibers[index].wait else { continue }
      if let failure {
        fail(index, failure)
      } else {
        complete(index)
      }
      return
    }
  }

  mutating func fileRead(_ effect: EffectID, _ result: Result<[UInt8], Failure>) {
    guard
      let index = fibers.firstIndex(where: { fiber in
        if case .file(effect, _) = fiber.wait { true } else { false }
      })
    else { return }
    switch result {
    case .success(let bytes):
      let op = program.code[fibers[index].frames.last?.pc ?? 0]
      complete(index, .bytes(bytes), into: op.code == .readFile ? Operand(raw: op.a) : nil)
    case .failure(let failure): fail(index, failure)
    }
  }

  // MARK: Completing waits

  /// Completes the statement of a waiting fiber. The value goes to its destination, or to `it` if
  /// there is none.
  mutating func complete(_ index: Int, _ value: Value? = nil, into destination: Operand? = nil) {
    withFiber(index) { machine, fiber in
      if let value {
        let base = fiber.frames[fiber.frames.count - 1].base
        // A value with its own name does not become `it`.
        machine.store(value, (destination ?? .it).raw, &fiber, base)
      }
      fiber.frames[fiber.frames.count - 1].pc += 1
    }
    fibers.wake(index)
  }

  /// Fails the statement of a waiting fiber, which continues with what handles the failure.
  /// - Parameter extra: fields that only this kind of failure has.
  mutating func fail(_ index: Int, _ failure: Failure, device: Int? = nil, extra: Record = Record()) {
    let id = fibers[index].id
    let unhandled: Problem? = withFiber(index) { machine, fiber in
      fiber.wait = .none
      var problem = machine.problem(failure, fiber, device: device)
      for field in extra.fields { problem.extra.set(field.key, field.value) }
      return machine.unwind(&fiber, problem) ? nil : problem
    }
    guard let place = fibers.index(of: id) else { return }
    if let unhandled {
      self.unhandled(place, unhandled)
    } else if fibers[place].wait == .none {
      fibers.enqueue(place)
    }
  }
}

extension Value {
  /// What to write instead if this value is used as a file name.
  fileprivate var fileNameHint: String? {
    if isSecret { return "every user can see the names of files" }
    if case .list = self { return "`append` adds a line to a file; a list grows with `set l to l + [x]`" }
    return nil
  }
}
