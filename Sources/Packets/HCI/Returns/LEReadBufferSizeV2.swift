package import Vocabulary

/// LE Read Buffer Size [v2] (Vol 4, Part E, 7.8.2).
package struct LEReadBufferSizeV2: Hashable, Portable {
  package var aclLength: UInt16
  package var aclCount: UInt8
  package var isoLength: UInt16
  package var isoCount: UInt8

  package init(aclLength: UInt16, aclCount: UInt8, isoLength: UInt16, isoCount: UInt8) {
    self.aclLength = aclLength
    self.aclCount = aclCount
    self.isoLength = isoLength
    self.isoCount = isoCount
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    aclLength = try reader.readUInt16()
    aclCount = try reader.readUInt8()
    isoLength = try reader.readUInt16()
    isoCount = try reader.readUInt8()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(aclLength)
    writer.put(aclCount)
    writer.put(isoLength)
    writer.put(isoCount)
  }
}
