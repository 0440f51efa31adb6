import Vocabulary

/// A handler, a timer or a `whenever` whose block is entered.
struct ActiveHandler: Equatable, Sendable {
  var unit: Int
  /// The fiber that has entered the block; 0 at the top level, for an entry, or a peripheral.
  var owner: UInt64 = 0
  /// The one that a `with` or `whenever` around it gives it; nothing when it serves every device.
  var device: Int?

  /// Whether it is for an event of this device.
  func serves(_ device: Int) -> Bool { self.device == nil || self.device == device || device < 0 }
}

extension ActiveHandler: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    unit = Int(try reader.readUInt16())
    owner = try reader.readVarint()
    device = try reader.next(SmallNumber?.self).map { Int($0.value) }
  }

  func write(to writer: inout ByteWriter) {
    writer.put(UInt16(truncatingIfNeeded: unit))
    writer.put(varint: owner)
    writer.put(all: device.map { SmallNumber(value: UInt32(truncatingIfNeeded: $0)) })
  }
}
