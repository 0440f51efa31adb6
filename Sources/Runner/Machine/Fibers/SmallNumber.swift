import Exchange
import Vocabulary

/// A durable number below 2^32.
struct SmallNumber: Durable {
  var value: UInt32

  init(value: UInt32) { self.value = value }

  init(reading reader: inout RawSpan) throws(DecodeError) { value = try reader.readUInt32() }

  func write(to writer: inout ByteWriter) { writer.put(value) }
}
