package import Vocabulary

/// Read Remote Version Information Complete (Vol 4, Part E, 7.7.12).
package struct RemoteVersion: Hashable, Portable {
  package var status: HCIStatus
  package var handle: ConnectionHandle
  package var version: UInt8
  package var company: UInt16
  package var subversion: UInt16

  package init(status: HCIStatus, handle: ConnectionHandle, version: UInt8, company: UInt16, subversion: UInt16) {
    self.status = status
    self.handle = handle
    self.version = version
    self.company = company
    self.subversion = subversion
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    status = try HCIStatus(reading: &reader)
    handle = try ConnectionHandle(reading: &reader)
    version = try reader.readUInt8()
    company = try reader.readUInt16()
    subversion = try reader.readUInt16()
  }

  package func write(to writer: inout ByteWriter) {
    status.write(to: &writer)
    handle.write(to: &writer)
    writer.put(version)
    writer.put(company)
    writer.put(subversion)
  }
}
