import Exchange
import Vocabulary

/// Statements as other languages write them: `x *= 2`, `x++`, `x[0] = 5`.
extension Parser {
  /// Reports `x *= 2` and `x /= 2`.
  mutating func product(_ verb: String) -> Abandoned? {
    guard index + 2 < tokens.count, case .symbol(let sign) = tokens[index + 1].kind, [.star, .slash, .percent].contains(sign),
      tokens[index + 2].kind == .symbol(.equal), tokens[index + 1].range.end == tokens[index + 2].range.start, Words.isName(verb)
    else { return nil }
    let name = token.range
    index += 2
    let ours = sign == .percent ? "mod" : sign.rawValue
    return abandon(compoundAssignment("\(sign.rawValue)=", "set \(verb) to \(verb) \(ours)", name.to(token.range)))
  }

  /// Reports `x++`, `++x` and `x--`.
  mutating func increment(_ verb: String) -> Abandoned? {
    // This runs for every statement, so the cheapest test comes first.
    guard index + 2 < tokens.count, case .symbol(let sign) = tokens[index + 1].kind, sign == .plus || sign == .minus,
      tokens[index + 2].kind == .symbol(sign), tokens[index + 1].range.end == tokens[index + 2].range.start,
      followsPhraseEnd(index + 2), Words.isName(verb)
    else { return nil }
    let place = token.range.to(tokens[index + 2].range)
    let finding = Diagnostic(
      "T023", "`\(sign.rawValue)\(sign.rawValue)` is not part of the language", at: place, "use `set … to` to change a value",
      fixes: [.replace(place, with: "set \(verb) to \(verb) \(sign.rawValue) 1")])
    // After the sign the line would continue.
    index += 3
    return abandon(finding)
  }

  /// Reports `l.append(2)`, a value or a call of another language in the place of a statement.
  mutating func methodAlone(_ verb: String) -> Abandoned? {
    guard index + 3 < tokens.count, tokens[index + 1].kind == .symbol(.dot), case .word(let method) = tokens[index + 2].kind,
      tokens[index + 3].kind == .symbol(.openRound)
    else { return nil }
    let rest = tokens[index...].prefix { $0.kind != .newline && $0.kind != .endOfFile && $0.kind != .symbol(.semicolon) }
    guard let last = rest.last, last.kind == .symbol(.closeRound) else { return nil }
    let whole = token.range.to(last.range)
    let call = "`\(verb).\(method)(…)`"
    guard mayBeDeclared(verb) else {
      let foreign = ForeignWords.statement(method) ?? ForeignWords.statement(verb)
      return abandon(
        Diagnostic(
          "T012", "\(call) is not a statement", at: whole,
          foreign?.reason ?? (Words.actions.contains(method) ? "it is written `\(method) …`" : "nothing is named `\(verb)`")))
    }
    let inside = SourceRange(file: file, start: tokens[index + 3].range.end, end: last.range.start)
    let argument = source.text(inside)
    if ["append", "push", "add", "push_back"].contains(method), rest.count > 5 {
      return abandon(
        Diagnostic(
          "T023", "use `set` to change a list", at: whole, "`l + [x]` is a list with one more element",
          fixes: [.replace(whole, with: "set \(verb) to \(verb) + [\(argument)]")]))
    }
    if let ours = Self.statement(method, argument, of: verb), !source.text(inside).contains("(") {
      return abandon(
        Diagnostic(
          "T012", "\(call) is not a statement", at: whole, "statements are words: `\(ours)`", fixes: [.replace(whole, with: ours)]))
    }
    return abandon(
      Diagnostic(
        "T012", "\(call) is a value, not a statement", at: whole, "`print` it, or name it with `let`",
        notes: ["no method changes its value: `set \(verb) to …` does"]))
  }

  /// What is written `strap.connect()` where devices are objects; `nil` if it is something else.
  static func statement(_ method: String, _ argument: String, of device: String) -> String? {
    switch (method, argument.isEmpty) {
    case ("connect", true): "connect to \(device)"
    case ("disconnect", true): "disconnect from \(device)"
    case ("pair", true): "pair with \(device)"
    case ("discover", true): "discover everything of \(device)"
    case ("read", false), ("read_gatt_char", false): "read \(argument) of \(device)"
    case ("subscribe", false), ("start_notify", false): "subscribe to \(argument) of \(device)"
    case ("unsubscribe", false), ("stop_notify", false): "unsubscribe from \(argument) of \(device)"
    default: nil
    }
  }

