package import Vocabulary

// The packets that a host stores and that end by themselves. An ATT PDU does not: it extends to the
// end of its bytes.

extension LinkRole: Portable {}

extension HandleValue: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(try reader.next(), try reader.next())
  }

  package func write(to writer: inout ByteWriter) { writer.put(all: handle, value) }
}
