/// Makes untrusted text (names, values, messages, file names) safe for a terminal or a log.
///
/// C0, DEL, C1, line separators, bidirectional controls, invisible characters and tags are escaped
/// as `\x1b` or `\u{202e}`, so that text from the air cannot move the cursor or imitate output.
package enum Shown {
  /// The width of a name in a table, in columns.
  package static let nameColumns = 24

  /// Text within a line; line ends and TAB are escaped, too.
  package static func text(_ text: String) -> String { isPlain(text) ? text : escaped(text, keeping: { _ in false }) }

  /// Text of several lines; LF and TAB are kept, and CR LF becomes LF.
  package static func lines(_ text: String) -> String {
    if isPlain(text, keepsLines: true) { return text }
    var scalars = String.UnicodeScalarView()
    var last: UnicodeScalar?
    for scalar in text.unicodeScalars {
      if last == "\r", scalar == "\n" { scalars.removeLast() }
      scalars.append(scalar)
      last = scalar
    }
    return escaped(String(scalars), keeping: { $0 == "\n" || $0 == "\t" })
  }

  /// Lines of a recipe, whose text literals have escapes of their own.
  package static func recipe(_ text: String) -> String {
    if isPlain(text, keepsLines: true) { return text }
    return escaped(text, keeping: { $0 == "\n" }, as: { "\\u{" + hex($0.value, digits: 1) + "}" })
  }

  /// JSON, one value per line. Only strings can contain unsafe characters, which get JSON escapes.
  package static func json(_ text: String) -> String {
    if isPlain(text, keepsLines: true) { return text }
    return escaped(text, keeping: { $0 == "\n" }, as: jsonEscape)
  }

  private static func jsonEscape(_ scalar: UnicodeScalar) -> String {
    String(scalar).utf16.reduce(into: "") { $0 += "\\u" + hex(UInt32($1), digits: 4) }
  }

  /// Text for an ASCII-only terminal. Characters that the program itself prints get the nearest
  /// ASCII form; others are escaped.
  /// - Parameter json: whether the text is JSON, which has its own escapes.
  package static func ascii(_ text: String, json: Bool = false) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if scalar.isASCII {
        result.unicodeScalars.append(scalar)
      } else if json {
        result += jsonEscape(scalar)
      } else {
        result += plainSign(scalar)
      }
    }
    return result
  }

  private static func plainSign(_ scalar: UnicodeScalar) -> String {
    switch scalar {
    case "…": "..."
    case "—", "–", "·": "-"
    case "•": "*"
    case "→": "->"
    case "×": "x"
    default: escape(scalar)
    }
  }

  /// Text of one line, cut to a number of columns with `…` at the end.
  package static func name(_ text: String, columns: Int = nameColumns, ascii: Bool = false) -> String {
    let whole = ascii ? self.ascii(self.text(text)) : self.text(text)
    // An ASCII character takes one column.
    if whole.utf8.count <= columns || width(of: whole) <= columns { return whole }
    let ellipsis = ascii ? ".." : "…"
    let room = columns - (ascii ? 2 : 1)
    var result = ""
    var taken = 0
    for scalar in text.unicodeScalars {
      let piece = isHostile(scalar) ? escape(scalar) : ascii && !scalar.isASCII ? plainSign(scalar) : String(scalar)
      let more = width(of: piece)
      if taken + more > room { break }
      taken += more
      result += piece
    }
    return result + ellipsis
  }

  /// Text of one line, padded with spaces to a number of columns.
  package static func padded(_ text: String, _ columns: Int) -> String {
    text + String(repeating: " ", count: max(0, columns - width(of: text)))
  }

  /// The number of terminal columns that a text takes.
  package static func width(of text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + width(of: $1) }
  }

  /// Whether a character must not reach a terminal unescaped.
  package static func isHostile(_ scalar: UnicodeScalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F: true
    // Invisible: soft hyphen, zero width, fillers, word joiners, byte order mark.
    case 0xAD, 0x180E, 0x200B, 0x2060...0x2064, 0xFEFF, 0x3164, 0xFFA0: true
    // Bidirectional controls, deprecated controls, annotations.
    case 0x61C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x206F, 0xFFF9...0xFFFB: true
    case 0x2028, 0x2029, 0xE0000...0xE007F: true
    default: false
    }
  }

  private static func isPlain(_ text: String, keepsLines: Bool = false) -> Bool {
    // Fast path: almost all text is printable ASCII.
    text.utf8.allSatisfy { (0x20...0x7E).contains($0) || keepsLines && ($0 == 0x0A || $0 == 0x09) }
  }

  private static func escaped(
    _ text: String, keeping isKept: (UnicodeScalar) -> Bool, as escape: (UnicodeScalar) -> String = escape
  ) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if isHostile(scalar), !isKept(scalar) { result += escape(scalar) } else { result.unicodeScalars.append(scalar) }
    }
    return result
  }

  private static func escape(_ scalar: UnicodeScalar) -> String {
    scalar.value < 0x100 ? "\\x" + hex(scalar.value, digits: 2) : "\\u{" + hex(scalar.value, digits: 1) + "}"
  }

  private static func hex(_ value: UInt32, digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }

  private static func width(of scalar: UnicodeScalar) -> Int {
    switch scalar.value {
    case 0..<0x300: return 1
    case 0x1100...0x115F, 0x231A...0x231B, 0x23E9...0x23EC, 0x2614...0x2615, 0x26A1, 0x2705, 0x274C, 0x2753...0x2755, 0x2757,
      0x2B1B...0x2B1C, 0x2B50, 0x2B55, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F18E, 0x1F191...0x1F19A, 0x1F200...0x1F320, 0x1F32D...0x1F335,
      0x1F337...0x1F37C, 0x1F37E...0x1F393, 0x1F3A0...0x1F3CA, 0x1F3E0...0x1F3F0, 0x1F400...0x1F43E, 0x1F440, 0x1F442...0x1F4FC,
      0x1F4FF...0x1F53D, 0x1F550...0x1F567, 0x1F5FB...0x1F64F, 0x1F680...0x1F6C5, 0x1F6D0...0x1F6D2, 0x1F6EB...0x1F6EC,
      0x1F6F4...0x1F6FC, 0x1F7E0...0x1F7EB, 0x1F90C...0x1F9FF, 0x1FA70...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default:
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark, .format: return 0
      default: return 1
      }
    }
  }
}
