import Vocabulary

/// A handler, a timer or a `whenever` whose block is active.
struct ActiveHandler: Equatable, Sendable {
  var unit: Int
  /// The fiber that entered the block; 0 at the top level, for an entry, or in a peripheral.
  var owner: UInt64 = 0
  /// The device of an enclosing `with` or `whenever`; `nil` if it serves all devices.
  var device: Int?

  /// Whether it handles events of this device.
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
