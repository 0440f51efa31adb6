/// Text with places for values as in C and Python, `"%d bpm"`, and its values.
enum FilledText {
  /// The text that `print` needs for the text and values of `printf`; `nil` if that text does not
  /// end the line, as `print` always does.
  static func line(_ given: [String]) -> String? {
    guard let text = given.first, text.hasPrefix("\""), text.hasSuffix("\\n\"") else { return nil }
    let line = text.dropLast(3) + "\""
    return self.text(String(line), Array(given.dropFirst())) ?? (given.count == 1 ? String(line) : nil)
  }

  /// The text with its values in braces; `nil` if a place has no counterpart here, or the values
  /// are more or fewer than the places.
  static func text(_ quoted: String, _ values: [String]) -> String? {
    guard quoted.utf8.count > 2, quoted.hasPrefix("\"") || quoted.hasPrefix("'"), !quoted.hasPrefix("\"\"\"") else { return nil }
    let inside = quoted.dropFirst().dropLast()
    guard quoted.last == quoted.first, !inside.contains("{"), !quoted.hasPrefix("'") || !inside.contains("\"") else { return nil }
    guard values.allSatisfy({ value in !value.isEmpty && !value.contains { "\"'{}:%".contains($0) } }) else { return nil }
    var result = ""
    var rest = inside[...]
    var left = values[...]
    while let sign = rest.firstIndex(of: "%") {
      result += rest[..<sign]
      rest = rest[rest.index(after: sign)...]
      if rest.first == "%" {
        result += "%"
        rest = rest.dropFirst()
        continue
      }
      guard let place = place(&rest), let value = left.popFirst() else { return nil }
      result += "{\(value)\(place)}"
    }
    return left.isEmpty && !values.isEmpty ? "\"\(result)\(rest)\"" : nil
  }

  /// What follows the value in its braces for the place after a `%`.
  private static func place(_ rest: inout Substring) -> String? {
    let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    rest = rest[digits.endIndex...]
    while let size = rest.first, size == "l" || size == "h" || size == "z" { rest = rest.dropFirst() }
    guard let kind = rest.popFirst() else { return nil }
    switch kind {
    case "d", "i", "u": return digits.isEmpty ? "" : digits.hasPrefix("0") && !digits.contains(".") ? ":\(digits)" : nil
    case "s", "v": return digits.isEmpty ? "" : nil
    case "f": return digits.hasPrefix(".") ? ":\(digits)" : nil
    default: return nil
    }
  }
}
