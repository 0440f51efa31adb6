/// A byte writer that appends, in little endian. The counterpart of the reader on `RawSpan`.
package struct ByteWriter: Sendable {
  package var bytes: [UInt8] = []

  package init() {}

  package init(capacity: Int) { bytes.reserveCapacity(capacity) }

  package mutating func put(_ value: UInt8) { bytes.append(value) }
  package mutating func put(_ value: Int8) { bytes.append(UInt8(bitPattern: value)) }

  package mutating func put(_ value: UInt16) {
    bytes.append(UInt8(truncatingIfNeeded: value))
    bytes.append(UInt8(truncatingIfNeeded: value >> 8))
  }

  /// The low 24 bits.
  package mutating func put(uint24 value: UInt32) {
    put(UInt16(truncatingIfNeeded: value))
    put(UInt8(truncatingIfNeeded: value >> 16))
  }

  package mutating func put(_ value: UInt32) {
    put(UInt16(truncatingIfNeeded: value))
    put(UInt16(truncatingIfNeeded: value >> 16))
  }

  package mutating func put(_ value: UInt64) {
    put(UInt32(truncatingIfNeeded: value))
    put(UInt32(truncatingIfNeeded: value >> 32))
  }

  package mutating func put(_ more: [UInt8]) { bytes.append(contentsOf: more) }
  package mutating func put(_ more: ArraySlice<UInt8>) { bytes.append(contentsOf: more) }
  package mutating func put(_ text: String.UTF8View) { bytes.append(contentsOf: text) }

  package mutating func put(varint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  package mutating func put(zigzag value: Int64) { put(varint: UInt64(bitPattern: value << 1 ^ value >> 63)) }

  package mutating func put(_ value: Bool) { bytes.append(value ? 1 : 0) }

  /// A count, then the bytes.
  package mutating func put(blob: [UInt8]) {
    put(varint: UInt64(blob.count))
    bytes.append(contentsOf: blob)
  }

  /// A count, then the UTF-8.
  package mutating func put(text: String) {
    put(varint: UInt64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }
}
