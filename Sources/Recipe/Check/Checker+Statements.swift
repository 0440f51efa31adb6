import Exchange
import Vocabulary

/// The walk through statements.
extension Checker {
  // MARK: - blocks

  mutating func members(_ list: [Member], _ place: Place) {
    var ended: Statement?
    followsConnect = false
    for member in list {
      // After that many errors, the rest of the file adds nothing useful.
      if findings.isFull { return }
      switch member {
      case .statement(let statement):
        if let before = ended {
          unreachable(statement, after: before)
          ended = nil
        }
        self.statement(statement, place)
        if case .connect = statement.kind { followsConnect = true } else { followsConnect = false }
        if neverEnds(statement, place) { ended = statement }
      case .handler, .whenever: handler(member, place)
      }
    }
  }

  /// Checks a block of a statement. Its handlers are active only while a statement of it waits.
  /// - Parameter pauses: whether the statement itself waits between the rounds of the block.
  mutating func block(_ list: [Member], _ place: Place, pauses: Bool = false) {
    var kept = list
    if !pauses, !list.anyStatement(handlers: false, { $0.kind.waits || facts.isWaitingCall($0) }) {
      kept = []
      for member in list {
        if case .statement = member { kept.append(member) } else { idle(member, place) }
      }
    }
    members(kept, place)
  }

  /// Whether the code after a statement can never run.
  func neverEnds(_ statement: Statement, _ place: Place) -> Bool {
    guard statement.otherwise == nil else { return false }
    switch statement.kind {
    case .reconnect(let reconnect): return reconnect.times == nil && !facts.uses.givesUp
    case .repeat(let loop): return loop.mode == .forever && !leaves(loop.body)
    case .if(let choice):
      guard let otherwise = choice.otherwise else { return false }
      return (choice.branches.map(\.body) + [otherwise]).allSatisfy { body in
        if case .statement(let last)? = body.last { return neverEnds(last, place) }
        return false
      }
    // They end a handler, but after `wait for passkey` the next statement runs.
    case .answer, .refuse: return place.answers
    default: return statement.kind.diverges
    }
  }

  /// Whether a loop's body leaves the loop.
  func leaves(_ body: [Member]) -> Bool {
    for member in body {
      guard case .statement(let statement) = member else { continue }
      if statement.otherwise?.kind == .leave { return true }
      switch statement.kind {
      case .leave: return true
      case .repeat, .forEach: break
      default: if statement.kind.blocks.contains(where: { leaves($0) }) { return true }
      }
    }
    return false
  }

  mutating func unreachable(_ statement: Statement, after before: Statement) {
    let labels = [Diagnostic.Label(range: before.header, text: "this never ends")]
    if case .reconnect = before.kind {
      report(
        Diagnostic(
          "T234", "this can never run", at: statement.header,
          "`reconnect forever` never ends: no device is ever disconnected", labels: labels))
      return
    }
    switch before.kind {
    case .wait, .repeat:
      report(
        Diagnostic(
          "T240", "this can never run", at: statement.header, "line \(line(before.header)) never ends", severity: .warning,
          labels: labels))
    default:
      report(
        Diagnostic(
          "T240", "this can never run", at: statement.header, "nothing runs after line \(line(before.header))", severity: .warning)
      )
    }
  }

  /// Checks alternative blocks. Afterwards the names of all are visible; the device is known only
  /// if it is known in each.
  mutating func branches(_ blocks: [(inout Checker) -> Void], alsoNone: Bool) {
    let before = scope.entries.count
    let state = device
    let (format, kind) = (itFormat, itKind)
    var given: [NameEntry] = []
    var joined: DeviceState = alsoNone ? state : .unreachable
    var ends: [(format: String?, kind: Kind?)] = alsoNone ? [(format, kind)] : []
    for block in blocks {
      device = state
      (itFormat, itKind) = (format, kind)
      block(&self)
      if device != .unreachable { ends.append((itFormat, itKind)) }
      given += scope.takeBack(to: before)
      joined = joined.joined(device)
    }
    scope.merge(given)
    device = joined
    // Each block may leave another `it`.
    let isSame = ends.dropFirst().allSatisfy { $0.format == ends[0].format && $0.kind == ends[0].kind }
    itFormat = isSame ? ends.first?.format : nil
    itKind = isSame ? ends.first?.kind : nil
  }

