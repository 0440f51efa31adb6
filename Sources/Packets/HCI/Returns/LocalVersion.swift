package import Vocabulary

/// Read Local Version Information (Vol 4, Part E, 7.4.1).
package struct LocalVersion: Hashable, Portable {
  /// 0x06: 4.0, 0x08: 4.2, 0x09: 5.0, 0x0D: 5.4.
  package var hciVersion: UInt8
  package var hciRevision: UInt16
  package var lmpVersion: UInt8
  package var company: UInt16
  package var lmpSubversion: UInt16

  package init(hciVersion: UInt8, hciRevision: UInt16, lmpVersion: UInt8, company: UInt16, lmpSubversion: UInt16) {
    self.hciVersion = hciVersion
    self.hciRevision = hciRevision
    self.lmpVersion = lmpVersion
    self.company = company
    self.lmpSubversion = lmpSubversion
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    hciVersion = try reader.readUInt8()
    hciRevision = try reader.readUInt16()
    lmpVersion = try reader.readUInt8()
    company = try reader.readUInt16()
    lmpSubversion = try reader.readUInt16()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(hciVersion)
    writer.put(hciRevision)
    writer.put(lmpVersion)
    writer.put(company)
    writer.put(lmpSubversion)
  }
}
