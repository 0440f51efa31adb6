package import Vocabulary

/// LE Set Scan Parameters (Vol 4, Part E, 7.8.10).
package struct ScanParameters: Hashable, Portable {
  /// Whether to send scan requests.
  package var active: Bool
  /// In 0.625 ms, 0x0004 to 0x4000.
  package var interval: UInt16
  /// In 0.625 ms, at most the interval.
  package var window: UInt16
  package var ownAddressType: OwnAddressType
  package var filterPolicy: ScanFilterPolicy

  package init(
    active: Bool, interval: UInt16, window: UInt16, ownAddressType: OwnAddressType = .public,
    filterPolicy: ScanFilterPolicy = .all
  ) {
    self.active = active
    self.interval = interval
    self.window = window
    self.ownAddressType = ownAddressType
    self.filterPolicy = filterPolicy
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    active = try reader.readBool()
    interval = try reader.readUInt16()
    window = try reader.readUInt16()
    ownAddressType = try reader.readRaw(OwnAddressType.self, "own address type")
    filterPolicy = try reader.readRaw(ScanFilterPolicy.self, "scanning filter policy")
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(active)
    writer.put(interval)
    writer.put(window)
    writer.put(ownAddressType.rawValue)
    writer.put(filterPolicy.rawValue)
  }
}
