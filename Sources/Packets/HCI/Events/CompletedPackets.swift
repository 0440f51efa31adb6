package import Vocabulary

/// One link of Number Of Completed Packets (Vol 4, Part E, 7.7.19).
package struct CompletedPackets: Hashable, Portable {
  package var handle: ConnectionHandle
  package var count: UInt16

  package init(handle: ConnectionHandle, count: UInt16) {
    self.handle = handle
    self.count = count
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    handle = try ConnectionHandle(reading: &reader)
    count = try reader.readUInt16()
  }

  package func write(to writer: inout ByteWriter) {
    handle.write(to: &writer)
    writer.put(count)
  }
}
