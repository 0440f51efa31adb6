/// Conversion of numbers to text and back, independent of the locale.
package enum DecimalText {
  /// A number of the language.
  package enum Number: Hashable, Sendable {
    case integer(Int64)
    case real(Double)
  }

  // MARK: Writing

  /// The shortest text that parses as the same value: `22.5`, `30.0`, `1e20`, `1e-7`, `inf`, `-inf`
  /// and `nan`.
  package static func text(_ value: Double) -> String {
    guard value.isFinite else { return value.isNaN ? "nan" : value < 0 ? "-inf" : "inf" }
    let text = value.description
    guard let mark = text.firstIndex(of: "e") else { return text }
    // Swift writes 1e+20 and 1e-07.
    let exponent = text[text.index(after: mark)...]
    let digits = exponent.drop { $0 == "+" || $0 == "-" || $0 == "0" }
    return text[..<mark] + (exponent.hasPrefix("-") ? "e-" : "e") + digits
  }

  /// Text with 0 to 100 digits after the point. Rounds the exact value to nearest, ties to even:
  /// 2.5 gives `2`, and 0.15, which is slightly less, gives `0.1`. A result of 0 has no sign.
  package static func text(_ value: Double, digits: Int) -> String {
    guard value.isFinite else { return text(value) }
    let digits = min(max(digits, 0), 100)
    var number = BigNumber(value.magnitude.significandInteger)
    let exponent = value.magnitude.binaryExponentOfInteger
    for _ in 0..<digits { number.multiply(by: 10) }
    if exponent >= 0 { number.shiftLeft(exponent) } else { number.shiftRightRounding(-exponent) }
    return placed(number.decimal, digits: digits, negative: value < 0)
  }

  /// As above for an integer: `5` with two digits is `5.00`.
  package static func text(_ value: Int64, digits: Int) -> String {
    let digits = min(max(digits, 0), 100)
    return digits == 0 ? String(value) : "\(value).\(String(repeating: "0", count: digits))"
  }

  /// Inserts the point before the last `digits` digits.
  private static func placed(_ decimal: String, digits: Int, negative: Bool) -> String {
    var text = decimal
    if text.utf8.count <= digits { text = String(repeating: "0", count: digits + 1 - text.utf8.count) + text }
    let sign = negative && text.utf8.contains { $0 != UInt8(ascii: "0") } ? "-" : ""
    return digits == 0 ? sign + text : "\(sign)\(text.dropLast(digits)).\(text.suffix(digits))"
  }

  /// Pads with zeros between sign and digits to a width of at most 1,000: `-7` in four is `-007`.
  /// Text that does not begin with a digit, such as `inf`, is padded with spaces.
  package static func padded(_ text: String, width: Int) -> String {
    let missing = min(width, 1000) - text.count
    guard missing > 0 else { return text }
    let sign = text.hasPrefix("-") ? "-" : ""
    let rest = text.dropFirst(sign.count)
    guard let first = rest.utf8.first, (0x30...0x39).contains(first) else { return String(repeating: " ", count: missing) + text }
    return sign + String(repeating: "0", count: missing) + rest
  }

  /// The shortest decimal form of a finite magnitude: `digits` times 10 to the power of `exponent`,
  /// without zeros at the end of the digits.
  package static func shortest(_ magnitude: Double) -> (digits: UInt64, exponent: Int) {
    var digits: UInt64 = 0
    var exponent = 0
    var isFraction = false
    var rest = magnitude.description.utf8[...]
    while let character = rest.popFirst() {
      if character == UInt8(ascii: ".") {
        isFraction = true
      } else if character == UInt8(ascii: "e") {
        exponent += Int(String(decoding: rest, as: UTF8.self)) ?? 0
        break
      } else {
        // At most 17 digits, or 16 and a zero, which fit 64 bits.
        digits = digits &* 10 &+ UInt64(character &- UInt8(ascii: "0"))
        if isFraction { exponent -= 1 }
      }
    }
    if digits == 0 { return (0, 0) }
    while digits % 10 == 0 {
      digits /= 10
      exponent += 1
    }
    return (digits, exponent)
  }

  // MARK: Reading

  /// Parses `42`, `-7`, `0x2A`, `0b1010`, `3.14` and `-1.5e3`, without spaces, plus or missing
  /// digits. `nil` for other text, integers beyond 64 bits, and reals beyond a double.
  package static func parse(_ text: String) -> Number? {
    let negative = text.utf8.first == UInt8(ascii: "-")
    let body = text.utf8.dropFirst(negative ? 1 : 0)
    var radix: UInt64 = 10
    var digits = body
    if body.starts(with: "0x".utf8) || body.starts(with: "0b".utf8) {
      radix = body.dropFirst().first == UInt8(ascii: "x") ? 16 : 2
      digits = body.dropFirst(2)
    }
    if digits.allSatisfy({ Hex.digit($0).map { UInt64($0) < radix } ?? false }) {
      return integer(digits, radix: radix, negative: negative).map { .integer($0) }
    }
    return radix == 10 ? real(body, text) : nil
  }

  private static func integer(_ digits: Substring.UTF8View, radix: UInt64, negative: Bool) -> Int64? {
    guard !digits.isEmpty else { return nil }
    var value: UInt64 = 0
    for byte in digits {
      guard let digit = Hex.digit(byte) else { return nil }
      let (product, first) = value.multipliedReportingOverflow(by: radix)
      let (sum, second) = product.addingReportingOverflow(UInt64(digit))
      if first || second { return nil }
      value = sum
    }
    if negative { return value <= UInt64(Int64.max) + 1 ? Int64(truncatingIfNeeded: 0 &- value) : nil }
    return Int64(exactly: value)
  }

  /// Digits, optionally a point and digits, optionally `e`, a sign and digits.
  private static func real(_ body: Substring.UTF8View, _ text: String) -> Number? {
    var rest = body[...]
    func digits() -> Bool {
      let count = rest.prefix { (0x30...0x39).contains($0) }.count
      rest = rest.dropFirst(count)
      return count > 0
    }
    guard digits() else { return nil }
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      guard digits() else { return nil }
    }
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest = rest.dropFirst()
      if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
      guard digits() else { return nil }
    }
    guard rest.isEmpty, let value = Double(text), value.isFinite else { return nil }
    return .real(value)
  }
}

