import Exchange
import Vocabulary

/// Binary formats.
extension Parser {
  mutating func format() -> FormatDeclaration? {
    let start = index
    let line = token.line
    let opener = opener("format")
    var declared: NameSyntax?
    var purpose: FormatDeclaration.Purpose?
    do {
      advance()
      declared = try name("the name of the format")
      if accept("for") { purpose = try self.purpose() }
      try endHeader(opener)
    } catch { skipLine() }
    let header = range(from: start)
    open(opener)
    var fields: [FieldSyntax] = []
    while !isBlockOver() {
      do { fields.append(try field()) } catch { skipLine() }
    }
    closeBlock()
    guard let declared else { return nil }
    return FormatDeclaration(
      name: declared, purpose: purpose, fields: fields, help: help(aboveLine: line), range: range(from: start), header: header)
  }

  private mutating func purpose() throws(Abandoned) -> FormatDeclaration.Purpose {
    if accept("characteristic") { return .characteristic(try uuid("a characteristic")) }
    if accept("service_data") { return .serviceData(try uuid("a service")) }
    if accept("manufacturer") { return .manufacturer(try uuid("a company identifier, as in 0x004c")) }
    throw wrongChoice("expected `characteristic`, `service_data` or `manufacturer` after `for`")
  }

  private mutating func field() throws(Abandoned) -> FieldSyntax {
    let start = index
    if accept("skip") {
      let count = try expression()
      let isBytes = accept("bytes")
      if !isBytes { try expect("bits", "expected `bytes` or `bits` after the number") }
      if !isAtLineEnd { throw leftOver("skip") }
      return FieldSyntax(kind: isBytes ? .skipBytes(count) : .skipBits(count), range: range(from: start))
    }
    if accept("big") {
      try expect("endian", "expected `endian` after `big`")
      if !isAtLineEnd { throw leftOver("big endian") }
      return FieldSyntax(kind: .bigEndian, range: range(from: start))
    }
    if let text = word, text == "little", case .word("endian") = following.kind {
      throw abandon(Diagnostic("T013", "little endian is the default", at: token.range.to(following.range), "remove this line"))
    }
    let name = try name("the name of a field")
    if at(.equal) || at(.colon) {
      throw abandon(
        Diagnostic(
          "T013", "a field needs `is` before its type", at: token.range, "as in `bpm is u8`",
          fixes: [.replace(token.range, with: at(.colon) ? " is" : "is")]))
    }
    try expect("is", "expected `is` and a type after the name of the field")
    if word == "bits", following.kind == .symbol(.openRound) { return try bits(name, start) }
    let type = try plainType()
    let modifiers = try modifiers()
    if !isAtLineEnd { throw foreignModifier() ?? leftOver("the field") }
    return FieldSyntax(kind: .plain(name: name, type: type, modifiers: modifiers), range: range(from: start))
  }

  private mutating func bits(_ name: NameSyntax, _ start: Int) throws(Abandoned) -> FieldSyntax {
    var opener = opener("bits")
    opener.column = source.column(of: tokens[start].range.start)
    advance()
    advance()
    let storage: NameSyntax
    do throws(Abandoned) {
      storage = try self.name("the type that holds the bits, as in `bits(u8)`")
      try expect(.closeRound, "expected `)` after `bits(…`")
      if !isAtLineEnd { throw leftOver("bits") }
    } catch {
      skipLine()
      open(opener)
      bitFields { _ in }
      closeBlock()
      throw error
    }
    var fields: [BitFieldSyntax] = []
    open(opener)
    bitFields { fields.append($0) }
    closeBlock()
    return FieldSyntax(kind: .bits(name: name, storage: storage, fields: fields), range: range(from: start))
  }

  private mutating func bitFields(_ add: (BitFieldSyntax) -> Void) {
    while !isBlockOver() {
      if isFieldAround() {
        reportOpen()
        break
      }
      do { add(try bitField()) } catch { skipLine() }
    }
  }

  /// Whether a field of the format begins here, which is no bit.
  private func isFieldAround() -> Bool {
    guard let opener = openers.last, token.startsLine, source.column(of: token.range.start) <= opener.column,
      index + 2 < tokens.count, tokens[index + 1].kind == .word("is"), case .word(let type) = tokens[index + 2].kind
    else { return false }
    return type != "bit" && (type != "bits" || index + 3 < tokens.count && tokens[index + 3].kind == .symbol(.openRound))
  }

