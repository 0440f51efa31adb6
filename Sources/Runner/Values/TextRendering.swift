package import Exchange
package import Recipe
import Vocabulary

/// The text of values in `print`, `text(x)` and `"{x}"`. Numbers are never localised.
package enum TextRendering {
  /// Texts unchanged, records as `bpm=72 contact=good`, nested values as JSON.
  package static func text(of value: Value, _ surroundings: borrowing Surroundings) -> String {
    switch value {
    case .text(let text): return text
    case .int(let number): return String(number)
    case .real(let number): return DecimalText.text(number)
    case .bool(let flag): return flag ? "true" : "false"
    case .nothing: return "nothing"
    case .bytes(let bytes): return hex(bytes)
    case .duration(let span): return span.exact
    case .time(let time): return surroundings.zone.civil(time).description
    case .uuid(let uuid): return uuid.description
    case .address(let address): return address.description
    case .device(let index): return surroundings.deviceName(index)
    case .unset: return ""
    case .subject(let index): return "part \(index) of the test"
    case .problem(let problem): return problem.failure.message
    case .attribute(let attribute): return attribute.name ?? attribute.uuid.description
    case .secret(let secret): return secret.shown
    case .list: return JSON.text(of: value, surroundings)
    case .record(let record):
      var text = ""
      for field in record.fields {
        if !text.isEmpty { text += " " }
        text += field.key
        text += "="
        switch field.value {
        case .list, .record: text += JSON.text(of: field.value, surroundings)
        default: text += Self.text(of: field.value, surroundings)
        }
      }
      return text
    }
  }

  /// Text with a format: `{t:.1}`, `{n:04}`, `{data:hex}`.
  package static func text(of value: Value, format: StringSyntax.Format?, _ surroundings: borrowing Surroundings) throws(Failure)
    -> String
  {
    guard let format else { return text(of: value, surroundings) }
    if value.isNothing { return "nothing" }
    switch format {
    case .decimals(let digits):
      switch value {
      case .int(let number): return DecimalText.text(number, digits: digits)
      case .real(let number): return DecimalText.text(number, digits: digits)
      default: throw .value("`:.\(digits)` shows a number, not \(value.typeName)")
      }
    case .padded(let width, let zeros):
      let plain = text(of: value, surroundings)
      let missing = min(width, 1000) - plain.scalarCount
      if missing <= 0 { return plain }
      switch value {
      case .int, .real:
        return zeros ? DecimalText.padded(plain, width: width) : String(repeating: " ", count: missing) + plain
      default:
        if zeros { throw .value("`:0\(width)` fills a number with zeros, not \(value.typeName)") }
        return plain + String(repeating: " ", count: missing)
      }
    case .hex:
      switch value {
      case .bytes(let bytes): return hex(bytes)
      case .int(let number): return number < 0 ? "-" + String(number.magnitude, radix: 16) : String(number, radix: 16)
      case .text(let text): return hex(Array(text.utf8))
      default: throw .value("`:hex` shows bytes or a whole number, not \(value.fractionOrType)")
      }
    }
  }

  /// Two digits per byte without separators: `0102ff`.
  package static func hex(_ bytes: [UInt8]) -> String {
    let digits: StaticString = "0123456789abcdef"
    return String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
      for (index, byte) in bytes.enumerated() {
        buffer[2 * index] = digits.utf8Start[Int(byte >> 4)]
        buffer[2 * index + 1] = digits.utf8Start[Int(byte & 15)]
      }
      return bytes.count * 2
    }
  }

  /// A short text for messages, at most one line.
  /// - Parameter limit: the most characters.
  package static func brief(_ value: Value, quoting: Bool = true, limit: Int = 40) -> String {
    let text = Self.text(of: value, Surroundings())
    let shown = text.scalarCount <= limit ? text : String(text.unicodeScalars.prefix(limit - 1)) + "…"
    if quoting, case .text = value { return "\"\(shown)\"" }
    return shown
  }
}
