package import Vocabulary

/// LE Channel Selection Algorithm (Vol 4, Part E, 7.7.65.20).
package struct ChannelSelectionAlgorithm: Hashable, Portable {
  package var handle: ConnectionHandle
  /// 0: algorithm #1, 1: algorithm #2.
  package var algorithm: UInt8

  package init(handle: ConnectionHandle, algorithm: UInt8) {
    self.handle = handle
    self.algorithm = algorithm
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    handle = try ConnectionHandle(reading: &reader)
    algorithm = try reader.readUInt8()
  }

  package func write(to writer: inout ByteWriter) {
    handle.write(to: &writer)
    writer.put(algorithm)
  }
}
