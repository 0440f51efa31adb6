package import Vocabulary

/// LE Read Maximum Advertising Data Length (Vol 4, Part E, 7.8.57).
package struct MaximumAdvertisingDataLength: Hashable, Portable {
  package var octets: UInt16

  package init(octets: UInt16) {
    self.octets = octets
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    octets = try reader.readUInt16()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(octets)
  }
}
