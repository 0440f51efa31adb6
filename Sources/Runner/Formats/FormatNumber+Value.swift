import Recipe

/// Conversion of raw numbers to values.
extension FormatNumber {
  /// The language's integers end at 63 bits; a scaled number is real in any case.
  @inline(__always)
  func isTooLarge(_ raw: UInt64) -> Bool { type.kind == .unsigned && scale == nil && raw > UInt64(Int64.max) }

  @inline(__always)
  func value(of raw: UInt64) -> Value {
    if !meanings.isEmpty {
      let whole = type.wholeRaw(raw)
      for meaning in meanings where meaning.raw == whole { return meaning.word.value }
    }
    guard let scale else { return type.decode(raw: raw) }
    return scaled(raw, scale)
  }

  private func scaled(_ raw: UInt64, _ scale: FormatScale) -> Value {
    if type.kind == .medical {
      guard let (mantissa, exponent) = MedicalFloat.parts(raw, size: type.size) else { return .nothing }
      if scale.offset == 0, scale.factorDigits != 0 {
        let (digits, isOver) = mantissa.multipliedReportingOverflow(by: scale.factorDigits)
        if !isOver { return .real(DecimalNumber.double(digits, exponent: exponent + scale.factorExponent)) }
      }
      return .real(DecimalNumber.double(mantissa, exponent: exponent) * scale.factor + scale.offset)
    }
    if type.isWhole, scale.multiplier != 0, type.kind == .signed || raw <= UInt64(Int64.max) {
      let (product, isOver) = type.wholeRaw(raw).multipliedReportingOverflow(by: scale.multiplier)
      let (sum, isOverToo) = product.addingReportingOverflow(scale.addend)
      if !isOver, !isOverToo { return .real(DecimalNumber.double(sum, exponent: scale.exponent)) }
    }
    guard let number = type.decode(raw: raw).double else { return .nothing }
    return .real(number * scale.factor + scale.offset)
  }
}

extension NumberType {
  /// The integer as conditions use it.
  @inline(__always)
  func wholeRaw(_ raw: UInt64) -> Int64 { kind == .signed ? signed(raw) : Int64(bitPattern: raw) }
}

extension FormatBit {
  func value(of group: UInt64) -> Value {
    let raw = group >> UInt64(shift) & mask
    for meaning in meanings where UInt64(bitPattern: meaning.raw) == raw { return meaning.word.value }
    if isSingle, meanings.isEmpty { return .bool(raw == 1) }
    return raw <= UInt64(Int64.max) ? .int(Int64(raw)) : .real(Double(raw))
  }
}

extension FormatMeaning.Word {
  @inline(__always)
  var value: Value {
    switch self {
    case .text(let word): .text(word)
    case .nothing: .nothing
    case .flag(let flag): .bool(flag)
    }
  }
}
