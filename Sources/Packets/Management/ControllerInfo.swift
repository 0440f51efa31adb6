package import Vocabulary

/// The answer to Read Controller Information.
package struct ControllerInfo: Hashable, Portable {
  package var address: Address
  /// The assigned number of the HCI version: 9 is Bluetooth 5.0.
  package var version: UInt8
  package var manufacturer: UInt16
  package var supported: ControllerSettings
  package var current: ControllerSettings
  package var deviceClass: UInt32
  package var name: String
  package var shortName: String

  private static let nameLength = 249
  private static let shortNameLength = 11

  package init(
    address: Address, version: UInt8, manufacturer: UInt16, supported: ControllerSettings, current: ControllerSettings,
    deviceClass: UInt32 = 0, name: String = "", shortName: String = ""
  ) {
    self.address = address
    self.version = version
    self.manufacturer = manufacturer
    self.supported = supported
    self.current = current
    self.deviceClass = deviceClass
    self.name = name
    self.shortName = shortName
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    address = Address(bits: try reader.readManagementAddress(), kind: .public)
    version = try reader.readUInt8()
    manufacturer = try reader.readUInt16()
    supported = ControllerSettings(rawValue: try reader.readUInt32())
    current = ControllerSettings(rawValue: try reader.readUInt32())
    deviceClass = try reader.readUInt24()
    name = Self.text(try reader.readBytes(Self.nameLength))
    shortName = Self.text(try reader.readBytes(Self.shortNameLength))
  }

  /// The text up to the first zero. Invalid UTF-8 is replaced.
  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }

  package func write(to writer: inout ByteWriter) {
    for place in 0..<6 { writer.put(UInt8(truncatingIfNeeded: address.bits >> UInt64(8 * place))) }
    writer.put(version)
    writer.put(manufacturer)
    writer.put(supported.rawValue)
    writer.put(current.rawValue)
    writer.put(uint24: deviceClass)
    for (text, length) in [(name, Self.nameLength), (shortName, Self.shortNameLength)] {
      let octets = Array(text.utf8.prefix(length - 1))
      writer.put(octets)
      writer.put([UInt8](repeating: 0, count: length - octets.count))
    }
  }
}

extension RawSpan {
  /// Six octets, least significant first.
  mutating func readManagementAddress() throws(DecodeError) -> UInt64 {
    var bits: UInt64 = 0
    for place in 0..<6 { bits |= UInt64(try readUInt8()) << UInt64(8 * place) }
    return bits
  }
}
