import Exchange
import Packets
import Vocabulary

/// One link, with everything that is worth nothing once it is gone.
struct Link: Equatable, Sendable {
  enum Stage: UInt8, Sendable {
    /// The controller says connected; the peer was not heard, or the MTU is not exchanged (rule 1).
    case establishing
    case ready
    /// Disconnect was sent; Disconnection Complete is awaited.
    case closing
  }

  /// A `disconnect` that completes when the link is gone.
  struct Waiter: Equatable, Sendable {
    var owner: OwnerID
    var id: OperationID
  }

  let handle: ConnectionHandle
  /// Its identity, as soon as that is known.
  var peer: Address
  /// The address that the link was made with.
  let address: Address
  let role: LinkRole
  /// When the controller told of it.
  let since: Moment
  var stage: Stage = .establishing
  /// A packet of the peer has arrived.
  var isHeard = false
  /// When a packet of it came last.
  var heardAt: Moment
  /// The controller said that it does not know this link.
  var isForgotten = false
  /// While something of it is at the controller: when that began, or when some of it was
  /// acknowledged last.
  var waitsSince: Moment?
  /// Who asked for the link or shares it, ascending; it closes when the last one lets go.
  var owners: [OwnerID] = []
  /// In 1.25 ms.
  var interval: UInt16
  var latency: UInt16
  /// In 10 ms.
  var supervisionTimeout: UInt16
  var phy = "1M"
  var mtu: UInt16 = 23
  /// The channels of the link: attributes, security, signalling.
  var gatt: GattPeer
  var security: SecurityManager
  /// Who wants it encrypted.
  var pairWaiters: [LEHost.PairWaiter] = []
  /// What a client was asked about the pairing, and has not answered.
  var question: LEHost.OpenQuestion?
  /// Answers that the pairing under way has taken.
  var answers: [LEHost.PairWaiter] = []
  /// Parameters that clients ask for; the first is at the controller.
  var adjustments: [LinkAdjustment] = []
  /// How each owner lets it be secured.
  var policies: [LEHost.SecurityPolicy] = []
  /// What is asked again once the link is secured.
  var onDemand: [LEHost.OnDemand] = []
  /// Its clients have it only when the bond has encrypted it.
  var awaitsEncryption = false
  /// What our server kept of a bonded central holds on this link.
  var isRemembered = false
  var signalling: SignallingChannel { SignallingChannel(role: role) }
  var inbound: Reassembler
  var outbox = Outbox()
  /// When a peripheral that lost nothing by then has heard its central.
  var establishedBy: Moment?
  /// The last owner has let go; when it is closed at the latest, with or without the answer that is
  /// awaited.
  var farewellBy: Moment?
  var closesBy: Moment?
  var refusedDisconnects = 0
  var waiters: [Waiter] = []
  /// Why we close it, when not because it was asked for.
  var closingFailure: Failure?
  /// Frames and fragments thrown away.
  var dropped = 0

  /// When a controller that tells nothing of what it was given is not waited for any more.
  var unacknowledgedBy: Moment? { stage == .closing ? nil : waitsSince.map { $0 + HostLimits.acknowledgement } }

  /// Nothing leaves while encryption starts: it would wait in the controller, or go in the clear.
  var maySend: Bool { stage != .closing && outbox.hasMore && !security.startsEncryption }

  /// Of the link and its bearer. Mutating for the caller's sake only.
  mutating func earliestDeadline() -> Moment? {
    var earliest = establishedBy
    earliest.advance(to: farewellBy)
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