  /// Forgets what `it` is at the beginning of a block that may run again after it has changed `it`.
  mutating func forgetIt(before body: [Member]) {
    if body.anyStatement(handlers: false, { $0.kind.givesIt }) { itFormat = nil }
  }

  // MARK: - one statement

  mutating func statement(_ statement: Statement, _ place: Place) {
    if let phrase = NotYet.phrase(of: statement.kind) { notYet(phrase, statement.header) }
    defer {
      itAge = statement.kind.givesIt ? 0 : itAge.map { $0 + 1 }
      if statement.kind.givesIt { mayHaveIt = true }
      if statement.kind.takesQuestion { mayHaveQuestion = true }
    }
    // A later iteration of a loop sees what an earlier one gave.
    if !mayHaveIt, statement.kind.isLoop {
      mayHaveIt = statement.kind.blocks.contains { $0.anyStatement(handlers: false) { $0.kind.givesIt } }
    }
    if !mayHaveQuestion, statement.kind.isLoop {
      mayHaveQuestion = statement.kind.blocks.contains { $0.anyStatement(handlers: false) { $0.kind.takesQuestion } }
    }
    current = statement.otherwise == nil ? statement.range : nil
    guard let otherwise = statement.otherwise else {
      action(statement, place)
      return
    }
    branches(
      [
        { $0.action(statement, place) },
        { checker in
          let saved = checker.itFormat
          checker.itFormat = KnownRecord.failure.rawValue
          checker.itAge = nil
          checker.mayHaveIt = true
          checker.statement(otherwise, place)
          checker.itFormat = saved
        },
      ], alsoNone: false)
  }

  /// Checks statements with blocks here, and others in `simple`. Blocks nest deeply, so the stack
  /// frame of this function must stay small.
  mutating func action(_ statement: Statement, _ place: Place) {
    let id = statement.id
    switch statement.kind {
    case .if(let choice): self.choice(choice, place)
    case .repeat(let loop): self.loop(loop, statement, place)
    case .forEach(let loop) where loop.atOnce != nil: atOnce(loop, id, statement, place)
    case .forEach(let loop):
      expression(loop.list, place)
      checkList(loop.list)
      forgetIt(before: loop.body)
      var inner = place
      inner.loops += 1
      branches(
        [
          { checker in
            checker.give(loop.name, .element, id: id, value: checker.kind(ofElements: loop.list))
            checker.block(loop.body, inner)
          }
        ], alsoNone: true)
    case .try(let attempt): self.attempt(attempt, place)
    case .with(let target, let body):
      device(target, place)
      var inner = place
      inner.device = .given
      inner.given = nil
      let state = device
      block(body, inner)
      device = state
    default: simple(statement, place)
    }
  }

