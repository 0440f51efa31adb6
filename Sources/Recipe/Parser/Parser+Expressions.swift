import Exchange
import Vocabulary

/// Values: `expr` and everything below it.
extension Parser {
  /// `or [ "if" or "else" expr ]`
  mutating func expression() throws(Abandoned) -> Expression {
    try enter()
    defer { brackets -= 1 }
    let start = index
    let value = try orExpression()
    let valueHeight = height
    guard at("if") else { return value }
    let ifToken = token
    advance()
    let condition = try orExpression()
    let conditionHeight = height
    guard accept("else") else {
      let statement = SourceRange(file: file, start: tokens[start].range.start, end: ifToken.range.start)
      var fixes: [Fix] = []
      if isAtLineEnd, let first = tokens[..<start].lastIndex(where: { $0.startsLine && $0.kind != .newline }),
        tokens[first].line == ifToken.line, case .word(let verb) = tokens[first].kind, Words.actions.contains(verb),
        !["let", "set"].contains(verb)
      {
        // `print "a" if c`: the whole statement is meant.
        let action = SourceRange(file: file, start: tokens[first].range.start, end: value.range.end)
        fixes = [
          .replace(action.to(condition.range), with: "if \(source.text(condition.range)): \(source.text(action))")
        ]
      }
      throw abandon(
        Diagnostic(
          "T013", "`if` in a value needs `else`", at: ifToken.range, "\(clipped(source.text(statement)))if … else …",
          fixes: fixes, notes: ["to run a statement under a condition, write `if c: …`"]))
    }
    let other = try expression()
    let kind = ExpressionKind.conditional(value: value, condition: condition, other: other)
    return try make(kind, from: start, over: max(valueHeight, conditionHeight, height))
  }

  /// Enters a bracket or a sign, one level deeper.
  mutating func enter() throws(Abandoned) {
    // The whole value is the first level.
    guard brackets <= Self.maximumBrackets else {
      throw abandon(
        Diagnostic(
          "T003", "this value is nested more than \(Self.maximumBrackets) deep", at: token.range,
          "name a part of it with `let`"))
    }
    brackets += 1
  }

  mutating func make(_ kind: ExpressionKind, from start: Int, over below: Int) throws(Abandoned) -> Expression {
    height = below + 1
    let place = range(from: start)
    guard height <= Self.maximumHeight else {
      throw abandon(
        Diagnostic(
          "T003", "this value has more than \(Self.maximumHeight) levels of operations", at: place,
          "name a part of it with `let`"))
    }
    return Expression(kind: kind, range: place)
  }

  mutating func orExpression() throws(Abandoned) -> Expression {
    let start = index
    var left = try andExpression()
    while at("or") || at(.doubleBar) {
      let below = height
      try takeOperator()
      let right = try andExpression()
      left = try make(.binary(.or, left, right), from: start, over: max(below, height))
    }
    return left
  }

  mutating func andExpression() throws(Abandoned) -> Expression {
    let start = index
    var left = try notExpression()
    while at("and") || at(.doubleAmpersand) {
      let below = height
      try takeOperator()
      let right = try notExpression()
      left = try make(.binary(.and, left, right), from: start, over: max(below, height))
    }
    return left
  }

  mutating func notExpression() throws(Abandoned) -> Expression {
    guard word == "not" || at(.exclamation) else { return try comparison() }
    let start = index
    try takeOperator()
    try enter()
    defer { brackets -= 1 }
    let operand = try notExpression()
    return try make(.unary(.not, operand), from: start, over: height)
  }

  /// Takes an operator. One of another language is reported, and parsed as its counterpart.
  mutating func takeOperator() throws(Abandoned) {
    if let percent = percentSign() { throw percent }
    if case .symbol(let symbol) = kind, ForeignWords.operatorWord(symbol) != nil { report(foreignOperator(symbol)) }
    advance()
  }