extension Double {
  /// A finite magnitude is exactly `significandInteger * 2 ^ binaryExponentOfInteger`.
  fileprivate var significandInteger: UInt64 {
    isNormal ? significandBitPattern | 1 << UInt64(Double.significandBitCount) : significandBitPattern
  }

  fileprivate var binaryExponentOfInteger: Int { (isNormal ? Int(exponentBitPattern) : 1) - 1075 }
}

/// A natural number of any size in 32-bit limbs, least significant first. Has only what exact
/// rounding needs.
private struct BigNumber {
  var limbs: [UInt32]

  init(_ value: UInt64) { limbs = [UInt32(truncatingIfNeeded: value), UInt32(truncatingIfNeeded: value >> 32)] }

  mutating func multiply(by factor: UInt32) {
    var carry: UInt64 = 0
    for index in limbs.indices {
      let product = UInt64(limbs[index]) * UInt64(factor) + carry
      limbs[index] = UInt32(truncatingIfNeeded: product)
      carry = product >> 32
    }
    if carry > 0 { limbs.append(UInt32(truncatingIfNeeded: carry)) }
  }

  mutating func shiftLeft(_ count: Int) {
    for _ in 0..<(count % 32) { multiply(by: 2) }
    limbs.insert(contentsOf: repeatElement(0, count: count / 32), at: 0)
  }

  func bit(_ place: Int) -> Bool { place / 32 < limbs.count && limbs[place / 32] >> UInt32(place % 32) & 1 == 1 }

  /// Shifts and rounds to nearest, ties to even.
  mutating func shiftRightRounding(_ count: Int) {
    let half = bit(count - 1)
    let below = (0..<min(count - 1, limbs.count * 32)).contains { bit($0) }
    var shifted: [UInt32] = []
    for place in stride(from: count, to: max(limbs.count * 32, count + 1), by: 32) {
      var limb: UInt32 = 0
      for offset in 0..<32 where bit(place + offset) { limb |= 1 << UInt32(offset) }
      shifted.append(limb)
    }
    limbs = shifted
    guard half, below || bit(0) else { return }
    for index in limbs.indices {
      limbs[index] &+= 1
      if limbs[index] != 0 { return }
    }
    limbs.append(1)
  }

  var decimal: String {
    var rest = limbs
    var groups: [UInt32] = []
    while rest.contains(where: { $0 != 0 }) {
      var remainder: UInt64 = 0
      for index in rest.indices.reversed() {
        let value = remainder << 32 | UInt64(rest[index])
        rest[index] = UInt32(truncatingIfNeeded: value / 1_000_000_000)
        remainder = value % 1_000_000_000
      }
      groups.append(UInt32(truncatingIfNeeded: remainder))
    }
    guard let first = groups.last else { return "0" }
    var text = String(first)
    for group in groups.dropLast().reversed() {
      let digits = String(group)
      text += String(repeating: "0", count: 9 - digits.utf8.count) + digits
    }
    return text
  }
}
