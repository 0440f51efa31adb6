import Exchange
import Vocabulary

/// The smallest values: numbers, names, texts, lists, records.
extension Parser {
  mutating func primary() throws(Abandoned) -> Expression {
    let start = index
    expects(.value)
    bareBitOperator = nil
    height = 0
    if let span = spelledDuration() { return try make(.duration(span), from: start, over: 0) }
    switch kind {
    case .number(let magnitude, let isHex, let isDecibel):
      if let clock = clockTime() { return try make(.string(clock), from: start, over: 0) }
      let value: NumberLiteral.Value
      switch magnitude {
      case .integer(let whole):
        guard let signed = Int64(exactly: whole) else {
          throw abandon(Diagnostic("T008", "this number is too large", at: token.range, "the largest is 9223372036854775807"))
        }
        value = .integer(signed)
      case .real(let real): value = .real(real)
      }
      advance()
      let isSpaced = !isHex && !isDecibel && spacedDecibels()
      return try make(
        .number(NumberLiteral(value: value, isHex: isHex, isDecibel: isDecibel || isSpaced)), from: start, over: 0)
    case .duration(let span):
      advance()
      return try make(.duration(span), from: start, over: 0)
    case .text:
      let text = try string()
      return try make(.string(text), from: start, over: height)
    case .uuid(let uuid):
      advance()
      return try make(.uuid(uuid), from: start, over: 0)
    case .address(let address):
      advance()
      return try make(.address(address), from: start, over: 0)
    case .symbol(.openRound):
      let opened = token
      advance()
      var inner = try expression()
      try close(.closeRound, "expected `)` or an operator", opened: opened)
      inner.range = range(from: start)
      bareBitOperator = nil
      return inner
    case .symbol(.openSquare): return try listLiteral()
    case .symbol(.openCurly) where !followsNewline(index) || recordFollows(): return try recordLiteral()
    case .word(let word): return try wordValue(word)
    default: throw noValue()
    }
  }

  /// Whether `{` at a line end begins a record (`{` NL `a: 1`), and not a block of another
  /// language.
  func recordFollows() -> Bool {
    var place = index + 1
    while place < tokens.count, tokens[place].kind == .newline { place += 1 }
    guard place + 1 < tokens.count else { return false }
    if case .symbol(.closeCurly) = tokens[place].kind { return true }
    guard case .word = tokens[place].kind else { return false }
    return tokens[place + 1].kind == .symbol(.colon)
  }

  mutating func wordValue(_ word: String) throws(Abandoned) -> Expression {
    let start = index
    switch word {
    case "true", "false":
      advance()
      return try make(.boolean(word == "true"), from: start, over: 0)
    case "nothing":
      advance()
      return try make(.nothing, from: start, over: 0)
    case "it":
      advance()
      return try make(.it, from: start, over: 0)
    case "hex": return try hexLiteral()
    default: break
    }
    if let ours = ForeignWords.value(word), !declares(word) {
      throw abandon(
        Diagnostic("T022", "`\(word)` is written `\(ours)`", at: token.range, "", fixes: [.replace(token.range, with: ours)]))
    }
    guard Words.isName(word) else {
      if Words.isReserved(word) { throw noValue() }
      if let uuid = unmarkedUUID() { throw uuid }
      if previous.kind == .word("write"), word.utf8.count % 2 == 0, word.utf8.allSatisfy(isHexDigit), !declares(word) {
        throw abandon(
          Diagnostic(
            "T030", "write bytes as `hex \"\(word)\"`", at: token.range, "",
            fixes: [.replace(token.range, with: "hex \"\(word)\"")]))
      }
      if following.kind == .symbol(.openRound), let ours = ForeignWords.function(word) {
        throw abandon(
          Diagnostic("T022", "`\(word)` is written `\(ours)`", at: token.range, "", fixes: [.replace(token.range, with: ours)]))
      }
      throw noName("a value")
    }
    if token.startsLine, depth == 0, Words.all.contains(word), beginsStatement {
      let sign = previous
      throw abandon(
        Diagnostic(
          "T014", "expected a value after `\(source.text(sign.range))`", at: sign.range,
          "the line continues after it, but line \(token.line) starts a statement"))
    }
    let name = NameSyntax(text: word, range: token.range)
    advance()
    guard at(.openRound) else { return try make(.name(word), from: start, over: 0) }
    let (list, above) = try arguments()
    return try make(.call(name, list), from: start, over: above)
  }

  /// Whether the next token shows that the current word begins a statement and is not a name in a
  /// value.
  var beginsStatement: Bool {
    switch following.kind {
    case .word(let word): !Words.isReserved(word) || ["it", "hex", "true", "false", "nothing", "for", "forever"].contains(word)
    case .number, .duration, .text, .uuid, .address, .symbol(.openRound): true
    default: false
    }
  }

  mutating func noValue() -> Abandoned {
    if let special = endingOfPython() ?? foreignHere() ?? (kind == .bad ? Abandoned() : nil) { return special }
    if let special = valueOfOthers() { return special }
    if at(.star), previous.kind == .symbol(.star), previous.range.end == token.range.start {
      return abandon(
        Diagnostic("T024", "there is no operator `**`", at: previous.range.to(token.range), "multiply: `x * x`"))
    }
    if case .symbol(.equal) = kind, previous.kind == .symbol(.equal) {
      return abandon(Diagnostic("T024", "equality is written `is`", at: token.range, ""))
    }
    let isBetween = (word == "contains" || word == "matches") && following.kind == .symbol(.openRound)
    let label = isBetween ? "write it between its values: `a \(word ?? "") b`" : "found \(shown)"
    return abandon(Diagnostic("T014", "expected a value", at: here, label))
  }

