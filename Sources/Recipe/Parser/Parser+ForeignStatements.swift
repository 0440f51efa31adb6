import Exchange
import Vocabulary

/// Statements as other languages write them: `x *= 2`, `while True:`, `strap.connect()`.
extension Parser {
  /// Signs that other languages join with `=`, besides `+` and `-`.
  static let joined: [Symbol] = [.star, .slash, .percent, .ampersand, .bar, .caret, .shiftLeft, .shiftRight]

  /// Reports `x *= 2`, `x <<= 1` and the like.
  mutating func product(_ verb: String) -> Abandoned? {
    guard index + 2 < tokens.count, case .symbol(let sign) = tokens[index + 1].kind, Self.joined.contains(sign),
      tokens[index + 2].kind == .symbol(.equal), tokens[index + 1].range.end == tokens[index + 2].range.start, Words.isName(verb)
    else { return nil }
    let name = token.range
    let caret = tokens[index + 1].range.to(tokens[index + 2].range)
    index += 2
    let ours = sign == .percent ? "mod" : sign.rawValue
    return abandon(
      compoundAssignment("\(sign.rawValue)=", "set \(verb) to \(verb) \(ours)", name.to(token.range), at: caret))
  }

  /// Reports `x++`, `++x` and `x--`.
  mutating func increment(_ verb: String) -> Abandoned? {
    // This runs for every statement, so the cheapest test comes first.
    guard index + 2 < tokens.count, case .symbol(let first) = tokens[index + 1].kind,
      [.plus, .minus, .dot, .openSquare].contains(first), Words.isName(verb)
    else { return nil }
    // The end of `x`, `x.n` or `x[0]`.
    var last = index
    while last + 2 < tokens.count, last - index < 16 {
      if tokens[last + 1].kind == .symbol(.dot), case .word = tokens[last + 2].kind {
        last += 2
      } else if last + 3 < tokens.count, tokens[last + 1].kind == .symbol(.openSquare),
        tokens[last + 3].kind == .symbol(.closeSquare)
      {
        last += 3
      } else {
        break
      }
    }
    guard last + 2 < tokens.count, case .symbol(let sign) = tokens[last + 1].kind, sign == .plus || sign == .minus,
      tokens[last + 2].kind == .symbol(sign), tokens[last + 1].range.end == tokens[last + 2].range.start
    else { return nil }
    guard followsPhraseEnd(last + 2) else {
      // `n++ + 1`
      guard mayBeDeclared(verb) else { return nil }
      index = last + 1
      return stepInValue()
    }
    let path = source.text(token.range.to(tokens[last].range))
    let place = token.range.to(tokens[last + 2].range)
    let finding = Diagnostic(
      "T023", "`\(sign.rawValue)\(sign.rawValue)` is not part of the language", at: place, "use `set … to` to change a value",
      fixes: [.replace(place, with: "set \(path) to \(path) \(sign.rawValue) 1")])
    // After the sign the line would continue.
    index = last + 3
    return abandon(finding)
  }

