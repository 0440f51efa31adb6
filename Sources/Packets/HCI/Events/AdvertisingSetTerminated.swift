package import Vocabulary

/// LE Advertising Set Terminated (Vol 4, Part E, 7.7.65.18).
package struct AdvertisingSetTerminated: Hashable, Portable {
  package var status: HCIStatus
  package var set: UInt8
  package var handle: ConnectionHandle
  package var completedEvents: UInt8

  package init(status: HCIStatus, set: UInt8, handle: ConnectionHandle, completedEvents: UInt8) {
    self.status = status
    self.set = set
    self.handle = handle
    self.completedEvents = completedEvents
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    status = try HCIStatus(reading: &reader)
    set = try reader.readUInt8()
    handle = try ConnectionHandle(reading: &reader)
    completedEvents = try reader.readUInt8()
  }

  package func write(to writer: inout ByteWriter) {
    status.write(to: &writer)
    writer.put(set)
    handle.write(to: &writer)
    writer.put(completedEvents)
  }
}
