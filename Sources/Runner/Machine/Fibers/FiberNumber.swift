import Vocabulary

/// The number of a fiber in a list.
struct FiberNumber: Equatable, Sendable {
  var id: UInt64
}

extension FiberNumber: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) { id = try reader.readVarint() }
  func write(to writer: inout ByteWriter) { writer.put(varint: id) }
}
