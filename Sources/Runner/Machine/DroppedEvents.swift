import Exchange
import Vocabulary

/// Events that did not fit into one queue and that nobody was told of yet. Durable: a kill loses no
/// count.
struct DroppedEvents: Equatable, Sendable {
  /// Line of the handler whose queue it is; none for what `wait for` might have taken.
  var line: RecipeLine
  /// Index of the device, -1 for none.
  var device: Int
  var count: UInt64 = 0
  /// How many of them the warning of the turn before was about.
  var told: UInt64 = 0  // unsaved: a kill repeats a warning rather than losing one
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
