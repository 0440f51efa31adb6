package import Vocabulary

/// Splits a stream of bytes into H4 packets (Vol 4, Part A, 2).
///
/// Push octets, then take frames until there are none. If synchronisation is lost, `nextFrame`
/// throws the same error until `resync` is called after an HCI Reset (Vol 4, Part A, 4).
package struct H4Reader: Hashable, Sendable {
  private var buffer: [UInt8] = []
  private var start = 0
  /// The total number of octets dropped by `resync`.
  package private(set) var discarded = 0

  /// Whether to accept only what a controller sends, as far as the header shows.
  private let isFromController: Bool

  package init(isFromController: Bool = false) { self.isFromController = isFromController }

  /// The octets of an incomplete packet.
  package var pending: Int { buffer.count - start }

  package mutating func push(_ bytes: [UInt8]) { push(bytes[...]) }

  package mutating func push(_ bytes: ArraySlice<UInt8>) {
    // Remove octets only here, so that a burst does not move the buffer for every packet.
    if start > 0 {
      buffer.removeFirst(start)
      start = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// Returns the next complete packet, its type octet first; `nil` if it is incomplete.
  package mutating func nextFrame() throws(H4Error) -> [UInt8]? {
    guard start < buffer.count else { return nil }
    guard let type = H4Type(rawValue: buffer[start]) else { throw .unknownType(buffer[start]) }
    let header = start + 1
    if isFromController, type == .command { throw .unknownType(buffer[start]) }
    guard buffer.count >= header + type.headerLength else { return nil }
    if isFromController, !isPlausible(type, at: header) { throw .implausible(Array(buffer[start..<header + type.headerLength])) }
    let end = header + type.headerLength + type.payloadLength(header: buffer[header..<header + type.headerLength])
    guard buffer.count >= end else { return nil }
    let frame = Array(buffer[start..<end])
    start = end
    return frame
  }

  /// Whether a controller may send this: handles end at 0x0EFF, no data of an LE link is a
  /// broadcast (Vol 4, Part E, 5.4.2), and no event has the code 0.
  private func isPlausible(_ type: H4Type, at header: Int) -> Bool {
    switch type {
    case .event: buffer[header] != 0
    case .acl: Int(buffer[header]) | Int(buffer[header + 1] & 0x0F) << 8 <= 0x0EFF && buffer[header + 1] & 0xC0 == 0
    case .command, .sco, .iso: true
    }
  }

  /// Drops an incomplete packet. Returns the number of its octets, and its length if the header was
  /// complete.
  package mutating func dropPending() -> (count: Int, whole: Int?) {
    let count = pending
    var whole: Int?
    if count > 0, let type = H4Type(rawValue: buffer[start]), count > type.headerLength {
      let header = buffer[(start + 1)..<(start + 1 + type.headerLength)]
      whole = 1 + type.headerLength + type.payloadLength(header: header)
    }
    buffer.removeAll(keepingCapacity: true)
    start = 0
    discarded += count
    return (count, whole)
  }

  /// Returns the next packet, decoded.
  package mutating func nextPacket() throws(H4Error) -> HCIPacket? {
    guard let frame = try nextFrame() else { return nil }
    do {
      return try HCIPacket(encoded: frame, name: "HCI packet")
    } catch {
      throw .malformed(frame, error)
    }
  }

  /// Drops octets up to the Command Complete of HCI Reset, the one packet whose bytes are known in
  /// advance. Returns whether it was found; if not, push more and call again.
  package mutating func resync() -> Bool {
    // Event, Command Complete, length 4, any number of commands, opcode 0x0C03.
    func matches(_ at: Int) -> Bool {
      let wanted: [UInt8?] = [0x04, 0x0E, 0x04, nil, 0x03, 0x0C]
      for (offset, octet) in wanted.enumerated() where at + offset < buffer.count {
        if let octet, buffer[at + offset] != octet { return false }
      }
      return true
    }
    while start < buffer.count {
      if matches(start) { return buffer.count - start >= 7 }
      start += 1
      discarded += 1
    }
    return false
  }
}

extension H4Reader: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    isFromController = try reader.next()
    buffer = try reader.next()
    discarded = try reader.next(Int.self)
    guard discarded >= 0 else { throw .invalid("octets thrown away", 0) }
  }

  package func write(to writer: inout ByteWriter) { writer.put(all: isFromController, Array(buffer[start...]), discarded) }
}