  private mutating func simple(_ statement: Statement, _ place: Place) {
    let id = statement.id
    switch statement.kind {
    case .scan(let scan):
      what(scan.what, scan.filters, place)
      itAge = nil
      let saved = itFormat
      itFormat = advertisement(of: scan.what)
      nameToCome = scan.name?.text
      condition(scan.condition, place)
      nameToCome = nil
      itFormat = saved
      within(scan.within, place)
      give(scan.name, .result, id: id, value: scan.mode == .all ? .list : .device)
      if scan.mode != .all { device = .named }
    case .connect(let connect):
      if let target = connect.device, !isPathDevice(target, place) {
        device(target, place)
      } else {
        needsDevice(statement.header, place, for: .connecting)
      }
      within(connect.within, place)
      device = .connected
    case .reconnect(let reconnect):
      for target in reconnect.devices { device(target, place) }
      if reconnect.devices.isEmpty, !place.isProcedure { needsConnection(statement, place) }
      expression(reconnect.times, place)
      expression(reconnect.waiting, place)
      pause(reconnect.waiting, "waiting", place)
      expression(reconnect.upTo, place)
      pause(reconnect.upTo, "up to", place)
      attempts(reconnect, place)
    case .disconnect(let target): need(target, statement.header, place)
    case .forget(let target):
      if let target, !isPathDevice(target, place) {
        device(target, place)
      } else {
        needsDevice(statement.header, place, for: .forgetting)
      }
    case .pair(let pair):
      need(pair.device, statement.header, place)
      within(pair.within, place)
    case .discover(let discover):
      for uuid in discover.uuids { self.uuid(uuid, .any, place) }
      need(discover.device, statement.header, place)
      within(discover.within, place)
    case .request(let setting, let value):
      need(nil, statement.header, place)
      request(setting, value, statement, place)
    case .read(let read):
      attributeOfDevice(read.attribute, statement.header, place)
      clientProperty(read.attribute, .read, place)
      within(read.within, place)
      if read.name == nil { itFormat = read.raw ? nil : format(of: read.attribute) }
      if read.name == nil, read.raw { itKind = .bytes }
      give(
        read.name, .result, id: id, format: read.raw ? nil : format(of: read.attribute), value: read.raw ? .bytes : nil)
    case .write(let write): self.write(write, statement.header, place)
    case .subscribe(let subscribe):
      for path in subscribe.attributes {
        attributeOfDevice(path, statement.header, place)
        clientProperty(path, .notify, place)
      }
      within(subscribe.within, place)
    case .unsubscribe(let paths): for path in paths { attributeOfDevice(path, statement.header, place) }
    case .wait(let wait): self.wait(wait, statement, place)
    case .output(let output):
      for value in output.values { secrets(in: value) }
      expressions(output.values, place)
      for value in output.values {
        checkNamed(value)
        checkShellNames(value)
      }
      checkThousands(output.values)
      checkPercentSigns(output.values)
      expression(output.ending, place)
    case .append(let value, let file), .save(let value, let file):
      expression(value, place)
      if !reportBareFileName(file, place) { expression(file, place) }
      let isAppend = if case .append = statement.kind { true } else { false }
      if isAppend, place.isTest {
        report(
          Diagnostic(
            "T224", "`append` does not work in a test", at: statement.header, "use `save`, which writes to the folder of the test"))
      }
      use(file: file, isAppend ? .append : .save, place)
      checkFileName(file, value, of: statement.header, isAppend: isAppend)
      checkNamed(value)
    case .progress(let value, let total): expressions([value, total], place)
    case .run(let run):
      expression(run.command, place)
      if let kind = kind(of: run.command), kind != .text, kind != .list, !run.shell {
        report(Diagnostic("T236", "`run` takes text or a list of words, not \(kind.rawValue)", at: run.command.range))
      }
      command(run, place)
      within(run.within, place)
      if run.name == nil { itFormat = KnownRecord.command.rawValue }
      let isChanged = run.name.map { facts.changed.contains($0.text) } ?? false
      give(run.name, .result, id: id, format: isChanged ? nil : KnownRecord.command.rawValue, value: .record)
    case .ask(let ask):
      expression(ask.prompt, place)
      if ask.name == nil {
        itFormat = nil
        itKind = .text
      }
      if ask.secret { secrets.insert(id) }
      give(ask.name, .result, id: id, value: .text)
    case .let(let name, let value):
      if !isReadAsValue(name, value, statement.range) { expression(value, place, isWhole: true) }
      declare(name, value, id: id, place)
    case .set(let target, let value):
      if !target.steps.isEmpty || !isReadAsValue(target.name, value, statement.range) { expression(value, place, isWhole: true) }
      set(target, place)
      if recipe.remembers.contains(where: { $0.name.text == target.name.text }) { remembered(value) }
    case .expect(let condition, let message):
      expression(condition, place)
      checkTruth(condition)
      expression(message, place)
    case .stop(let stop):
      if case .code(let code) = stop { exitCode(code, place) }
      if stop == .advertising, !place.isPeripheral, !place.isProcedure { onlyInPeripheral("stop advertising", statement.header) }
      if case .serving(let name) = stop { serve(name, place) }
      switch stop {
      case .plain, .code: device = .unreachable
      case .serving, .advertising: break
      }
    case .fail(let message, let code):
      expression(message, place)
      if let code { exitCode(code, place) }
      device = .unreachable
    case .return(let value):
      expression(value, place, isWhole: true)
      if place.isBranch {
        report(
          Diagnostic(
            "T261", "`return` cannot leave a branch of `at once`", at: statement.header,
            "`skip` ends the branch, `leave` ends the loop"))
      } else if let value, place.isHandler, !place.isProcedure, place.answers {
        let word = SourceRange(file: statement.header.file, start: statement.header.start, end: value.range.start)
        report(
          Diagnostic(
            "T223", "a handler returns no value", at: statement.header, "use `answer` to answer the request",
            fixes: [.replace(word, with: "answer ")]))
      } else if !place.isHandler, !place.isProcedure {
        report(
          Diagnostic(
            "T223", "`return` belongs in a procedure or a handler", at: statement.header, "use `stop` to end the recipe itself",
            fixes: value == nil ? [.replace(statement.header, with: "stop")] : []))
      }
      device = .unreachable
    case .leave, .skip:
      let word = statement.kind == .leave ? "leave" : "skip"
      if place.loops == 0 {
        report(
          Diagnostic("T222", "`\(word)` belongs in a loop", at: statement.header, "it is not inside a `repeat` or `for each`"))
      }
      device = .unreachable
    case .restart: device = .unreachable
    case .checkpoint: break
    case .openChannel(let open):
      expression(open.psm, place)
      need(open.device, statement.header, place)
      give(open.name, .result, id: id)
    case .send(let send):
      expression(send.value, place)
      device(send.channel, place)
    case .close(let channel): device(channel, place)
    case .serve(let name): serve(name, place)
    case .kill(let name), .resume(let name):
      onlyInTest(statement.kind.testVerb, statement.header, place)
      subject(name, .run, place)
    case .make(let make):
      onlyInTest("make", statement.header, place)
      self.make(make, statement.header, place)
    case .advertise(let advertise):
      if !place.isPeripheral, !place.isProcedure { onlyInPeripheral("advertise", statement.header) }
      self.advertise(advertise, place)
    case .notify(let notify):
      let verb = notify.indicate ? "indicate" : "notify"
      if !place.isPeripheral, !place.isProcedure { onlyInPeripheral(verb, statement.header) }
      attribute(notify.attribute, place)
      let start = statement.header.start
      let word = SourceRange(file: statement.header.file, start: start, end: start + UInt32(verb.utf8.count))
      property(notify.attribute, notify.indicate ? .indicate : .notify, place, exactly: word)
      expression(notify.value, place)
      encodable(notify.value, for: notify.attribute, place)
    case .update(let path, let value):
      if !place.isPeripheral, !place.isProcedure { onlyInPeripheral("update", statement.header) }
      attribute(path, place)
      expression(value, place)
      encodable(value, for: path, place)
    case .answer(let value):
      expression(value, place)
      if !place.answers, !hasQuestion { onlyInRequest("answer", statement.header) }
      if case .handler(let handler)? = place.handler, case .on(let event) = handler.kind,
        case .attribute(.read, _, let path) = event.kind
      {
        encodable(value, for: path, place)
      }
      if place.answers { device = .unreachable }
    case .refuse(let code):
      errorCode(code, place)
      if !place.answers, !hasQuestion { onlyInRequest("refuse", statement.header) }
      if place.answers { device = .unreachable }
    case .simulate(let simulate):
      onlyInTest("simulate", statement.header, place)
      peripheral(simulate.peripheral)
      expression(simulate.with, place)
      checkSimulated(simulate)
      give(simulate.name ?? simulate.peripheral, .result, id: id, keys: fields(ofPeripheral: simulate.peripheral))
    case .startRecipe(let start):
      onlyInTest("start recipe", statement.header, place)
      expression(start.with, place)
      checkStart(start, statement.header)
      give(start.name, .result, id: id, keys: SubjectFields.run)
    case .call(let name, let arguments): call(name, arguments, statement.range, place, isWhole: true)
    case .value(let value): if !isMisspeltStatement(value) { expression(value, place, isWhole: true) }
    case .if, .repeat, .forEach, .try, .with: break
    }
  }

