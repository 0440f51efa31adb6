import Exchange
import Recipe
import Vocabulary

extension Compiler {
  mutating func compile(_ choice: IfStatement, _ statement: Statement) {
    blocks.append(statement.id)
    let outer = branch
    defer {
      blocks.removeLast()
      branch = outer
    }
    var ends: [Int] = []
    for branch in choice.branches {
      self.statement = statement.id
      self.branch = branch.normalized
      let test = expression(branch.condition)
      let next = emit(.jumpIfFalse, test, at: branch.condition.range)
      members(branch.body, isTopLevel: false)
      ends.append(emit(.jump, at: statement.header))
      patch(next)
    }
    branch = "else"
    if let otherwise = choice.otherwise { members(otherwise, isTopLevel: false) }
    for end in ends { patch(end) }
  }

  mutating func compile(_ loop: RepeatStatement, _ statement: Statement) {
    let range = statement.header
    var exits: [Int] = []
    var top = here
    switch loop.mode {
    case .forever: break
    case .while(let condition):
      exits.append(emit(.jumpIfFalse, expression(condition), at: condition.range))
    case .until(let condition):
      exits.append(emit(.jumpIfTrue, expression(condition), at: condition.range))
    case .times(let count):
      let counter = hidden(2, range)
      _ = expression(count, into: counter)
      emit(.move, .local(counter.index + 1), constant(.int(0), range).raw, at: range)
      top = here
      exits.append(emit(.countNext, counter, at: count.range))
    }
    body(loop.body, statement, top: top, exits: exits)
  }

  mutating func compile(_ loop: ForEachStatement, _ statement: Statement) {
    let range = statement.header
    if let once = loop.atOnce { return compile(loop, once, statement) }
    let held = hidden(3, range)
    _ = expression(loop.list, into: held)
    emit(.move, .local(held.index + 1), constant(.int(0), range).raw, at: range)
    let name = declare(loop.name.text, loop.name.range)
    let top = here
    let exit = emit(.forNext, held, at: loop.list.range)
    emit(.move, name, UInt16(held.index + 2), at: range)
    body(loop.body, statement, top: top, exits: [exit], leaving: held)
  }

  /// Compiles a branch as a unit of its own, which starts with a copy of the locals around it.
  private mutating func compile(_ loop: ForEachStatement, _ once: ForEachStatement.AtOnce, _ statement: Statement) {
    let range = statement.header
    let held = hidden(1, range)
    _ = expression(loop.list, into: held)
    let upTo = once.upTo.map { expression($0) }
    let over = emit(.jump, at: range)
    let (keys, locals, given) = (unit.keys, unit.locals ?? [:], unit.given)
    let (number, answers) = (unit.hiddenNumber, unit.answers)
    var element = Operand.it
    let branch = build(role: .branch, locals: [], owner: statement.id) { compiler in
      compiler.unit.keys = keys
      compiler.unit.top = keys.count
      compiler.unit.locals = locals
      compiler.unit.given = given
      compiler.unit.hiddenNumber = number
      compiler.unit.isBranch = true
      compiler.unit.answers = answers
      compiler.blocks.append(statement.id)
      element = compiler.declare(loop.name.text, loop.name.range, isOwn: true)
      let entry = compiler.here
      compiler.members(loop.body, isTopLevel: false)
      compiler.emit(.finish, at: range)
      compiler.blocks.removeLast()
      return entry
    }
    self.statement = statement.id
    patch(over)
    let site = AtOnceSite(unit: branch, list: held, upTo: upTo, element: element, captured: keys.count)
    emit(.atOnce, Operand(raw: pooled(\.atOnces, site, range)), at: range)
  }

  /// - Parameter held: the local with the list of `for each`, which a `leave` empties.
  private mutating func body(_ list: [Member], _ statement: Statement, top: Int, exits: [Int], leaving held: Operand? = nil) {
    unit.loops.append(Loop(tryDepth: unit.tryDepth, handlerDepth: unit.handlerDepth, withDepth: unit.devicesBefore.count))
    blocks.append(statement.id)
    members(list, isTopLevel: false)
    blocks.removeLast()
    self.statement = statement.id
    let loop = unit.loops.removeLast()
    for skip in loop.skips { patch(skip) }
    jump(to: top, at: statement.header, code: .loop)
    if let held, !loop.leaves.isEmpty {
      // Otherwise the next change of the list would copy it whole.
      for leave in loop.leaves { patch(leave) }
      emit(.move, held, constant(.nothing, statement.header).raw, at: statement.header)
      for exit in exits { patch(exit) }
      return
    }
    for exit in exits + loop.leaves { patch(exit) }
  }

