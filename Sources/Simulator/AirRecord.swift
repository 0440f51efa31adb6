package import Packets
package import Vocabulary

/// A PDU that crossed the air, or an event of a link. `line` renders it as one line of JSON.
package struct AirRecord: Hashable, Sendable {
  package enum Kind: String, Sendable {
    /// `to` received an advertising PDU.
    case advertisement = "adv"
    case scanRequest = "scan_req"
    case scanResponse = "scan_rsp"
    /// A connection request; `delivered` is whether the advertiser received it.
    case connectRequest = "connect_ind"
    /// `from` received a packet of `to` for the first time on this link.
    case established = "established"
    /// A whole L2CAP frame, recorded when its last octet arrived or, with `delivered` false, when
    /// its link ended.
    case acl = "acl"
    /// A link layer control PDU; `note` is its name.
    case control = "ll"
    /// LL_TERMINATE_IND; `reason` is its error code.
    case terminate = "disconnect"
    /// `from` received nothing from `to` for the supervision timeout.
    case supervisionTimeout = "supervision_timeout"
    /// `from` received nothing from `to` within six intervals.
    case establishmentFailed = "establishment_failed"
    /// `from`'s side of a link ended for another reason.
    case linkEnded = "link_ended"
    /// `from`, the central, has agreed on a key with `to`; `encryption` counts the keys of this
    /// link. With a `reason`, it has failed.
    case encryption = "encryption"
    /// `from`'s host sent data for a link that is gone, which is not an error.
    case orphan = "orphan"
    /// `from`'s host violated the protocol.
    case violation = "violation"
    case reset = "reset"
    case hostGone = "host_gone"
    /// A fault was injected; `note` describes it.
    case fault = "fault"
  }

  package var time: Moment
  package var kind: Kind
  package var from: Address?
  package var to: Address?
  /// The number of the link, from 1 over the whole run.
  package var link: Int?
  /// The L2CAP channel of an ACL record.
  package var channel: UInt16?
  /// For ACL, the frame without its L2CAP header, so an ATT PDU on channel 4. For advertising, the
  /// advertising data.
  package var bytes: [UInt8]?
  /// The number of the key that encrypted it on this link, from 1; `nil` if it was not encrypted.
  /// `bytes` are the plaintext.
  package var encryption: Int?
  /// When the sending host gave its first fragment to the controller.
  package var sent: Moment?
  package var delivered: Bool?
  /// Whether the receiving controller had a host to pass it to.
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
  /// Whether it distributes a key of a bond (Vol 3, Part H, 3.6), which no log contains, not even
  /// of a simulation.
  private var hidesKey: Bool {
    guard channel == 6, let code = bytes?.first else { return false }
    return [0x06, 0x07, 0x08, 0x0A].contains(code)
  }

  /// One line of JSON without a line end. The keys are in this order; absent ones are omitted.
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

  /// Seconds with nine decimals, without a conversion to `Double`.
  private static func seconds(_ time: Moment) -> String {
    let magnitude = time.nanoseconds.magnitude
    let fraction = String(magnitude % 1_000_000_000)
    let zeros = String(repeating: "0", count: 9 - fraction.utf8.count)
    return "\(time.nanoseconds < 0 ? "-" : "")\(magnitude / 1_000_000_000).\(zeros)\(fraction)"
  }
}
