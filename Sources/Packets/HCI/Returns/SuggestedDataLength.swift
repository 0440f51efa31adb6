package import Vocabulary

/// LE Read Suggested Default Data Length (Vol 4, Part E, 7.8.34).
package struct SuggestedDataLength: Hashable, Portable {
  package var octets: UInt16
  /// In microseconds.
  package var time: UInt16

  package init(octets: UInt16, time: UInt16) {
    self.octets = octets
    self.time = time
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    octets = try reader.readUInt16()
    time = try reader.readUInt16()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(octets)
    writer.put(time)
  }
}
