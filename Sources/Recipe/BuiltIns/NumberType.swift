/// A number as bytes: `u8` … `u64`, `i8` … `i64`, `f32`, `f64`, `sfloat`, `medfloat`, most also
/// with the suffix `be`. Built-ins, methods of bytes and types of formats share these names.
package struct NumberType: Hashable, Sendable {
  package enum Kind: UInt8, Sendable {
    case unsigned, signed
    /// IEEE 754, 4 or 8 bytes.
    case float
    /// IEEE 11073-20601 with a decimal exponent: 2 bytes (`sfloat`) or 4 (`medfloat`).
    case medical
  }

  package var kind: Kind
  /// In bytes, 1 to 8.
  package var size: Int
  package var isBigEndian: Bool

  package init(_ kind: Kind, size: Int, isBigEndian: Bool = false) {
    self.kind = kind
    self.size = size
    self.isBigEndian = isBigEndian
  }

  package init?(named name: String) {
    guard let entry = Self.table.first(where: { $0.name == name }) else { return nil }
    self = entry.type
  }

  package var name: String { Self.table.first { $0.type == self }?.name ?? "u\(size * 8)" }

  /// The number of the type in an instruction, unique and below 256.
  package var code: UInt16 { UInt16(kind.rawValue) << 4 | UInt16((size - 1) & 7) << 1 | (isBigEndian ? 1 : 0) }

  package init?(code: UInt16) {
    guard let kind = Kind(rawValue: UInt8(truncatingIfNeeded: code >> 4)), code < 256 else { return nil }
    self.init(kind, size: Int(code >> 1 & 7) + 1, isBigEndian: code & 1 == 1)
  }

  package var isWhole: Bool { kind == .unsigned || kind == .signed }

  /// The values that an integer type holds, within the language's 64-bit numbers.
  package var bounds: ClosedRange<Int64> {
    let bits = Int64(size * 8)
    switch kind {
    case .unsigned: return 0...(bits >= 63 ? Int64.max : (1 << bits) - 1)
    case .signed: return bits == 64 ? Int64.min...Int64.max : -(1 << (bits - 1))...((1 << (bits - 1)) - 1)
    case .float, .medical: return Int64.min...Int64.max
    }
  }

  package static let table: [(name: String, type: NumberType)] = {
    var table: [(name: String, type: NumberType)] = []
    for (letter, kind) in [("u", Kind.unsigned), ("i", .signed)] {
      for size in 1...8 {
        table.append(("\(letter)\(size * 8)", NumberType(kind, size: size)))
        if size > 1 { table.append(("\(letter)\(size * 8)be", NumberType(kind, size: size, isBigEndian: true))) }
      }
    }
    for (name, kind, size) in [("f32", Kind.float, 4), ("f64", .float, 8), ("sfloat", .medical, 2), ("medfloat", .medical, 4)] {
      table.append((name, NumberType(kind, size: size)))
      table.append((name + "be", NumberType(kind, size: size, isBigEndian: true)))
    }
    return table
  }()
}