  /// Reports `for i in range(5):` and `for i = 1 to 5`.
  mutating func forWithoutEach(_ start: Int) -> Abandoned? {
    if at(.openRound) {
      return abandon(
        Diagnostic(
          "T013", "expected `each` after `for`", at: token.range, "use `repeat 5 times`, or `for each x in [1, 2, 3]`",
          fixes: loopInParentheses()))
    }
    guard let name = word, Words.isName(name) else { return nil }
    if name == "each", following.kind == .word("in") {
      return abandon(
        Diagnostic("T014", "expected a name for the elements", at: following.range, "as in `for each x in [1, 2, 3]`"))
    }
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
    if following.kind == .symbol(.comma) {
      return abandon(
        Diagnostic(
          "T013", "expected `each` and one name after `for`", at: token.range,
          "as in `for each \(name) in r.keys()`; `r[\(name)]` is the value"))
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
    if let fix = listWithoutCommas(token.range, tokens[(index + 2)...].prefix { $0.kind != .newline && $0.kind != .endOfFile }) {
      return abandon(
        Diagnostic("T013", "expected `each` after `for`", at: token.range, "as in `for each \(name) in [1, 2, 3]`", fixes: [fix]))
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
    if path.hasSuffix("[]") { return abandon(appended(String(path.dropLast(2)), whole)) }
    return abandon(
      Diagnostic(
        "T023", "use `set` to change a part of a value", at: whole, "`set \(path) to …`",
        fixes: [.replace(whole, with: "set \(path) to")]))
  }

  /// Reports a word of another language in the place of a statement.
  mutating func foreignStatement(_ verb: String, _ foreign: (instead: String, reason: String)) -> Diagnostic {
    let place = token.range
    var fixes: [Fix] = []
    if ["loop", "do"].contains(verb), case .number = following.kind {
      return Diagnostic(
        "T022", "this loop is written `repeat … times`", at: place, "there is no statement `\(verb)`",
        fixes: [.replace(place, with: "repeat")])
    }
    if foreign.instead == "wait" {
      if case .number = following.kind {
        let whole = place.to(following.range)
        let value = source.text(following.range)
        fixes = ForeignWords.units(ofPause: verb, value).map { .replace(whole, with: "wait \(value)\($0)") }
      } else if case .duration = following.kind {
        fixes = [.replace(place, with: "wait")]
      }
    } else if verb == "do", followsNewline(index) || following.kind == .symbol(.openCurly), let loop = loopWithLateCondition() {
      return Diagnostic(
        "T022", "there is no loop with its condition at the end", at: place, "there is no statement `do`",
        fixes: loop.fixes, notes: loop.fixes.isEmpty ? [loop.note] : [])
    } else if foreign.instead.isEmpty, token.startsLine, followsNewline(index) {
      let line = source.line(of: place.start)
      fixes = [.replace(source.startOfLine(line, file: file).to(source.startOfLine(line + 1, file: file)), with: "")]
    } else if foreign.instead.isEmpty, followsNewline(index), index > 0 {
      fixes = [.replace(SourceRange(file: file, start: previous.range.end, end: place.end), with: "")]
    } else if foreign.instead.isEmpty {
      fixes = [
        .replace(SourceRange(file: file, start: place.start, end: max(place.end, min(following.range.start, lineEnd))), with: "")
      ]
    } else if foreign.instead == "include" {
      if case .text = following.kind {
        fixes = [.replace(place, with: "include")]
      } else {
        let line = source.line(of: place.start)
        let whole = source.startOfLine(line, file: file).to(source.startOfLine(line + 1, file: file))
        return Diagnostic(
          "T022", "nothing has to be imported", at: place, "every name is built in; use `include \"file.ble\"` for other files",
          fixes: token.startsLine ? [.replace(whole, with: "")] : [])
      }
    } else if foreign.instead == "scan for", case .word("for") = following.kind {
      fixes = [.replace(place, with: "scan")]
    } else if foreign.instead == "otherwise", let rescue = rescueHeader(at: index + 1), rescue.brace > index + 1 {
      fixes = [.replace(place.to(tokens[rescue.brace].range), with: "otherwise" + rescue.clause)]
    } else if foreign.instead == "otherwise", case .word(let next) = following.kind {
      if let type = ForeignWords.exception(next) {
        fixes = [.replace(place.to(following.range), with: type)]
      } else {
        let isKind = Checker.failureKinds.contains(next)
        fixes = [.replace(place, with: isKind ? "otherwise if" : next == "as" ? "otherwise" : "otherwise as")]
      }
    } else if verb == "unless" {
      let header = tokens[(index + 1)...].prefix {
        ![.newline, .endOfFile, .symbol(.colon), .symbol(.openCurly), .word("then")].contains($0.kind)
      }
      guard let first = header.first, let last = header.last else { return Diagnostic("T022", foreign.reason, at: place) }
      let condition = source.text(first.range.to(last.range))
      let isGroup = header.count == 1 || first.kind == .symbol(.openRound) && closesAtEnd(header)
      let edit = Fix.Edit(range: place.to(last.range), replacement: "if not \(isGroup ? condition : "(\(condition))")")
      fixes = [Fix(edits: endsInCoveredColon(index) ? [edit] : [edit] + withoutColons(from: index))]
    } else if foreign.instead == "repeat while", let always = alwaysTrue {
      let edit = Fix.Edit(range: place.to(always), replacement: "repeat forever")
      return Diagnostic(
        "T022", "this loop is written `repeat forever`", at: place, "there is no statement `\(verb)`",
        fixes: [Fix(edits: endsInCoveredColon(index) ? [edit] : [edit] + withoutColons(from: index))])
    } else if foreign.instead == "stop", case .number(.integer(let code), _, _) = following.kind,
      ForeignWords.stop(code: code) == nil
    {
      return Diagnostic("T022", foreign.reason, at: place, Self.ownCodes)
    } else if let own = fixesOfValue(verb, foreign.instead) {
      fixes = own
    } else {
      let edit = Fix.Edit(range: place, replacement: foreign.instead)
      fixes = [Fix(edits: token.startsLine && !endsInCoveredColon(index) ? [edit] + withoutColons(from: index) : [edit])]
    }
    return Diagnostic("T022", foreign.reason, at: place, "there is no statement `\(verb)`", fixes: fixes)
  }

  /// The fixes of a foreign statement whose value changes, too; `nil` if only its word does.
  private func fixesOfValue(_ verb: String, _ ours: String) -> [Fix]? {
    let place = token.range
    switch (ours, following.kind) {
    case ("print", .text) where source.text(following.range).contains("$"):
      // Values in text, as in a shell. Others may be meant literally.
      let text = source.text(following.range)
      let filled = shellValues(text)
      return filled == text ? [] : [.replace(place.to(following.range), with: "print \(filled)")]
    case ("print", _):
      if verb == "printf" { return printedFormat().map { [$0] } ?? [] }
      return bareWords.map { [.replace(place.to($0), with: "print \"\(source.text($0))\"")] }
    case ("stop", .number(.integer(0), _, _)): return [.replace(place.to(following.range), with: "stop")]
    case ("stop", .number): return [.replace(place, with: "stop with code")]
    case ("fail", _): return thrownText().map { [.replace(place.to($0.whole), with: "fail \($0.text)")] }
    default: return nil
    }
  }

  /// A text with `{name}` instead of `$name` and `${name}`; the text itself if one of them is not
  /// declared.
  private func shellValues(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let sign = rest.firstIndex(of: "$") {
      result += rest[..<sign]
      var name = rest[rest.index(after: sign)...]
      let isBraced = name.first == "{"
      if isBraced { name = name.dropFirst() }
      let word = name.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
      guard !word.isEmpty, declares(String(word)), !isBraced || name[word.endIndex...].first == "}" else { return text }
      result += "{\(word)}"
      rest = name[word.endIndex...].dropFirst(isBraced ? 1 : 0)
    }
    return result + rest
  }

  /// The words after the current one, as in `echo hello world`, if none is a name of this text.
  private var bareWords: SourceRange? {
    let rest = tokens[(index + 1)...].prefix { $0.kind != .newline && $0.kind != .endOfFile }
    let areWords = rest.allSatisfy { token in
      guard case .word(let word) = token.kind else { return false }
      return !mayBeDeclared(word) && word != "it" && word != "device"
    }
    guard areWords, let first = rest.first, let last = rest.last else { return nil }
    return first.range.to(last.range)
  }

  /// Whether the current sign or word belongs to a loop that is already reported.
  var isCovered: Bool { !coveredSigns.isEmpty && coveredSigns.contains(token.range.start) }

  /// The loop of another language that begins at the current word and ends with `while c` or
  /// `until c`; its end is not reported again.
  mutating func loopWithLateCondition() -> (fixes: [Fix], note: String)? {
    let column = source.column(of: token.range.start)
    var opening = index + 1
    while opening < tokens.count, tokens[opening].kind == .newline { opening += 1 }
    guard opening < tokens.count else { return nil }
    let hasBraces = tokens[opening].kind == .symbol(.openCurly)
    // The first token of its end: `}`, or else the condition's word in the column of the loop.
    var end: Int?
    if hasBraces {
      end = closingBrace(of: opening)
    } else {
      end = tokens.indices[opening...].first {
        tokens[$0].startsLine && tokens[$0].kind != .newline && source.column(of: tokens[$0].range.start) <= column
      }
    }
    guard let end else { return nil }
    var condition = end
    if hasBraces {
      repeat { condition += 1 } while condition < tokens.count && tokens[condition].kind == .newline
    }
    guard condition < tokens.count, case .word(let keyword) = tokens[condition].kind, keyword == "while" || keyword == "until",
      source.column(of: tokens[end].range.start) == column || !tokens[end].startsLine
    else { return nil }
    let rest = tokens[(condition + 1)...].prefix { $0.kind != .newline && $0.kind != .endOfFile }
    let tested = rest.last?.kind == .symbol(.semicolon) ? rest.dropLast() : rest
    let note =
      "write `repeat forever`, and at line \(tokens[condition].line) `if \(keyword == "while" ? "not (…)" : "…"): leave` and `end`"
    for place in [opening, end, condition] where tokens[place].startsLine && (hasBraces || place != opening) {
      coveredSigns.insert(tokens[place].range.start)
    }
    // `skip` would go past the condition.
    let skips = tokens[opening..<end].contains { $0.kind == .word("continue") || $0.kind == .word("skip") }
    guard tokens[end].startsLine, !skips, let first = tested.first, let last = tested.last, tested.count < 64 else {
      return ([], note)
    }
    var text = source.text(first.range.to(last.range))
    let isOneGroup = first.kind == .symbol(.openRound) && closesAtEnd(tested)
    if !isOneGroup { text = "(\(text))" }
    let indent = source.indentation(ofLine: token.line)
    let begin = SourceRange(file: file, start: token.range.start, end: hasBraces ? tokens[opening].range.end : token.range.end)
    let ending = SourceRange(file: file, start: tokens[end].range.start, end: rest.last?.range.end ?? last.range.end)
    return (
      [
        Fix(edits: [
          Fix.Edit(range: begin, replacement: "repeat forever"),
          Fix.Edit(range: ending, replacement: "  if \(keyword == "while" ? "not " : "")\(text): leave\n\(indent)end"),
        ])
      ], note
    )
  }

  /// Whether the first parenthesis closes at the last token.
  private func closesAtEnd(_ tokens: ArraySlice<Token>) -> Bool {
    var level = 0
    for place in tokens.indices {
      if tokens[place].kind == .symbol(.openRound) { level += 1 }
      if tokens[place].kind == .symbol(.closeRound) { level -= 1 }
      if level == 0 { return place == tokens.endIndex - 1 }
    }
    return false
  }

  /// Whether `; do` ends the header, as in a shell.
  private func isShellDo(_ place: Int) -> Bool {
    place + 2 < tokens.count && tokens[place].kind == .symbol(.semicolon) && tokens[place + 1].kind == .word("do")
      && tokens[place + 2].kind == .newline
  }

  /// The condition `True`, `true`, `1` or `(true)` after the current word, if it is all of the
  /// header.
  private var alwaysTrue: SourceRange? {
    var place = index + 1
    let isParenthesised = place < tokens.count && tokens[place].kind == .symbol(.openRound)
    if isParenthesised { place += 1 }
    guard place + 1 < tokens.count, ["True", "TRUE", "true", "1"].contains(source.text(tokens[place].range)) else { return nil }
    if isParenthesised {
      place += 1
      guard tokens[place].kind == .symbol(.closeRound), place + 1 < tokens.count else { return nil }
    }
    if isShellDo(place + 1) { return tokens[place].range.to(tokens[place + 2].range) }
    switch tokens[place + 1].kind {
    case .newline, .endOfFile, .symbol(.colon), .symbol(.openCurly): return tokens[place].range
    default: return nil
    }
  }

  /// Reports `x = 5`, and `x := 5` of which `last` is the `=`.
  mutating func assignment(_ name: String, last: SourceRange? = nil) -> Abandoned {
    let place = token.range.to(last ?? following.range)
    if name == "let" {
      return abandon(Diagnostic("T014", "expected a new name", at: following.range, "as in `let count = 5`"))
    }
    let sign = last ?? following.range
    let next = Int(sign.end) < source.bytes.count ? source.bytes[Int(sign.end)] : 0x20
    let gap = next == 0x20 || next == 0x09 || next == 0x0A ? "" : " "
    let create = Fix.replace(place, with: "let \(name) =\(gap)")
    let change = Fix.replace(place, with: "set \(name) to\(gap)")
    // `letx = 5`, without the space.
    let split = name.hasPrefix("let") ? String(name.dropFirst(3)) : ""
    let spaced = Words.isName(split) && !mayBeDeclared(name) ? [Fix.replace(place, with: "let \(split) =")] : []
    let usual =
      switch assignmentBefore(name) {
      case .none: [create]
      case .inThisBlock: [change]
      case .unknown: [create, change]
      }
    return abandon(
      Diagnostic(
        "T023", "use `let` or `set` to give a name a value", at: place, "`let` for a new name, `set … to` to change it",
        fixes: spaced + usual))
  }

  private enum EarlierAssignment { case none, inThisBlock, unknown }

  /// Looks for `x = …` in the lines before the current statement, which were refused as well.
  private func assignmentBefore(_ name: String) -> EarlierAssignment {
    if mayBeDeclared(name) { return .unknown }
    let earlier = tokens.indices.prefix(index).filter { tokens[$0].kind == .word(name) && tokens[$0 + 1].kind == .symbol(.equal) }
    guard let first = earlier.first else { return .none }
    // A line that is indented less closes the block of the first one.
    let column = source.column(of: tokens[first].range.start)
    let isClosed = tokens[first...index].contains { $0.startsLine && source.column(of: $0.range.start) < column }
    return isClosed || !tokens[first].startsLine ? .unknown : .inThisBlock
  }
}
