package import Vocabulary

/// One packet of a btsnoop file with datalink 1002: the bytes begin with the H4 type octet.
package struct BtsnoopRecord: Hashable, Portable {
  /// Host to controller.
  package var isSent: Bool
  /// Packets lost before this one.
  package var drops: UInt32
  /// The file counts microseconds; nanoseconds below are lost.
  package var time: WallTime
  /// The packet's length where it was taken, which may be more than was kept.
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

  /// Commands and events, as opposed to data.
  package var isControl: Bool { bytes.first == H4Type.command.rawValue || bytes.first == H4Type.event.rawValue }

  /// 1970 in microseconds since midnight of 1 January of the year 0.
  static let unixEpoch: Int64 = 0x00DC_DDB3_0F2F_8000

  /// Big endian: original length, kept length, flags, drops, time, packet.
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
    // Downwards, also before 1970.
    let microseconds = time.nanoseconds / 1000 - (time.nanoseconds % 1000 < 0 ? 1 : 0)
    writer.put(UInt64(bitPattern: microseconds &+ Self.unixEpoch).byteSwapped)
    writer.put(bytes)
  }
}