  mutating func leave(_ range: SourceRange) {
    if unit.loops.isEmpty, unit.isBranch {
      emit(.leaveBranches, at: range)
      return
    }
    guard let loop = unit.loops.last else { return fail("`leave` belongs in a loop", range) }
    unwind(to: loop, range)
    unit.loops[unit.loops.count - 1].leaves.append(emit(.jump, at: range))
  }

  mutating func skip(_ range: SourceRange) {
    if unit.loops.isEmpty, unit.isBranch {
      emit(.finish, at: range)
      return
    }
    guard let loop = unit.loops.last else { return fail("`skip` belongs in a loop", range) }
    unwind(to: loop, range)
    unit.loops[unit.loops.count - 1].skips.append(emit(.jump, at: range))
  }

  /// Leaves the `try`s, `with`s and handlers inside the loop.
  private mutating func unwind(to loop: Loop, _ range: SourceRange) {
    for _ in loop.tryDepth..<unit.tryDepth { emit(.tryEnd, at: range) }
    if unit.handlerDepth > loop.handlerDepth {
      emit(.leaveHandlers, Operand(raw: UInt16(unit.handlerDepth - loop.handlerDepth)), at: range)
    }
    if unit.devicesBefore.count > loop.withDepth { emit(.move, .device, unit.devicesBefore[loop.withDepth].raw, at: range) }
  }

  mutating func compile(_ attempt: TryStatement, _ statement: Statement) -> Bool {
    let range = statement.header
    let times = attempt.times.map { operand($0, before: [attempt.every, attempt.within?.operand]) }
    let every = attempt.every.map { operand($0, before: [attempt.within?.operand]) }
    let limit: WithinSite = attempt.within == nil ? .forever : within(attempt.within)
    let site = pooled(\.tries, TrySite(times: times, every: every, within: limit, start: 0, rescue: nil), range)
    emit(.tryBegin, Operand(raw: site), at: range)
    program.tries[Int(site)].start = here
    unit.tryDepth += 1
    blocks.append(statement.id)
    let isPending = members(attempt.body, isTopLevel: false, handsReadyOn: true)
    blocks.removeLast()
    self.statement = statement.id
    unit.tryDepth -= 1
    emit(.tryEnd, at: range)
    guard !attempt.rescues.isEmpty else { return isPending }
    let over = emit(.jump, at: range)
    var ends: [Int] = []
    program.tries[Int(site)].rescue = here
    // The rescues belong to the `try`, whose end restores `it`.
    unit.tryDepth += 1
    for rescue in attempt.rescues {
      blocks.append(statement.id)
      let outer = branch
      branch = "otherwise"
      begin(rescue.id, rescue.header, rescue.normalized)
      branch = outer
      var next: Int?
      if !rescue.kinds.isEmpty {
        let kinds = pooled(\.rescues, rescue.kinds.map(\.text), rescue.header)
        next = emit(.rescueMatch, Operand(raw: kinds), at: rescue.header)
      }
      if let name = rescue.name {
        let operand = declare(name.text, name.range)
        emit(.move, operand, Operand.it.raw, at: name.range)
      }
      blocks.append(rescue.id)
      members(rescue.body, isTopLevel: false)
      blocks.removeLast(2)
      self.statement = rescue.id
      ends.append(emit(.jump, at: rescue.header))
      if let next { patch(next) }
    }
    self.statement = statement.id
    emit(.rethrow, at: range)
    for end in ends { patch(end) }
    unit.tryDepth -= 1
    emit(.tryEnd, at: range)
    patch(over)
    return isPending
  }

