import Exchange
import Vocabulary

/// The row of a device that running scans have found: the scans, and its index in their lists.
struct FoundRow: Equatable, Sendable {
  struct Place: Equatable, Sendable {
    var fiber: UInt64
    var place: Int
    var rssi: Int
  }

  var places: [Place]
}

extension FoundRow: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) { places = try reader.next([Place].self) }

  func write(to writer: inout ByteWriter) { writer.put(all: places) }
}

extension FoundRow.Place: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    fiber = try reader.readVarint()
    place = Int(try reader.readUInt32())
    rssi = Int(try reader.readInt8())
  }

  func write(to writer: inout ByteWriter) {
    writer.put(varint: fiber)
    writer.put(UInt32(truncatingIfNeeded: place))
    writer.put(Int8(clamping: rssi))
  }
}