  /// `hex "01 02 ff"`
  mutating func hexLiteral() throws(Abandoned) -> Expression {
    let start = index
    advance()
    guard case .text = kind else {
      var end = index
      while case .number = tokens[end].kind { end += 1 }
      while end < tokens.count, isHexPiece(tokens[end]) { end += 1 }
      var fixes: [Fix] = []
      if end > index {
        let place = SourceRange(file: file, start: token.range.start, end: tokens[end - 1].range.end)
        if Hex.bytes(source.text(place)) != nil { fixes = [.replace(place, with: "\"\(source.text(place))\"")] }
      }
      throw abandon(
        Diagnostic(
          "T030", "write bytes as `hex \"01 ff\"`", at: here, "put the digits in quotes", fixes: fixes,
          notes: at(.openRound) ? ["`\"{n:hex}\"` shows a number in hex"] : []))
    }
    let place = token.range
    let text = try string()
    guard let plain = text.plain, let bytes = Hex.bytes(plain) else {
      throw abandon(
        Diagnostic(
          "T009", "expected hex digits in pairs", at: place,
          text.plain == nil ? "`{}` is not allowed here" : "as in \"01 02 ff\"",
          fixes: text.plain.flatMap { Self.hexDigits($0) }.map { [.replace(place, with: "\"\($0)\"")] } ?? []))
    }
    return try make(.bytes(bytes), from: start, over: 0)
  }

  /// The pairs of digits of `0x01, 0xff` or `01:ff`.
  private static func hexDigits(_ text: String) -> String? {
    let plain = text.replacing(every: "0x", with: " ").replacing(every: "0X", with: " ").map { ",:-;".contains($0) ? " " : $0 }
    return Hex.bytes(String(plain)).flatMap { $0.isEmpty ? nil : Hex.text($0) }
  }

  /// Whether a token looks like pairs of hex digits.
  func isHexPiece(_ token: Token) -> Bool {
    switch token.kind {
    case .number, .word, .bad:
      let text = source.text(token.range)
      let digits = text.utf8.count == 4 && text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
      return digits.utf8.count % 2 == 0 && digits.utf8.allSatisfy(isHexDigit)
    default: return false
    }
  }

  /// Reports a comma before the closing bracket.
  mutating func lastComma(before close: Symbol) {
    guard at(close) else { return }
    let sign = previous.range
    report(Diagnostic("T015", "nothing follows this `,`", at: sign, "`,` separates two values", fixes: [.replace(sign, with: "")]))
  }

  private var beginsElement: Bool {
    switch kind {
    case .number, .duration, .text, .uuid, .address, .symbol(.openSquare), .symbol(.openCurly): true
    case .word(let word): word == "hex" && following.line == token.line
    default: false
    }
  }

  /// Reports elements on lines of their own without `,`.
  private mutating func noComma() -> Abandoned {
    let end = SourceRange(file: file, start: lastEnd, end: lastEnd)
    return abandon(
      Diagnostic(
        "T013", "the elements of a list are separated by `,`", at: previous.range, "the next one is on line \(token.line)",
        fixes: [.insert(",", after: end)]))
  }

  mutating func listLiteral() throws(Abandoned) -> Expression {
    let start = index
    var items: [Expression] = []
    var above = 0
    let opened = token
    advance()
    while !at(.closeSquare) {
      items.append(try expression())
      above = max(above, height)
      guard accept(.comma) else {
        if !at(.closeSquare), token.line > opened.line, beginsElement { throw noComma() }
        break
      }
      lastComma(before: .closeSquare)
    }
    try close(.closeSquare, "expected `]` at the end of the list", opened: opened)
    return try make(.list(items), from: start, over: above)
  }

  mutating func recordLiteral() throws(Abandoned) -> Expression {
    let start = index
    var entries: [RecordEntry] = []
    var keys: Set<String> = []
    var hasTwice = false
    var above = 0
    let opened = token
    advance()
    while !at(.closeCurly) {
      guard let text = word else {
        if case .text = kind, following.kind == .symbol(.colon) {
          let bare = source.text(token.range).filter { $0 != "\"" && $0 != "'" }
          throw abandon(
            Diagnostic(
              "T013", "write the keys of a record without quotes", at: token.range, "",
              fixes: Words.isName(bare) ? [.replace(token.range, with: bare)] : []))
        }
        throw abandon(Diagnostic("T014", "expected a key, as in `{bpm: 72}`", at: here, "found \(shown)"))
      }
      let key = NameSyntax(text: text, range: token.range)
      advance()
      if at(.equal) {
        throw abandon(
          Diagnostic(
            "T013", "expected `:` and a value after the key `\(text)`", at: token.range, "found `=`",
            fixes: [.replace(SourceRange(file: file, start: key.range.end, end: token.range.end), with: ":")]))
      }
      try close(.colon, "expected `:` and a value after the key `\(text)`", opened: opened)
      if !keys.insert(text).inserted, !hasTwice {
        hasTwice = true
        report(
          Diagnostic("T243", "the key `\(text)` appears twice", at: key.range, "only the last value is kept", severity: .warning))
      }
      entries.append(RecordEntry(key: key, value: try expression()))
      above = max(above, height)
      guard accept(.comma) else { break }
      lastComma(before: .closeCurly)
    }
    try close(.closeCurly, "expected `}` at the end of the record", opened: opened)
    return try make(.record(entries), from: start, over: above)
  }
}
