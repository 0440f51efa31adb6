package import Vocabulary

/// Read Authenticated Payload Timeout (Vol 4, Part E, 7.3.93).
package struct AuthenticatedPayloadTimeout: Hashable, Portable {
  package var handle: ConnectionHandle
  /// In 10 ms.
  package var timeout: UInt16

  package init(handle: ConnectionHandle, timeout: UInt16) {
    self.handle = handle
    self.timeout = timeout
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    handle = try ConnectionHandle(reading: &reader)
    timeout = try reader.readUInt16()
  }

  package func write(to writer: inout ByteWriter) {
    handle.write(to: &writer)
    writer.put(timeout)
  }
}
