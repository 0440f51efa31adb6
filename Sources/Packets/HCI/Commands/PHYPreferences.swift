package import Vocabulary

/// The preferred PHYs in LE Set Default PHY and LE Set PHY (Vol 4, Part E, 7.8.48 and 7.8.49).
package struct PHYPreferences: Hashable, Portable {
  /// Bit 0: no preference for sending; bit 1: no preference for receiving.
  package var all: UInt8
  /// Bit 0: LE 1M, bit 1: LE 2M, bit 2: LE Coded.
  package var transmit: UInt8
  /// The same for receiving.
  package var receive: UInt8

  package init(all: UInt8 = 0, transmit: UInt8, receive: UInt8) {
    self.all = all
    self.transmit = transmit
    self.receive = receive
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    all = try reader.readUInt8()
    transmit = try reader.readUInt8()
    receive = try reader.readUInt8()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(all)
    writer.put(transmit)
    writer.put(receive)
  }
}
