/// A Bluetooth UUID. 16-bit and 32-bit forms are short for UUIDs based on the Base UUID (Vol 3,
/// Part B, 2.5.1).
package struct UUID: Hashable, Comparable, Sendable {
  package var high: UInt64
  package var low: UInt64

  /// 00000000-0000-1000-8000-00805F9B34FB
  package static let baseHigh: UInt64 = 0x0000_0000_0000_1000
  package static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  package init(_ short: UInt16) { self.init(high: UInt64(short) << 32 | Self.baseHigh, low: Self.baseLow) }

  package init(short32 value: UInt32) { self.init(high: UInt64(value) << 32 | Self.baseHigh, low: Self.baseLow) }

  /// The 16-bit form, if this UUID has one.
  package var short: UInt16? {
    guard low == Self.baseLow, high & 0xFFFF_FFFF == Self.baseHigh, high >> 48 == 0 else { return nil }
    return UInt16(truncatingIfNeeded: high >> 32)
  }

  package static func < (left: UUID, right: UUID) -> Bool { (left.high, left.low) < (right.high, right.low) }

  /// Parses `6e400001-b5a3-f393-e0a9-e50e24dcca9e`, `0x180D` or `180D`.
  package init?(_ text: String) { self.init(text[...]) }

  package init?(_ text: Substring) {
    if text.utf8.count == 36 {
      var high: UInt64 = 0
      var low: UInt64 = 0
      var digits = 0
      for (index, character) in text.utf8.enumerated() {
        if [8, 13, 18, 23].contains(index) {
          guard character == UInt8(ascii: "-") else { return nil }
          continue
        }
        guard let digit = Hex.digit(character) else { return nil }
        if digits < 16 { high = high << 4 | UInt64(digit) } else { low = low << 4 | UInt64(digit) }
        digits += 1
      }
      self.init(high: high, low: low)
      return
    }
    let bare = text.hasPrefix("0x") || text.hasPrefix("0X") ? text.dropFirst(2) : text[...]
    guard bare.utf8.count == 4, bare.utf8.allSatisfy({ Hex.digit($0) != nil }), let value = UInt16(bare, radix: 16)
    else { return nil }
    self.init(value)
  }
}

extension UUID: CustomStringConvertible {
  /// `0x180D` if there is a 16-bit form, otherwise the 36 characters in lower case.
  package var description: String { short.map { "0x\(Hex.text($0))" } ?? full }

  /// Always the 36 characters.
  package var full: String {
    let digits = Hex.text(bigEndian: high) + Hex.text(bigEndian: low)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { text += "-" }
      text.append(digit)
    }
    return text
  }
}

extension UUID {
  /// 16 octets, least significant first, as in ATT (Vol 3, Part F, 3.2.1).
  package init(littleEndian reader: inout RawSpan) throws(DecodeError) {
    let low = try reader.readUInt64()
    self.init(high: try reader.readUInt64(), low: low)
  }

  /// Two octets if there is a 16-bit form, otherwise sixteen.
  package func writeLittleEndian(to writer: inout ByteWriter) {
    if let short {
      writer.put(short)
    } else {
      writer.put(low)
      writer.put(high)
    }
  }

  /// The size that `writeLittleEndian` writes, in octets: 2 or 16.
  package var wireSize: Int { short == nil ? 16 : 2 }
}

extension UUID: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { try self.init(littleEndian: &reader) }

  package func write(to writer: inout ByteWriter) {
    writer.put(low)
    writer.put(high)
  }
}
