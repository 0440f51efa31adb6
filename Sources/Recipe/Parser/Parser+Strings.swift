import Exchange
import Vocabulary

/// Takes quoted texts apart.
extension Parser {
  /// The text at the current token; `height` is set to that of its highest expression.
  mutating func string() throws(Abandoned) -> StringSyntax {
    guard case .text(let quote) = kind else {
      if let special = foreignHere() { throw special }
      throw abandon(Diagnostic("T014", "expected text in quotes", at: here, "found \(shown)"))
    }
    let place = token.range
    height = 0
    let start = Int(place.start)
    let end = Int(place.end)
    var parts: [StringSyntax.Part] = []
    switch quote {
    case .single: parts = start + 1 < end - 1 ? [.text(String(decoding: source.bytes[start + 1..<end - 1], as: UTF8.self))] : []
    case .double: parts = try pieces(start + 1, end - 1, indent: 0, of: place)
    case .long:
      let (from, to, indent) = longSpan(start + 3, end - 3)
      parts = try pieces(from, to, indent: indent, of: place)
    }
    advance()
    return StringSyntax(parts: parts, quote: quote, range: place)
  }

  /// The contents of a long text. If it begins and ends with a line end, both are dropped, as is
  /// the indentation of its last line everywhere.
  private func longSpan(_ start: Int, _ end: Int) -> (from: Int, to: Int, indent: Int) {
    var from = start
    if from < end, source.bytes[from] == 0x0D { from += 1 }
    guard from < end, source.bytes[from] == 0x0A else { return (start, end, 0) }
    from += 1
    var to = end
    while to > from, source.bytes[to - 1] == 0x20 || source.bytes[to - 1] == 0x09 { to -= 1 }
    guard to > from, source.bytes[to - 1] == 0x0A else { return (from, end, 0) }
    let indent = end - to
    to -= 1
    if to > from, source.bytes[to - 1] == 0x0D { to -= 1 }
    return (from, to, indent)
  }

  private mutating func pieces(_ from: Int, _ to: Int, indent: Int, of whole: SourceRange) throws(Abandoned) -> [StringSyntax.Part]
  {
    var parts: [StringSyntax.Part] = []
    var literal: [UInt8] = []
    var above = 0
    var place = from
    var startsLine = indent > 0
    while place < to {
      if startsLine {
        var skipped = 0
        while skipped < indent, place < to, source.bytes[place] == 0x20 || source.bytes[place] == 0x09 {
          place += 1
          skipped += 1
        }
        startsLine = false
        continue
      }
      let byte = source.bytes[place]
      if byte == UInt8(ascii: "\\") {
        place = try escape(at: place, to, into: &literal)
      } else if byte == UInt8(ascii: "{") {
        if !literal.isEmpty { parts.append(.text(String(decoding: literal, as: UTF8.self))) }
        literal = []
        let (part, next) = try interpolation(at: place, to, of: whole)
        parts.append(part)
        above = max(above, height)
        place = next
      } else {
        literal.append(byte)
        place += 1
        startsLine = byte == 0x0A && indent > 0
      }
    }
    if !literal.isEmpty { parts.append(.text(String(decoding: literal, as: UTF8.self))) }
    height = above
    return parts
  }

  private func place(_ from: Int, _ to: Int) -> SourceRange {
    SourceRange(file: file, start: UInt32(truncatingIfNeeded: from), end: UInt32(truncatingIfNeeded: to))
  }

