package import Vocabulary

// What a host holds of packets, and what of it ends by itself. An attribute PDU does not: it goes
// to the end of its bytes.

extension LinkRole: Portable {}

extension HandleValue: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(try reader.next(), try reader.next())
  }

  package func write(to writer: inout ByteWriter) { writer.put(all: handle, value) }
}
