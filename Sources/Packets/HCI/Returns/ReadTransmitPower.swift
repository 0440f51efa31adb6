package import Vocabulary

/// The result of Read Transmit Power Level (Vol 4, Part E, 7.3.35).
package struct ReadTransmitPower: Hashable, Portable {
  package var handle: ConnectionHandle
  /// The transmit power in dBm.
  package var power: Int8

  package init(handle: ConnectionHandle, power: Int8) {
    self.handle = handle
    self.power = power
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    handle = try ConnectionHandle(reading: &reader)
    power = try reader.readInt8()
  }

  package func write(to writer: inout ByteWriter) {
    handle.write(to: &writer)
    writer.put(power)
  }
}
