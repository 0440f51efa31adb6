import Exchange
import Vocabulary

struct TryState: Equatable, Sendable {
  var site: Int
  /// Counts from 1.
  var attempt: Int
  /// `nil` means until it succeeds.
  var times: Int?
  var every: TimeSpan?
  var limit: Limit?
  var handlers: Int
  var device: Value
  /// While its `otherwise` runs: the previous `it`, which is restored after the block.
  var rescued: Value?
}

extension TryState: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    site = Int(try reader.readUInt16())
    let number = try reader.readVarint()
    guard number < 1 << 55 else { throw .invalid("number of an attempt", number) }
    attempt = Int(number)
    times = try reader.readBool() ? Int(clamping: try reader.readVarint()) : nil
    every = try reader.next(TimeSpan?.self)
    limit = try reader.next(Limit?.self)
    handlers = Int(try reader.readUInt16())
    device = try Value(reading: &reader)
    rescued = try reader.readBool() ? try Value(reading: &reader) : nil
  }

  func write(to writer: inout ByteWriter) {
    writer.put(UInt16(truncatingIfNeeded: site))
    writer.put(varint: UInt64(attempt))
    writer.put(times != nil)
    if let times { writer.put(varint: UInt64(times)) }
    writer.put(all: every)
    writer.put(all: limit)
    writer.put(UInt16(truncatingIfNeeded: handlers))
    device.write(to: &writer)
    writer.put(rescued != nil)
    rescued?.write(to: &writer)
  }
}
