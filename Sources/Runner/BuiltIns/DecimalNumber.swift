import Vocabulary

/// Converts decimal digits to a double.
enum DecimalNumber {
  static func text(_ number: Double) -> String { DecimalText.text(number) }

  /// `digits` times 10 to the power of `exponent`, rounded once.
  @inline(__always)
  static func double(_ digits: Int64, exponent: Int) -> Double {
    if exponent == 0 { return Double(digits) }
    if digits.magnitude < 1 << 53 {
      // Both numbers are exact, so a single operation rounds only once.
      if exponent < 0, exponent >= -22 { return Double(digits) / powers[-exponent] }
      if exponent > 0, exponent <= 22 { return Double(digits) * powers[exponent] }
    }
    return Double("\(digits)e\(exponent)") ?? 0
  }

  private static let powers: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]
}
