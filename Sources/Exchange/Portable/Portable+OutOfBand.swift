package import Vocabulary

extension OutOfBandData: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(address: try reader.next(), temporaryKey: try reader.next(), secure: try reader.next())
  }

  package func write(to writer: inout ByteWriter) { writer.put(all: address, temporaryKey, secure) }
}

extension OutOfBandData.Secure: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(confirmation: try reader.next(), random: try reader.next())
  }

  package func write(to writer: inout ByteWriter) { writer.put(all: confirmation, random) }
}
