import Vocabulary

/// A double by its shortest decimal digits.
enum DecimalNumber {
  static func text(_ number: Double) -> String { DecimalText.text(number) }

  /// A finite magnitude is `digits` times 10 to the `exponent`, with no zero at the end of the digits.
  static func shortest(_ magnitude: Double) -> (digits: UInt64, exponent: Int) {
    var digits: UInt64 = 0
    var exponent = 0
    var isBehindPoint = false
    var rest = magnitude.description.utf8[...]
    while let character = rest.popFirst() {
      if character == UInt8(ascii: ".") {
        isBehindPoint = true
      } else if character == UInt8(ascii: "e") {
        exponent += Int(String(decoding: rest, as: UTF8.self)) ?? 0
        break
      } else {
        // At most 17 digits, or 16 and a zero: within 64 bits.
        digits = digits &* 10 &+ UInt64(character &- UInt8(ascii: "0"))
        if isBehindPoint { exponent -= 1 }
      }
    }
    if digits == 0 { return (0, 0) }
    while digits % 10 == 0 {
      digits /= 10
      exponent += 1
    }
    return (digits, exponent)
  }

  /// `digits` times 10 to the `exponent`, rounded once.
  @inline(__always)
  static func double(_ digits: Int64, exponent: Int) -> Double {
    if exponent == 0 { return Double(digits) }
    if digits.magnitude < 1 << 53 {
      // Both numbers are exact, so one operation rounds once.
      if exponent < 0, exponent >= -22 { return Double(digits) / powers[-exponent] }
      if exponent > 0, exponent <= 22 { return Double(digits) * powers[exponent] }
    }
    return Double("\(digits)e\(exponent)") ?? 0
  }

  private static let powers: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]
}
