package import Vocabulary

/// One packet of a btsnoop file with datalink 1002; the bytes start with the H4 type octet.
package struct BtsnoopRecord: Hashable, Portable {
  /// Whether the packet is from host to controller.
  package var isSent: Bool
  /// The number of packets lost before this one.
  package var drops: UInt32
  /// The time of the packet. Files count microseconds, so nanoseconds are lost.
  package var time: WallTime
  /// The original length of the packet in octets, which may exceed what was stored.
  package var originalLength: UInt32
  package var bytes: [UInt8]

  package init(isSent: Bool, time: WallTime, bytes: [UInt8], drops: UInt32 = 0, originalLength: UInt32? = nil) {
    self.isSent = isSent
    self.time = time
    self.bytes = bytes
    self.drops = drops
    self.originalLength = originalLength ?? UInt32(clamping: bytes.count)
  }

  package init(isSent: Bool, time: WallTime, packet: HCIPacket) {
    self.init(isSent: isSent, time: time, bytes: packet.encoded)
  }

  /// Whether it is a command or an event, not data.
  package var isControl: Bool { bytes.first == H4Type.command.rawValue || bytes.first == H4Type.event.rawValue }

  /// 1 January 1970 in microseconds since midnight of 1 January of the year 0.
  static let unixEpoch: Int64 = 0x00DC_DDB3_0F2F_8000

  /// Big endian: original length, stored length, flags, drops, time, packet.
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    originalLength = try reader.readUInt32().byteSwapped
    let count = try reader.readUInt32().byteSwapped
    guard count <= originalLength else { throw .invalid("btsnoop length", UInt64(count)) }
    isSent = try reader.readUInt32().byteSwapped & 1 == 0
    drops = try reader.readUInt32().byteSwapped
    let stamp = Int64(bitPattern: try reader.readUInt64().byteSwapped)
    let (since, overflow) = stamp.subtractingReportingOverflow(Self.unixEpoch)
    let (nanoseconds, tooFar) = since.multipliedReportingOverflow(by: 1000)
    guard !overflow, !tooFar else { throw .invalid("btsnoop time", UInt64(bitPattern: stamp)) }
    time = WallTime(nanoseconds: nanoseconds)
    bytes = try reader.readBytes(Int(count))
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(max(originalLength, UInt32(clamping: bytes.count)).byteSwapped)
    writer.put(UInt32(clamping: bytes.count).byteSwapped)
    let flags: UInt32 = (isSent ? 0 : 1) | (isControl ? 2 : 0)
    writer.put(flags.byteSwapped)
    writer.put(drops.byteSwapped)
    // Round down before 1970, too.
    let microseconds = time.nanoseconds / 1000 - (time.nanoseconds % 1000 < 0 ? 1 : 0)
    writer.put(UInt64(bitPattern: microseconds &+ Self.unixEpoch).byteSwapped)
    writer.put(bytes)
  }
}
