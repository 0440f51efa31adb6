package import Vocabulary

/// LE Data Length Change (Vol 4, Part E, 7.7.65.7).
package struct DataLengthChange: Hashable, Portable {
  package var handle: ConnectionHandle
  package var transmitOctets: UInt16
  /// In microseconds.
  package var transmitTime: UInt16
  package var receiveOctets: UInt16
  /// In microseconds.
  package var receiveTime: UInt16

  package init(handle: ConnectionHandle, transmitOctets: UInt16, transmitTime: UInt16, receiveOctets: UInt16, receiveTime: UInt16) {
    self.handle = handle
    self.transmitOctets = transmitOctets
    self.transmitTime = transmitTime
    self.receiveOctets = receiveOctets
    self.receiveTime = receiveTime
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    handle = try ConnectionHandle(reading: &reader)
    transmitOctets = try reader.readUInt16()
    transmitTime = try reader.readUInt16()
    receiveOctets = try reader.readUInt16()
    receiveTime = try reader.readUInt16()
  }

  package func write(to writer: inout ByteWriter) {
    handle.write(to: &writer)
    writer.put(transmitOctets)
    writer.put(transmitTime)
    writer.put(receiveOctets)
    writer.put(receiveTime)
  }
}