  /// Compiles a handler as a unit of its own and returns its number.
  mutating func compile(_ handler: Handler, isTopLevel: Bool) -> Int {
    let line = program.lines.line(of: handler.header)
    let placeholder = HandlerSite(
      trigger: .event(.restore), name: nil, keepingLatest: handler.keepingLatest, isTopLevel: isTopLevel, line: line)
    var site = placeholder
    site.isOfServer = peripheral != nil
    site.isGivenDevice = unit.isGivenDevice && handler.isOfItsBlocksDevice
    let given = handler.isOfItsBlocksDevice ? unit.givenName : nil
    let outer = blocks
    return build(role: .handler(placeholder), locals: [], owner: handler.id) { compiler in
      compiler.blocks = outer
      compiler.unit.answers = handler.isOfRequest
      compiler.begin(handler.id, handler.header, handler.normalized)
      switch handler.kind {
      case .on(let event):
        if case .advertisement(let what, let filters) = event.kind {
          site.trigger = .event(.advertisement(Int(compiler.handlerScan(what, filters, event.range))))
        } else if let found = compiler.event(event) {
          site.trigger = .event(found)
          if let attribute = found.attribute, case .fixed = attribute.form {} else { site.isNamedByValue = found.attribute != nil }
          // A handler that waits for its event has no fiber that could compute anything.
          if found.attribute?.isComputed == true {
            compiler.fail("the attribute of a handler must be a name; name the value with `let` first", event.range)
          }
        }
      case .every(let period, let at):
        let start = compiler.here
        compiler.emit(.predicateEnd, compiler.expression(period), at: period.range)
        var clock: Int?
        if let at {
          clock = compiler.here
          compiler.emit(.predicateEnd, compiler.expression(at), at: at.range)
        }
        site.trigger = .every(period: start, at: clock)
      case .after(let delay):
        let start = compiler.here
        compiler.emit(.predicateEnd, compiler.expression(delay), at: delay.range)
        site.trigger = .after(delay: start)
      }
      if let name = handler.name {
        site.name = compiler.declare(name.text, name.range, isOwn: true)
        compiler.unit.eventName = name.text
      }
      let entry = compiler.here
      if let given, handler.name?.text != given.text {
        let name = compiler.declare(given.text, given.range, isOwn: true)
        compiler.emit(.move, name, Operand.device.raw, at: handler.header)
      }
      compiler.blocks.append(handler.id)
      if let condition = handler.condition {
        let test = compiler.expression(condition)
        let run = compiler.emit(.jumpIfTrue, test, at: condition.range)
        compiler.emit(.finish, at: condition.range)
        compiler.patch(run)
      }
      compiler.members(handler.body, isTopLevel: false)
      compiler.emit(.finish, at: handler.header)
      // `build` stores the role passed to it, so the finished site is added afterwards.
      compiler.finishedSites.append((compiler.unit.index, site))
      return entry
    }
  }

  /// Compiles a `whenever` as a unit of its own and returns its number.
  mutating func compile(_ whenever: Whenever, isTopLevel: Bool) -> Int {
    var site = HandlerSite(
      trigger: .event(.restore), name: nil, keepingLatest: false, isTopLevel: isTopLevel,
      line: program.lines.line(of: whenever.header))
    let outer = blocks
    return build(role: .handler(site), locals: [], owner: whenever.id) { compiler in
      compiler.blocks = outer
      compiler.unit.isGivenDevice = true
      compiler.begin(whenever.id, whenever.header, whenever.normalized)
      let scan = Int(compiler.handlerScan(whenever.what, whenever.filters, whenever.header))
      compiler.program.scans[scan].predicate = compiler.predicate(whenever.condition)
      var again: Int?
      if let span = whenever.again {
        again = compiler.here
        compiler.emit(.predicateEnd, compiler.expression(span), at: span.range)
      }
      site.trigger = .whenever(scan: scan, again: again)
      if let name = whenever.name {
        site.name = compiler.declare(name.text, name.range, isOwn: true)
        compiler.unit.givenName = (name.text, name.range)
      }
      let entry = compiler.here
      compiler.blocks.append(whenever.id)
      compiler.members(whenever.body, isTopLevel: false)
      compiler.emit(.finish, at: whenever.header)
      compiler.finishedSites.append((compiler.unit.index, site))
      return entry
    }
  }
}
