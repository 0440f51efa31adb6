package import Vocabulary

/// LE Set Extended Scan Enable (Vol 4, Part E, 7.8.65).
package struct ExtendedScanEnable: Hashable, Portable {
  package var enable: Bool
  /// 0: off, 1: on, 2: on and reset each period.
  package var filterDuplicates: UInt8
  /// In 10 ms; 0: until disabled.
  package var duration: UInt16
  /// In 1.28 s; 0: scan once.
  package var period: UInt16

  package init(enable: Bool, filterDuplicates: UInt8, duration: UInt16 = 0, period: UInt16 = 0) {
    self.enable = enable
    self.filterDuplicates = filterDuplicates
    self.duration = duration
    self.period = period
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    enable = try reader.readBool()
    filterDuplicates = try reader.readUInt8()
    duration = try reader.readUInt16()
    period = try reader.readUInt16()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(enable)
    writer.put(filterDuplicates)
    writer.put(duration)
    writer.put(period)
  }
}
