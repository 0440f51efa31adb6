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
  private var redaction = PacketRedaction()
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
    let entry = Kept(isSent: isSent, time: time, bytes: redaction.redacted(bytes, isSent: isSent, hiddenFrom: hiddenFrom))
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
    redaction = try reader.next()
  }

  package func write(to writer: inout ByteWriter) { writer.put(all: capacity, kept, oldest, count, redaction) }
}
