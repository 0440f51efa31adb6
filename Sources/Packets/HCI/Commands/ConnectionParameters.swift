package import Vocabulary

/// The parameters that a central requests for a link (Vol 4, Part E, 7.8.12).
package struct ConnectionParameters: Hashable, Portable {
  /// In 1.25 ms, 0x0006 to 0x0C80.
  package var intervalMinimum: UInt16
  /// In 1.25 ms, 0x0006 to 0x0C80.
  package var intervalMaximum: UInt16
  /// The number of connection events that the peripheral may skip, 0 to 0x01F3.
  package var latency: UInt16
  /// In 10 ms, 0x000A to 0x0C80.
  package var supervisionTimeout: UInt16
  /// In 0.625 ms.
  package var eventLengthMinimum: UInt16
  /// In 0.625 ms.
  package var eventLengthMaximum: UInt16

  package init(
    intervalMinimum: UInt16, intervalMaximum: UInt16, latency: UInt16 = 0, supervisionTimeout: UInt16,
    eventLengthMinimum: UInt16 = 0, eventLengthMaximum: UInt16 = 0
  ) {
    self.intervalMinimum = intervalMinimum
    self.intervalMaximum = intervalMaximum
    self.latency = latency
    self.supervisionTimeout = supervisionTimeout
    self.eventLengthMinimum = eventLengthMinimum
    self.eventLengthMaximum = eventLengthMaximum
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    intervalMinimum = try reader.readUInt16()
    intervalMaximum = try reader.readUInt16()
    latency = try reader.readUInt16()
    supervisionTimeout = try reader.readUInt16()
    eventLengthMinimum = try reader.readUInt16()
    eventLengthMaximum = try reader.readUInt16()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(intervalMinimum)
    writer.put(intervalMaximum)
    writer.put(latency)
    writer.put(supervisionTimeout)
    writer.put(eventLengthMinimum)
    writer.put(eventLengthMaximum)
  }

  /// Whether a controller may accept these (Vol 4, Part E, 7.8.12): they are in range, and the
  /// timeout exceeds two effective intervals.
  package var isValid: Bool {
    guard (0x0006...0x0C80).contains(intervalMinimum), (0x0006...0x0C80).contains(intervalMaximum),
      intervalMinimum <= intervalMaximum, latency <= 0x01F3, (0x000A...0x0C80).contains(supervisionTimeout),
      eventLengthMinimum <= eventLengthMaximum
    else { return false }
    return Int(supervisionTimeout) * 4 > (1 + Int(latency)) * Int(intervalMaximum)
  }
}