  /// Reports `for i in range(5):` and `for i = 1 to 5`.
  mutating func forWithoutEach(_ start: Int) -> Abandoned? {
    if at(.openRound) {
      return abandon(
        Diagnostic(
          "T013", "expected `each` after `for`", at: token.range, "use `repeat 5 times`, or `for each x in [1, 2, 3]`"))
    }
    guard let name = word, Words.isName(name) else { return nil }
    if following.kind == .symbol(.equal) {
      var fixes: [Fix] = []
      if index + 4 < tokens.count, case .number(.integer(let from), _, _) = tokens[index + 2].kind,
        tokens[index + 3].kind == .word("to"), case .number(.integer(let to), _, _) = tokens[index + 4].kind
      {
        let place = following.range.to(tokens[index + 4].range)
        fixes = Self.listFix(from, to &+ 1, at: place).map { fix in
          Fix(
            edits: fix.edits.map { Fix.Edit(range: $0.range, replacement: "in \($0.replacement)") } + [
              Fix.Edit(range: SourceRange(file: file, start: token.range.start, end: token.range.start), replacement: "each ")
            ])
        }
      }
      return abandon(
        Diagnostic(
          "T013", "expected `each` after `for`", at: token.range, "as in `for each \(name) in [1, 2, 3]`, or `repeat 3 times`",
          fixes: fixes))
    }
    guard following.kind == .word("in") else { return nil }
    let rest = tokens[index...].prefix { $0.kind != .newline && $0.kind != .endOfFile && $0.kind != .symbol(.colon) }
    let each = Fix.Edit(range: SourceRange(file: file, start: token.range.start, end: token.range.start), replacement: "each ")
    var edits = [each]
    let numbers = rest.dropFirst(4).dropLast().compactMap { UInt64(source.text($0.range)) }
    if rest.count == 5 + 2 * numbers.count - 1, rest[index + 2].kind == .word("range"), let last = rest.last, numbers.count < 3 {
      let from = numbers.count == 2 ? numbers[0] : 0
      edits += Self.listFix(from, numbers.last ?? 0, at: rest[index + 2].range.to(last.range)).flatMap(\.edits)
    }
    let isRange = rest.count > 3 && rest[index + 2].kind == .word("range")
    let colons = endsInCoveredColon(start) ? [] : withoutColons(from: start)
    var fixes = [Fix(edits: edits + colons)]
    if rest.count == 5, case .number(.integer(let from), _, _) = rest[index + 2].kind, rest[index + 3].kind == .symbol(.dotDot),
      case .number(.integer(let to), _, _) = rest[index + 4].kind
    {
      // Languages differ in whether the last number is included.
      let place = rest[index + 2].range.to(rest[index + 4].range)
      fixes = [to, to &+ 1].flatMap { Self.listFix(from, $0, at: place) }.map { Fix(edits: [each] + $0.edits + colons) }
    }
    return abandon(
      Diagnostic(
        "T013", "expected `each` after `for`", at: token.range,
        isRange && edits.count == 1 ? "use `repeat … times`, and count in a name" : "found `\(name)`", fixes: fixes))
  }

  /// Reports `f` and `call f()`, where `f` is a procedure of this text.
  mutating func callWithoutParentheses(_ verb: String) -> Abandoned? {
    func isProcedure(_ name: String) -> Bool {
      tokens.indices.dropLast().contains { tokens[$0].kind == .word("procedure") && tokens[$0 + 1].kind == .word(name) }
    }
    if ["call", "invoke", "exec", "execute", "do", "perform"].contains(verb), case .word(let name) = following.kind,
      isProcedure(name)
    {
      let glue = SourceRange(file: file, start: token.range.start, end: following.range.start)
      var edits = [Fix.Edit(range: glue, replacement: "")]
      if index + 2 >= tokens.count || tokens[index + 2].kind != .symbol(.openRound) {
        let end = SourceRange(file: file, start: following.range.end, end: following.range.end)
        edits.append(Fix.Edit(range: end, replacement: "()"))
      }
      return abandon(
        Diagnostic(
          "T022", "a call needs no `\(verb)`", at: token.range, "the name and its values are enough: `\(name)(…)`",
          fixes: [Fix(edits: edits)]))
    }
    guard isProcedure(verb) else { return nil }
    return abandon(
      Diagnostic(
        "T012", "a call needs parentheses", at: token.range, "`\(verb)` is a procedure",
        fixes: followsPhraseEnd(index) ? [.insert("()", after: token.range)] : []))
  }

  /// Reports `x[0] = 5`, `x.field = 5` and `x.field += 5`.
  mutating func partAssignment(_ verb: String) -> Abandoned? {
    guard index + 1 < tokens.count, [.symbol(.openSquare), .symbol(.dot)].contains(tokens[index + 1].kind), Words.isName(verb)
    else { return nil }
    var (place, depth) = (index + 1, 0)
    var sign: Symbol?
    while sign == nil, place + 1 < tokens.count, tokens[place].line == token.line {
      switch tokens[place].kind {
      case .symbol(.openSquare): depth += 1
      case .symbol(.closeSquare): depth -= 1
      case .symbol(let found) where depth == 0 && [.equal, .plusEqual, .minusEqual].contains(found): sign = found
      case .symbol(.dot), .word: break
      default: if depth == 0 { return nil }
      }
      place += 1
    }
    guard let sign else { return nil }
    let whole = token.range.to(tokens[place - 1].range)
    let path = source.text(token.range.to(tokens[place - 2].range))
    index = place - 1
    if sign != .equal {
      return abandon(compoundAssignment(sign.rawValue, "set \(path) to \(path) \(sign.rawValue.prefix(1))", whole))
    }
    index = place
    return abandon(
      Diagnostic(
        "T023", "use `set` to change a part of a value", at: whole, "`set \(path) to …`",
        fixes: [.replace(whole, with: "set \(path) to")]))
  }
}
