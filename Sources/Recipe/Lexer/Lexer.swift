import Exchange
import Vocabulary

/// Splits text into tokens. Every line end becomes a token; the parser decides whether a line goes
/// on.
///
/// A malformed piece is reported once and becomes the token that was probably meant, or `bad`.
struct Lexer {
  let source: SourceText
  let file: UInt16
  let bytes: [UInt8]
  let end: Int
  var position: Int
  var line: Int
  /// The end of a multi-line comment of another language.
  var skipped = 0
  private var lineHasToken = false
  private(set) var tokens: [Token] = []
  /// The `##` lines with their line numbers.
  private(set) var helpLines: [(line: Int, text: String)] = []
  private(set) var findings: Findings

  /// Reads the whole file, or a range of it, such as an expression inside a text.
  init(source: SourceText, file: UInt16, range: Range<Int>? = nil) {
    self.source = source
    self.file = file
    bytes = source.bytes
    end = range?.upperBound ?? bytes.count
    position = range?.lowerBound ?? 0
    line = range.map { source.line(of: UInt32(truncatingIfNeeded: $0.lowerBound)) } ?? 1
    findings = Findings(sources: [source], firstFile: file)
  }

  mutating func run() {
    if position == 0, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    while position < end { step() }
    if let last = tokens.last, last.kind != .newline { emit(.newline, from: end) }
    emit(.endOfFile, from: end)
  }

  // MARK: - lookahead

  func byte(_ ahead: Int = 0) -> UInt8 {
    let index = position + ahead
    return index < end ? bytes[index] : 0
  }

