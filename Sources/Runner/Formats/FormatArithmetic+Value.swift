import Recipe

extension FormatArithmetic {
  /// The result; `nil` if it is out of range. `from ..< to` are the bytes of `before`.
  func value(_ registers: [Int64], _ span: RawSpan, from base: Int, to at: Int) -> Int64? {
    switch self {
    case .constant(let number): return number
    case .register(let register): return registers[register]
    case .bits(let register, let shift, let mask):
      return Int64(bitPattern: UInt64(bitPattern: registers[register]) >> UInt64(shift) & mask)
    case .binary(let operation, let left, let right):
      guard let x = left.value(registers, span, from: base, to: at), let y = right.value(registers, span, from: base, to: at) else {
        return nil
      }
      return Self.apply(operation, x, y)
    case .ofBefore(let checksum, let from, let to):
      let low = min(base + from, at)
      let high = min(to.map { base + $0 } ?? at, at)
      var rest = span.extracting(droppingFirst: low)
      let bytes = (try? rest.readBytes(max(0, high - low))) ?? []
      return checksum.value(of: bytes)
    }
  }
}

extension FormatChecksum {
  func value(of bytes: [UInt8]) -> Int64 {
    switch self {
    case .crc16: Int64(Checksum.crc16(bytes))
    case .crc32: Int64(Checksum.crc32(bytes))
    case .sum: bytes.reduce(0) { $0 + Int64($1) }
    case .count: Int64(bytes.count)
    }
  }
}

extension FormatCondition {
  func holds(_ registers: [Int64], _ span: RawSpan, from base: Int, to at: Int) -> Bool {
    switch self {
    case .bit(let register, let bit): return registers[register] >> Int64(bit) & 1 == 1
    case .truth(let number): return number.value(registers, span, from: base, to: at) ?? 0 != 0
    case .compare(let operation, let left, let right):
      guard let x = left.value(registers, span, from: base, to: at), let y = right.value(registers, span, from: base, to: at) else {
        return false
      }
      return Self.compare(operation, x, y)
    case .not(let inner): return !inner.holds(registers, span, from: base, to: at)
    case .and(let a, let b): return a.holds(registers, span, from: base, to: at) && b.holds(registers, span, from: base, to: at)
    case .or(let a, let b): return a.holds(registers, span, from: base, to: at) || b.holds(registers, span, from: base, to: at)
    }
  }

  static func compare(_ operation: BinaryOperator, _ x: Int64, _ y: Int64) -> Bool {
    switch operation {
    case .equal: x == y
    case .notEqual: x != y
    case .less: x < y
    case .lessOrEqual: x <= y
    case .greater: x > y
    case .greaterOrEqual: x >= y
    default: false
    }
  }
}
