package import Vocabulary

/// LE Extended Create Connection [v1] (Vol 4, Part E, 7.8.66).
package struct ExtendedCreateConnection: Hashable, Portable {
  package var useFilterAcceptList: Bool
  package var ownAddressType: OwnAddressType
  package var peer: Address
  /// Bit 0 of the mask.
  package var le1M: InitiatingPHY?
  /// Bit 1 of the mask.
  package var le2M: InitiatingPHY?
  /// Bit 2 of the mask.
  package var leCoded: InitiatingPHY?

  package init(
    useFilterAcceptList: Bool, ownAddressType: OwnAddressType = .public, peer: Address, le1M: InitiatingPHY?,
    le2M: InitiatingPHY? = nil, leCoded: InitiatingPHY? = nil
  ) {
    self.useFilterAcceptList = useFilterAcceptList
    self.ownAddressType = ownAddressType
    self.peer = peer
    self.le1M = le1M
    self.le2M = le2M
    self.leCoded = leCoded
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    useFilterAcceptList = try reader.readBool()
    ownAddressType = try reader.readRaw(OwnAddressType.self, "own address type")
    peer = try reader.readTypedAddress()
    let mask = try reader.readUInt8()
    guard mask & ~0b111 == 0, mask != 0 else { throw .invalid("initiating PHYs", UInt64(mask)) }
    if mask & 0b001 != 0 { le1M = try InitiatingPHY(reading: &reader) }
    if mask & 0b010 != 0 { le2M = try InitiatingPHY(reading: &reader) }
    if mask & 0b100 != 0 { leCoded = try InitiatingPHY(reading: &reader) }
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(useFilterAcceptList)
    writer.put(ownAddressType.rawValue)
    writer.put(typed: peer)
    let mask: UInt8 = (le1M == nil ? 0 : 0b001) | (le2M == nil ? 0 : 0b010) | (leCoded == nil ? 0 : 0b100)
    writer.put(mask)
    le1M?.write(to: &writer)
    le2M?.write(to: &writer)
    leCoded?.write(to: &writer)
  }
}
