import Exchange
import Vocabulary

struct ScanWait: Equatable, Sendable {
  var site: Int
  var limit: Limit?
  /// The devices found so far for `all`, or the strongest one. Each has its own row; older
  /// checkpoints store them here.
  var found: [Found] = []  // unsaved: `FoundRow` has it

  /// The host's number of the scan, which a keeper may continue.
  var operation: OperationID?

  struct Found: Equatable, Sendable {
    var device: Int
    var rssi: Int
  }
}

extension ScanWait: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    site = Int(try reader.readUInt16())
    limit = try reader.next(Limit?.self)
    found = try reader.next([Found].self)
    operation = try reader.next(OperationID?.self)
  }

  func write(to writer: inout ByteWriter) {
    writer.put(UInt16(truncatingIfNeeded: site))
    writer.put(all: limit)
    writer.put(all: [Found]())
    writer.put(all: operation)
  }
}

extension ScanWait.Found: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    device = Int(try reader.readUInt32())
    rssi = Int(try reader.readInt8())
  }

  func write(to writer: inout ByteWriter) {
    writer.put(UInt32(truncatingIfNeeded: device))
    writer.put(Int8(clamping: rssi))
  }
}
