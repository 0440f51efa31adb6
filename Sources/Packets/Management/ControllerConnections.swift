package import Vocabulary

/// The answer to Get Connections: the links that the kernel knows.
package struct ControllerConnections: Hashable, Portable {
  package struct Peer: Hashable, Sendable {
    package var address: Address
    /// A link of Bluetooth classic.
    package var isClassic: Bool

    package init(address: Address, isClassic: Bool = false) {
      self.address = address
      self.isClassic = isClassic
    }
  }

  package var peers: [Peer]

  package init(_ peers: [Peer] = []) { self.peers = peers }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    peers = []
    for _ in 0..<(try reader.readUInt16()) {
      let bits = try reader.readManagementAddress()
      let raw = try reader.readUInt8()
      guard raw <= 2 else { throw .invalid("management address type", UInt64(raw)) }
      peers.append(Peer(address: Address(bits: bits, kind: raw == 2 ? .random : .public), isClassic: raw == 0))
    }
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(UInt16(truncatingIfNeeded: peers.count))
    for peer in peers {
      for place in 0..<6 { writer.put(UInt8(truncatingIfNeeded: peer.address.bits >> UInt64(8 * place))) }
      writer.put(peer.isClassic ? 0 : peer.address.kind == .random ? 2 : 1 as UInt8)
    }
  }
}
