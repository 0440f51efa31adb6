package import Vocabulary

/// One of the last packets of an adapter, with its keys blanked out.
package struct KeptPacket: Equatable, Sendable {
  package var isSent: Bool
  package var time: WallTime
  package var bytes: [UInt8]

  package init(isSent: Bool, time: WallTime, bytes: [UInt8]) {
    self.isSent = isSent
    self.time = time
    self.bytes = bytes
  }
}

extension KeptPacket: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(isSent: try reader.next(), time: try reader.next(), bytes: try reader.next())
  }

  package func write(to writer: inout ByteWriter) { writer.put(all: isSent, time, bytes) }
}
