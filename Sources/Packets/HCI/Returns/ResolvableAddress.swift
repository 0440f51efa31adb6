package import Vocabulary

/// The result of LE Read Peer Resolvable Address and of LE Read Local Resolvable Address (Vol 4,
/// Part E, 7.8.42 and 7.8.43).
package struct ResolvableAddress: Hashable, Portable {
  /// The resolvable private address, in 48 bits.
  package var bits: UInt64

  package init(bits: UInt64) {
    self.bits = bits
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    bits = try reader.readAddressBits()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(addressBits: bits)
  }
}
