package import Vocabulary

/// LE Enable Encryption (Vol 4, Part E, 7.8.24).
package struct EnableEncryption: Hashable, Portable {
  package var handle: ConnectionHandle
  package var random: UInt64
  package var diversifier: UInt16
  /// 16 octets, least significant first.
  package var longTermKey: [UInt8]

  package init(handle: ConnectionHandle, random: UInt64, diversifier: UInt16, longTermKey: [UInt8]) {
    self.handle = handle
    self.random = random
    self.diversifier = diversifier
    self.longTermKey = longTermKey
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    handle = try ConnectionHandle(reading: &reader)
    random = try reader.readUInt64()
    diversifier = try reader.readUInt16()
    longTermKey = try reader.readBytes(16)
  }

  package func write(to writer: inout ByteWriter) {
    handle.write(to: &writer)
    writer.put(random)
    writer.put(diversifier)
    writer.put(longTermKey, padded: 16)
  }
}
