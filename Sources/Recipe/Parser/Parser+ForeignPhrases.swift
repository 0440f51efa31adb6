import Exchange
import Vocabulary

/// What other languages write inside or after a statement: `stop if x`, `a ?? b`, `- read x`.
extension Parser {
  /// The statement that begins at the first token of the current line, up to the current token;
  /// `nil` if something comes before it.
  private func actionBefore(_ phrase: String) -> SourceRange? {
    guard let verb = phrase.split(separator: " ").first, Words.actions.contains(String(verb)),
      let start = tokens[..<index].lastIndex(where: { $0.startsLine && $0.kind != .newline }),
      tokens[start].kind == .word(String(verb)), tokens[start].line == token.line, start < index
    else { return nil }
    return tokens[start].range.to(previous.range)
  }

  /// The tokens from the current one to the end of its line.
  private var restOfLine: ArraySlice<Token> {
    tokens[index...].prefix { $0.kind != .newline && $0.kind != .endOfFile }
  }

  /// Reports `stop if x is 1`, `print 1 when x` and `connect unless x`, where the condition comes
  /// last.
  mutating func lateCondition(_ phrase: String) -> Abandoned? {
    guard let found = word, ["if", "when", "unless"].contains(found), following.kind != .word("unsure"),
      let action = actionBefore(phrase)
    else { return nil }
    let condition = restOfLine.dropFirst()
    guard let first = condition.first, let last = condition.last, !condition.contains(where: { $0.kind == .word("else") }) else {
      return nil
    }
    let text = source.text(first.range.to(last.range))
    let isOne = condition.count == 1
    let header = found == "unless" ? "if not \(isOne ? text : "(\(text))")" : "if \(text)"
    return abandon(
      Diagnostic(
        "T027", "the condition comes before the statement", at: token.range, "as in `if c: print x`",
        fixes: [.replace(action.to(last.range), with: "\(header): \(source.text(action))")]))
  }

  /// Reports `connect && read x`, `connect || stop`, `read x | tee f` and `read x > f`.
  mutating func shellSign(_ phrase: String) -> Abandoned? {
    guard case .symbol(let sign) = kind, let action = actionBefore(phrase) else { return nil }
    switch sign {
    case .doubleAmpersand where followingIsAction:
      let glue = SourceRange(file: file, start: action.end, end: following.range.start)
      return abandon(
        Diagnostic(
          "T015", "each statement needs a line of its own", at: token.range, "a statement that fails ends the recipe",
          fixes: [.replace(glue, with: "\n" + source.indentation(ofLine: token.line))]))
    case .doubleBar where followingIsAction:
      return abandon(
        Diagnostic(
          "T022", "use `otherwise` to handle a failure", at: token.range, "found `||`",
          fixes: [.replace(token.range, with: "otherwise")]))
    case .greater, .shiftRight, .bar:
      let isRead = phrase == "read"
      return abandon(
        Diagnostic(
          "T015", "the value of a statement cannot be redirected", at: token.range,
          "name it with `as`, and use `append` or `save` to write a file",
          notes: isRead ? ["as in `read battery_level as level` and `append level to \"level.csv\"`"] : []))
    default: return nil
    }
  }

  /// Reports `x less than 20` and `x is greater than 20`; the current word is `less` or `than`.
  mutating func spokenComparison() -> Abandoned? {
    var first = index
    if word == "than", index > 1 { first = index - 1 }
    if word == "to", index > 1, case .word("equal") = previous.kind, tokens[index - 2].kind == .word("is") {
      let place = tokens[index - 2].range.to(token.range)
      return abandon(
        Diagnostic("T024", "`is equal to` is written `is`", at: place, "", fixes: [.replace(place, with: "is")]))
    }
    if case .word(let adjective) = tokens[first].kind, let sign = Self.comparatives[adjective], first + 1 < tokens.count {
      let isLong = tokens[first + 1].kind == .word("than")
      if isLong || first == index {
        if first > 0, tokens[first - 1].kind == .word("is") { first -= 1 }
        let last = isLong ? tokens[max(index, first)...].first { $0.kind == .word("than") } ?? token : token
        let place = tokens[first].range.to(last.range)
        return abandon(
          Diagnostic(
            "T024", "`\(source.text(place))` is written `\(sign)`", at: place, "", fixes: [.replace(place, with: sign)]))
      }
    }
    return nil
  }

  private static let comparatives = [
    "less": "<", "smaller": "<", "lower": "<", "below": "<", "under": "<", "greater": ">", "bigger": ">", "more": ">",
    "higher": ">", "larger": ">", "above": ">", "over": ">",
  ]

  /// Reports `20%`: a number with a percent sign after it.
  mutating func percentSign() -> Abandoned? {
    guard at(.percent), case .number = previous.kind, followsPhraseEnd(index) else { return nil }
    return abandon(
      Diagnostic(
        "T024", "a number has no percent sign", at: token.range, "the number is enough: `20`",
        fixes: [.replace(token.range, with: "")]))
  }

