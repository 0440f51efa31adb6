package import Vocabulary

/// What is known of a peer's attributes, with the cursor of a discovery that is not finished. Durable: discovery goes on where it was.
package struct GattKnowledge: Equatable, Sendable {
  /// The peer's Database Hash, 16 octets (Vol 3, Part G, 7.3), once it was read.
  package var databaseHash: [UInt8]?

  package init() {}
}

extension GattKnowledge: Storable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init()
    databaseHash = try reader.readBool() ? try reader.readBlob() : nil
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(databaseHash != nil)
    if let databaseHash { writer.put(blob: databaseHash) }
  }
}
