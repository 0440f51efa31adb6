import Exchange
import Vocabulary

/// Syntax of other languages that the lexer must recognize before the parser can.
extension Lexer {
  var lineEnd: Int {
    var place = position
    while place < end, bytes[place] != 0x0A { place += 1 }
    return place > position && bytes[place - 1] == 0x0D ? place - 1 : place
  }

  /// Skips `// …`, `/* … */`, and `-- …` at the start of a line.
  mutating func foreignComment() -> Bool {
    let start = position
    let pair = (byte(), byte(1))
    let isSlashes = pair == (UInt8(ascii: "/"), UInt8(ascii: "/"))
    let isDashes = pair == (UInt8(ascii: "-"), UInt8(ascii: "-")) && startsLine && (byte(2) == 0x20 || byte(2) == UInt8(ascii: "-"))
    if isSlashes || isDashes {
      let sign = slice(start, start + 2)
      // `---` alone on its line, as in YAML.
      var signEnd = start + 2
      if isDashes { while signEnd < end, bytes[signEnd] == UInt8(ascii: "-") { signEnd += 1 } }
      let rest = slice(start + 2, lineEnd).split(separator: " ")
      let before = bytes[..<start].last { $0 != 0x20 && $0 != 0x09 }
      let endsBefore = before == UInt8(ascii: "}") || before == UInt8(ascii: ";") || before == UInt8(ascii: "{")
      let mayDivide = self.mayDivide && !endsBefore
      let isQuotient = mayDivide && isSlashes && rest.count == 1
      report(
        "T004", isQuotient ? "there is no operator `//`" : "comments start with `#`", from: start, to: start + 2,
        isQuotient ? "use `floor(a / b)` for whole-number division, and `#` for a comment" : "not with `\(sign)`",
        fixes: mayDivide ? [] : [.replace(range(from: start, to: signEnd), with: "#")])
      position = lineEnd
      return true
    }
    guard pair == (UInt8(ascii: "/"), UInt8(ascii: "*")) else { return false }
    var close = position + 2
    while close + 1 < end, !(bytes[close] == UInt8(ascii: "*") && bytes[close + 1] == UInt8(ascii: "/")) { close += 1 }
    let stop = min(end, close + 2)
    let place = range(from: start, to: stop)
    let isOneLine = stop == lineEnd
    let inside = slice(start + 2, max(start + 2, close))
    report(
      "T004", "comments start with `#`", from: start, to: start + 2, "not with `/*`, and end at the end of the line",
      fixes: isOneLine ? [.replace(place, with: "#" + inside)] : commentLines(start, stop).map { [.replace(place, with: $0)] } ?? []
    )
    // `step` must see each line end to count lines.
    position = isOneLine ? stop : min(stop, lineEnd)
    if !isOneLine { skipped = stop }
    return true
  }

  /// Whether `//` may be an integer division: it follows a value, and a number, `(` or a single
  /// word comes after it.
  private var mayDivide: Bool {
    guard !startsLine else { return false }
    let words = bytes[position + 2..<lineEnd].split { $0 == 0x20 || $0 == 0x09 }
    guard let first = words.first?.first else { return false }
    if isDigit(first) || first == UInt8(ascii: "(") { return true }
    return words.count == 1
  }

