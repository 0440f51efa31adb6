import Vocabulary

/// SFLOAT and FLOAT (medfloat32) of IEEE 11073-20601: an integer mantissa times a power of ten.
enum MedicalFloat {
  /// `nil` for NaN, NRes, the infinities and the reserved value, which have exponent 0.
  static func parts(_ raw: UInt64, size: Int) -> (mantissa: Int64, exponent: Int)? {
    let mantissaBits: Int64 = size == 2 ? 12 : 24
    let exponentBits: Int64 = size == 2 ? 4 : 8
    let mantissa = Int64(bitPattern: raw << UInt64(64 - mantissaBits)) >> (64 - mantissaBits)
    let exponent = Int64(bitPattern: raw << UInt64(64 - mantissaBits - exponentBits)) >> (64 - exponentBits)
    let limit: Int64 = 1 << (mantissaBits - 1)
    if exponent == 0, mantissa >= limit - 2 || mantissa <= -limit + 2 { return nil }
    return (mantissa, Int(exponent))
  }

  static func decode(_ raw: UInt64, size: Int) -> Double? {
    parts(raw, size: size).map { DecimalNumber.double($0.mantissa, exponent: $0.exponent) }
  }

  static func notANumber(size: Int) -> UInt64 { size == 2 ? 0x07FF : 0x007F_FFFF }

  /// The nearest value with the fewest digits: 36.4 is 364 times 10 to the power of -1. `nil` if
  /// the number is too large.
  static func encode(_ number: Double, size: Int) -> UInt64? {
    if number.isNaN { return notANumber(size: size) }
    if number.isInfinite { return size == 2 ? (number > 0 ? 0x07FE : 0x0802) : (number > 0 ? 0x007F_FFFE : 0x0080_0002) }
    let mantissaBits: UInt64 = size == 2 ? 12 : 24
    let exponents = size == 2 ? -8...7 : -128...127
    let limit: UInt64 = 1 << (mantissaBits - 1)
    let largest = number < 0 ? limit : limit - 1
    let exact = DecimalText.shortest(number.magnitude)
    var (digits, exponent) = exact
    var divisor: UInt64 = 1
    // A mantissa that is a special value with exponent 0 is allowed with other exponents.
    while digits > largest || exponent < exponents.lowerBound || (exponent == 0 && digits > limit - 3) {
      if digits == 0 { break }
      // Always divide the exact digits, because rounding twice may give the wrong result.
      exponent += 1
      divisor = divisor < 1_000_000_000_000_000_000 ? divisor * 10 : 0
      digits = divisor == 0 ? 0 : exact.digits / divisor + (exact.digits % divisor >= divisor / 2 ? 1 : 0)
    }
    if digits == 0 { return 0 }
    while digits % 10 == 0, exponent < 0 {
      digits /= 10
      exponent += 1
    }
    while exponent > exponents.upperBound, digits * 10 <= largest {
      digits *= 10
      exponent -= 1
    }
    // Write whole numbers with exponent 0 if they fit.
    while exponent > 0, digits * 10 <= limit - 3 {
      digits *= 10
      exponent -= 1
    }
    guard exponent <= exponents.upperBound else { return nil }
    let mantissa = number < 0 ? 0 &- digits : digits
    let mask: UInt64 = (1 << mantissaBits) - 1
    return mantissa & mask | (UInt64(bitPattern: Int64(exponent)) & (size == 2 ? 0xF : 0xFF)) << mantissaBits
  }
}
