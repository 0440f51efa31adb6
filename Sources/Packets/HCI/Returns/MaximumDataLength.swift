package import Vocabulary

/// LE Read Maximum Data Length (Vol 4, Part E, 7.8.46).
package struct MaximumDataLength: Hashable, Portable {
  package var transmitOctets: UInt16
  /// In microseconds.
  package var transmitTime: UInt16
  package var receiveOctets: UInt16
  /// In microseconds.
  package var receiveTime: UInt16

  package init(transmitOctets: UInt16, transmitTime: UInt16, receiveOctets: UInt16, receiveTime: UInt16) {
    self.transmitOctets = transmitOctets
    self.transmitTime = transmitTime
    self.receiveOctets = receiveOctets
    self.receiveTime = receiveTime
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    transmitOctets = try reader.readUInt16()
    transmitTime = try reader.readUInt16()
    receiveOctets = try reader.readUInt16()
    receiveTime = try reader.readUInt16()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(transmitOctets)
    writer.put(transmitTime)
    writer.put(receiveOctets)
    writer.put(receiveTime)
  }
}
