package import Vocabulary

/// LE Set Extended Scan Parameters (Vol 4, Part E, 7.8.64).
package struct ExtendedScanParameters: Hashable, Portable {
  package var ownAddressType: OwnAddressType
  package var filterPolicy: ScanFilterPolicy
  /// Bit 0 of the mask.
  package var le1M: ExtendedScanPHY?
  /// Bit 2 of the mask.
  package var leCoded: ExtendedScanPHY?

  package init(
    ownAddressType: OwnAddressType = .public, filterPolicy: ScanFilterPolicy = .all, le1M: ExtendedScanPHY?,
    leCoded: ExtendedScanPHY? = nil
  ) {
    self.ownAddressType = ownAddressType
    self.filterPolicy = filterPolicy
    self.le1M = le1M
    self.leCoded = leCoded
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    ownAddressType = try reader.readRaw(OwnAddressType.self, "own address type")
    filterPolicy = try reader.readRaw(ScanFilterPolicy.self, "scanning filter policy")
    let mask = try reader.readUInt8()
    guard mask & ~0b101 == 0, mask != 0 else { throw .invalid("scanning PHYs", UInt64(mask)) }
    if mask & 0b001 != 0 { le1M = try ExtendedScanPHY(reading: &reader) }
    if mask & 0b100 != 0 { leCoded = try ExtendedScanPHY(reading: &reader) }
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(ownAddressType.rawValue)
    writer.put(filterPolicy.rawValue)
    writer.put((le1M == nil ? 0 : 0b001) | (leCoded == nil ? 0 : 0b100) as UInt8)
    le1M?.write(to: &writer)
    leCoded?.write(to: &writer)
  }
}
