package import Vocabulary

/// LE Read Remote Features Complete (Vol 4, Part E, 7.7.65.4).
package struct RemoteFeatures: Hashable, Portable {
  package var status: HCIStatus
  package var handle: ConnectionHandle
  package var features: UInt64

  package init(status: HCIStatus, handle: ConnectionHandle, features: UInt64) {
    self.status = status
    self.handle = handle
    self.features = features
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    status = try HCIStatus(reading: &reader)
    handle = try ConnectionHandle(reading: &reader)
    features = try reader.readUInt64()
  }

  package func write(to writer: inout ByteWriter) {
    status.write(to: &writer)
    handle.write(to: &writer)
    writer.put(features)
  }
}
