package import Vocabulary

/// LE Create Connection (Vol 4, Part E, 7.8.12).
package struct CreateConnection: Hashable, Portable {
  /// In 0.625 ms, 0x0004 to 0x4000.
  package var scanInterval: UInt16
  /// In 0.625 ms, at most the interval.
  package var scanWindow: UInt16
  /// Whether to connect to any device on the filter accept list and ignore the peer.
  package var useFilterAcceptList: Bool
  package var peer: Address
  package var ownAddressType: OwnAddressType
  package var connection: ConnectionParameters

  package init(
    scanInterval: UInt16, scanWindow: UInt16, useFilterAcceptList: Bool, peer: Address, ownAddressType: OwnAddressType = .public,
    connection: ConnectionParameters
  ) {
    self.scanInterval = scanInterval
    self.scanWindow = scanWindow
    self.useFilterAcceptList = useFilterAcceptList
    self.peer = peer
    self.ownAddressType = ownAddressType
    self.connection = connection
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    scanInterval = try reader.readUInt16()
    scanWindow = try reader.readUInt16()
    useFilterAcceptList = try reader.readBool()
    peer = try reader.readTypedAddress()
    ownAddressType = try reader.readRaw(OwnAddressType.self, "own address type")
    connection = try ConnectionParameters(reading: &reader)
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(scanInterval)
    writer.put(scanWindow)
    writer.put(useFilterAcceptList)
    writer.put(typed: peer)
    writer.put(ownAddressType.rawValue)
    connection.write(to: &writer)
  }
}
