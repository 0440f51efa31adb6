package import Vocabulary

/// Read RSSI (Vol 4, Part E, 7.5.4).
package struct ReadRSSI: Hashable, Portable {
  package var handle: ConnectionHandle
  /// In dBm.
  package var rssi: Int8

  package init(handle: ConnectionHandle, rssi: Int8) {
    self.handle = handle
    self.rssi = rssi
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    handle = try ConnectionHandle(reading: &reader)
    rssi = try reader.readInt8()
  }

  package func write(to writer: inout ByteWriter) {
    handle.write(to: &writer)
    writer.put(rssi)
  }
}
