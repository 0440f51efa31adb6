package import Vocabulary

/// LE Encrypt (Vol 4, Part E, 7.8.22).
package struct EncryptedData: Hashable, Portable {
  /// 16 octets.
  package var data: [UInt8]

  package init(data: [UInt8]) {
    self.data = data
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    data = try reader.readBytes(16)
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(data, padded: 16)
  }
}