  /// - Parameter left: the value before it, if no other comparison is before that.
  mutating func comparisonOperator(_ left: SourceRange? = nil) throws(Abandoned) -> BinaryOperator? {
    switch kind {
    case .word("is"):
      advance()
      return accept("not") ? .notEqual : .equal
    case .word("in"): advance(); return .in
    case .word("contains"): advance(); return .contains
    case .word("matches"): advance(); return .matches
    case .word("not"):
      guard case .word("in") = following.kind else { return nil }
      let place = SourceRange(file: file, start: token.range.start, end: following.range.start)
      let before = left.map { Fix.Edit(range: SourceRange(file: file, start: $0.start, end: $0.start), replacement: "not ") }
      throw abandon(
        Diagnostic(
          "T024", "write `not x in y` instead of `not in`", at: token.range, "`not` goes before the whole comparison",
          fixes: before.map { [Fix(edits: [$0, Fix.Edit(range: place, replacement: "")])] } ?? []))
    case .symbol(.less) where following.kind == .symbol(.greater) && following.range.start == token.range.end:
      let place = token.range.to(following.range)
      report(
        Diagnostic(
          "T024", "`<>` is written `is not`", at: place, "use `is` for equality, and `and`, `or`, `not` for logic",
          fixes: [.replace(place, with: "is not")]))
      advance()
      advance()
      return .notEqual
    case .symbol(.less): advance(); return .less
    case .symbol(.lessOrEqual): advance(); return .lessOrEqual
    case .symbol(.greater): advance(); return .greater
    case .symbol(.greaterOrEqual): advance(); return .greaterOrEqual
    case .symbol(.doubleEqual):
      try takeOperator()
      if at(.equal), token.range.start == previous.range.end { advance() }
      return .equal
    case .symbol(.notEqual):
      try takeOperator()
      if at(.equal), token.range.start == previous.range.end { advance() }
      return .notEqual
    default: return nil
    }
  }

  mutating func comparison() throws(Abandoned) -> Expression {
    let start = index
    let left = try sum()
    let below = height
    guard let sign = try comparisonOperator(left.range) else { return left }
    let right = try sum()
    let result = try make(.binary(sign, left, right), from: start, over: max(below, height))
    let next = token.range
    if let second = try comparisonOperator() {
      var fixes: [Fix] = []
      switch right.kind {
      // `a == b == c` means something else in each language.
      case _ where !sign.isOrdering || !second.isOrdering: break
      case .name, .number, .duration, .it, .member:
        let middle = SourceRange(file: file, start: right.range.end, end: right.range.end)
        fixes = [.insert(" and \(source.text(right.range))", after: middle)]
      default: break
      }
      throw abandon(
        Diagnostic(
          "T024", "comparisons cannot be chained", at: next, "join them with `and`, or put one in parentheses", fixes: fixes))
    }
    return result
  }

  mutating func sum() throws(Abandoned) -> Expression {
    let start = index
    var left = try term()
    var bit = bareBitOperator
    while at(.plus) || at(.minus) {
      if let step = stepInValue() { throw step }
      let sign = token.range
      let operation = at(.plus) ? BinaryOperator.add : .subtract
      if let bit { throw mixed(bit, sign) }
      let below = height
      advance()
      let right = try term()
      if let late = bareBitOperator { throw mixed(late, sign) }
      left = try make(.binary(operation, left, right), from: start, over: max(below, height))
      bit = nil
    }
    bareBitOperator = nil
    return left
  }

  mutating func mixed(_ bit: SourceRange, _ other: SourceRange) -> Abandoned {
    abandon(
      Diagnostic(
        "T034", "`\(source.text(bit))` and `\(source.text(other))` are mixed without parentheses", at: other,
        "put one of them in parentheses to show which comes first"))
  }

  func termOperator() -> (operation: BinaryOperator, isBit: Bool)? {
    switch kind {
    case .symbol(.star): (.multiply, false)
    case .symbol(.slash): (.divide, false)
    case .word("mod"), .symbol(.percent): (.modulo, false)
    case .symbol(.ampersand): (.bitAnd, true)
    case .symbol(.bar): (.bitOr, true)
    case .symbol(.caret): (.bitXor, true)
    case .symbol(.shiftLeft): (.shiftLeft, true)
    case .symbol(.shiftRight): (.shiftRight, true)
    default: nil
    }
  }

  mutating func term() throws(Abandoned) -> Expression {
    let start = index
    var left = try unary()
    var bit: SourceRange?
    var other: SourceRange?
    while let (operation, isBit) = termOperator() {
      let sign = token.range
      if isBit { bit = bit ?? sign } else { other = other ?? sign }
      if let bit, let other { throw mixed(bit, other) }
      let below = height
      try takeOperator()
      let right = try unary()
      left = try make(.binary(operation, left, right), from: start, over: max(below, height))
    }
    bareBitOperator = bit
    return left
  }

