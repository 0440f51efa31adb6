package import Vocabulary

/// Read Buffer Size (Vol 4, Part E, 7.4.5).
package struct ReadBufferSize: Hashable, Portable {
  package var aclLength: UInt16
  package var scoLength: UInt8
  package var aclCount: UInt16
  package var scoCount: UInt16

  package init(aclLength: UInt16, scoLength: UInt8, aclCount: UInt16, scoCount: UInt16) {
    self.aclLength = aclLength
    self.scoLength = scoLength
    self.aclCount = aclCount
    self.scoCount = scoCount
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    aclLength = try reader.readUInt16()
    scoLength = try reader.readUInt8()
    aclCount = try reader.readUInt16()
    scoCount = try reader.readUInt16()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(aclLength)
    writer.put(scoLength)
    writer.put(aclCount)
    writer.put(scoCount)
  }
}