  private mutating func escape(at start: Int, _ end: Int, into literal: inout [UInt8]) throws(Abandoned) -> Int {
    guard start + 1 < end else {
      throw abandon(
        Diagnostic("T006", "this text ends with a single `\\`", at: place(start, start + 1), "write a backslash as `\\\\`"))
    }
    switch source.bytes[start + 1] {
    case UInt8(ascii: "n"): literal.append(0x0A)
    case UInt8(ascii: "r"): literal.append(0x0D)
    case UInt8(ascii: "t"): literal.append(0x09)
    case UInt8(ascii: "0"): literal.append(0x00)
    case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "{"), UInt8(ascii: "}"):
      literal.append(source.bytes[start + 1])
    case UInt8(ascii: "u"):
      var index = start + 3
      var value: UInt32 = 0
      if start + 2 < end, source.bytes[start + 2] == UInt8(ascii: "{") {
        while index < end, index < start + 9, let digit = Hex.digit(source.bytes[index]) {
          value = value << 4 | UInt32(digit)
          index += 1
        }
        if index > start + 3, index < end, source.bytes[index] == UInt8(ascii: "}"), let scalar = UnicodeScalar(value) {
          literal.append(contentsOf: Array(String(scalar).utf8))
          return index + 1
        }
      }
      throw abandon(
        Diagnostic("T006", "this is not a character", at: place(start, min(index, end)), "write a character as `\\u{1F600}`"))
    case UInt8(ascii: "x"):
      var digits = ""
      var index = start
      while index + 4 <= end, source.bytes[index] == UInt8(ascii: "\\"), source.bytes[index + 1] == UInt8(ascii: "x"),
        isHexDigit(source.bytes[index + 2]), isHexDigit(source.bytes[index + 3])
      {
        digits += (digits.isEmpty ? "" : " ") + source.text(place(index + 2, index + 4))
        index += 4
      }
      let whole = token.range
      let isAll = index == end && start == Int(whole.start) + 1 && !digits.isEmpty
      throw abandon(
        Diagnostic(
          "T030", "write bytes as `hex \"\(digits.isEmpty ? "01 ff" : digits)\"`", at: place(start, max(index, start + 2)),
          "text holds characters, not bytes", fixes: isAll ? [.replace(whole, with: "hex \"\(digits)\"")] : []))
    default:
      throw abandon(
        Diagnostic(
          "T006", "`\(source.text(place(start, start + 2)))` has no meaning in text", at: place(start, start + 2),
          "write a backslash as `\\\\`, or put raw text in '…'"))
    }
    return start + 2
  }

  /// Parses `{e}` or `{e:.1}`: the part, and where the text goes on.
  private mutating func interpolation(at start: Int, _ end: Int, of whole: SourceRange) throws(Abandoned) -> (
    StringSyntax.Part, Int
  ) {
    if beginsJSON(at: start, end) { throw json(at: start, end) }
    var index = start + 1
    var level = 0
    var colon: Int?
    var inQuotes = false
    while index < end {
      let byte = source.bytes[index]
      if inQuotes {
        if byte == UInt8(ascii: "'") { inQuotes = false }
      } else if byte == UInt8(ascii: "'") {
        inQuotes = true
      } else if [UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{")].contains(byte) {
        level += 1
      } else if byte == UInt8(ascii: "}"), level <= 0 {
        break
      } else if [UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}")].contains(byte) {
        level -= 1
      } else if byte == UInt8(ascii: ":"), level == 0 {
        colon = index
      }
      index += 1
    }
    guard index < end else { throw unclosedInterpolation(at: start, of: whole) }
    // The colons of `{C4:7C:8D:6A:12:0F}` belong to the address.
    if let last = colon, last + 3 <= index, isAddress(endingAt: last + 3) {
      colon = source.bytes[last + 3..<index].firstIndex(of: UInt8(ascii: ":"))
    }
    let valueEnd = colon ?? index
    guard source.bytes[start + 1..<valueEnd].contains(where: { $0 != 0x20 }) else {
      if let formatted = formattedText(at: start, of: whole) { throw formatted }
      throw abandon(
        Diagnostic(
          "T010", "`{` in \"…\" starts an expression, but none follows", at: place(start, index + 1),
          "write `\\{`, or put raw text in '…'",
          fixes: [.insert("\\", before: place(start, start))]))
    }
    if let choice = ternary(start + 1, index) { throw choice }
    var inner = Parser(source: source, file: file, range: start + 1..<valueEnd)
    inner.depth = 1
    inner.brackets = brackets
    let before = inner.findings
    var value: Expression?
    do {
      let read = try inner.expression()
      if inner.isAtLineEnd {
        value = read
      } else {
        if inner.foreignHere() == nil {
          inner.report(
            Diagnostic(
              "T010", "expected `}`, or `:` and a format, after the value", at: inner.token.range,
              "found \(inner.shown)"))
        }
      }
    } catch {}
    for finding in before.all + inner.findings.all.dropFirst(before.all.count) { report(finding) }
    guard let value, !inner.findings.hasErrors else { throw Abandoned() }
    height = inner.height
    guard let colon else { return (.expression(value, format: nil), index + 1) }
    return (.expression(value, format: try format(colon + 1, index)), index + 1)
  }

  /// Reports `{c ? a : b}`, whose `:` would begin a format.
  private mutating func ternary(_ from: Int, _ to: Int) -> Abandoned? {
    var inQuotes = false
    var signs: [(byte: UInt8, place: Int)] = []
    for index in from..<to {
      let byte = source.bytes[index]
      if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") { inQuotes.toggle() }
      guard !inQuotes, byte == UInt8(ascii: "?") || byte == UInt8(ascii: ":") else { continue }
      signs.append((byte, index))
    }
    guard signs.first?.byte == UInt8(ascii: "?"), let question = signs.first?.place else { return nil }
    func part(_ from: Int, _ to: Int) -> String {
      let words = source.text(place(from, max(from, to))).drop { $0 == " " }
      return String(words.prefix(words.count - words.reversed().prefix { $0 == " " }.count))
    }
    var fixes: [Fix] = []
    if signs.count == 2, let colon = signs.last, colon.byte == UInt8(ascii: ":") {
      let text = "\(part(question + 1, colon.place)) if \(part(from, question)) else \(part(colon.place + 1, to))"
      fixes = [.replace(place(from, to), with: text)]
    }
    return abandon(
      Diagnostic(
        "T024", "write a choice as `a if c else b`", at: place(question, question + 1), "not as `c ? a : b`", fixes: fixes))
  }

  private func isAddress(endingAt end: Int) -> Bool {
    guard end >= 17 else { return false }
    let text = String(decoding: source.bytes[(end - 17)..<end], as: UTF8.self)
    return text.utf8.count { $0 == UInt8(ascii: ":") } == 5 && Address(text) != nil
  }

  /// Whether a quoted key and a colon follow a brace inside one text: `{\"a\": 1}`, or `{"a": 1}`
  /// in a long text.
  private func beginsJSON(at brace: Int, _ end: Int) -> Bool {
    let quote = UInt8(ascii: "\"")
    var rest = source.bytes[brace + 1..<end].drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    if rest.first == UInt8(ascii: "\\") { rest = rest.dropFirst() }
    guard rest.first == quote, let close = rest.dropFirst().firstIndex(of: quote) else { return false }
    return rest[(close + 1)...].first { $0 != 0x20 } == UInt8(ascii: ":")
  }

  /// Reports JSON in a text; its braces need a backslash, while those of values do not.
  private mutating func json(at start: Int, _ end: Int) -> Abandoned {
    let braces = (start..<end).filter { source.bytes[$0] == UInt8(ascii: "{") && beginsJSON(at: $0, end) }
    return abandon(
      Diagnostic(
        "T010", "`{` in \"…\" starts an expression; for JSON, write `\\{`", at: place(start, start + 1),
        "or write a record as JSON: `json({battery: b})`",
        fixes: [Fix(lead: "", edits: braces.map { Fix.Edit(range: place($0, $0), replacement: "\\") })]))
  }

  private mutating func unclosedInterpolation(at start: Int, of whole: SourceRange) -> Abandoned {
    let message = "`{` in \"…\" starts an expression, which must end with `}`"
    // `"{r["a"]}"`: the text ended too early.
    if let fix = singleQuotes(in: whole) {
      return abandon(
        Diagnostic("T010", message, at: place(start, start + 1), "use single quotes inside it: '…'", fixes: [fix]))
    }
    // `"{"a": 1}"`: use raw quotes, unless the text has values that they would disable.
    guard let json = jsonText(in: whole), json.hasKeys else {
      return abandon(Diagnostic("T010", message, at: place(start, start + 1), "write `\\{`, or put raw text in '…'"))
    }
    guard !json.hasValues else {
      return abandon(
        Diagnostic(
          "T010", message, at: place(start, start + 1), "use `json` for a record with values: `json({battery: b})`",
          notes: ["or escape other quotes and braces as `\\\"` and `\\{`: `\"\\{\\\"battery\\\": {b}}\"`"]))
    }
    let inside = source.text(place(Int(json.range.start) + 1, Int(json.range.end) - 1))
    return abandon(
      Diagnostic(
        "T010", message, at: place(start, start + 1), "write `\\{`, or put raw text in '…'",
        fixes: inside.contains("'") ? [] : [.replace(json.range, with: "'\(inside)'")]))
  }

  /// The text with braces that begins at `whole` and ends after the last brace. `hasKeys`: a brace
  /// begins with a quote, as in JSON. `hasValues`: a brace begins with a value.
  private func jsonText(in whole: SourceRange) -> (range: SourceRange, hasKeys: Bool, hasValues: Bool)? {
    guard let span = source.lineSpan(source.line(of: whole.start)) else { return nil }
    var level = 0
    var (hasKeys, hasValues, wasOpen) = (false, false, false)
    for index in Int(whole.start) + 1..<max(span.upperBound, Int(whole.start) + 1) {
      switch source.bytes[index] {
      case UInt8(ascii: "{"):
        level += 1
        wasOpen = true
        let next = source.bytes[index + 1..<span.upperBound].first { $0 != 0x20 && $0 != 0x09 }
        if next == UInt8(ascii: "\"") { hasKeys = true } else if let next, !"{}".utf8.contains(next) { hasValues = true }
      case UInt8(ascii: "}"): level -= 1
      case UInt8(ascii: "\"") where level <= 0 && wasOpen:
        return (place(Int(whole.start), index + 1), hasKeys, hasValues)
      default: break
      }
    }
    return nil
  }

  /// Replaces each `"` inside the braces of a text by `'`; `nil` if it is JSON or does not end on
  /// its line.
  private func singleQuotes(in whole: SourceRange) -> Fix? {
    guard let span = source.lineSpan(source.line(of: whole.start)) else { return nil }
    let quote = UInt8(ascii: "\"")
    let bytes = Array(source.bytes[Int(whole.start)..<span.upperBound])
    guard bytes.first == quote else { return nil }
    var text: [UInt8] = [quote]
    var level = 0
    for index in bytes.indices.dropFirst() {
      switch bytes[index] {
      case UInt8(ascii: "{"):
        level += 1
        // The key of a record is a name, so a quote after the brace means JSON.
        if bytes[(index + 1)...].first(where: { $0 != 0x20 }) == quote { return nil }
      case UInt8(ascii: "}"): level -= 1
      case UInt8(ascii: "'"), UInt8(ascii: "\\"), 0x0A, 0x0D: return nil
      case quote where level > 0:
        text.append(UInt8(ascii: "'"))
        continue
      case quote:
        text.append(quote)
        let range = place(Int(whole.start), Int(whole.start) + index + 1)
        return .replace(range, with: String(decoding: text, as: UTF8.self))
      default: break
      }
      if level < 0 { return nil }
      text.append(bytes[index])
    }
    return nil
  }

  private mutating func format(_ from: Int, _ to: Int) throws(Abandoned) -> StringSyntax.Format {
    let text = String(source.text(place(from, to)).filter { $0 != " " })
    if text == "hex" { return .hex }
    if text.hasPrefix("."), text.utf8.count <= 3, let digits = Int(text.dropFirst()), digits >= 0, digits <= 17 {
      return .decimals(digits)
    }
    if text.utf8.count <= 3, text.utf8.allSatisfy(isDigit), let width = Int(text), width > 0 {
      return .padded(width, zeros: text.hasPrefix("0"))
    }
    throw abandon(
      Diagnostic(
        "T010", "`\(clipped(text))` is not a format", at: place(from, max(to, from + 1)),
        "formats are `.1` (digits after the point), `04` (width) and `hex`"))
  }
}
