package import Vocabulary

/// LE Read Supported States (Vol 4, Part E, 7.8.27).
package struct SupportedStates: Hashable, Portable {
  package var mask: UInt64

  package init(mask: UInt64) {
    self.mask = mask
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    mask = try reader.readUInt64()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(mask)
  }
}
