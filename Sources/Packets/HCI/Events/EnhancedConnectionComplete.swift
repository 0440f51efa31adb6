package import Vocabulary

/// LE Enhanced Connection Complete [v1] (Vol 4, Part E, 7.7.65.10).
package struct EnhancedConnectionComplete: Hashable, Portable {
  package var connection: ConnectionComplete
  /// The 48 bits of the private addresses that were used; 0 if there were none.
  package var localPrivateAddress: UInt64
  package var peerPrivateAddress: UInt64

  package init(connection: ConnectionComplete, localPrivateAddress: UInt64 = 0, peerPrivateAddress: UInt64 = 0) {
    self.connection = connection
    self.localPrivateAddress = localPrivateAddress
    self.peerPrivateAddress = peerPrivateAddress
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    var local: UInt64 = 0
    var peer: UInt64 = 0
    connection = try ConnectionComplete(reading: &reader) { (inner: inout RawSpan) throws(DecodeError) in
      local = try inner.readAddressBits()
      peer = try inner.readAddressBits()
    }
    localPrivateAddress = local
    peerPrivateAddress = peer
  }

  package func write(to writer: inout ByteWriter) {
    connection.write(to: &writer, privateAddresses: [localPrivateAddress, peerPrivateAddress])
  }
}
