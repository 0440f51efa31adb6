import Exchange
import Vocabulary

/// A scan that runs as long as something waits for advertisements.
struct Listen: Equatable, Sendable {
  enum Owner: Equatable, Sendable {
    /// A handler whose block is active, by its unit.
    case handler(Int)
    /// A fiber in `wait for advertisement`.
    case fiber(UInt64)
  }

  var owner: Owner
  /// The host's number of the scan, which a keeper may continue.
  var operation: OperationID
}

extension Listen: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    operation = try OperationID(reading: &reader)
    switch try reader.readUInt8() {
    case 0: owner = .handler(Int(try reader.readUInt16()))
    case 1: owner = .fiber(try reader.readVarint())
    case let other: throw .invalid("owner of a scan", UInt64(other))
    }
  }

  func write(to writer: inout ByteWriter) {
    operation.write(to: &writer)
    switch owner {
    case .handler(let unit):
      writer.put(UInt8(0))
      writer.put(UInt16(truncatingIfNeeded: unit))
    case .fiber(let id):
      writer.put(UInt8(1))
      writer.put(varint: id)
    }
  }
}
