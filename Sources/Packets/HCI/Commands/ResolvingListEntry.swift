package import Vocabulary

/// LE Add Device To Resolving List (Vol 4, Part E, 7.8.38): whose private addresses the controller
/// resolves, and what it makes of ours for this peer.
package struct ResolvingListEntry: Hashable, Portable {
  /// Public, or static random.
  package var peer: Address
  /// 16 octets each, least significant first; zeros stand for none.
  package var peerKey: [UInt8]
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
