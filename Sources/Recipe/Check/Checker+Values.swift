import Exchange

/// Expressions and calls.
extension Checker {
  mutating func expressions(_ list: [Expression], _ place: Place) { for value in list { expression(value, place) } }

  /// Checks a value that is computed outside any statement.
  mutating func fixedValue(_ value: Expression?, _ place: Place) {
    readsNoFile = true
    expression(value, place)
    readsNoFile = false
  }

  /// Checks a condition that is evaluated repeatedly, outside any statement: `where …`, `wait until
  /// …`.
  mutating func condition(_ value: Expression?, _ place: Place) {
    // In `where`, `it` is the candidate.
    let saved = mayHaveIt
    mayHaveIt = true
    fixedValue(value, place)
    mayHaveIt = saved
    checkTruth(value)
  }

  /// T260: only a statement can read a file.
  private mutating func readsAFile(_ range: SourceRange) {
    guard readsNoFile else { return }
    report(
      Diagnostic(
        "T260", "a file cannot be read here", at: range, "this is computed outside any statement",
        notes: ["read it with `let` first, and use that name here"]))
  }

  /// Checks a value. `isWhole`: the value may be a call of a procedure that waits.
  mutating func expression(_ value: Expression?, _ place: Place, isWhole: Bool = false) {
    guard let value else { return }
    switch value.kind {
    case .number, .duration, .uuid, .address, .bytes, .boolean, .nothing: return
    case .it: checkIt(value)
    case .string(let text): string(text, place)
    case .name(let name): look(name, value.range, place)
    case .call(let name, let arguments): call(name, arguments, value.range, place, isWhole: isWhole)
    case .member(let base, let field):
      expression(base, place)
      checkField(base, field, place)
      checkMember(base, field)
    case .method(let base, let name, let arguments):
      expression(base, place)
      for argument in arguments { expression(argument.value, place) }
      checkMethod(base, name, arguments)
    case .index(let base, let index):
      expression(base, place)
      expression(index, place)
      checkIndex(base, index, place)
    case .slice(let base, let from, let to):
      expressions([base, from, to], place)
      checkSlice(base, [from, to], place)
    case .list(let items): expressions(items, place)
    case .record(let entries): expressions(entries.map(\.value), place)
    case .unary(let operation, let operand):
      expression(operand, place)
      if operation == .not { checkTruth(operand) } else { checkNegative(operand) }
    case .binary(let operation, let left, let right):
      expression(left, place)
      expression(right, operation == .and || operation == .or ? place.guarded : place)
      checkTypes(operation, left, right)
    case .conditional(let value, let condition, let other):
      expression(value, place.guarded)
      expression(condition, place)
      expression(other, place.guarded)
      checkTruth(condition)
    }
  }

  mutating func string(_ text: StringSyntax, _ place: Place) {
    for part in text.parts { if case .expression(let value, _) = part { expression(value, place) } }
  }

  /// Checks the call of a procedure or a built-in; `range` covers the whole call.
  mutating func call(_ name: NameSyntax, _ arguments: [ArgumentSyntax], _ range: SourceRange, _ place: Place, isWhole: Bool) {
    for argument in arguments { expression(argument.value, place) }
    if let procedure = procedures.named(name.text) {
      if let symbol = callables[name.text] { symbols.use(symbol, at: name.range) }
      if procedure.parameters.count != arguments.count {
        report(
          Diagnostic(
            "T205", "`\(name.text)` takes \(count(procedure.parameters.count, "value")), not \(arguments.count)", at: range,
            procedure.parameters.isEmpty ? "" : procedure.parameters.map(\.text).joined(separator: ", "),
            labels: [Diagnostic.Label(range: procedure.header, text: "declared here")]))
      }
      if !isWhole, facts.waitingProcedures.contains(name.text) {
        waitingCall(name, range, place)
      } else if readsNoFile, facts.actingProcedures.contains(name.text) {
        report(
          Diagnostic(
            "T233", "`\(name.text)` does more than compute a value, which only a statement can", at: range,
            "this is computed outside any statement, perhaps many times"))
      }
      return
    }
    guard let builtIn = BuiltIn(named: name.text) else {
      unknownProcedure(name, arguments, range)
      return
    }
    if builtIn == .function(.file) {
      readsAFile(range)
      if let file = arguments.first { use(file: file.value, .read, place) }
    }
    if !builtIn.arity.contains(arguments.count) {
      let bounds = builtIn.arity
      let wanted =
        bounds.lowerBound == bounds.upperBound
        ? count(bounds.lowerBound, "value")
        : bounds.upperBound == .max
          ? "at least \(count(bounds.lowerBound, "value"))" : "\(bounds.lowerBound) to \(bounds.upperBound) values"
      report(Diagnostic("T205", "`\(name.text)` takes \(wanted), not \(arguments.count)", at: range))
    } else {
      checkArguments(builtIn, arguments)
    }
    if case .make(let type) = builtIn, type.isWhole, arguments.count == 1, case .number(let literal) = arguments[0].value.kind,
      case .real(let number) = literal.value, number != number.rounded()
    {
      report(
        Diagnostic(
          "T215", "`\(name.text)` takes a whole number", at: arguments[0].value.range,
          "`round(…)` makes it whole; `f32(…)` keeps the fraction"))
    }
    if case .make(let type) = builtIn, type.isWhole, arguments.count == 1, case .number(let literal) = arguments[0].value.kind,
      case .integer(let number) = literal.value, !type.bounds.contains(number)
    {
      let bounds = type.bounds
      let letter = number < 0 ? "i" : type.kind == .signed ? "i" : "u"
      let suffix = type.isBigEndian ? "be" : ""
      let wider = [8, 16, 24, 32, 40, 48, 56, 64].lazy.compactMap { NumberType(named: "\(letter)\($0)\($0 > 8 ? suffix : "")") }
        .first { $0.bounds.contains(number) && $0.size >= type.size && [8, 16, 32, 64].contains($0.size * 8) }
      report(
        Diagnostic(
          "T215", "\(number) does not fit in \(name.text)", at: arguments[0].value.range,
          "\(bounds.lowerBound) to \(bounds.upperBound)",
          fixes: wider.map { [.replace(name.range, with: $0.name)] } ?? []))
    }
  }

