/// A flat JSON object on one line, parsed without the project's own readers.
package struct JSONLine: Equatable {
  package enum Value: Equatable {
    case text(String)
    /// The raw text: the caller interprets it.
    case number(String)
    case flag(Bool)
    case nothing
  }

  package private(set) var fields: [String: Value] = [:]

  package subscript(_ key: String) -> Value? { fields[key] }

  /// Nil unless the line is one complete object of plain values.
  package init?(_ line: String) {
    var reader = Reader(bytes: Array(line.utf8))
    guard reader.take("{") else { return nil }
    if !reader.take("}") {
      repeat {
        guard let key = reader.text(), reader.take(":"), let value = reader.value(), fields.updateValue(value, forKey: key) == nil
        else { return nil }
      } while reader.take(",")
      guard reader.take("}") else { return nil }
    }
    reader.skipSpace()
    if !reader.isAtEnd { return nil }
  }

  private struct Reader {
    let bytes: [UInt8]
    var index = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { index >= bytes.count }

    mutating func skipSpace() {
      while index < bytes.count, bytes[index] == 0x20 || bytes[index] == 0x09 || bytes[index] == 0x0D { index += 1 }
    }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
      skipSpace()
      guard index < bytes.count, UInt32(bytes[index]) == scalar.value else { return false }
      index += 1
      return true
    }

    mutating func text() -> String? {
      guard take("\"") else { return nil }
      var result: [UInt8] = []
      while index < bytes.count {
        let byte = bytes[index]
        index += 1
        if byte == UInt8(ascii: "\"") { return String(validating: result, as: UTF8.self) }
        guard byte == UInt8(ascii: "\\") else {
          result.append(byte)
          continue
        }
        guard index < bytes.count else { return nil }
        let escape = bytes[index]
        index += 1
        switch escape {
        case UInt8(ascii: "n"): result.append(0x0A)
        case UInt8(ascii: "r"): result.append(0x0D)
        case UInt8(ascii: "t"): result.append(0x09)
        case UInt8(ascii: "b"): result.append(0x08)
        case UInt8(ascii: "f"): result.append(0x0C)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(escape)
        case UInt8(ascii: "u"):
          guard index + 4 <= bytes.count else { return nil }
          guard let code = UInt32(String(decoding: bytes[index..<index + 4], as: UTF8.self), radix: 16) else { return nil }
          index += 4
          result += Array(String(Unicode.Scalar(code) ?? "\u{FFFD}").utf8)
        default: return nil
        }
      }
      return nil
    }

    mutating func value() -> Value? {
      skipSpace()
      guard index < bytes.count else { return nil }
      if bytes[index] == UInt8(ascii: "\"") { return text().map(Value.text) }
      let start = index
      while index < bytes.count, bytes[index] != UInt8(ascii: ","), bytes[index] != UInt8(ascii: "}"), bytes[index] != 0x20 {
        index += 1
      }
      let word = String(decoding: bytes[start..<index], as: UTF8.self)
      switch word {
      case "true": return .flag(true)
      case "false": return .flag(false)
      case "null": return .nothing
      default:
        guard let first = word.utf8.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first) else { return nil }
        return .number(word)
      }
    }
  }
}
