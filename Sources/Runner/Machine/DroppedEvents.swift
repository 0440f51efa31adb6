import Exchange
import Vocabulary

/// Unreported events that one full queue dropped. Durable, so that a kill loses no count.
struct DroppedEvents: Equatable, Sendable {
  /// Line of the handler with the queue; none for events of `wait for`.
  var line: RecipeLine
  /// Index of the device; -1 if there is none.
  var device: Int
  var count: UInt64 = 0
  /// The number of events that the previous turn's warning covered.
  var reported: UInt64 = 0  // unsaved: a kill repeats a warning rather than losing one
}

extension DroppedEvents: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    line = try RecipeLine(reading: &reader)
    device = Int(try reader.readUInt32()) - 1
    count = try reader.readVarint()
    guard count < 1 << 55 else { throw .invalid("number of dropped events", count) }
  }

  func write(to writer: inout ByteWriter) {
    line.write(to: &writer)
    writer.put(UInt32(truncatingIfNeeded: device + 1))
    writer.put(varint: count)
  }
}
