import Exchange
import Packets
import Vocabulary

/// The state of one link, which is worthless once the link is gone.
struct Link: Equatable, Sendable {
  enum Stage: UInt8, Sendable {
    /// The controller reports a connection, but the peer's first packet or the MTU is missing (rule
    /// 1).
    case establishing
    case ready
    /// Disconnect was sent; Disconnection Complete is missing.
    case closing
  }

  /// A `disconnect` that completes when the link is gone.
  struct Waiter: Equatable, Sendable {
    var owner: OwnerID
    var id: OperationID
  }

  let handle: ConnectionHandle
  /// The peer's identity address as soon as it is known.
  var peer: Address
  /// The address with which the link was made.
  let address: Address
  let role: LinkRole
  /// When the controller reported the link.
  let since: Moment
  var stage: Stage = .establishing
  /// Whether a packet of the peer has arrived.
  var isHeard = false
  /// When its last packet arrived.
  var heardAt: Moment
  /// Whether the controller has answered that it does not know this link.
  var isForgotten = false
  /// While the controller holds data of this link: since when, or when the last acknowledgement
  /// arrived.
  var waitsSince: Moment?
  /// The clients that requested or share the link, ascending. It closes when the last one releases
  /// it.
  var owners: [OwnerID] = []
  /// The connection interval in 1.25 ms.
  var interval: UInt16
  var latency: UInt16
  /// The supervision timeout in 10 ms.
  var supervisionTimeout: UInt16
  var phy = "1M"
  var mtu: UInt16 = 23
  /// The channels: attributes, security, signalling.
  var gatt: GattPeer
  var security: SecurityManager
  /// The clients that wait for encryption.
  var pairWaiters: [LEHost.PairWaiter] = []
  /// The pairing question that a client has not answered yet.
  var question: LEHost.OpenQuestion?
  /// Answers that the current pairing has used.
  var answers: [Waiter] = []
  /// The parameters that clients request. The controller has the first.
  var adjustments: [LinkAdjustment] = []
  /// How each owner lets the link be secured.
  var policies: [LEHost.SecurityPolicy] = []
  /// The requests to repeat once the link is secured.
  var onDemand: [LEHost.OnDemand] = []
  /// Whether clients get the link only after the bond has encrypted it.
  var awaitsEncryption = false
  /// Whether our server's memory of a bonded central applies to this link.
  var isRemembered = false
  var signalling: SignallingChannel { SignallingChannel(role: role) }
  var inbound: Reassembler
  var outbox = Outbox()
  /// When a peripheral whose link has lasted so far has received its central's packets.
  var establishedBy: Moment?
  /// Set when the last owner has released the link: when it is closed, with or without the awaited
  /// response.
  var closingReadEnds: Moment?
  var closesBy: Moment?
  var refusedDisconnects = 0
  var waiters: [Waiter] = []
  /// Why the host closes it; `nil` if that was requested.
  var closingFailure: Failure?
  /// The number of frames and fragments that were dropped.
  var dropped = 0

  /// When a controller that does not acknowledge data counts as stuck.
  var unacknowledgedBy: Moment? { stage == .closing ? nil : waitsSince.map { $0 + HostLimits.acknowledgement } }

  /// Whether to send. Not while encryption starts, when data would wait in the controller or leave
  /// unencrypted. Mutating only to avoid a copy.
  mutating func maySend() -> Bool { stage != .closing && outbox.hasMore && !security.startsEncryption }

  /// The earliest deadline of the link and its bearer. Mutating only to avoid a copy.
  mutating func earliestDeadline() -> Moment? {
    var earliest = establishedBy
    earliest.advance(to: closingReadEnds)
    earliest.advance(to: closesBy)
    earliest.advance(to: unacknowledgedBy)
    earliest.advance(to: gatt.nextDeadline)
    earliest.advance(to: stage == .closing ? nil : security.nextDeadline)
    return earliest
  }

  var info: LinkInfo {
    LinkInfo(
      mtu: mtu, interval: .microseconds(Int64(interval) * 1250), latency: latency,
      supervisionTimeout: .milliseconds(Int64(supervisionTimeout) * 10), phy: phy, encrypted: security.security.isEncrypted,
      bonded: security.bond != nil, isProven: security.security.isProven)
  }
}
