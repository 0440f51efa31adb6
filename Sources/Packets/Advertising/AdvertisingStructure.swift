package import Vocabulary

/// One AD structure (Vol 3, Part C, 11): a type and its data.
package struct AdvertisingStructure: Hashable, Sendable {
  package var type: UInt8
  /// 0 to 254 octets.
  package var data: [UInt8]

  package init(_ type: UInt8, _ data: [UInt8]) {
    self.type = type
    self.data = data
  }

  /// The octets of the structure, with length and type.
  package var size: Int { data.count + 2 }

  // Assigned Numbers, 2.3
  package static let flags: UInt8 = 0x01
  package static let someServices16: UInt8 = 0x02
  package static let allServices16: UInt8 = 0x03
  package static let someServices32: UInt8 = 0x04
  package static let allServices32: UInt8 = 0x05
  package static let someServices128: UInt8 = 0x06
  package static let allServices128: UInt8 = 0x07
  package static let shortenedName: UInt8 = 0x08
  package static let completeName: UInt8 = 0x09
  package static let txPower: UInt8 = 0x0A
  package static let solicited16: UInt8 = 0x14
  package static let solicited128: UInt8 = 0x15
  package static let serviceData16: UInt8 = 0x16
  package static let appearance: UInt8 = 0x19
  package static let solicited32: UInt8 = 0x1F
  package static let serviceData32: UInt8 = 0x20
  package static let serviceData128: UInt8 = 0x21
  package static let manufacturer: UInt8 = 0xFF
}

extension AdvertisingStructure: Portable {
  /// A length of 0 ends the data early and is not a structure (Vol 3, Part C, 11).
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let length = try reader.readUInt8()
    guard length > 0 else { throw .invalid("AD length", 0) }
    guard reader.byteCount >= Int(length) else { throw .truncated(needed: Int(length), left: reader.byteCount) }
    type = try reader.readUInt8()
    data = try reader.readBytes(Int(length) - 1)
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(UInt8(clamping: data.count + 1))
    writer.put(type)
    writer.put(data.prefix(254))
  }
}