  private func count(_ number: Int, _ what: String) -> String {
    number == 1 ? "one \(what)" : number == 0 ? "no \(what)s" : "\(number) \(what)s"
  }

  /// Whether a `let` on the line before would compute the same: the statement begins that line, and
  /// always computes the value, once, before anything that can fail.
  private func isComputedOnce(_ range: SourceRange, _ place: Place) -> Bool {
    guard !place.isGuarded, !readsNoFile, let current, current.file == range.file, line(current) == line(range) else {
      return false
    }
    let start = sources.startOfLine(self.line(range), in: range)
    return text(SourceRange(file: range.file, start: start.start, end: current.start)).allSatisfy { $0 == " " || $0 == "\t" }
  }

  /// Reports a procedure that waits inside an expression.
  private mutating func waitingCall(_ name: NameSyntax, _ range: SourceRange, _ place: Place) {
    let line = line(range)
    let visible = scope.entries + outer.entries
    let free = ["answer", "result", "reply", "answer2"].first { candidate in !visible.contains { $0.name == candidate } }
    var fixes: [Fix] = []
    if let free, isComputedOnce(range, place) {
      let declaration = "\(sources[of: range].indentation(ofLine: line))let \(free) = \(text(range))\n"
      fixes = [
        Fix(
          lead: "add before it",
          edits: [
            Fix.Edit(range: sources.startOfLine(line, in: range), replacement: declaration),
            Fix.Edit(range: range, replacement: free),
          ])
      ]
    }
    report(
      Diagnostic(
        "T233", "`\(name.text)` waits for a device; it needs a line of its own", at: range,
        "call it as a statement, or write `let x = \(name.text)(…)`",
        fixes: fixes))
  }

  private mutating func unknownProcedure(_ name: NameSyntax, _ arguments: [ArgumentSyntax], _ range: SourceRange) {
    if name.text == "range" {
      let numbers = arguments.compactMap { argument -> UInt64? in
        guard case .number(let literal) = argument.value.kind, case .integer(let number) = literal.value else { return nil }
        return UInt64(exactly: number)
      }
      let fixes =
        numbers.count != arguments.count || numbers.isEmpty || numbers.count > 2
        ? [] : Parser.listFix(numbers.count == 2 ? numbers[0] : 0, numbers[numbers.count - 1], at: range)
      report(
        Diagnostic(
          "T204", "there is no procedure `range`", at: name.range, "write the list, or `repeat 5 times`", fixes: fixes))
      return
    }
    if reportForeignCall(name, arguments, range) { return }
    if let foreign = ForeignWords.statement(name.text), ["print", "expect", "fail", "wait"].contains(foreign.instead) {
      return foreignStatementCall(name, foreign, arguments, range)
    }
    let known = procedures.list.map(\.name.text) + BuiltIn.names
    if let near = nearest(to: name, among: known) {
      report(
        Diagnostic(
          "T204", "there is no procedure `\(name.text)`", at: name.range, "did you mean `\(near)`?",
          fixes: [.replace(name.range, with: near)]))
      return
    }
    if Words.actions.contains(name.text) {
      report(Diagnostic("T028", "`\(name.text)` is a statement, not a value", at: name.range, "name its result with `as`"))
      return
    }
    if let near = nearest(to: name, among: Words.actions) {
      report(
        Diagnostic(
          "T204", "there is no procedure `\(name.text)`", at: name.range, "did you mean the statement `\(near)`?",
          fixes: [.replace(name.range, with: near)]))
      return
    }
    if let foreign = ForeignWords.statement(name.text) {
      return foreignStatementCall(name, foreign, arguments, range)
    }
    report(
      Diagnostic("T204", "there is no procedure `\(name.text)`", at: name.range, "declare it with `procedure \(name.text)(…)`"))
  }

  private mutating func checkMethod(_ base: Expression, _ name: NameSyntax, _ arguments: [ArgumentSyntax]) {
    let given = arguments.count
    guard let method = Method(named: name.text) else {
      if reportForeignMethod(base, name, arguments) { return }
      let near = nearest(to: name, among: Method.names)
      report(
        Diagnostic(
          "T221", "no value has `.\(name.text)()`", at: name.range, near.map { "did you mean `.\($0)()`?" } ?? "",
          fixes: near.map { [.replace(name.range, with: $0)] } ?? []))
      return
    }
    if !method.arity.contains(given) {
      let bounds = method.arity
      let wanted =
        bounds.lowerBound == bounds.upperBound
        ? count(bounds.lowerBound, "value") : "\(bounds.lowerBound) to \(bounds.upperBound) values"
      report(Diagnostic("T205", "`.\(name.text)()` takes \(wanted), not \(given)", at: name.range))
    } else {
      checkReceiver(base, method, name, arguments)
    }
  }
}