  /// Reports `print "a" "b"` and `print "a", end=""`.
  mutating func outputOfOthers(_ phrase: String) -> Abandoned? {
    guard ["print", "log", "warn", "debug"].contains(phrase) else { return nil }
    switch kind {
    case .text, .number, .word:
      if case .word(let name) = kind {
        guard case .text = previous.kind, Words.isName(name), declares(name), followsPhraseEnd(index) else { return nil }
      }
      return abandon(
        Diagnostic(
          "T015", "values are separated by `,`", at: token.range, "as in `\(phrase) a, b`",
          fixes: [.insert(",", after: previous.range)]))
    default: return nil
    }
  }

  /// Reports the `end=""` of Python in the place of a value.
  mutating func endingOfPython() -> Abandoned? {
    guard word == "end" || word == "sep", following.kind == .symbol(.equal), index + 2 < tokens.count,
      case .text = tokens[index + 2].kind, previous.kind == .symbol(.comma)
    else { return nil }
    guard word == "end" else {
      return abandon(Diagnostic("T022", "there is no `sep`", at: token.range, "join the values in one text: `\"{a}-{b}\"`"))
    }
    let place = previous.range.to(tokens[index + 2].range)
    return abandon(
      Diagnostic(
        "T022", "use `ending` for what comes after the values", at: token.range, "as in `print a ending \"\"`",
        fixes: [.replace(place, with: " ending \(source.text(tokens[index + 2].range))")]))
  }

  /// Reports `- read x`, an entry of a list in YAML or Markdown.
  mutating func listDash() -> Abandoned? {
    guard at(.minus), token.startsLine, case .word(let verb) = following.kind, Words.all.contains(verb) else { return nil }
    let place = SourceRange(file: file, start: token.range.start, end: following.range.start)
    return abandon(
      Diagnostic("T022", "a statement needs no `-` before it", at: token.range, "", fixes: [.replace(place, with: "")]))
  }

  /// Reports `scan for x with name "Polar"`.
  mutating func withName() -> Abandoned? {
    guard word == "with" || word == "by", case .word(let noun) = following.kind, ["name", "named"].contains(noun),
      index + 2 < tokens.count, case .text = tokens[index + 2].kind
    else { return nil }
    let place = token.range.to(following.range)
    return abandon(
      Diagnostic(
        "T026", "use `named` before the name of a device", at: place, "as in `scan for heart_rate named \"Polar*\"`",
        fixes: [.replace(place, with: "named")]))
  }

  /// Reports `on notify x (beat) =>` and `on notify x (beat)`.
  mutating func parameterOfHandler(_ phrase: String) -> Abandoned? {
    guard phrase.hasPrefix("on "), at(.openRound), case .word(let name) = following.kind, Words.isName(name),
      index + 2 < tokens.count, tokens[index + 2].kind == .symbol(.closeRound)
    else { return nil }
    var last = index + 2
    if last + 1 < tokens.count, tokens[last + 1].kind == .symbol(.fatArrow) { last += 1 }
    let place = token.range.to(tokens[last].range)
    return abandon(
      Diagnostic(
        "T026", "use `as` to name the value", at: place, "as in `as \(name)`", fixes: [.replace(place, with: "as \(name)")]))
  }

  /// Reports `if (x = 1)`, where `=` is in parentheses.
  mutating func equalInParentheses() -> Abandoned? {
    guard at(.equal) else { return nil }
    let isSpaced = token.range.start > 0 && source.bytes[Int(token.range.start) - 1] == 0x20
    return abandon(
      Diagnostic(
        "T024", "equality is written `is`", at: token.range, "`=` only sets a value, as in `let n = …`",
        fixes: isSpaced ? [.replace(token.range, with: "is")] : [.replace(token.range, with: " is ")]))
  }

  /// Reports `print("a", 5)`: several values in parentheses.
  mutating func printedInParentheses(_ opened: Token) -> Abandoned? {
    guard at(.comma), let open = tokens[..<index].lastIndex(where: { $0.range == opened.range }), open > 0,
      case .word(let verb) = tokens[open - 1].kind, ["print", "log", "warn", "debug"].contains(verb)
    else { return nil }
    var fixes: [Fix] = []
    if let close = closing(open), followsPhraseEnd(close) {
      let isJoined = tokens[open - 1].range.end == opened.range.start
      fixes = [
        Fix(edits: [
          Fix.Edit(range: opened.range, replacement: isJoined ? " " : ""), Fix.Edit(range: tokens[close].range, replacement: ""),
        ])
      ]
    }
    return abandon(
      Diagnostic(
        "T013", "`\(verb)` takes several values without parentheses", at: opened.range, "as in `\(verb) a, b`", fixes: fixes)
    )
  }

  /// Reports `[x for x in l]` and `sum(x for x in l)`.
  mutating func comprehension() -> Abandoned? {
    guard word == "for" else { return nil }
    return abandon(
      Diagnostic(
        "T022", "there are no list comprehensions", at: token.range, "build the list in a loop",
        notes: ["as in `for each x in l`, `set result to result + [x]` and `end`"]))
  }

