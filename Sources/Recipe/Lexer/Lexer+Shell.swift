import Exchange
import Vocabulary

/// What a shell writes around values: `[ $n -eq 5 ]` and `$((n + 1))`.
extension Lexer {
  /// Reports `[ $n -eq 5 ]` after `if` or `while`, with all of its line.
  mutating func shellTest(_ start: Int) -> Bool {
    guard case .word(let verb)? = tokens.last?.kind, ["if", "while", "until", "elif"].contains(verb) else { return false }
    let stop = lineEnd
    let line = Array(bytes[start..<stop])
    let isDouble = line.starts(with: Array("[[ ".utf8))
    guard isDouble || line.starts(with: Array("[ ".utf8)), line.contains(UInt8(ascii: "$")) || line.holds(Array(" -".utf8)),
      let close = line.place(of: Array((isDouble ? " ]]" : " ]").utf8), from: 0)
    else { return false }
    let end = start + close + (isDouble ? 3 : 2)
    let rest = slice(end, stop).filter { $0 != " " && $0 != "\t" }
    let condition =
      ["", ";then", ";do", ";"].contains(rest) ? Self.condition(slice(start + (isDouble ? 2 : 1), start + close)) : nil
    position = stop
    report(
      "T004", "a condition needs no `[ ]`", from: start, to: end,
      "as in `if n is 5`, `if n < 5`", fixes: condition.map { [.replace(range(from: start, to: stop), with: $0)] } ?? [])
    emit(.bad, from: start)
    return true
  }

  /// `$n -eq 5` as `n is 5`; `nil` if it is more than a comparison.
  private static func condition(_ test: String) -> String? {
    let parts = test.split(separator: " ").map(String.init)
    let signs = [
      "-eq": "is", "-ne": "is not", "-lt": "<", "-le": "<=", "-gt": ">", "-ge": ">=", "=": "is", "==": "is", "!=": "is not",
    ]
    guard parts.count == 3, let sign = signs[parts[1]], let left = operand(parts[0]), let right = operand(parts[2]) else {
      return nil
    }
    return "\(left) \(sign) \(right)"
  }

  private static func operand(_ written: String) -> String? {
    let plain = written.filter { $0 != "\"" && $0 != "'" }
    if plain.hasPrefix("$") {
      let name = String(plain.dropFirst().filter { $0 != "{" && $0 != "}" })
      return Words.isName(name) ? name : nil
    }
    if written == plain, !plain.isEmpty, plain.utf8.allSatisfy(isDigit) { return plain }
    return plain.isEmpty || !plain.utf8.allSatisfy(isWordByte) ? nil : "\"\(plain)\""
  }

  /// Reports `$((n + 1))` and `$(date)`.
  mutating func shellExpansion(_ start: Int) -> Bool {
    guard byte() == UInt8(ascii: "(") else { return false }
    let rest = Array(bytes[position..<lineEnd])
    if byte(1) == UInt8(ascii: "("), let close = rest.place(of: Array("))".utf8), from: 2) {
      let inside = slice(position + 2, position + close)
      position += close + 2
      report(
        "T004", "a calculation needs no `$(( ))`", from: start, to: position, "as in `set n to n + 1`",
        fixes: calculation(inside, start))
    } else {
      guard let close = rest.firstIndex(of: UInt8(ascii: ")")) else { return false }
      position += close + 1
      report(
        "T004", "a program is started by `run`", from: start, to: position, "as in `run \"date\" as r`; `r.out` is its output")
    }
    emit(.bad, from: start)
    return true
  }

  /// The fix of `n=$((n+1))`; the name has a value before, if it is in its own calculation.
  private func calculation(_ inside: String, _ start: Int) -> [Fix] {
    if inside.utf8.contains(where: { $0 == UInt8(ascii: "$") || $0 == UInt8(ascii: "=") }) { return [] }
    let value = inside.contains(" ") ? inside : Self.spaced(inside)
    guard tokens.count > 1, tokens[tokens.count - 1].kind == .symbol(.equal), case .word(let name) = tokens[tokens.count - 2].kind,
      tokens[tokens.count - 2].startsLine
    else { return [.replace(range(from: start, to: position), with: value)] }
    let place = tokens[tokens.count - 2].range.to(range(from: start, to: position))
    return value.split(separator: " ").contains { $0 == name } ? [.replace(place, with: "set \(name) to \(value)")] : []
  }

  /// `n+1` with spaces around the sign.
  private static func spaced(_ text: String) -> String {
    var result = ""
    for character in text { result += "+-*/".contains(character) && !result.isEmpty ? " \(character) " : String(character) }
    return result
  }

  /// The lines of a `/* … */` as comments, if nothing else is on them.
  func commentLines(_ start: Int, _ stop: Int) -> String? {
    let after = bytes[stop..<end].first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }
    guard startsLine, after == nil || after == 0x0A, stop - start < 10_000 else { return nil }
    var lines = slice(start + 2, stop - 2).split(separator: "\n", omittingEmptySubsequences: false).map { line in
      String(line.drop { " \t*".contains($0) }.reversed().drop { " \t\r*".contains($0) }.reversed())
    }
    if lines.first == "" { lines.removeFirst() }
    if lines.last == "" { lines.removeLast() }
    let indent = source.indentation(ofLine: line)
    return lines.isEmpty ? nil : lines.map { $0.isEmpty ? "#" : "# \($0)" }.joined(separator: "\n\(indent)")
  }

  /// Reports `0o17`.
  mutating func octal(_ start: Int) -> Bool {
    guard position == start + 1, bytes[start] == UInt8(ascii: "0"), byte() == UInt8(ascii: "o") || byte() == UInt8(ascii: "O")
    else {
      return false
    }
    var stop = position + 1
    while stop < end, isWordByte(bytes[stop]) { stop += 1 }
    guard let value = UInt64(slice(position + 1, stop), radix: 8) else { return false }
    position = stop
    report(
      "T007", "there are no octal numbers", from: start, to: stop, "this is \(value)",
      fixes: [.replace(range(from: start, to: stop), with: String(value))])
    emit(.bad, from: start)
    return true
  }

  /// T243: `017`, which is 15 in other languages.
  mutating func warnOfOctal(_ start: Int) {
    guard bytes[start] == UInt8(ascii: "0"), position > start + 1 else { return }
    let digits = slice(start, position)
    // `1,050` has its own warning.
    if tokens.count > 1, tokens[tokens.count - 1].kind == .symbol(.comma), case .number = tokens[tokens.count - 2].kind { return }
    guard let value = UInt64(digits, radix: 8), let own = UInt64(digits), value != own else { return }
    report(
      "T243", "`\(digits)` is \(own), and not octal", from: start, to: position, "write `\(own)` or `\(value)`", severity: .warning,
      fixes: [own, value].map { .replace(range(from: start, to: position), with: String($0)) })
  }
}
