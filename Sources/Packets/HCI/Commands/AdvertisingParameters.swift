package import Vocabulary

/// LE Set Advertising Parameters (Vol 4, Part E, 7.8.5).
package struct AdvertisingParameters: Hashable, Portable {
  /// In 0.625 ms, 0x0020 to 0x4000.
  package var intervalMinimum: UInt16
  /// In 0.625 ms, 0x0020 to 0x4000.
  package var intervalMaximum: UInt16
  package var type: AdvertisingType
  package var ownAddressType: OwnAddressType
  /// The target of directed advertising.
  package var peer: Address
  /// Bits 0 to 2 stand for channels 37 to 39.
  package var channelMap: UInt8
  package var filterPolicy: AdvertisingFilterPolicy

  package init(
    intervalMinimum: UInt16, intervalMaximum: UInt16, type: AdvertisingType = .connectableUndirected,
    ownAddressType: OwnAddressType = .public, peer: Address = Address(bits: 0, kind: .public), channelMap: UInt8 = 0x07,
    filterPolicy: AdvertisingFilterPolicy = .all
  ) {
    self.intervalMinimum = intervalMinimum
    self.intervalMaximum = intervalMaximum
    self.type = type
    self.ownAddressType = ownAddressType
    self.peer = peer
    self.channelMap = channelMap
    self.filterPolicy = filterPolicy
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    intervalMinimum = try reader.readUInt16()
    intervalMaximum = try reader.readUInt16()
    type = try reader.readRaw(AdvertisingType.self, "advertising type")
    ownAddressType = try reader.readRaw(OwnAddressType.self, "own address type")
    peer = try reader.readTypedAddress()
    channelMap = try reader.readUInt8()
    filterPolicy = try reader.readRaw(AdvertisingFilterPolicy.self, "advertising filter policy")
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(intervalMinimum)
    writer.put(intervalMaximum)
    writer.put(type.rawValue)
    writer.put(ownAddressType.rawValue)
    writer.put(typed: peer)
    writer.put(channelMap)
    writer.put(filterPolicy.rawValue)
  }
}