  /// Checks `for each … at once`, whose branches have names of their own besides those around them.
  private mutating func atOnce(_ loop: ForEachStatement, _ id: Int, _ statement: Statement, _ place: Place) {
    expression(loop.list, place)
    checkList(loop.list)
    expression(loop.atOnce?.upTo, place)
    checkCount(loop.atOnce?.upTo, of: "at once up to", from: 1, place)
    let saved = (scope, outer, device, itFormat, itAge)
    let hadQuestion = mayHaveQuestion
    let isOfTheRecipe = !place.isHandler && !place.isProcedure && !place.isPeripheral && !place.isBranch
    outer.merge(scope)
    scope = Scope(id: symbols.open(.handler, statement.range, in: saved.0.id))
    itFormat = nil
    itAge = nil
    mayHaveQuestion = false
    var inner = place
    inner.loops = 1
    inner.isBranch = true
    inner.fixed = isOfTheRecipe ? [] : place.fixed + saved.0.entries.map(\.name)
    give(loop.name, .element, id: id, value: kind(ofElements: loop.list))
    members(loop.body, inner)
    (scope, outer, device, itFormat, itAge) = saved
    mayHaveQuestion = hadQuestion
  }

  mutating func exitCode(_ code: Expression, _ place: Place) {
    expression(code, place)
    if let kind = kind(of: code), kind != .number {
      if kind == .uuid, attributeName(code) { return }
      return report(
        Diagnostic("T217", "an exit code is a number, not \(kind.rawValue)", at: code.range, "a recipe can use 20 to 99"))
    }
    guard case .number(let number)? = constant(code, place), number != number.rounded() || !(20...99).contains(number) else {
      return
    }
    report(Diagnostic("T217", "a recipe can only use exit codes 20 to 99", at: code.range, "other codes have a fixed meaning"))
  }

