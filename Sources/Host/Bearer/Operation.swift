import Exchange
import Packets
import Vocabulary

/// An operation of the bearer and its progress. Discovery has no stage of its own: the cache shows
/// what is missing.
struct Operation: Equatable, Sendable {
  enum Work: Equatable, Sendable {
    case client(OwnerID, OperationID, GattRequest)
    /// Reads the Database Hash when the bearer is idle.
    case databaseHash
    /// Subscribes to Service Changed when the bearer is idle.
    case serviceChanged
    /// Repeats a client's subscription after it was lost with the cache.
    case renewal(AttributePath, OwnerID)
    /// Empties the peer's queue of prepared writes after a cancelled operation.
    case withdrawPrepared
    /// Cancels the subscription to this value after its last subscriber has released a link that
    /// has other owners.
    case unsubscribe(AttributeHandle)
  }

  enum Stage: Equatable, Sendable {
    /// The cache decides what comes next.
    case planning
    case reading(ReadValue, Resolution.Target)
    case readingByUUID(ReadByUUID)
    /// Several values were read; the home service decides between them.
    case deciding([HandleValue])
    case writing(WriteValue, Resolution.Target)
    case writingLong(WriteLongValue, Resolution.Target)
    case configuring(WriteValue, Resolution.Target, SubscriptionKind?)
    /// A Write Command has not left the host yet.
    case commanding
  }

  var work: Work
  var stage: Stage = .planning
  /// Whether this operation has restarted discovery, which happens once.
  var isRetried = false
  /// Whether a read by UUID returned several values, so that discovery must find the attribute.
  var isLookedUp = false
  /// Whether the value is a secret, which is blanked out wherever packets are kept.
  var isHidden = false
  /// If set, a demand of the peer for more security goes to the link first, not to the client.
  var securesFrom: LinkSecurity?

  init(_ work: Work) { self.work = work }

  var isInternal: Bool {
    if case .client = work { false } else { true }
  }

  var isIdleWork: Bool { work == .databaseHash || work == .serviceChanged }

  /// Whether it writes a Client Characteristic Configuration descriptor.
  var isConfiguration: Bool { if case .configuring = stage { true } else { false } }

  func isClient(_ owner: OwnerID, _ id: OperationID) -> Bool {
    if case .client(owner, id, _) = work { true } else { false }
  }
}

extension Operation {
  /// The attribute of the current stage.
  var target: Resolution.Target? {
    switch stage {
    case .reading(_, let target), .writing(_, let target), .writingLong(_, let target), .configuring(_, let target, _): target
    case .planning, .readingByUUID, .deciding, .commanding: nil
    }
  }
}
