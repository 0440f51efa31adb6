import Packets
import Vocabulary

/// The outgoing L2CAP frames of one link, first in, first out: waiting, cut into fragments, in the
/// controller, acknowledged.
struct Outbox: Equatable, Sendable {
  fileprivate struct Frame: Equatable, Sendable {
    var bytes: [UInt8]
    var isAttribute: Bool
    var isSecurity: Bool
    /// Whether its value is a secret.
    var isHidden = false
    /// The octets that the controller already has.
    var offset = 0
    var fragments = 0
    var acknowledged = 0

    var isHandedOver: Bool { offset == bytes.count }
  }

  private var frames: [Frame] = []
  /// The index of the oldest frame that is not fully acknowledged, and of the one being sent.
  private var oldest = 0
  private var sending = 0
  /// The fragments in the controller.
  private(set) var inFlight = 0

  var hasMore: Bool { sending < frames.count }
  /// The frames that have not fully left.
  var waiting: Int { frames.count - sending }

  mutating func add(channel: UInt16, _ payload: [UInt8], isHidden: Bool = false) {
    var writer = ByteWriter(capacity: payload.count + 4)
    writer.put(UInt16(clamping: payload.count))
    writer.put(channel)
    writer.put(payload)
    frames.append(
      Frame(
        bytes: writer.bytes, isAttribute: channel == L2CAPChannel.attribute,
        isSecurity: channel == L2CAPChannel.security, isHidden: isHidden))
  }

  /// The header octets of a frame's first packet: type, handle and length, length and channel,
  /// opcode and attribute handle.
  private static let headers = 12
  /// The header octets of a later packet: type, handle and length.
  private static let laterHeaders = 5

  /// Returns the next fragment as an H4 packet, whether an ATT PDU has fully left with it, and the
  /// octet from which on it contains a secret.
  mutating func next(handle: ConnectionHandle, length: Int) -> (packet: [UInt8], handedOver: Bool, hiddenFrom: Int?)? {
    guard sending < frames.count else { return nil }
    let offset = frames[sending].offset
    let count = min(max(length, 1), frames[sending].bytes.count - offset)
    let boundary: ACLPacket.Boundary = offset == 0 ? .firstNonFlushable : .continuing
    var writer = ByteWriter(capacity: count + 5)
    writer.put(H4Type.acl.rawValue)
    writer.put(handle.raw | UInt16(boundary.rawValue) << 12)
    writer.put(UInt16(clamping: count))
    writer.put(frames[sending].bytes[offset..<offset + count])
    frames[sending].offset += count
    frames[sending].fragments += 1
    inFlight += 1
    let hiddenFrom = frames[sending].isHidden ? (offset == 0 ? Self.headers : Self.laterHeaders) : nil
    var handedOver = false
    if frames[sending].isHandedOver {
      handedOver = frames[sending].isAttribute
      sending += 1
    }
    return (writer.bytes, handedOver, hiddenFrom)
  }

  /// The peer's link layer has acknowledged fragments. Returns how many were in flight, and how
  /// many ATT and SMP PDUs are complete.
  mutating func acknowledged(_ count: Int) -> (freed: Int, delivered: Int, secured: Int) {
    let freed = min(count, inFlight)
    inFlight -= freed
    var rest = freed
    var delivered = 0
    var secured = 0
    while rest > 0, oldest < frames.count {
      let open = frames[oldest].fragments - frames[oldest].acknowledged
      if open == 0 { break }
      let now = min(open, rest)
      frames[oldest].acknowledged += now
      rest -= now
      guard frames[oldest].isHandedOver, frames[oldest].acknowledged == frames[oldest].fragments else { break }
      if frames[oldest].isAttribute { delivered += 1 }
      if frames[oldest].isSecurity { secured += 1 }
      frames[oldest].bytes = []
      frames[oldest].offset = 0
      oldest += 1
    }
    // Remove in blocks, so that a burst does not move the array for every frame.
    if oldest >= 64 || oldest == frames.count {
      frames.removeFirst(oldest)
      sending -= oldest
      oldest = 0
    }
    return (freed, delivered, secured)
  }
}

extension Outbox.Frame: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    bytes = try reader.next()
    isAttribute = try reader.next()
    isSecurity = try reader.next()
    isHidden = try reader.next()
    offset = try reader.next(0...bytes.count, "octets that have left")
    fragments = try reader.next(0...1 << 32, "fragments")
    acknowledged = try reader.next(0...fragments, "fragments acknowledged")
  }

  func write(to writer: inout ByteWriter) {
    writer.put(all: bytes, isAttribute, isSecurity, isHidden, offset, fragments, acknowledged)
  }
}

extension Outbox: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    frames = try reader.next()
    sending = try reader.next(0...frames.count, "frame that is being sent")
    for place in frames.indices where frames[place].isHandedOver != (place < sending) {
      throw .invalid("frame that has left", UInt64(place))
    }
    oldest = try reader.next(0...sending, "oldest frame")
    inFlight = try reader.next(0...1 << 32, "fragments in flight")
  }

  func write(to writer: inout ByteWriter) { writer.put(all: frames, sending, oldest, inFlight) }
}
