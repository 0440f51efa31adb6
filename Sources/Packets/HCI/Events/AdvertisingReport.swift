package import Vocabulary

/// One report of LE Advertising Report (Vol 4, Part E, 7.7.65.2).
package struct AdvertisingReport: Hashable, Portable {
  package enum Kind: UInt8, Sendable {
    /// ADV_IND
    case connectableUndirected = 0
    /// ADV_DIRECT_IND
    case connectableDirected = 1
    /// ADV_SCAN_IND
    case scannableUndirected = 2
    /// ADV_NONCONN_IND
    case nonConnectable = 3
    /// SCAN_RSP
    case scanResponse = 4

    package var isConnectable: Bool { self == .connectableUndirected || self == .connectableDirected }
  }

  private static let maximumData: UInt8 = 31

  package var kind: Kind
  package var address: Address
  package var isIdentity: Bool
  /// At most 31 octets.
  package var data: [UInt8]
  /// In dBm; 127 is unknown.
  package var rssi: Int8

  package init(kind: Kind, address: Address, isIdentity: Bool = false, data: [UInt8], rssi: Int8) {
    self.kind = kind
    self.address = address
    self.isIdentity = isIdentity
    self.data = data
    self.rssi = rssi
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    kind = try reader.readRaw(Kind.self, "advertising event type")
    (address, isIdentity) = try reader.readPeerAddress()
    let length = try reader.readUInt8()
    guard length <= Self.maximumData else { throw .invalid("length of advertising data", UInt64(length)) }
    data = try reader.readBytes(Int(length))
    rssi = try reader.readInt8()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(kind.rawValue)
    writer.put(peer: address, isIdentity: isIdentity)
    let data = data.prefix(Int(Self.maximumData))
    writer.put(UInt8(data.count))
    writer.put(data)
    writer.put(rssi)
  }
}
