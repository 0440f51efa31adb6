package import Vocabulary

/// One report of LE Extended Advertising Report (Vol 4, Part E, 7.7.65.13).
package struct ExtendedAdvertisingReport: Hashable, Portable {
  /// Bit 0: connectable, 1: scannable, 2: directed, 3: scan response, 4: legacy PDU, 5 and 6: data
  /// status.
  package var properties: UInt16
  /// `nil` for an anonymous advertiser.
  package var address: Address?
  package var isIdentity: Bool
  package var primaryPHY: UInt8
  package var secondaryPHY: UInt8
  /// 0xFF: none.
  package var setIdentifier: UInt8
  /// In dBm; 127 is unknown.
  package var transmitPower: Int8
  /// In dBm; 127 is unknown.
  package var rssi: Int8
  /// In 1.25 ms; 0: no periodic advertising.
  package var periodicInterval: UInt16
  /// The target of directed advertising.
  package var target: Address?
  /// At most 229 octets in each report.
  package var data: [UInt8]

  package var isConnectable: Bool { properties & 0x01 != 0 }
  package var isScannable: Bool { properties & 0x02 != 0 }
  package var isDirected: Bool { properties & 0x04 != 0 }
  package var isScanResponse: Bool { properties & 0x08 != 0 }
  package var isLegacy: Bool { properties & 0x10 != 0 }
  /// Whether more fragments follow.
  package var isIncomplete: Bool { properties >> 5 & 0b11 == 1 }
  package var isTruncated: Bool { properties >> 5 & 0b11 == 2 }

  package init(
    properties: UInt16, address: Address?, isIdentity: Bool = false, primaryPHY: UInt8 = 1, secondaryPHY: UInt8 = 0,
    setIdentifier: UInt8 = 0xFF, transmitPower: Int8 = 127, rssi: Int8, periodicInterval: UInt16 = 0,
    target: Address? = nil, data: [UInt8]
  ) {
    self.properties = properties
    self.address = address
    self.isIdentity = isIdentity
    self.primaryPHY = primaryPHY
    self.secondaryPHY = secondaryPHY
    self.setIdentifier = setIdentifier
    self.transmitPower = transmitPower
    self.rssi = rssi
    self.periodicInterval = periodicInterval
    self.target = target
    self.data = data
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    properties = try reader.readUInt16()
    let kind = try reader.readUInt8()
    let bits = try reader.readAddressBits()
    address = kind == 0xFF ? nil : Address(bits: bits, kind: kind & 1 == 0 ? .public : .random)
    isIdentity = kind == 2 || kind == 3
    primaryPHY = try reader.readUInt8()
    secondaryPHY = try reader.readUInt8()
    setIdentifier = try reader.readUInt8()
    transmitPower = try reader.readInt8()
    rssi = try reader.readInt8()
    periodicInterval = try reader.readUInt16()
    // 0xFE is a resolvable address that the controller could not resolve, which is random like
    // 0x01.
    let targetKind = try reader.readUInt8()
    let targetBits = try reader.readAddressBits()
    if properties & 0x04 != 0 {
      target = Address(bits: targetBits, kind: targetKind == 0 || targetKind == 2 ? .public : .random)
    }
    data = try reader.readBytes(Int(try reader.readUInt8()))
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(properties)
    if let address {
      writer.put(peer: address, isIdentity: isIdentity)
    } else {
      writer.put(0xFF as UInt8)
      writer.put(addressBits: 0)
    }
    writer.put(primaryPHY)
    writer.put(secondaryPHY)
    writer.put(setIdentifier)
    writer.put(transmitPower)
    writer.put(rssi)
    writer.put(periodicInterval)
    writer.put(typed: target ?? Address(bits: 0, kind: .public))
    let data = data.prefix(229)
    writer.put(UInt8(data.count))
    writer.put(data)
  }
}
