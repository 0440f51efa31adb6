package import Vocabulary

/// Read BD_ADDR (Vol 4, Part E, 7.4.6).
package struct ReadAddress: Hashable, Portable {
  package var address: Address

  package init(address: Address) {
    self.address = address
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    address = Address(bits: try reader.readAddressBits(), kind: .public)
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(addressBits: address.bits)
  }
}
