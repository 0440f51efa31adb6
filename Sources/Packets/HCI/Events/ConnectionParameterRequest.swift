package import Vocabulary

/// LE Remote Connection Parameter Request (Vol 4, Part E, 7.7.65.6).
package struct ConnectionParameterRequest: Hashable, Portable {
  package var handle: ConnectionHandle
  /// In 1.25 ms.
  package var intervalMinimum: UInt16
  /// In 1.25 ms.
  package var intervalMaximum: UInt16
  package var latency: UInt16
  /// In 10 ms.
  package var supervisionTimeout: UInt16

  package init(
    handle: ConnectionHandle, intervalMinimum: UInt16, intervalMaximum: UInt16, latency: UInt16, supervisionTimeout: UInt16
  ) {
    self.handle = handle
    self.intervalMinimum = intervalMinimum
    self.intervalMaximum = intervalMaximum
    self.latency = latency
    self.supervisionTimeout = supervisionTimeout
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    handle = try ConnectionHandle(reading: &reader)
    intervalMinimum = try reader.readUInt16()
    intervalMaximum = try reader.readUInt16()
    latency = try reader.readUInt16()
    supervisionTimeout = try reader.readUInt16()
  }

  package func write(to writer: inout ByteWriter) {
    handle.write(to: &writer)
    writer.put(intervalMinimum)
    writer.put(intervalMaximum)
    writer.put(latency)
    writer.put(supervisionTimeout)
  }
}
