package import Vocabulary

/// LE PHY Update Complete (Vol 4, Part E, 7.7.65.12).
package struct PHYUpdateComplete: Hashable, Portable {
  package var status: HCIStatus
  package var handle: ConnectionHandle
  /// 1: LE 1M, 2: LE 2M, 3: LE Coded.
  package var transmit: UInt8
  package var receive: UInt8

  package init(status: HCIStatus, handle: ConnectionHandle, transmit: UInt8, receive: UInt8) {
    self.status = status
    self.handle = handle
    self.transmit = transmit
    self.receive = receive
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    status = try HCIStatus(reading: &reader)
    handle = try ConnectionHandle(reading: &reader)
    transmit = try reader.readUInt8()
    receive = try reader.readUInt8()
  }

  package func write(to writer: inout ByteWriter) {
    status.write(to: &writer)
    handle.write(to: &writer)
    writer.put(transmit)
    writer.put(receive)
  }
}