  private mutating func bitField() throws(Abandoned) -> BitFieldSyntax {
    let start = index
    let name = try name("the name of a bit")
    try expect("is", "expected `is` and the bits after the name")
    let first: Expression
    var last: Expression?
    if accept("bit") {
      first = try expression()
    } else {
      guard accept("bits") else { throw wrongChoice("expected `bit N` or `bits N to M`") }
      first = try expression()
      try expect("to", "expected `to` after `bits N`")
      last = try expression()
    }
    let meanings = at("meaning") ? try meaning() : []
    if !isAtLineEnd { throw leftOver("the bit") }
    return BitFieldSyntax(name: name, first: first, last: last, meanings: meanings, range: range(from: start))
  }

  private mutating func plainType() throws(Abandoned) -> PlainTypeSyntax {
    let start = index
    guard accept("list") else {
      let name = try name("a type, as in `u8` or `text(6)`")
      return PlainTypeSyntax(kind: .named(name, size: try size()), range: range(from: start))
    }
    guard brackets < Self.maximumBrackets else {
      throw abandon(Diagnostic("T003", "this list of lists is nested more than \(Self.maximumBrackets) deep", at: token.range))
    }
    brackets += 1
    defer { brackets -= 1 }
    let count = try size()
    try expect("of", "expected `of` after `list`")
    let element = try plainType()
    return PlainTypeSyntax(kind: .list(count: count, element), range: range(from: start))
  }

  private mutating func size() throws(Abandoned) -> Expression? {
    guard accept(.openRound) else { return nil }
    let value = try expression()
    try expect(.closeRound, "expected `)` after the size")
    return value
  }

  private mutating func modifiers() throws(Abandoned) -> [ModifierSyntax] {
    var list: [ModifierSyntax] = []
    while list.count < 64 {
      let start = index
      let kind: ModifierSyntax.Kind
      if accept("times") {
        kind = .times(try sum())
      } else if accept("plus") {
        kind = .plus(try sum())
      } else if accept("unit") {
        kind = .unit(try unitText())
      } else if accept("always") {
        kind = .always(try sum())
      } else if at("meaning") {
        kind = .meaning(try meaning())
      } else if accept("if") {
        let condition = try orExpression()
        kind = .condition(condition, otherwise: accept("else") ? try plainType() : nil)
      } else {
        return list
      }
      list.append(ModifierSyntax(kind: kind, range: range(from: start)))
    }
    return list
  }

  /// Reports `u8 * 0.1` and `u8 + 40`.
  private mutating func foreignModifier() -> Abandoned? {
    let ours: String
    switch kind {
    case .symbol(.equal):
      return abandon(
        Diagnostic(
          "T024", "in a format, a fixed value is written `always`", at: token.range, "as in `always 5`",
          fixes: [.replace(token.range, with: "always")]))
    case .symbol(.star): ours = "times"
    case .symbol(.plus), .symbol(.minus): ours = "plus"
    default: return nil
    }
    guard case .number = following.kind else { return nil }
    let sign = source.text(token.range)
    let place = SourceRange(file: file, start: token.range.start, end: following.range.start)
    return abandon(
      Diagnostic(
        "T024", "in a format, `\(sign)` is written `\(ours)\(sign == "-" ? " -" : "")`", at: token.range, "",
        fixes: [.replace(place, with: sign == "-" ? "plus -" : "\(ours) ")]))
  }

  /// Takes the text after `unit`.
  private mutating func unitText() throws(Abandoned) -> StringSyntax {
    if case .text = kind { return try string() }
    switch kind {
    case .symbol(.percent), .word:
      throw abandon(
        Diagnostic(
          "T014", "expected a unit in quotes", at: token.range, "as in `unit \"%\"`",
          fixes: followsNewline(index) ? [.replace(token.range, with: "\"\(source.text(token.range))\"")] : []))
    default: return try string()
    }
  }

  private mutating func meaning() throws(Abandoned) -> [MeaningSyntax] {
    advance()
    var list: [MeaningSyntax] = []
    repeat {
      guard let text = word else {
        throw abandon(Diagnostic("T014", "expected a word and its number, as in `good = 3`", at: here, "found \(shown)"))
      }
      let word = NameSyntax(text: text, range: token.range)
      advance()
      try expect(.equal, "expected `=` and a number after the word")
      list.append(MeaningSyntax(word: word, value: try sum()))
    } while accept(.comma)
    return list
  }
}
