package import Vocabulary

/// LE Read PHY (Vol 4, Part E, 7.8.47).
package struct ReadPHY: Hashable, Portable {
  package var handle: ConnectionHandle
  /// 1: LE 1M, 2: LE 2M, 3: LE Coded.
  package var transmit: UInt8
  package var receive: UInt8

  package init(handle: ConnectionHandle, transmit: UInt8, receive: UInt8) {
    self.handle = handle
    self.transmit = transmit
    self.receive = receive
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    handle = try ConnectionHandle(reading: &reader)
    transmit = try reader.readUInt8()
    receive = try reader.readUInt8()
  }

  package func write(to writer: inout ByteWriter) {
    handle.write(to: &writer)
    writer.put(transmit)
    writer.put(receive)
  }
}
