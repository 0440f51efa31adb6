package import Vocabulary

/// One set of LE Set Extended Advertising Enable (Vol 4, Part E, 7.8.56).
package struct ExtendedAdvertisingSet: Hashable, Portable {
  package var set: UInt8
  /// In 10 ms; 0: no limit.
  package var duration: UInt16
  /// The most advertising events; 0: no limit.
  package var maximumEvents: UInt8

  package init(set: UInt8, duration: UInt16 = 0, maximumEvents: UInt8 = 0) {
    self.set = set
    self.duration = duration
    self.maximumEvents = maximumEvents
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    set = try reader.readUInt8()
    duration = try reader.readUInt16()
    maximumEvents = try reader.readUInt8()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(set)
    writer.put(duration)
    writer.put(maximumEvents)
  }
}
