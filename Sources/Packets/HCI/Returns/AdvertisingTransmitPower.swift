package import Vocabulary

/// LE Read Advertising Physical Channel Tx Power and LE Set Extended Advertising Parameters (Vol 4,
/// Part E, 7.8.6 and 7.8.53).
package struct AdvertisingTransmitPower: Hashable, Portable {
  /// In dBm.
  package var power: Int8

  package init(power: Int8) {
    self.power = power
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    power = try reader.readInt8()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(power)
  }
}
