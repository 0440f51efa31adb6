import Vocabulary

extension FormatScale {
  package init(factor: Double, offset: Double) {
    self.factor = factor
    self.offset = offset
    multiplier = 0
    addend = 0
    exponent = 0
    factorDigits = 0
    factorExponent = 0
    guard factor.isFinite, offset.isFinite else { return }
    let (m, k) = Self.decimal(factor)
    let (p, kp) = offset == 0 ? (0, k) : Self.decimal(offset)
    if m.magnitude <= 1_000_000_000_000_000 {
      factorDigits = m
      factorExponent = k
    }
    let common = min(k, kp)
    guard let multiplied = Self.shifted(m, k - common), let added = Self.shifted(p, kp - common), common >= -22, common <= 22 else {
      return
    }
    multiplier = multiplied
    addend = added
    exponent = common
  }

  /// The shortest decimal digits of a number, and their power of ten.
  private static func decimal(_ number: Double) -> (Int64, Int) {
    let (digits, exponent) = DecimalText.shortest(number.magnitude)
    return (number < 0 ? -Int64(digits) : Int64(digits), exponent)
  }

  private static func shifted(_ number: Int64, _ places: Int) -> Int64? {
    guard places <= 18 else { return nil }
    var result = number
    for _ in 0..<places {
      let (product, isOver) = result.multipliedReportingOverflow(by: 10)
      if isOver { return nil }
      result = product
    }
    return result
  }
}