  mutating func unary() throws(Abandoned) -> Expression {
    guard at(.minus) else { return try postfix() }
    let start = index
    advance()
    // The smallest number has no positive counterpart.
    if case .number(.integer(let magnitude), let isHex, let isDecibel) = kind, !isHex, magnitude == UInt64(Int64.max) + 1 {
      advance()
      return try make(.number(NumberLiteral(value: .integer(.min), isDecibel: isDecibel)), from: start, over: 0)
    }
    try enter()
    defer { brackets -= 1 }
    let operand = try unary()
    if case .number(var literal) = operand.kind {
      switch literal.value {
      case .integer(let value) where value > .min: literal.value = .integer(-value)
      case .real(let value): literal.value = .real(-value)
      default: break
      }
      return try make(.number(literal), from: start, over: 0)
    }
    if case .duration(let span) = operand.kind { return try make(.duration(-span), from: start, over: 0) }
    return try make(.unary(.negate, operand), from: start, over: height)
  }

  mutating func postfix() throws(Abandoned) -> Expression {
    let start = index
    var value = try primary()
    while true {
      let below = height
      if at(.dot) {
        advance()
        guard let text = word else {
          throw abandon(Diagnostic("T014", "expected the name of a field after `.`", at: here, "found \(shown)"))
        }
        let name = NameSyntax(text: text, range: token.range)
        advance()
        if at(.openRound) {
          let (list, above) = try arguments()
          value = try make(.method(value, name, list), from: start, over: max(below, above))
        } else {
          value = try make(.member(value, name), from: start, over: below)
        }
      } else if at(.openSquare) {
        let opened = token
        advance()
        if at(.colon) { throw slice(of: value, opened, nil) }
        let first = try expression()
        if at(.colon) { throw slice(of: value, opened, first) }
        var above = height
        if accept(.dotDot) {
          let second = try expression()
          above = max(above, height)
          try close(.closeSquare, "expected `]` after the slice", opened: opened)
          value = try make(.slice(value, from: first, to: second), from: start, over: max(below, above))
        } else {
          try close(.closeSquare, "expected `]` after the index", opened: opened)
          value = try make(.index(value, first), from: start, over: max(below, above))
        }
      } else {
        return value
      }
    }
  }

  /// Reports `a[0:2]`, `a[:2]` and `a[2:]`. In other languages, negative bounds count from the end.
  private mutating func slice(of value: Expression, _ opened: Token, _ first: Expression?) -> Abandoned {
    let colon = token.range
    let count = "count(\(source.text(value.range)))"
    func bound(_ text: String) -> String { text.hasPrefix("-") ? "\(count) - \(text.dropFirst())" : text }
    var end = colon.end
    var to = ""
    if following.kind == .symbol(.closeSquare) {
      to = count
    } else if following.kind == .symbol(.minus) {
      to = count + " - "
      end = following.range.end
    }
    let from = first.map { bound(source.text($0.range)) } ?? "0"
    return abandon(
      Diagnostic(
        "T024", "a slice is written with `..`", at: colon, "the second bound is not included",
        fixes: [.replace(SourceRange(file: file, start: opened.range.end, end: end), with: "\(from) .. \(to)")]))
  }

  mutating func close(_ symbol: Symbol, _ message: String, opened: Token) throws(Abandoned) {
    if accept(symbol) { return }
    if let special = foreignHere() ?? reportedHere() ?? comprehension() { throw special }
    if symbol == .closeRound, message.hasSuffix("or an operator"), let equal = equalInParentheses() ?? printedInParentheses(opened)
    {
      throw equal
    }
    if token.startsLine || kind == .endOfFile, token.line != opened.line {
      throw abandon(Diagnostic("T013", "this `\(source.text(opened.range))` is not closed", at: opened.range, message))
    }
    throw abandon(Diagnostic("T013", message, at: here, "found \(shown)"))
  }

  /// `( [ arg { "," arg } ] )`
  mutating func arguments() throws(Abandoned) -> ([ArgumentSyntax], height: Int) {
    var list: [ArgumentSyntax] = []
    var above = 0
    let opened = token
    advance()
    while !at(.closeRound) {
      let first = try expression()
      above = max(above, height)
      if accept(.colon) {
        list.append(ArgumentSyntax(label: first, value: try expression()))
        above = max(above, height)
      } else {
        list.append(ArgumentSyntax(label: nil, value: first))
      }
      guard accept(.comma) else { break }
      lastComma(before: .closeRound)
    }
    try close(.closeRound, "expected `)` after the arguments", opened: opened)
    return (list, above)
  }
}
