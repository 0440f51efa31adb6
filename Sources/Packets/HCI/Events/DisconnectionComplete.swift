package import Vocabulary

/// Disconnection Complete (Vol 4, Part E, 7.7.5).
package struct DisconnectionComplete: Hashable, Portable {
  package var status: HCIStatus
  package var handle: ConnectionHandle
  package var reason: HCIStatus

  package init(status: HCIStatus, handle: ConnectionHandle, reason: HCIStatus) {
    self.status = status
    self.handle = handle
    self.reason = reason
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    status = try HCIStatus(reading: &reader)
    handle = try ConnectionHandle(reading: &reader)
    reason = try HCIStatus(reading: &reader)
  }

  package func write(to writer: inout ByteWriter) {
    status.write(to: &writer)
    handle.write(to: &writer)
    reason.write(to: &writer)
  }
}
