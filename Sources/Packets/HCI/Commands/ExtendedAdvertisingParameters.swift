package import Vocabulary

/// LE Set Extended Advertising Parameters (Vol 4, Part E, 7.8.53).
package struct ExtendedAdvertisingParameters: Hashable, Portable {
  /// The advertising handle, 0x00 to 0xEF.
  package var set: UInt8
  /// Bit 0 connectable, 1 scannable, 2 directed, 3 high duty, 4 legacy PDUs, 5 anonymous, 6 include
  /// transmit power.
  package var properties: UInt16
  /// In 0.625 ms, from 0x20.
  package var intervalMinimum: UInt32
  /// In 0.625 ms.
  package var intervalMaximum: UInt32
  package var channelMap: UInt8
  package var ownAddressType: OwnAddressType
  package var peer: Address
  package var filterPolicy: AdvertisingFilterPolicy
  /// In dBm; 127 leaves it to the controller.
  package var transmitPower: Int8
  /// 1: LE 1M, 3: LE Coded.
  package var primaryPHY: UInt8
  package var secondaryMaximumSkip: UInt8
  /// 1: LE 1M, 2: LE 2M, 3: LE Coded.
  package var secondaryPHY: UInt8
  /// 0x00 to 0x0F.
  package var setIdentifier: UInt8
  package var reportScanRequests: Bool

  package init(
    set: UInt8, properties: UInt16, intervalMinimum: UInt32, intervalMaximum: UInt32, channelMap: UInt8 = 0x07,
    ownAddressType: OwnAddressType = .public, peer: Address = Address(bits: 0, kind: .public),
    filterPolicy: AdvertisingFilterPolicy = .all, transmitPower: Int8 = 127, primaryPHY: UInt8 = 1,
    secondaryMaximumSkip: UInt8 = 0, secondaryPHY: UInt8 = 1, setIdentifier: UInt8 = 0, reportScanRequests: Bool = false
  ) {
    self.set = set
    self.properties = properties
    self.intervalMinimum = intervalMinimum
    self.intervalMaximum = intervalMaximum
    self.channelMap = channelMap
    self.ownAddressType = ownAddressType
    self.peer = peer
    self.filterPolicy = filterPolicy
    self.transmitPower = transmitPower
    self.primaryPHY = primaryPHY
    self.secondaryMaximumSkip = secondaryMaximumSkip
    self.secondaryPHY = secondaryPHY
    self.setIdentifier = setIdentifier
    self.reportScanRequests = reportScanRequests
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    set = try reader.readUInt8()
    properties = try reader.readUInt16()
    intervalMinimum = try reader.readUInt24()
    intervalMaximum = try reader.readUInt24()
    channelMap = try reader.readUInt8()
    ownAddressType = try reader.readRaw(OwnAddressType.self, "own address type")
    peer = try reader.readTypedAddress()
    filterPolicy = try reader.readRaw(AdvertisingFilterPolicy.self, "advertising filter policy")
    transmitPower = try reader.readInt8()
    primaryPHY = try reader.readUInt8()
    secondaryMaximumSkip = try reader.readUInt8()
    secondaryPHY = try reader.readUInt8()
    setIdentifier = try reader.readUInt8()
    reportScanRequests = try reader.readBool()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(set)
    writer.put(properties)
    writer.put(uint24: intervalMinimum)
    writer.put(uint24: intervalMaximum)
    writer.put(channelMap)
    writer.put(ownAddressType.rawValue)
    writer.put(typed: peer)
    writer.put(filterPolicy.rawValue)
    writer.put(transmitPower)
    writer.put(primaryPHY)
    writer.put(secondaryMaximumSkip)
    writer.put(secondaryPHY)
    writer.put(setIdentifier)
    writer.put(reportScanRequests)
  }
}