  mutating func within(_ limit: WithinSyntax?, _ place: Place) {
    guard case .duration(let value)? = limit?.kind else { return }
    expression(value, place)
    span(value, "within", place)
  }

  mutating func write(_ write: WriteStatement, _ header: SourceRange, _ place: Place) {
    expression(write.value, place)
    attributeOfDevice(write.attribute, header, place)
    clientProperty(write.attribute, .write, place)
    expression(write.pieces?.size, place)
    checkCount(write.pieces?.size, of: "in pieces of", from: 1, place)
    within(write.within, place)
    if write.withoutResponse, let unsure = write.unsure {
      report(
        Diagnostic(
          "T218", "a write `without response` has no reply that could be lost", at: unsure.range, "`when unsure` has no effect here"
        ))
    }
    checkRepeated(write)
    checkLetters(write)
    encodable(write.value, for: write.attribute, place)
  }

  mutating func wait(_ wait: WaitStatement, _ statement: Statement, _ place: Place) {
    switch wait {
    case .forever: return
    case .duration(let value):
      expression(value, place)
      span(value, "wait", place)
    case .until(let condition, let limit):
      self.condition(condition, place)
      within(limit, place)
    case .event(let event, let condition, let limit, let name):
      var eventFormat: String?
      let eventKind = kind(ofEvent: event)
      if case .attribute(let kind, let raw, let path) = event.kind {
        attributeOfDevice(path, statement.header, place)
        if kind == .notify {
          checkSubscribed(path, place)
        } else if !place.isPeripheral {
          outsidePeripheral(kind.rawValue, event.range)
        }
        if !raw, eventKind == nil { eventFormat = format(of: path) }
      } else {
        self.event(event, place)
        if case .advertisement(let what, _) = event.kind { eventFormat = advertisement(of: what) }
      }
      let saved = itFormat
      itFormat = eventFormat
      itKind = eventKind
      itAge = nil
      nameToCome = name?.text
      self.condition(condition, place)
      nameToCome = nil
      itFormat = name == nil ? eventFormat : saved
      if name == nil { itKind = eventKind }
      within(limit, place)
      give(name, .result, id: statement.id, format: eventFormat, value: eventKind)
    }
  }

