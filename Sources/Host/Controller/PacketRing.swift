package import Packets
package import Vocabulary

/// The last packets in both directions, for the capture of a failure (rule 25). Keys are blanked
/// out.
package struct PacketRing: Equatable, Sendable {
  fileprivate struct Kept: Equatable {
    var isSent: Bool
    var time: WallTime
    var bytes: [UInt8]
  }

  private var kept: [Kept] = []
  private var oldest = 0
  private let capacity: Int
  /// The total number of packets.
  package private(set) var count: UInt64 = 0

  package init(capacity: Int) {
    self.capacity = max(1, capacity)
  }

  /// - Parameter hiddenFrom: The index of the octet at which a secret starts, which is not kept.
  mutating func add(_ bytes: [UInt8], isSent: Bool, at time: WallTime, hiddenFrom: Int? = nil) {
    count &+= 1
    let entry = Kept(isSent: isSent, time: time, bytes: Self.redacted(hiddenFrom.map { Self.zeroed(bytes, from: $0) } ?? bytes))
    if kept.count < capacity {
      kept.append(entry)
    } else {
      kept[oldest] = entry
      oldest = oldest + 1 == capacity ? 0 : oldest + 1
    }
  }

  /// The packets as btsnoop records, oldest first.
  package var records: [BtsnoopRecord] {
    var list: [BtsnoopRecord] = []
    list.reserveCapacity(kept.count)
    for offset in kept.indices {
      let entry = kept[(oldest + offset) % kept.count]
      list.append(BtsnoopRecord(isSent: entry.isSent, time: entry.time, bytes: entry.bytes))
    }
    return list
  }

  /// Returns the packet with zeros from an octet on.
  package static func zeroed(_ bytes: [UInt8], from start: Int) -> [UInt8] {
    Array(bytes.prefix(start)) + [UInt8](repeating: 0, count: max(0, bytes.count - start))
  }

  /// Returns the packet with its key material blanked out: LE Encrypt, LE Enable Encryption, LE
  /// Long Term Key Request Reply, LE Add Device To Resolving List, and the SMP packets with keys
  /// (Vol 3, Part H, 3.6).
  package static func redacted(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count > 4 else { return bytes }
    var copy = bytes
    func zero(from start: Int) {
      for index in copy.indices.dropFirst(start) { copy[index] = 0 }
    }
    switch H4Type(rawValue: bytes[0]) {
    case .command:
      switch HCIOpcode(UInt16(bytes[1]) | UInt16(bytes[2]) << 8) {
      case .leEncrypt: zero(from: 4)
      case .leEnableEncryption, .leLongTermKeyRequestReply: zero(from: 6)
      // The identity address before the keys is not secret.
      case .leAddToResolvingList: zero(from: 11)
      default: break
      }
    case .acl:
      // Type, handle and length, then length and channel of L2CAP.
      guard bytes.count > 10, bytes[2] >> 4 & 0b11 != 1, bytes[7] == 0x06, bytes[8] == 0 else { break }
      if SMPPDU.isSecret(code: bytes[9]) { zero(from: 10) }
    case .sco, .event, .iso, nil: break
    }
    return copy
  }
}

extension PacketRing.Kept: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(isSent: try reader.next(), time: try reader.next(), bytes: try reader.next())
  }

  func write(to writer: inout ByteWriter) { writer.put(all: isSent, time, bytes) }
}

extension PacketRing: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    capacity = try reader.next(1...1 << 32, "packets that are kept")
    kept = try reader.next()
    guard kept.count <= capacity else { throw .invalid("packets kept", UInt64(kept.count)) }
    oldest = try reader.next(0...max(0, kept.count - 1), "oldest packet")
    count = try reader.next()
  }

  package func write(to writer: inout ByteWriter) { writer.put(all: capacity, kept, oldest, count) }
}