  /// Reports `b"\x01\xff"`, bytes as in Python.
  mutating func bytesLiteral(_ start: Int) -> Bool {
    let quote = byte()
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return false }
    // A `b` between two texts is no prefix.
    if start > 0, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[start - 1]) { return false }
    var place = position + 1
    var digits: [String] = []
    while place < end, bytes[place] != quote, bytes[place] != 0x0A {
      if bytes[place] == UInt8(ascii: "\\"), place + 3 < end, bytes[place + 1] == UInt8(ascii: "x"), isHexDigit(bytes[place + 2]),
        isHexDigit(bytes[place + 3])
      {
        digits.append(slice(place + 2, place + 4).lowercased())
        place += 4
      } else if bytes[place] == UInt8(ascii: "\\") || !(0x20..<0x7F).contains(bytes[place]) {
        return false
      } else {
        digits.append(Hex.text(bytes[place...place]))
        place += 1
      }
    }
    guard place < end, bytes[place] == quote else { return false }
    position = place + 1
    report(
      "T030", "write bytes as `hex \"01 ff\"`", from: start, to: position, "",
      fixes: digits.isEmpty ? [] : [.replace(range(from: start, to: position), with: "hex \"\(digits.joined(separator: " "))\"")])
    emit(.bad, from: start)
    return true
  }

  /// Reports `a ?? b` and `a?.b`.
  mutating func optional(_ start: Int) -> Bool {
    guard byte() == UInt8(ascii: "?") || byte() == UInt8(ascii: ".") else { return false }
    let isField = byte() == UInt8(ascii: ".")
    position += 1
    let sign = slice(start, position)
    report(
      "T004", "there is no operator `\(sign)`", from: start, to: position,
      isField
        ? "`r.get(\"a\", nothing)` is `nothing` if there is no field `a`" : "use `a if a is not nothing else b`",
      fixes: isField ? [] : choice(start))
    emit(.bad, from: start)
    return true
  }

  /// The fix of `a ?? b`, if each is one name or literal and there is nothing around them.
  private func choice(_ start: Int) -> [Fix] {
    var first = tokens.count - 1
    func isWord(_ place: Int) -> Bool {
      guard tokens.indices.contains(place), case .word = tokens[place].kind else { return false }
      return true
    }
    guard isWord(first) else { return [] }
    while first > 1, tokens[first - 1].kind == .symbol(.dot), isWord(first - 2) { first -= 2 }
    guard first > 0, !tokens[first].startsLine else { return [] }
    switch tokens[first - 1].kind {
    case .symbol(.equal), .symbol(.comma), .symbol(.openRound), .word("to"), .word("print"), .word("return"), .word("log"): break
    default: return []
    }
    let other = slice(position, lineEnd).split(separator: " ")
    guard other.count == 1, other[0].utf8.allSatisfy({ isWordByte($0) || [0x22, 0x27, 0x2E].contains($0) }) else { return [] }
    let value = slice(Int(tokens[first].range.start), Int(tokens[tokens.count - 1].range.end))
    let before = bytes[start - 1] == 0x20 ? "" : " "
    let after = byte() == 0x20 ? "" : " "
    return [.replace(range(from: start, to: position), with: "\(before)if \(value) is not nothing else\(after)")]
  }

  /// Reports a text in backticks, as in JavaScript or a shell.
  mutating func templateText(_ start: Int) -> Bool {
    var place = position
    while place < end, bytes[place] != UInt8(ascii: "`"), bytes[place] != 0x0A { place += 1 }
    guard place < end, bytes[place] == UInt8(ascii: "`") else { return false }
    let inside = slice(position, place)
    let isPlain = !inside.utf8.contains { "\"\\".utf8.contains($0) }
    position = place + 1
    let text = inside.replacing(every: "${", with: "{")
    report(
      "T004", "text is written in \"…\"", from: start, to: position, "not in backticks",
      fixes: isPlain ? [.replace(range(from: start, to: position), with: "\"\(text)\"")] : [])
    emit(.bad, from: start)
    return true
  }

  /// Reports `$x` and `${x}` outside a text, as in a shell.
  mutating func shellName(_ start: Int) -> Bool {
    let isBraced = byte() == UInt8(ascii: "{")
    let from = isBraced ? position + 1 : position
    var place = from
    while place < end, isWordByte(bytes[place]) { place += 1 }
    guard place > from, !isDigit(bytes[from]), !isBraced || place < end && bytes[place] == UInt8(ascii: "}") else { return false }
    let name = slice(from, place)
    position = isBraced ? place + 1 : place
    report(
      "T004", "a name needs no `$` before it", from: start, to: position, "the name is enough: `\(name)`",
      fixes: [.replace(shown(from: start), with: shownName(name))])
    emit(.bad, from: start)
    return true
  }

  /// The range of `echo $x`; otherwise, of the name alone. `echo x` would print a word.
  private func shown(from start: Int) -> SourceRange {
    guard isShown, let verb = tokens.last else { return range(from: start, to: position) }
    return verb.range.to(range(from: start, to: position))
  }

  private func shownName(_ name: String) -> String { isShown ? "print \(name)" : name }

  private var isShown: Bool {
    guard let last = tokens.last, last.startsLine, case .word(let verb) = last.kind else { return false }
    return ForeignWords.statement(verb)?.instead == "print"
  }

  /// Reports `condition ? one : other`.
  mutating func ternary(_ start: Int) -> Bool {
    // This reads the whole line, so do it only once per line.
    guard !findings.isFull, !findings.hasError(onLineOf: range(from: start, to: start + 1)) else { return false }
    let stop = lineEnd
    guard let colon = bytes[start..<stop].firstIndex(of: UInt8(ascii: ":")), let from = valueStart else { return false }
    func part(_ from: Int, _ to: Int) -> String {
      var range = from..<max(from, to)
      while let first = range.first, [0x20, 0x09].contains(bytes[first]) { range = first + 1..<range.upperBound }
      while let last = range.last, [0x20, 0x09].contains(bytes[last]) { range = range.lowerBound..<last }
      return slice(range.lowerBound, range.upperBound)
    }
    let value = "\(part(start + 1, colon)) if \(part(from, start)) else \(part(colon + 1, stop))"
    // Leave nested choices to their author.
    let isNested = bytes[start + 1..<stop].contains(UInt8(ascii: "?"))
    report(
      "T024", "write a choice as `a if c else b`", from: start, to: start + 1, "not as `c ? a : b`",
      fixes: isNested ? [] : [.replace(range(from: from, to: stop), with: value)])
    emit(.bad, from: start)
    return true
  }

  /// Where the value on this line begins: after `=`, `to`, `,` or the first word.
  private var valueStart: Int? {
    var start: UInt32?
    for token in tokens.reversed() {
      if token.startsLine {
        start = start ?? token.range.end
        break
      }
      switch token.kind {
      case .symbol(.equal), .symbol(.comma), .word("to"), .word("with"): start = start ?? token.range.end
      default: continue
      }
    }
    return start.map { place in
      var place = Int(place)
      while place < end, bytes[place] == 0x20 { place += 1 }
      return place
    }
  }

  /// Replaces the quotes of `f'…'`, because `{…}` is literal in single quotes. None if the text has
  /// an escape or a double quote, or does not end on its line.
  func doubleQuotes(_ start: Int) -> [Fix] {
    let inside = bytes[(position + 1)..<end].prefix { ![UInt8(ascii: "'"), UInt8(ascii: "\""), 0x5C, 0x0A].contains($0) }
    guard inside.endIndex < end, bytes[inside.endIndex] == UInt8(ascii: "'") else { return [] }
    return [
      Fix(edits: [
        Fix.Edit(range: range(from: start, to: position + 1), replacement: "\""),
        Fix.Edit(range: range(from: inside.endIndex, to: inside.endIndex + 1), replacement: "\""),
      ])
    ]
  }

  /// Replaces both typographic quotes around a text.
  func straightQuotes(_ start: Int, _ quote: String) -> [Fix] {
    var place = position
    while place + 2 < end, bytes[place] != 0x0A {
      if bytes[place] == 0xE2, bytes[place + 1] == 0x80, [0x98, 0x99, 0x9C, 0x9D, 0x9E].contains(bytes[place + 2]) {
        return [
          Fix(edits: [
            Fix.Edit(range: range(from: start, to: position), replacement: quote),
            Fix.Edit(range: range(from: place, to: place + 3), replacement: quote),
          ])
        ]
      }
      place += 1
    }
    return []
  }

  /// Reports 32 hex digits that begin with a letter.
  mutating func undashedUUID(_ start: Int) -> Bool {
    let text = slice(start, position)
    guard text.utf8.allSatisfy(isHexDigit), text.utf8.contains(where: isDigit) else { return false }
    report(
      "T007", "a UUID needs dashes", from: start, to: position, "it has 8-4-4-4-12 digits",
      fixes: [.replace(range(from: start, to: position), with: Self.dashed(text))])
    emit(.bad, from: start)
    return true
  }

  /// The 12 digits of an address with colons; `nil` if it is something else.
  static func address(_ digits: String) -> String? {
    guard digits.utf8.count == 12, digits.utf8.allSatisfy(isHexDigit), digits.utf8.contains(where: isDigit) else { return nil }
    var text = ""
    for (place, digit) in digits.enumerated() {
      if place > 0, place % 2 == 0 { text += ":" }
      text.append(digit)
    }
    return text.uppercased()
  }

  /// Whether the last word comes before a device.
  var followsDeviceWord: Bool {
    guard tokens.count > 1, case .word(let word)? = tokens.last?.kind else { return false }
    switch tokens[tokens.count - 2].kind {
    case .word(let verb): return ["connect", "reconnect", "disconnect", "pair", "scan"].contains(verb) || word == "of"
    default: return ["of", "connect", "with"].contains(word)
    }
  }

  /// Reports `0x` and the 32 digits of a UUID, or digits that are no number.
  mutating func longUUID(_ start: Int) -> Bool {
    var digits = slice(start, position)
    if digits.utf8.count == 34, digits.hasPrefix("0x") { digits = String(digits.dropFirst(2)) }
    guard digits.utf8.count == 32, digits.utf8.allSatisfy(isHexDigit), tokens.last?.kind != .word("write"),
      tokens.last?.kind != .word("hex")
    else { return false }
    report(
      "T007", "a UUID needs dashes", from: start, to: position, "it has 8-4-4-4-12 digits",
      fixes: [.replace(range(from: start, to: position), with: Self.dashed(digits))])
    emit(.bad, from: start)
    return true
  }

  /// The digits of a UUID with dashes.
  static func dashed(_ digits: String) -> String {
    var text = ""
    for (place, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(place) { text += "-" }
      text.append(digit)
    }
    return text
  }
}
