import Exchange
import Packets
import Vocabulary

/// One thing that is done over the bearer, and how far it came. Discovery has no stage of its own:
/// the knowledge says what is missing.
struct Operation: Equatable, Sendable {
  enum Work: Equatable, Sendable {
    case client(OwnerID, OperationID, GattRequest)
    /// Reads the Database Hash when the bearer is idle.
    case databaseHash
    /// Subscribes to Service Changed when the bearer is idle.
    case serviceChanged
    /// Subscribes again for a client, after its subscription was lost with what was known of the
    /// attributes.
    case renewal(AttributePath, OwnerID)
    /// Empties the peer's queue of prepared writes that a cancelled operation left.
    case withdrawPrepared
    /// Takes the subscription to this value back: its last subscriber has let go of the link, which
    /// others still use.
    case unsubscribe(AttributeHandle)
  }

  enum Stage: Equatable, Sendable {
    /// What comes next follows from the knowledge.
    case planning
    case reading(ReadValue, Resolution.Target)
    case readingByUUID(ReadByUUID)
    /// Several values came; the home service decides.
    case deciding([HandleValue])
    case writing(WriteValue, Resolution.Target)
    case writingLong(WriteLongValue, Resolution.Target)
    case configuring(WriteValue, Resolution.Target, SubscriptionKind?)
    /// A Write Command that has not left the host yet.
    case commanding
  }

  var work: Work
  var stage: Stage = .planning
  /// Discovery was started over once because of it.
  var isRetried = false
  /// A read by UUID had several answers: the attribute is found by discovery instead.
  var isLookedUp = false
  /// Its value is a secret: what carries it is blotted out wherever packets are kept.
  var isHidden = false
  /// When the peer wants a better link than this one for it, the link is told before the client.
  var securesFrom: LinkSecurity?

  init(_ work: Work) { self.work = work }

  var isInternal: Bool {
    if case .client = work { false } else { true }
  }

  var isIdleWork: Bool { work == .databaseHash || work == .serviceChanged }

  /// Whether it writes a Client Characteristic Configuration.
  var isConfiguration: Bool { if case .configuring = stage { true } else { false } }

  func isClient(_ owner: OwnerID, _ id: OperationID) -> Bool {
    if case .client(owner, id, _) = work { true } else { false }
  }
}

extension Operation {
  /// The attribute that it is at.
  var target: Resolution.Target? {
    switch stage {
    case .reading(_, let target), .writing(_, let target), .writingLong(_, let target), .configuring(_, let target, _): target
    case .planning, .readingByUUID, .deciding, .commanding: nil
    }
  }
}
