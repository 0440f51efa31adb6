package import Vocabulary

/// The result of LE Read Filter Accept List Size, LE Read Resolving List Size and LE Read Number of
/// Supported Advertising Sets (Vol 4, Part E, 7.8.14, 7.8.41 and 7.8.58).
package struct ListSize: Hashable, Portable {
  package var count: UInt8

  package init(count: UInt8) {
    self.count = count
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    count = try reader.readUInt8()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(count)
  }
}