  mutating func choice(_ choice: IfStatement, _ place: Place) {
    var blocks: [(inout Checker) -> Void] = []
    for branch in choice.branches {
      expression(branch.condition, place)
      checkTruth(branch.condition)
      blocks.append { $0.block(branch.body, place) }
    }
    if let otherwise = choice.otherwise { blocks.append { $0.block(otherwise, place) } }
    branches(blocks, alsoNone: choice.otherwise == nil)
  }

  mutating func loop(_ loop: RepeatStatement, _ statement: Statement, _ place: Place) {
    var inner = place
    inner.loops += 1
    var runsAtLeastOnce = false
    forgetIt(before: loop.body)
    switch loop.mode {
    case .forever:
      runsAtLeastOnce = true
      neverWaits(loop, statement)
    case .while(let condition), .until(let condition):
      // It is computed again in each round.
      expression(condition, place.guarded)
      checkTruth(condition)
      if condition.kind == .boolean(loop.mode == .while(condition)) { neverWaits(loop, statement) }
    case .times(let number):
      expression(number, place)
      checkCount(number, of: "repeat … times", from: 0, place)
      runsAtLeastOnce = true
    }
    let state = device
    branches([{ $0.block(loop.body, inner) }], alsoNone: !runsAtLeastOnce)
    if device == .unreachable { device = state }
  }

  /// T243: a loop that only a limit ends.
  private mutating func neverWaits(_ loop: RepeatStatement, _ statement: Statement) {
    if !leaves(loop.body),
      !loop.body.anyStatement(handlers: false, { $0.kind.waits || facts.isWaitingCall($0) || $0.kind.diverges })
    {
      report(
        Diagnostic(
          "T243", "this loop never waits and never ends", at: statement.header, "it fails after 1,000,000 statements",
          severity: .warning))
    }
  }

  mutating func attempt(_ attempt: TryStatement, _ place: Place) {
    expression(attempt.times, place)
    checkCount(attempt.times, of: "try … times", from: 1, place)
    expression(attempt.every, place)
    pause(attempt.every, "every", place)
    within(attempt.within, place)
    forgetIt(before: attempt.body)
    var blocks: [(inout Checker) -> Void] = [{ $0.block(attempt.body, place, pauses: attempt.every != nil) }]
    var handled: [String] = []
    var all: Rescue?
    for rescue in attempt.rescues {
      for kind in rescue.kinds { failureKind(kind) }
      let isIdle = !rescue.kinds.isEmpty && rescue.kinds.allSatisfy { handled.contains($0.text) }
      if let all {
        report(
          Diagnostic(
            "T240", "this can never run", at: rescue.header, "the `otherwise` on line \(line(all.header)) handles every failure",
            severity: .warning))
      } else if isIdle {
        report(
          Diagnostic(
            "T240", "this can never run", at: rescue.header, "an `otherwise` above handles such failures", severity: .warning))
      }
      if rescue.kinds.isEmpty { all = all ?? rescue }
      handled += rescue.kinds.map(\.text)
      blocks.append { checker in
        let saved = checker.itFormat
        checker.itFormat = KnownRecord.failure.rawValue
        checker.itAge = nil
        checker.mayHaveIt = true
        checker.give(rescue.name, .result, id: rescue.id, format: KnownRecord.failure.rawValue)
        checker.block(rescue.body, place)
        checker.itFormat = saved
      }
    }
    let state = device
    branches(blocks, alsoNone: false)
    if device == .unreachable { device = state }
  }

  static let failureKinds = [
    "not_found", "unreachable", "disconnected", "refused", "needs_pairing", "stale_bond", "missing", "timeout", "unsure", "adapter",
    "expectation", "decode",
    "value", "file", "command", "user",
  ]

  mutating func failureKind(_ kind: NameSyntax) {
    guard !Self.failureKinds.contains(kind.text) else { return }
    let near = nearest(to: kind, among: Self.failureKinds)
    report(
      Diagnostic(
        "T225", "there is no kind of failure `\(kind.text)`", at: kind.range, near.map { "did you mean `\($0)`?" } ?? "",
        fixes: near.map { [.replace(kind.range, with: $0)] } ?? [],
        notes: ["kinds are \(Self.failureKinds.joined(separator: ", "))"]))
  }
}
