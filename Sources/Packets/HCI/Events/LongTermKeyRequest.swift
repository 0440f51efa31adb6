package import Vocabulary

/// LE Long Term Key Request (Vol 4, Part E, 7.7.65.5).
package struct LongTermKeyRequest: Hashable, Portable {
  package var handle: ConnectionHandle
  package var random: UInt64
  package var diversifier: UInt16

  package init(handle: ConnectionHandle, random: UInt64, diversifier: UInt16) {
    self.handle = handle
    self.random = random
    self.diversifier = diversifier
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    handle = try ConnectionHandle(reading: &reader)
    random = try reader.readUInt64()
    diversifier = try reader.readUInt16()
  }

  package func write(to writer: inout ByteWriter) {
    handle.write(to: &writer)
    writer.put(random)
    writer.put(diversifier)
  }
}