  func range(from start: Int, to end: Int) -> SourceRange {
    SourceRange(file: file, start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: end))
  }

  func slice(_ start: Int, _ end: Int) -> String { String(decoding: bytes[start..<max(start, end)], as: UTF8.self) }

  mutating func emit(_ kind: Token.Kind, from start: Int) {
    tokens.append(Token(kind: kind, range: range(from: start, to: position), line: line, startsLine: !lineHasToken))
    lineHasToken = true
  }

  mutating func report(
    _ code: String, _ message: String, from start: Int, to end: Int, _ label: String = "",
    severity: Diagnostic.Severity = .error, fixes: [Fix] = []
  ) {
    findings.add(Diagnostic(code, message, at: range(from: start, to: end), label, severity: severity, fixes: fixes))
  }

  // MARK: - one step

  /// Whether only white space precedes this on its line.
  var startsLine: Bool { !lineHasToken }

  mutating func step() {
    let start = position
    if position < skipped, byte() != 0x0A {
      position += 1
      return
    }
    switch byte() {
    case 0x0A:
      position += 1
      emit(.newline, from: start)
      line += 1
      lineHasToken = false
    case 0x20, 0x09, 0x0D: position += 1
    case UInt8(ascii: "#"): comment()
    case UInt8(ascii: "\""), UInt8(ascii: "'"): text()
    case let byte where isWordByte(byte):
      if uuid() || address() || dashedAddress() { return }
      if isDigit(byte) { number() } else { word() }
    case let byte where byte < 0x80: symbol()
    default: foreignCharacter()
    }
  }

  mutating func comment() {
    let start = position
    while position < end, byte() != 0x0A { position += 1 }
    guard !lineHasToken, start + 1 < end, bytes[start + 1] == UInt8(ascii: "#") else { return }
    var from = start + 2
    if from < position, bytes[from] == 0x20 { from += 1 }
    var to = position
    while to > from, [0x20, 0x09, 0x0D].contains(bytes[to - 1]) { to -= 1 }
    helpLines.append((line, slice(from, to)))
  }

  mutating func word() {
    let start = position
    while isWordByte(byte()) { position += 1 }
    if position == start + 1, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(byte()),
      [UInt8(ascii: "f"), UInt8(ascii: "F")].contains(bytes[start])
    {
      // The text without the `f` is what was meant.
      report(
        "T022", "text needs no `f` before it", from: start, to: position, "`{…}` in \"…\" is always an expression",
        fixes: byte() == UInt8(ascii: "'") ? doubleQuotes(start) : [.replace(range(from: start, to: position), with: "")])
      return
    }
    if position == start + 1, bytes[start] == UInt8(ascii: "b"), bytesLiteral(start) { return }
    if position - start == 32, undashedUUID(start) { return }
    emit(.word(slice(start, position)), from: start)
  }

  mutating func symbol() {
    let start = position
    if foreignComment() || byte() == UInt8(ascii: "[") && shellTest(start) { return }
    if position + 1 < end, let symbol = Symbol(rawValue: slice(start, start + 2)) {
      position += 2
      emit(.symbol(symbol), from: start)
      return
    }
    position += 1
    if let symbol = Symbol(rawValue: slice(start, start + 1)) {
      emit(.symbol(symbol), from: start)
      return
    }
    let character = bytes[start]
    if character == UInt8(ascii: "?"), optional(start) || ternary(start) { return }
    if character == UInt8(ascii: "`"), templateText(start) { return }
    if character == UInt8(ascii: "$"), shellName(start) || shellExpansion(start) { return }
    if character == UInt8(ascii: "~") {
      report(
        "T004", "there is no operator `~`", from: start, to: position, "use `^` with the bits to change, as in `x ^ 0xFF`")
      emit(.bad, from: start)
      return
    }
    let shown =
      character < 0x20 || character == 0x7F ? "the control character 0x\(Hex.text(character))" : "`\(slice(start, start + 1))`"
    report("T004", "\(shown) has no meaning here", from: start, to: position, "this character is not part of the language")
    emit(.bad, from: start)
  }

  mutating func foreignCharacter() {
    let start = position
    position += 1
    while position < end, byte() & 0xC0 == 0x80 { position += 1 }
    let shown = slice(start, position)
    switch shown {
    case "\u{201C}", "\u{201D}", "\u{201E}", "\u{2018}", "\u{2019}":
      let double = shown == "\u{2018}" || shown == "\u{2019}" ? "'" : "\""
      report(
        "T004", "\(shown) is a typographic quote", from: start, to: position,
        "put text in straight quotes: \(double)…\(double)", fixes: straightQuotes(start, double))
    case "\u{2013}", "\u{2014}", "\u{2212}":
      report(
        "T004", "\(shown) is a dash", from: start, to: position, "use `-` for minus",
        fixes: [.replace(range(from: start, to: position), with: "-")])
    case "\u{A0}", "\u{202F}", "\u{200B}", "\u{2003}":
      report(
        "T004", "this is a special space character, not a normal space", from: start, to: position, "",
        fixes: [.replace(range(from: start, to: position), with: " ")])
      return
    default:
      report(
        "T004", "`\(shown)` has no meaning outside text", from: start, to: position, "names can contain only a to z, digits and `_`"
      )
    }
    emit(.bad, from: start)
  }

  // MARK: - UUIDs and addresses

  mutating func uuid() -> Bool {
    guard isHexDigit(byte()) else { return false }
    let start = position
    let groups = [8, 4, 4, 4, 12]
    var index = start
    var wellFormed = true
    for (number, size) in groups.enumerated() {
      if number > 0 {
        guard index < end, bytes[index] == UInt8(ascii: "-") else { wellFormed = false; break }
        index += 1
      }
      for _ in 0..<size {
        guard index < end, isHexDigit(bytes[index]) else { wellFormed = false; break }
        index += 1
      }
      if !wellFormed { break }
    }
    if wellFormed, index == end || !isWordByte(bytes[index]) && bytes[index] != UInt8(ascii: "-"),
      let value = UUID(slice(start, index))
    {
      position = index
      emit(.uuid(value), from: start)
      return true
    }
    // Almost a UUID: eight digits, then groups with dashes.
    var probe = start
    var dashes = 0
    while probe < end, isWordByte(bytes[probe]) || bytes[probe] == UInt8(ascii: "-") {
      if bytes[probe] == UInt8(ascii: "-") { dashes += 1 }
      probe += 1
    }
    guard dashes >= 3, probe - start >= 24, !slice(start, probe).utf8.contains(UInt8(ascii: "_")) else { return false }
    position = probe
    report("T007", "this is not a valid UUID", from: start, to: probe, "a UUID has 8-4-4-4-12 digits from 0 to f")
    emit(.bad, from: start)
    return true
  }

  /// Reports `EC-AD-84-E6-82-49`, the address notation of some systems: six pairs that contain a
  /// digit and a letter, so that they are not a subtraction.
  mutating func dashedAddress() -> Bool {
    let start = position
    let length = 17
    guard start + length <= end, byte(2) == UInt8(ascii: "-"), byte(length) != UInt8(ascii: "-"), !isWordByte(byte(length)) else {
      return false
    }
    let text = slice(start, start + length)
    let pairs = text.split(separator: "-", omittingEmptySubsequences: false)
    guard pairs.count == 6, pairs.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy(isHexDigit) }),
      text.utf8.contains(where: isDigit), text.utf8.contains(where: { isHexDigit($0) && !isDigit($0) }),
      let address = Address(pairs.joined(separator: ":"))
    else { return false }
    position = start + length
    report(
      "T007", "the pairs of an address are joined with `:`", from: start, to: position,
      fixes: [.replace(range(from: start, to: position), with: pairs.joined(separator: ":").uppercased())])
    emit(.address(AddressLiteral(address: address, hasKind: false)), from: start)
    return true
  }

  mutating func address() -> Bool {
    guard isHexDigit(byte()), isHexDigit(byte(1)), byte(2) == UInt8(ascii: ":") else { return false }
    let start = position
    var index = start
    var pairs = 0
    while index + 1 < end, isHexDigit(bytes[index]), isHexDigit(bytes[index + 1]) {
      pairs += 1
      index += 2
      guard index + 2 < end, bytes[index] == UInt8(ascii: ":"), isHexDigit(bytes[index + 1]), isHexDigit(bytes[index + 2]) else {
        break
      }
      index += 1
    }
    let clean = index == end || !isWordByte(bytes[index])
    if pairs == 6, clean {
      position = index
      var hasKind = false
      for suffix in ["/public", "/random"]
      where slice(index, min(end, index + 7)) == suffix && !(index + 7 < end && isWordByte(bytes[index + 7])) {
        hasKind = true
        position = index + 7
      }
      if let address = Address(slice(start, position)) {
        emit(.address(AddressLiteral(address: address, hasKind: hasKind)), from: start)
        return true
      }
    }
    guard pairs >= 4 else { return false }
    while position < end, isWordByte(byte()) || byte() == UInt8(ascii: ":") { position += 1 }
    report("T007", "this is not a valid address", from: start, to: position, "an address has six pairs of digits from 0 to F")
    emit(.bad, from: start)
    return true
  }

  // MARK: - texts

  mutating func text() {
    let start = position
    let quote = byte()
    if quote == UInt8(ascii: "\""), byte(1) == quote, byte(2) == quote {
      longText()
      return
    }
    position += 1
    while position < end, byte() != 0x0A {
      if byte() == quote {
        position += 1
        emit(.text(quote == UInt8(ascii: "'") ? .single : .double), from: start)
        return
      }
      if byte() == UInt8(ascii: "\\"), quote == UInt8(ascii: "\""), position + 1 < end, byte(1) != 0x0A { position += 1 }
      position += 1
    }
    let sign = String(UnicodeScalar(quote))
    // `"a.json'` is closed with the other quote.
    let other = quote == UInt8(ascii: "'") ? UInt8(ascii: "\"") : UInt8(ascii: "'")
    if let place = bytes[(start + 1)..<position].firstIndex(of: other), place > start + 1,
      !bytes[(place + 1)..<position].contains(other)
    {
      report(
        "T005", "the closing quote differs from the opening one", from: start, to: place + 1,
        "both are `\"` or both are `'`", fixes: [.replace(range(from: place, to: place + 1), with: sign)])
      position = place + 1
      return emit(.bad, from: start)
    }
    var last = position
    while last > start + 1, [0x20, 0x09, 0x0D].contains(bytes[last - 1]) { last -= 1 }
    var fixes = [Fix.insert(sign, after: range(from: start, to: last))]
    // A `#` behind a blank may be in the text or begin a comment.
    if let place = (start + 2..<max(last, start + 2)).first(where: { bytes[$0] == UInt8(ascii: "#") && bytes[$0 - 1] == 0x20 }) {
      var end = place
      while bytes[end - 1] == 0x20 { end -= 1 }
      fixes.append(.insert(sign, after: range(from: start, to: end)))
    }
    report(
      "T005", "this text is not closed", from: start, to: start + 1,
      "close it with `\(sign)` on this line, or use \"\"\"…\"\"\" for several lines", fixes: fixes)
    emit(.bad, from: start)
  }

  mutating func longText() {
    let start = position
    let firstLine = line
    var newLines = 0
    position += 3
    while position < end {
      if byte() == UInt8(ascii: "\""), byte(1) == UInt8(ascii: "\""), byte(2) == UInt8(ascii: "\"") {
        position += 3
        emit(.text(.long), from: start)
        line = firstLine + newLines
        return
      }
      if byte() == UInt8(ascii: "\\"), position + 1 < end { position += 1 }
      if byte() == 0x0A { newLines += 1 }
      position += 1
    }
    position = min(position, end)
    report("T005", "this text is never closed", from: start, to: start + 3, "close it with \"\"\"")
    emit(.bad, from: start)
    line = firstLine + newLines
  }
}

func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

func isHexDigit(_ byte: UInt8) -> Bool { Hex.digit(byte) != nil }

func isWordByte(_ byte: UInt8) -> Bool {
  (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || isDigit(byte) || byte == 0x5F
}
