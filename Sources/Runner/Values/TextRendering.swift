package import Exchange
package import Recipe
package import Vocabulary

/// Values as `print`, `text(x)` and `"{x}"` show them. Numbers are never localised.
package enum TextRendering {
  /// Texts as they are, records as `bpm=72 contact=good`, what is nested in them as JSON.
  package static func text(of value: Value, _ surroundings: borrowing Surroundings) -> String {
    switch value {
    case .text(let text): return text
    case .int(let number): return String(number)
    case .real(let number): return Self.number(number)
    case .bool(let flag): return flag ? "true" : "false"
    case .nothing: return "nothing"
    case .bytes(let bytes): return hex(bytes)
    case .duration(let span): return span.description
    case .time(let time): return rfc3339(time, secondsEast: surroundings.secondsEast(time))
    case .uuid(let uuid): return uuid.description
    case .address(let address): return address.description
    case .device(let index): return surroundings.deviceName(index)
    case .channel(let index): return "channel \(index)"
    case .problem(let problem): return problem.failure.message
    case .attribute(let attribute): return attribute.uuid.description
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

  /// `{t:.1}`, `{n:04}`, `{data:hex}`
  package static func text(of value: Value, format: StringSyntax.Format?, _ surroundings: borrowing Surroundings) throws(Failure)
    -> String
  {
    guard let format else { return text(of: value, surroundings) }
    if value.isNothing { return "nothing" }
    switch format {
    case .decimals(let digits):
      switch value {
      case .int(let number): return decimals(Double(number), exact: number, digits: digits)
      case .real(let number): return decimals(number, exact: nil, digits: digits)
      default: throw .value("`:.\(digits)` shows a number, not \(value.typeName)")
      }
    case .padded(let width, let zeros):
      let plain = text(of: value, surroundings)
      let missing = min(width, 1000) - plain.unicodeScalars.count
      if missing <= 0 { return plain }
      switch value {
      case .int, .real:
        if !zeros { return String(repeating: " ", count: missing) + plain }
        let fill = String(repeating: "0", count: missing)
        return plain.hasPrefix("-") ? "-" + fill + plain.dropFirst() : fill + plain
      default:
        if zeros { throw .value("`:0\(width)` fills a number with zeros, not \(value.typeName)") }
        return plain + String(repeating: " ", count: missing)
      }
    case .hex:
      switch value {
      case .bytes(let bytes): return hex(bytes)
      case .int(let number): return number < 0 ? "-" + String(number.magnitude, radix: 16) : String(number, radix: 16)
      case .text(let text): return hex(Array(text.utf8))
      default: throw .value("`:hex` shows bytes or a whole number, not \(value.typeName)")
      }
    }
  }

  /// Two digits a byte, nothing between: `0102ff`.
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

  /// The shortest digits that read back as the same number.
  package static func number(_ number: Double) -> String { number.isNaN ? "nan" : number.description }

  /// For messages: never longer than a line.
  package static func brief(_ value: Value) -> String {
    let text = Self.text(of: value, Surroundings())
    let shown = text.unicodeScalars.count <= 40 ? text : String(text.unicodeScalars.prefix(39)) + "…"
    if case .text = value { return "\"\(shown)\"" }
    return shown
  }

  package static func date(_ civil: Civil) -> String {
    "\(padded(civil.year, 4))-\(padded(civil.month, 2))-\(padded(civil.day, 2))"
  }

  /// `2026-01-01T06:00:00+01:00`; milliseconds only when there are some; `Z` in UTC.
  package static func rfc3339(_ time: WallTime, secondsEast: Int) -> String {
    // An offset has whole minutes in RFC 3339; old local mean times do not.
    let minutes = secondsEast / 60
    let civil = Civil(time, secondsEast: minutes * 60)
    var text = date(civil) + "T\(padded(civil.hour, 2)):\(padded(civil.minute, 2)):\(padded(civil.second, 2))"
    let milliseconds = civil.nanosecond / 1_000_000
    if milliseconds > 0 { text += ".\(padded(milliseconds, 3))" }
    if minutes == 0 { return text + "Z" }
    return text + "\(minutes < 0 ? "-" : "+")\(padded(abs(minutes) / 60, 2)):\(padded(abs(minutes) % 60, 2))"
  }

  static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return digits.utf8.count >= width ? digits : String(repeating: "0", count: width - digits.utf8.count) + digits
  }

  /// Rounded half away from zero on the number's own shortest digits, as people round: 2.675 with two digits is 2.68.
  static func decimals(_ number: Double, exact: Int64?, digits wanted: Int) -> String {
    let places = min(max(wanted, 0), 100)
    if let exact { return places == 0 ? String(exact) : "\(exact)." + String(repeating: "0", count: places) }
    guard number.isFinite else { return Self.number(number) }
    var (digits, point) = shortest(abs(number))
    // digits[0 ..< point] stand before the point.
    let kept = point + places
    if kept < 0 {
      digits = []
      point = 0
    } else if kept < digits.count {
      var carry = digits[kept] >= 5
      digits.removeSubrange(kept...)
      var index = kept - 1
      while carry, index >= 0 {
        digits[index] += 1
        carry = digits[index] == 10
        if carry { digits[index] = 0 }
        index -= 1
      }
      if carry {
        digits.insert(1, at: 0)
        point += 1
      }
    }
    var whole = ""
    var fraction = ""
    if point > 0 {
      for index in 0..<point { whole += String(index < digits.count ? digits[index] : 0) }
    } else {
      whole = "0"
    }
    for index in point..<(point + places) { fraction += String(index >= 0 && index < digits.count ? digits[index] : 0) }
    let text = places == 0 ? whole : "\(whole).\(fraction)"
    let isZero = digits.allSatisfy { $0 == 0 }
    return number < 0 && !isZero ? "-" + text : text
  }

  /// The digits of a number and where its point stands: 25.5 is ([2, 5, 5], 2), 0.05 is ([5], -1).
  static func shortest(_ number: Double) -> (digits: [UInt8], point: Int) {
    var digits: [UInt8] = []
    var point: Int?
    var exponent = 0
    let text = Array(number.description.utf8)
    for (index, character) in text.enumerated() {
      if character == UInt8(ascii: ".") {
        point = digits.count
      } else if character == UInt8(ascii: "e") {
        exponent = Int(String(decoding: text[(index + 1)...], as: UTF8.self)) ?? 0
        break
      } else {
        digits.append(character &- UInt8(ascii: "0"))
      }
    }
    var place = (point ?? digits.count) + exponent
    while let first = digits.first, first == 0 {
      digits.removeFirst()
      place -= 1
    }
    while digits.last == 0 { digits.removeLast() }
    return (digits, digits.isEmpty ? 0 : place)
  }
}
