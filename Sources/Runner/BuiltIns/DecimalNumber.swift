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
}
