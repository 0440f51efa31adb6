import Exchange
import Vocabulary

/// Signs as other languages write them inside a value: `!p == q`, `n++`, `.5`, `x => x + 1`.
extension Parser {
  /// Operators that bind less than `!` in other languages, and more than `not` here.
  private static let bindMore: [Symbol] = [
    .plus, .minus, .star, .slash, .ampersand, .bar, .caret, .shiftLeft, .shiftRight, .less, .lessOrEqual, .greater, .greaterOrEqual,
    .doubleEqual, .notEqual, .percent,
  ]

  /// The last token of the operand of a `!`, if an operator follows it that `not` would include.
  func negatedOperand(_ sign: Int) -> Int? {
    var place = sign + 1
    while place < tokens.count, [.symbol(.exclamation), .symbol(.minus)].contains(tokens[place].kind) { place += 1 }
    guard place < tokens.count else { return nil }
    switch tokens[place].kind {
    case .word, .number, .text: break
    case .symbol(.openRound):
      guard let close = closing(place) else { return nil }
      place = close
    default: return nil
    }
    while place + 2 < tokens.count {
      if tokens[place + 1].kind == .symbol(.dot), case .word = tokens[place + 2].kind {
        place += 2
      } else if [.symbol(.openRound), .symbol(.openSquare)].contains(tokens[place + 1].kind),
        tokens[place + 1].range.start == tokens[place].range.end, let close = closing(place + 1)
      {
        place = close
      } else {
        break
      }
    }
    guard place + 1 < tokens.count else { return nil }
    switch tokens[place + 1].kind {
    case .symbol(let symbol): return Self.bindMore.contains(symbol) ? place : nil
    case .word(let word): return ["is", "in", "not", "contains", "matches", "mod"].contains(word) ? place : nil
    default: return nil
    }
  }

  /// The bracket that closes the one at a token, on the same line.
  func closing(_ open: Int) -> Int? {
    var level = 0
    return tokens[open...].prefix { $0.kind != .newline && $0.kind != .endOfFile }.indices.first { place in
      switch tokens[place].kind {
      case .symbol(.openRound), .symbol(.openSquare), .symbol(.openCurly): level += 1
      case .symbol(.closeRound), .symbol(.closeSquare), .symbol(.closeCurly): level -= 1
      default: break
      }
      return level == 0
    }
  }

  /// Whether two tokens touch each other.
  func touches(_ first: Int, _ second: Int) -> Bool {
    second < tokens.count && tokens[first].range.end == tokens[second].range.start
  }

  /// Reports the `++` of `n++ + 1` and `++n`, and the `--` at the end of a value.
  mutating func stepInValue() -> Abandoned? {
    guard at(.plus) || at(.minus), touches(index, index + 1), tokens[index + 1].kind == kind else { return nil }
    if at(.minus) {
      // `a --b` is the sum of two numbers.
      let after = index + 2 < tokens.count ? tokens[index + 2].kind : .endOfFile
      guard [.newline, .endOfFile, .symbol(.closeRound), .symbol(.closeSquare), .symbol(.comma)].contains(after) else { return nil }
    }
    let sign = at(.plus) ? "+" : "-"
    var name = "n"
    for token in [previous, index + 2 < tokens.count ? tokens[index + 2] : token] {
      if case .word(let word) = token.kind, Words.isName(word), mayBeDeclared(word) { name = word }
    }
    let place = token.range.to(tokens[index + 1].range)
    // After the sign the line would continue.
    index = min(index + 2, tokens.count - 1)
    return abandon(
      Diagnostic(
        "T023", "`\(sign)\(sign)` is not part of the language", at: place,
        "write `set \(name) to \(name) \(sign) 1` on a line of its own"))
  }

  /// Reports `.5`, and the function without a name in `f(() => 1)`.
  mutating func valueOfOthers() -> Abandoned? {
    if at(.dot), touches(index, index + 1), isNumeric(tokens[index + 1]) {
      return abandon(
        Diagnostic(
          "T007", "a number needs a digit before its point", at: token.range.to(tokens[index + 1].range), "",
          fixes: [.insert("0", before: token.range)]))
    }
    let next = index + 1 < tokens.count ? tokens[index + 1] : token
    if at(.closeRound), previous.kind == .symbol(.openRound), [.symbol(.fatArrow), .symbol(.arrow)].contains(next.kind) {
      return abandon(namelessFunction(next))
    }
    return stepInValue()
  }

  private func isNumeric(_ token: Token) -> Bool {
    switch token.kind {
    case .number(_, isHex: false, _), .duration: true
    default: false
    }
  }

