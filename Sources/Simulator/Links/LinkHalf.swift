import Packets
import Vocabulary

/// One side of a link. The sides may disagree: after a reset or a lost PDU, the other side only
/// notices by its timer.
struct LinkHalf: Sendable {
  let controller: Int
  let handle: ConnectionHandle
  let address: Address
  /// Its identity address, if the other end's controller has resolved its private address.
  var identity: Address?
  var isAlive = true
  /// Whether it has received a packet of the peer on this link.
  var isEstablished = false
  var lastHeard: Moment
  /// Whether its host has requested the end.
  var isTerminating = false
  /// The most data octets in each of its link layer PDUs.
  var octets: UInt16 = 27
  /// The data length that its host requested on this link.
  var wantedOctets: UInt16?
  /// The ACL packets of its host that are not acknowledged.
  var outstanding = 0
  /// Whether a fault drops the frame that its host is sending.
  var swallowsFrame = false
  /// The reason of the Pairing Failed that a fault sends instead of that frame.
  var pairingRefusal: UInt8?
  /// The request that a fault answers with this error; its host does not see it.
  var refusal: (request: UInt8, handle: UInt16, error: UInt8)?
  /// The number of keys agreed on, the last of which is in use.
  var encryptions = 0
  var isEncrypted: Bool { encryptions > 0 }
  /// The authenticated payload timeout in 10 ms.
  var payloadTimeout: UInt16 = 0x0BB8
  /// When it last received an authenticated packet.
  var payloadSince: Moment
  /// Whether LL_PING_REQ was sent or is waiting.
  var isPinging = false
  var transmitPHY: UInt8 = 1
  var receivePHY: UInt8 = 1

  private var items: [LinkItem] = []
  private var head = 0
  /// The items that wait for a key; `nil` without an agreement in progress.
  private var held: [LinkItem]?
  private var frames: [LinkFrame] = []
  private var frameHead = 0

  init(controller: Int, handle: ConnectionHandle, address: Address, lastHeard: Moment) {
    self.controller = controller
    self.handle = handle
    self.address = address
    self.lastHeard = lastHeard
    payloadSince = lastHeard
  }

  var hasItems: Bool { head < items.count }

  var first: LinkItem? { head < items.count ? items[head] : nil }

  mutating func append(_ item: LinkItem) {
    if held != nil, item.waitsForKey { held?.append(item) } else { items.append(item) }
  }

  /// Holds new items back, except those of the agreement and of the link's end (Vol 6, Part B,
  /// 5.1.3).
  mutating func hold() {
    if held == nil { held = [] }
  }

  mutating func release() {
    items += held ?? []
    held = nil
  }

  mutating func markFirstReceived() {
    if head < items.count { items[head].isReceived = true }
  }

  mutating func removeFirst() {
    guard head < items.count else { return }
    head += 1
    if head == items.count {
      items.removeAll(keepingCapacity: true)
      head = 0
    } else if head >= 256 {
      items.removeFirst(head)
      head = 0
    }
  }

  /// The incomplete frame from the host.
  var openFrame: LinkFrame? { frameHead < frames.count ? frames[frames.count - 1] : nil }

  mutating func begin(_ frame: LinkFrame) { frames.append(frame) }

  mutating func extendFrame(_ bytes: [UInt8]) {
    if frameHead < frames.count { frames[frames.count - 1].bytes += bytes }
  }

  mutating func takeFrame() -> LinkFrame? {
    guard frameHead < frames.count else { return nil }
    let frame = frames[frameHead]
    frameHead += 1
    if frameHead == frames.count {
      frames.removeAll(keepingCapacity: true)
      frameHead = 0
    } else if frameHead >= 256 {
      frames.removeFirst(frameHead)
      frameHead = 0
    }
    return frame
  }

  mutating func dropFrame() {
    if frameHead < frames.count { frames.removeLast() }
  }
}

/// An L2CAP frame in transit, kept for the log.
struct LinkFrame: Sendable {
  var sent: Moment
  var bytes: [UInt8]

  /// The octets of the whole frame, once its length field has arrived (Vol 3, Part A, 3.1).
  var total: Int? { bytes.count >= 2 ? 4 + Int(bytes[0]) + Int(bytes[1]) << 8 : nil }
  var isComplete: Bool { total.map { bytes.count >= $0 } ?? false }
  var channel: UInt16? { bytes.count >= 4 ? UInt16(bytes[2]) | UInt16(bytes[3]) << 8 : nil }
  var payload: [UInt8] { Array(bytes.dropFirst(4)) }
}
