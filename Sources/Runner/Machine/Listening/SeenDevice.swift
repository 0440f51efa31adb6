import Exchange
import Vocabulary

/// A device for which a `whenever` has started.
struct SeenDevice: Equatable, Sendable {
  var id: UInt64
  var unit: Int
  var address: Address
  /// The running activation.
  var fiber: UInt64?
  /// When the last activation ended.
  var ended: Instant?
}

extension SeenDevice: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    id = try reader.readVarint()
    unit = Int(try reader.readUInt16())
    address = try Address(reading: &reader)
    fiber = try reader.readBool() ? try reader.readVarint() : nil
    ended = try reader.next(Instant?.self)
  }

  func write(to writer: inout ByteWriter) {
    writer.put(varint: id)
    writer.put(UInt16(truncatingIfNeeded: unit))
    address.write(to: &writer)
    writer.put(fiber != nil)
    if let fiber { writer.put(varint: fiber) }
    writer.put(all: ended)
  }
}