  func namelessFunction(_ sign: Token) -> Diagnostic {
    Diagnostic(
      "T004", "`\(source.text(sign.range))` is not part of the language", at: sign.range,
      "a procedure has a name and lines of its own: `procedure twice(x)`")
  }

  /// The sign of `%=`, `<<=` and the like at a token: two tokens that touch.
  func joinedSign(_ place: Int) -> Symbol? {
    guard case .symbol(let sign) = tokens[place].kind, Self.joined.contains(sign), touches(place, place + 1),
      tokens[place + 1].kind == .symbol(.equal)
    else { return nil }
    return sign
  }

  /// Reports `**=` at the current token, where `path` gets the value.
  /// - Parameter begin: the beginning of the statement up to the sign, and what to write instead.
  mutating func power(_ path: String, _ begin: (range: SourceRange, instead: String)) -> Abandoned? {
    guard at(.star), index + 2 < tokens.count, tokens[index + 1].kind == .symbol(.star), touches(index, index + 1),
      touches(index + 1, index + 2), tokens[index + 2].kind == .symbol(.equal)
    else { return nil }
    var fixes: [Fix] = []
    if index + 3 < tokens.count, case .number(.integer(let times), _, _) = tokens[index + 3].kind, (2...3).contains(times),
      followsPhraseEnd(index + 3)
    {
      let product = [String](repeating: path, count: Int(times)).joined(separator: " * ")
      fixes = [.replace(begin.range.to(tokens[index + 3].range), with: "\(begin.instead) \(product)")]
    }
    return abandon(
      Diagnostic(
        "T023", "`**=` is not part of the language", at: token.range.to(tokens[index + 2].range), "multiply: `set x to x * x`",
        fixes: fixes))
  }

  /// Reports `"%d" % n` at the `%`: a text that is filled as in Python.
  func percentFormat(_ percent: Int) -> Diagnostic {
    let text = tokens[percent - 1].range
    var fixes: [Fix] = []
    var last = percent + 1
    var values: [SourceRange] = []
    if last < tokens.count, tokens[last].kind == .symbol(.openRound), let close = closing(last) {
      values = elements(last + 1..<close)
      last = close
    } else {
      while last + 2 < tokens.count, tokens[last + 1].kind == .symbol(.dot), case .word = tokens[last + 2].kind { last += 2 }
      if last < tokens.count { values = [tokens[percent + 1].range.to(tokens[last].range)] }
    }
    if last + 1 < tokens.count, followsPhraseEnd(last) || [.symbol(.closeRound), .symbol(.comma)].contains(tokens[last + 1].kind),
      let filled = FilledText.text(source.text(text), values.map { source.text($0) })
    {
      fixes = [.replace(text.to(tokens[last].range), with: filled)]
    }
    return Diagnostic(
      "T024", "put values into text in braces", at: tokens[percent].range, "as in `\"{x} bpm\"`", fixes: fixes)
  }

  /// The values between commas.
  func elements(_ places: Range<Int>) -> [SourceRange] {
    var found: [SourceRange] = []
    var (level, first) = (0, places.lowerBound)
    for place in places {
      switch tokens[place].kind {
      case .symbol(.openRound), .symbol(.openSquare), .symbol(.openCurly): level += 1
      case .symbol(.closeRound), .symbol(.closeSquare), .symbol(.closeCurly): level -= 1
      case .symbol(.comma) where level == 0:
        if place > first { found.append(tokens[first].range.to(tokens[place - 1].range)) }
        first = place + 1
      default: break
      }
    }
    if first < places.upperBound { found.append(tokens[first].range.to(tokens[places.upperBound - 1].range)) }
    return found
  }
}

extension Parser {
  /// Reports `n **= 2`.
  mutating func powerStatement(_ verb: String) -> Abandoned? {
    guard index + 1 < tokens.count, tokens[index + 1].kind == .symbol(.star), Words.isName(verb) else { return nil }
    let name = token.range
    index += 1
    if let power = power(verb, (name, "set \(verb) to")) { return power }
    index -= 1
    return nil
  }

  /// Reports `set n += 3` and the like at the sign.
  mutating func compoundSet(_ path: String) -> Abandoned? {
    if at(.plusEqual) || at(.minusEqual) {
      let sign = at(.plusEqual) ? "+" : "-"
      return abandon(compoundAssignment("\(sign)=", "to \(path) \(sign)", token.range))
    }
    if let power = power(path, (token.range, "to")) { return power }
    guard let sign = joinedSign(index) else { return nil }
    let place = token.range.to(tokens[index + 1].range)
    index += 1
    let ours = sign == .percent ? "mod" : sign.rawValue
    return abandon(compoundAssignment("\(sign.rawValue)=", "to \(path) \(ours)", place, at: place))
  }
}
