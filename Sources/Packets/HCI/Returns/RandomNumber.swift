package import Vocabulary

/// LE Rand (Vol 4, Part E, 7.8.23).
package struct RandomNumber: Hashable, Portable {
  package var number: UInt64

  package init(number: UInt64) {
    self.number = number
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    number = try reader.readUInt64()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(number)
  }
}
