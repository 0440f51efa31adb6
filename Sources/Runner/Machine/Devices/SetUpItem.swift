import Exchange
import Vocabulary

/// What is done again on every connection.
struct SetUpItem: Equatable, Sendable {
  var request: GattRequest
  var statement: Int
  var isTolerant: Bool
}

extension SetUpItem: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    request = try GattRequest(reading: &reader)
    statement = Int(try reader.readUInt32())
    isTolerant = try reader.readBool()
  }

  func write(to writer: inout ByteWriter) {
    request.write(to: &writer)
    writer.put(UInt32(truncatingIfNeeded: statement))
    writer.put(isTolerant)
  }
}
