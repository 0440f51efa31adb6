package import Packets
package import Vocabulary

/// One fact of the air: a PDU that crossed it, or what happened to a link. `line` renders it as one
/// line of JSON.
package struct AirRecord: Hashable, Sendable {
  package enum Kind: String, Sendable {
    /// An advertising PDU that `to` heard.
    case advertisement = "adv"
    case scanRequest = "scan_req"
    case scanResponse = "scan_rsp"
    /// `delivered` tells whether the advertiser heard it.
    case connectRequest = "connect_ind"
    /// `from` heard `to` for the first time on this link.
    case established = "established"
    /// A whole L2CAP frame: written when its last octet arrived, or, with `delivered` false, when
    /// its link died.
    case acl = "acl"
    /// A link layer control PDU; `note` names it.
    case control = "ll"
    /// LL_TERMINATE_IND; `reason` is what the peer is told.
    case terminate = "disconnect"
    /// `from` heard nothing of `to` for the supervision timeout.
    case supervisionTimeout = "supervision_timeout"
    /// `from` heard nothing of `to` within six intervals.
    case establishmentFailed = "establishment_failed"
    /// `from`'s half of a link ended for another reason.
    case linkEnded = "link_ended"
    /// `from`, the central, has agreed with `to` on a key: `encryption` counts them on this link.
    /// With a `reason`, none was agreed on.
    case encryption = "encryption"
    /// `from`'s host sent data for a link that is gone, which is nobody's fault.
    case orphan = "orphan"
    /// `from`'s host did what no host may.
    case violation = "violation"
    case reset = "reset"
    case hostGone = "host_gone"
    /// Something was made to happen: `note` says what.
    case fault = "fault"
  }

  package var time: Moment
  package var kind: Kind
  package var from: Address?
  package var to: Address?
  /// Links are numbered from 1 over the whole run.
  package var link: Int?
  /// The L2CAP channel of an ACL record.
  package var channel: UInt16?
  /// ACL: the frame without its L2CAP header, so for channel 4 an ATT PDU. Advertising: the
  /// advertising data.
  package var bytes: [UInt8]?
  /// Which encryption of the link carried it, from 1; nothing when it crossed in the clear. `bytes`
  /// are as they were before.
  package var encryption: Int?
  /// When the sending host gave the first piece to its controller.
  package var sent: Moment?
  package var delivered: Bool?
  /// Whether the receiving controller had a host to give it to.
  package var toHost: Bool?
  package var reason: HCIStatus?
  package var note: String?

  package init(
    time: Moment, kind: Kind, from: Address? = nil, to: Address? = nil, link: Int? = nil, channel: UInt16? = nil,
    bytes: [UInt8]? = nil, encryption: Int? = nil,
    sent: Moment? = nil, delivered: Bool? = nil, toHost: Bool? = nil, reason: HCIStatus? = nil, note: String? = nil
  ) {
    self.time = time
    self.kind = kind
    self.from = from
    self.to = to
    self.link = link
    self.channel = channel
    self.bytes = bytes
    self.encryption = encryption
    self.sent = sent
    self.delivered = delivered
    self.toHost = toHost
    self.reason = reason
    self.note = note
  }
}

extension AirRecord {
  /// Distributes a key of a bond (Vol 3, Part H, 3.6): it is in no log, even of a simulation.
  private var hidesKey: Bool {
    guard channel == 6, let code = bytes?.first else { return false }
    return [0x06, 0x07, 0x08, 0x0A].contains(code)
  }

  /// One line of JSON without a line end; the keys stand in this order, absent ones are left out.
  package var line: String {
    var object = JSONObject()
    object.set("t", json: Self.seconds(time))
    object.set("kind", kind.rawValue)
    if let from { object.set("from", "\(from)") }
    if let to { object.set("to", "\(to)") }
    if let link { object.set("link", Int(link)) }
    if let channel { object.set("cid", Int(channel)) }
    if let bytes { object.set("bytes", Hex.text(hidesKey ? Array(bytes.prefix(1)) : bytes, separator: "")) }
    if hidesKey { object.set("hidden", "key") }
    if let encryption { object.set("enc", encryption) }
    if let sent { object.set("sent", json: Self.seconds(sent)) }
    if let delivered { object.set("delivered", delivered) }
    if let toHost { object.set("host", toHost) }
    if let reason { object.set("reason", Int(reason.raw)) }
    if let note { object.set("note", note) }
    return object.text
  }

  /// Seconds with nine decimals, without a detour over `Double`.
  private static func seconds(_ time: Moment) -> String {
    let magnitude = time.nanoseconds.magnitude
    let fraction = String(magnitude % 1_000_000_000)
    let zeros = String(repeating: "0", count: 9 - fraction.utf8.count)
    return "\(time.nanoseconds < 0 ? "-" : "")\(magnitude / 1_000_000_000).\(zeros)\(fraction)"
  }
}