  /// Reports `read "file.json"`, `write x to "file.json"` and `open "file.txt"`: files are not
  /// attributes.
  mutating func fileAsAttribute() -> Abandoned? {
    guard case .text = kind, let start = tokens[..<index].lastIndex(where: { $0.startsLine && $0.kind != .newline }),
      case .word(let verb) = tokens[start].kind
    else { return nil }
    let name = source.text(token.range)
    let inside = name.dropFirst().dropLast()
    let ending = inside.split(separator: ".").last.map(String.init) ?? ""
    guard inside.contains("."), (1...5).contains(ending.count), UUID(String(inside)) == nil, !inside.contains(" ") else {
      return nil
    }
    switch verb {
    case "write":
      return abandon(
        Diagnostic(
          "T022", "use `save` or `append` to write a file", at: token.range, "`write` writes to a characteristic",
          fixes: [.replace(tokens[start].range, with: "save"), .replace(tokens[start].range, with: "append")]))
    case "read", "open":
      return abandon(
        Diagnostic(
          "T022", "use `file(…)` to read a file", at: token.range,
          verb == "read" ? "`read` reads a characteristic" : "`open` opens a channel",
          notes: ["as in `let text = file(\(name)).text()`"]))
    default: return nil
    }
  }

  /// Reports `procedure add a b`.
  mutating func bareParameters() -> Abandoned? {
    let names = restOfLine.filter { $0.kind != .symbol(.comma) && $0.kind != .symbol(.colon) }
    guard let first = names.first, let last = names.last,
      names.allSatisfy({ token in if case .word(let name) = token.kind { Words.isName(name) } else { false } })
    else { return nil }
    let list = names.map { source.text($0.range) }.joined(separator: ", ")
    let place = SourceRange(file: file, start: previous.range.end, end: last.range.end)
    return abandon(
      Diagnostic(
        "T013", "expected `(` after the name of the procedure", at: first.range, "as in `(\(list))`",
        fixes: [.replace(place, with: "(\(list))")]))
  }

  /// Reports `for i in 1 2 3`, the words of a shell.
  mutating func listWithoutCommas(_ name: SourceRange, _ rest: ArraySlice<Token>) -> Fix? {
    if let body = rest.firstIndex(where: { $0.kind == .word("do") }), body > rest.startIndex, body + 1 < rest.endIndex {
      return shellLoopOnOneLine(name, rest, body)
    }
    var items = rest
    if items.last?.kind == .word("do") { items = items.dropLast() }
    if items.last?.kind == .symbol(.semicolon) { items = items.dropLast() }
    guard items.count > 1, let first = items.first, let last = rest.last,
      items.allSatisfy({ token in
        switch token.kind {
        case .number, .text: true
        default: false
        }
      })
    else { return nil }
    let list = shellList(items)
    return Fix(edits: [
      Fix.Edit(range: SourceRange(file: file, start: name.start, end: name.start), replacement: "each "),
      Fix.Edit(range: first.range.to(last.range), replacement: "[\(list)]"),
    ])
  }

  /// Reports `"{}".format(x)`: text with empty braces, and its values after it.
  mutating func formattedText(at brace: Int, of whole: SourceRange) -> Abandoned? {
    guard index + 3 < tokens.count, tokens[index].range == whole, tokens[index + 1].kind == .symbol(.dot),
      tokens[index + 2].kind == .word("format"), tokens[index + 3].kind == .symbol(.openRound)
    else { return nil }
    let rest = tokens[(index + 4)...].prefix { $0.kind != .newline && $0.kind != .endOfFile }
    let text = source.text(whole)
    let pieces = text.replacingEmptyBraces()
    var fixes: [Fix] = []
    if let close = rest.firstIndex(where: { $0.kind == .symbol(.closeRound) }) {
      let values = tokens[(index + 4)..<close].split { $0.kind == .symbol(.comma) }
      let isPlain = tokens[(index + 4)..<close].allSatisfy { token in
        switch token.kind {
        case .word, .number, .symbol(.dot), .symbol(.comma): true
        default: false
        }
      }
      if isPlain, values.count == pieces.count - 1 {
        var filled = pieces[0]
        for (value, piece) in zip(values, pieces.dropFirst()) {
          guard let first = value.first, let last = value.last else { continue }
          filled += "{\(source.text(first.range.to(last.range)))}\(piece)"
        }
        fixes = [.replace(whole.to(tokens[close].range), with: filled)]
      }
    }
    return abandon(
      Diagnostic(
        "T024", "put values into text in braces", at: tokens[index + 2].range, "as in `\"{x} bpm\"`", fixes: fixes))
  }
}

extension String {
  /// The pieces between `{}`.
  fileprivate func replacingEmptyBraces() -> [String] {
    var pieces = [""]
    var bytes = Array(utf8)[...]
    while let byte = bytes.first {
      if byte == UInt8(ascii: "{"), bytes.dropFirst().first == UInt8(ascii: "}") {
        pieces.append("")
        bytes = bytes.dropFirst(2)
      } else {
        let end = bytes.dropFirst().firstIndex(of: UInt8(ascii: "{")) ?? bytes.endIndex
        pieces[pieces.count - 1] += String(decoding: bytes[..<end], as: UTF8.self)
        bytes = bytes[end...]
      }
    }
    return pieces
  }
}
