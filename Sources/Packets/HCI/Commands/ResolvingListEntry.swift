package import Vocabulary

/// The parameters of LE Add Device To Resolving List (Vol 4, Part E, 7.8.38).
package struct ResolvingListEntry: Hashable, Portable {
  /// The peer's identity address: public or static random.
  package var peer: Address
  /// The peer's IRK: 16 octets, least significant first; all zeros if there is none.
  package var peerKey: [UInt8]
  /// The local IRK for this peer, in the same form.
  package var localKey: [UInt8]

  package init(peer: Address, peerKey: [UInt8], localKey: [UInt8] = [UInt8](repeating: 0, count: 16)) {
    self.peer = peer
    self.peerKey = peerKey
    self.localKey = localKey
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    peer = try reader.readTypedAddress()
    peerKey = try reader.readBytes(16)
    localKey = try reader.readBytes(16)
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(typed: peer)
    writer.put(peerKey, padded: 16)
    writer.put(localKey, padded: 16)
  }
}
