import Packets
import Vocabulary

/// One end of a link. The ends may disagree: one is reset, or a PDU was lost, and the other finds
/// out by its timer.
struct LinkHalf: Sendable {
  let controller: Int
  let handle: ConnectionHandle
  let address: Address
  /// Who it is to the other end, whose controller has resolved its private address.
  var identity: Address?
  var isAlive = true
  /// Whether the peer was ever heard on this link.
  var isEstablished = false
  var lastHeard: Moment
  /// Its host asked for the end.
  var isTerminating = false
  /// Octets of data in each of its link layer PDUs.
  var octets: UInt16 = 27
  /// What its host asked for on this link.
  var wantedOctets: UInt16?
  /// ACL packets of its host that are not acknowledged.
  var outstanding = 0
  /// By order of a fault: the frame that its host is giving goes nowhere.
  var swallowsFrame = false
  /// By order of a fault: the request that arrives is answered with this error, and its host learns
  /// nothing.
  var refusal: (request: UInt8, handle: UInt16, error: UInt8)?
  /// How many keys were agreed on, the last of which is used.
  var encryptions = 0
  var isEncrypted: Bool { encryptions > 0 }
  /// The host is told when nothing authenticated comes for so long, in 10 ms.
  var payloadTimeout: UInt16 = 0x0BB8
  /// Since when nothing authenticated has come.
  var payloadSince: Moment
  /// LL_PING_REQ was sent or waits for its turn.
  var isPinging = false
  var transmitPHY: UInt8 = 1
  var receivePHY: UInt8 = 1

  private var items: [LinkItem] = []
  private var head = 0
  /// What waits until a key is agreed; nothing when nobody agrees on one.
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

  /// What is appended from here on waits, except for what agrees on the key or ends the link (Vol
  /// 6, Part B, 5.1.3).
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

  /// The frame whose pieces the host is giving.
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

/// An L2CAP frame on its way, kept for the log.
struct LinkFrame: Sendable {
  var sent: Moment
  var bytes: [UInt8]

  /// Octets of the whole frame, once its length field is there (Vol 3, Part A, 3.1).
  var total: Int? { bytes.count >= 2 ? 4 + Int(bytes[0]) + Int(bytes[1]) << 8 : nil }
  var isComplete: Bool { total.map { bytes.count >= $0 } ?? false }
  var channel: UInt16? { bytes.count >= 4 ? UInt16(bytes[2]) | UInt16(bytes[3]) << 8 : nil }
  var payload: [UInt8] { Array(bytes.dropFirst(4)) }
}
