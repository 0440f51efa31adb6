package import Vocabulary

/// The data channels 0 to 36 in use, one bit each (Vol 4, Part E, 7.8.19; Vol 6, Part B, 2.3.3.1).
package struct ChannelMap: Hashable, Portable {
  package let bits: UInt64

  /// Bits from 37 on are reserved and ignored.
  package init(bits: UInt64) { self.bits = bits & 0x001F_FFFF_FFFF }

  package static let all = ChannelMap(bits: .max)

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    var bits: UInt64 = 0
    for place in 0..<5 { bits |= UInt64(try reader.readUInt8()) << UInt64(8 * place) }
    self.init(bits: bits)
  }

  package func write(to writer: inout ByteWriter) {
    for place in 0..<5 { writer.put(UInt8(truncatingIfNeeded: bits >> UInt64(8 * place))) }
  }
}
