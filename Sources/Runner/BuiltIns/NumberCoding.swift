package import Exchange
package import Recipe

/// Conversion of numbers to bytes and back.
extension NumberType {
  /// The number at an offset; `nil` if there are too few bytes. A value that is not a number (NaN,
  /// NRes or an infinity of sfloat) is `nothing`.
  @inline(__always)
  package func decode(_ bytes: RawSpan, at offset: Int) -> Value? {
    guard offset >= 0, bytes.byteCount - offset >= size else { return nil }
    return decode(raw: raw(bytes, at: offset))
  }

  /// The octets as one number, in the byte order of the type. The caller has checked the size.
  @inline(__always)
  package func raw(_ bytes: RawSpan, at offset: Int) -> UInt64 {
    if size == 1 { return UInt64(bytes.octet(offset)) }
    if size == 2, !isBigEndian { return UInt64(bytes.octet(offset)) | UInt64(bytes.octet(offset + 1)) << 8 }
    var raw: UInt64 = 0
    if isBigEndian {
      for index in 0..<size { raw = raw << 8 | UInt64(bytes.octet(offset + index)) }
    } else {
      for index in 0..<size { raw |= UInt64(bytes.octet(offset + index)) << UInt64(8 * index) }
    }
    return raw
  }

  @inline(__always)
  package func decode(raw: UInt64) -> Value {
    switch kind {
    case .unsigned:
      // The language's integers end at 63 bits.
      return raw <= UInt64(Int64.max) ? .int(Int64(truncatingIfNeeded: raw)) : .real(Double(raw))
    case .signed: return .int(signed(raw))
    case .float: return .real(size == 4 ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: raw))) : Double(bitPattern: raw))
    case .medical: return MedicalFloat.decode(raw, size: size).map { .real($0) } ?? .nothing
    }
  }

  @inline(__always)
  package func signed(_ raw: UInt64) -> Int64 {
    let unused = UInt64(64 - 8 * size)
    return Int64(bitPattern: raw << unused) >> Int64(unused)
  }

  /// Appends the octets of a raw number.
  package func write(raw: UInt64, to bytes: inout [UInt8]) {
    for index in 0..<size {
      let place = isBigEndian ? size - 1 - index : index
      bytes.append(UInt8(truncatingIfNeeded: raw >> UInt64(8 * place)))
    }
  }

  /// Appends the number. Fails if the value is not a number or does not fit.
  package func encode(_ value: Value, to bytes: inout [UInt8]) throws(Failure) { write(raw: try raw(value), to: &bytes) }

  package func raw(_ value: Value, advising: Bool = true) throws(Failure) -> UInt64 {
    switch kind {
    case .unsigned, .signed:
      guard let number = value.whole else {
        if kind == .unsigned, size == 8, case .real(let real) = value, let large = UInt64(exactly: real) { return large }
        if case .bool = value { throw .value("\(name) takes a number, not \(value.typeName)", hint: "`1 if … else 0`") }
        if case .real(let real) = value {
          throw .value(
            "\(DecimalNumber.text(real)) is not whole, so it does not fit in \(name)", hint: "`round(…)`, `floor(…)` or `ceil(…)`")
        }
        throw .value("\(name) takes a number, not \(value.typeName)")
      }
      guard bounds.contains(number) else { throw doesNotFit(number, advising: advising) }
      return UInt64(bitPattern: number)
    case .float:
      guard let number = value.double else { throw .value("\(name) takes a number, not \(value.typeName)") }
      if size == 8 { return number.bitPattern }
      let single = Float(number)
      if number.isFinite, !single.isFinite { throw .value("\(DecimalNumber.text(number)) does not fit in \(name)") }
      return UInt64(single.bitPattern)
    case .medical:
      if value.isNothing { return MedicalFloat.notANumber(size: size) }
      guard let number = value.double else { throw .value("\(name) takes a number or `nothing`, not \(value.typeName)") }
      guard let raw = MedicalFloat.encode(number, size: size) else {
        throw .value("\(DecimalNumber.text(number)) does not fit in \(name)")
      }
      return raw
    }
  }

  private func doesNotFit(_ number: Int64, advising: Bool) -> Failure {
    let fitting = NumberType.table.first { entry in
      guard entry.type.isBigEndian == (isBigEndian && entry.type.size > 1), entry.type.isWhole, entry.type.bounds.contains(number)
      else {
        return false
      }
      return [1, 2, 3, 4, 8].contains(entry.type.size) && (entry.type.kind == kind || number < 0)
    }
    let advice = advising ? fitting.map { " — \($0.name)(\(number))?" } ?? "" : ""
    let upper = kind == .unsigned && size == 8 ? "18446744073709551615" : String(bounds.upperBound)
    return .value("\(number) does not fit in \(name) (\(bounds.lowerBound) to \(upper))\(advice)")
  }
}

extension RawSpan {
  /// The octet at an offset that is known to be valid.
  @inline(__always)
  func octet(_ offset: Int) -> UInt8 { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }
}
