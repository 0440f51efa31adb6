import Packets
package import Vocabulary

/// Blanks out the keys in the packets of one controller before they are kept, shown or written. It
/// follows the fragments of each PDU, because a peer may split one anywhere.
package struct PacketRedaction: Equatable, Sendable {
  /// A PDU whose fragments have not all come. `key` is its handle, with a bit for the direction.
  fileprivate struct Unfinished: Equatable {
    var key: UInt16
    /// The first octets: the length and channel of L2CAP, and the code of SMP.
    var header: [UInt8] = []
    var count = 0

    var isSecret: Bool { header.count == 5 && header[2] == 0x06 && header[3] == 0 && SMPPDU.isSecret(code: header[4]) }

    var isWhole: Bool { header.count >= 4 && count >= 4 + Int(header[0]) + Int(header[1]) << 8 }
  }

  private var unfinished: [Unfinished] = []

  package init() {}

  /// Returns the packet without key material: LE Encrypt, LE Enable Encryption, LE Long Term Key
  /// Request Reply, LE Add Device To Resolving List, and the SMP packets with keys (Vol 3, Part H,
  /// 3.6).
  /// - Parameter hiddenFrom: The index of the octet at which another secret starts.
  package mutating func redacted(_ bytes: [UInt8], isSent: Bool, hiddenFrom: Int? = nil) -> [UInt8] {
    let shown = redacted(bytes, isSent: isSent)
    return hiddenFrom.map { Self.zeroed(shown, from: $0) } ?? shown
  }

  private mutating func redacted(_ bytes: [UInt8], isSent: Bool) -> [UInt8] {
    guard bytes.count > 4 else { return bytes }
    switch H4Type(rawValue: bytes[0]) {
    case .command:
      switch HCIOpcode(UInt16(bytes[1]) | UInt16(bytes[2]) << 8) {
      case .leEncrypt: return Self.zeroed(bytes, from: 4)
      case .leEnableEncryption, .leLongTermKeyRequestReply: return Self.zeroed(bytes, from: 6)
      // The identity address before the keys is not secret.
      case .leAddToResolvingList: return Self.zeroed(bytes, from: 11)
      default: return bytes
      }
    case .acl: return redactedFragment(bytes, isSent: isSent)
    case .sco, .event, .iso, nil: return bytes
    }
  }

  private mutating func redactedFragment(_ bytes: [UInt8], isSent: Bool) -> [UInt8] {
    let flags = UInt16(bytes[1]) | UInt16(bytes[2]) << 8
    let key = flags & 0x0FFF | (isSent ? 0x8000 : 0)
    let isContinuation = flags >> 12 & 0b11 == 0b01
    // A start ends whatever was unfinished, also on an earlier link with this handle.
    let known = unfinished.firstIndex { $0.key == key }.map { unfinished.remove(at: $0) }
    // Almost every packet holds a whole PDU of another channel.
    if !isContinuation, bytes.count > 8, bytes[7] != 0x06, bytes.count >= 9 + Int(bytes[5]) + Int(bytes[6]) << 8 { return bytes }
    // A continuation whose start is not known may be a key.
    if isContinuation, known == nil { return Self.zeroed(bytes, from: 5) }
    var pdu = isContinuation ? known ?? Unfinished(key: key) : Unfinished(key: key)
    let wanted = min(5 - pdu.header.count, bytes.count - 5)
    pdu.header += bytes[5..<5 + wanted]
    pdu.count += bytes.count - 5
    if !pdu.isWhole { unfinished.append(pdu) }
    return pdu.isSecret ? Self.zeroed(bytes, from: 5 + wanted) : bytes
  }

  /// Returns the packet with zeros from an octet on.
  private static func zeroed(_ bytes: [UInt8], from start: Int) -> [UInt8] {
    Array(bytes.prefix(start)) + [UInt8](repeating: 0, count: max(0, bytes.count - start))
  }
}

extension PacketRedaction.Unfinished: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(key: try reader.next(), header: try reader.next(), count: try reader.next(0...1 << 32, "octets of a PDU"))
    guard header.count <= 5 else { throw .invalid("header of a PDU", UInt64(header.count)) }
  }

  func write(to writer: inout ByteWriter) { writer.put(all: key, header, count) }
}

extension PacketRedaction: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { unfinished = try reader.next() }
  package func write(to writer: inout ByteWriter) { writer.put(all: unfinished) }
}
