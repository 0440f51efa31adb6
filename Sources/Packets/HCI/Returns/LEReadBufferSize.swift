package import Vocabulary

/// LE Read Buffer Size [v1] (Vol 4, Part E, 7.8.2). Zero refers to the BR/EDR buffers.
package struct LEReadBufferSize: Hashable, Portable {
  package var aclLength: UInt16
  package var aclCount: UInt8

  package init(aclLength: UInt16, aclCount: UInt8) {
    self.aclLength = aclLength
    self.aclCount = aclCount
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    aclLength = try reader.readUInt16()
    aclCount = try reader.readUInt8()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(aclLength)
    writer.put(aclCount)
  }
}
