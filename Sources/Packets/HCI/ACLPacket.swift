package import Vocabulary

/// A fragment of an L2CAP frame on its way to or from a controller (Vol 4, Part E, 5.4.2).
package struct ACLPacket: Hashable, Portable {
  package enum Boundary: UInt8, Sendable {
    /// The first fragment of a frame, host to controller.
    case firstNonFlushable = 0
    case continuing = 1
    /// The first fragment of a frame, controller to host.
    case firstFlushable = 2
    /// A complete frame that is flushed automatically; not used on LE.
    case complete = 3

    package var isFirst: Bool { self != .continuing }
  }

  package var handle: ConnectionHandle
  package var boundary: Boundary
  /// Two bits; 0 is point to point.
  package var broadcast: UInt8
  package var data: [UInt8]

  package init(handle: ConnectionHandle, boundary: Boundary, broadcast: UInt8 = 0, data: [UInt8]) {
    self.handle = handle
    self.boundary = boundary
    self.broadcast = broadcast & 0b11
    self.data = data
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let head = try reader.readUInt16()
    handle = ConnectionHandle(head)
    // The two bits have four values, each of which is a case.
    boundary = Boundary(rawValue: UInt8(head >> 12 & 0b11)) ?? .complete
    broadcast = UInt8(head >> 14)
    data = try reader.readBytes(Int(try reader.readUInt16()))
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(handle.raw | UInt16(boundary.rawValue) << 12 | UInt16(broadcast & 0b11) << 14)
    let data = data.prefix(0xFFFF)
    writer.put(UInt16(data.count))
    writer.put(data)
  }
}
