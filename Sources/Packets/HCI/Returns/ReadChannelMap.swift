package import Vocabulary

/// LE Read Channel Map (Vol 4, Part E, 7.8.20).
package struct ReadChannelMap: Hashable, Portable {
  package var handle: ConnectionHandle
  package var map: ChannelMap

  package init(handle: ConnectionHandle, map: ChannelMap) {
    self.handle = handle
    self.map = map
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    handle = try ConnectionHandle(reading: &reader)
    map = try ChannelMap(reading: &reader)
  }

  package func write(to writer: inout ByteWriter) {
    handle.write(to: &writer)
    map.write(to: &writer)
  }
}
