package import Vocabulary

/// LE Connection Update Complete (Vol 4, Part E, 7.7.65.3).
package struct ConnectionUpdateComplete: Hashable, Portable {
  package var status: HCIStatus
  package var handle: ConnectionHandle
  /// In 1.25 ms.
  package var interval: UInt16
  package var latency: UInt16
  /// In 10 ms.
  package var supervisionTimeout: UInt16

  package init(status: HCIStatus, handle: ConnectionHandle, interval: UInt16, latency: UInt16, supervisionTimeout: UInt16) {
    self.status = status
    self.handle = handle
    self.interval = interval
    self.latency = latency
    self.supervisionTimeout = supervisionTimeout
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    status = try HCIStatus(reading: &reader)
    handle = try ConnectionHandle(reading: &reader)
    interval = try reader.readUInt16()
    latency = try reader.readUInt16()
    supervisionTimeout = try reader.readUInt16()
  }

  package func write(to writer: inout ByteWriter) {
    status.write(to: &writer)
    handle.write(to: &writer)
    writer.put(interval)
    writer.put(latency)
    writer.put(supervisionTimeout)
  }
}
