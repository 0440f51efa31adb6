package import Vocabulary

/// The scan parameters of one primary PHY, after the mask of PHYs (Vol 4, Part E, 7.8.64).
package struct ExtendedScanPHY: Hashable, Portable {
  package var active: Bool
  /// In 0.625 ms.
  package var interval: UInt16
  /// In 0.625 ms.
  package var window: UInt16

  package init(active: Bool, interval: UInt16, window: UInt16) {
    self.active = active
    self.interval = interval
    self.window = window
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    active = try reader.readBool()
    interval = try reader.readUInt16()
    window = try reader.readUInt16()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(active)
    writer.put(interval)
    writer.put(window)
  }
}
