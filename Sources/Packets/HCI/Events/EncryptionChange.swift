package import Vocabulary

/// Encryption Change [v1] (Vol 4, Part E, 7.7.8).
package struct EncryptionChange: Hashable, Portable {
  package var status: HCIStatus
  package var handle: ConnectionHandle
  /// 0: off, 1: on (LE: AES-CCM).
  package var enabled: UInt8

  package init(status: HCIStatus, handle: ConnectionHandle, enabled: UInt8) {
    self.status = status
    self.handle = handle
    self.enabled = enabled
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    status = try HCIStatus(reading: &reader)
    handle = try ConnectionHandle(reading: &reader)
    enabled = try reader.readUInt8()
  }

  package func write(to writer: inout ByteWriter) {
    status.write(to: &writer)
    handle.write(to: &writer)
    writer.put(enabled)
  }
}
