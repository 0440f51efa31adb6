import Exchange
import Packets
import Vocabulary

/// One thing that is done over the bearer, and how far it came. Discovery has no stage of its own: the knowledge says what is missing.
struct Operation: Equatable, Sendable {
  enum Work: Equatable, Sendable {
    case client(OwnerID, OperationID, GattRequest)
    /// Reads the Database Hash when the bearer is idle.
    case databaseHash
    /// Subscribes to Service Changed when the bearer is idle.
    case serviceChanged
    /// Empties the peer's queue of prepared writes that a cancelled operation left.
    case withdrawPrepared
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

  init(_ work: Work) { self.work = work }

  var isInternal: Bool {
    if case .client = work { false } else { true }
  }

  func isClient(_ owner: OwnerID, _ id: OperationID) -> Bool {
    if case .client(owner, id, _) = work { true } else { false }
  }
}

/// The one request that may be outstanding, and what its answer is for.
struct OutstandingRequest: Equatable, Sendable {
  enum Purpose: Equatable, Sendable {
    case mtu(ExchangeMTU)
    case databaseHash(ReadDatabaseHash)
    case probe(GattKnowledge.Probe)
    case discovery(DiscoveryRequest)
    case declaration(CheckDeclaration)
    /// The stage of the current operation.
    case operation
  }

  var pdu: ATTPDU
  var purpose: Purpose
  var since: Moment
  /// Which of the link's PDUs it was, from 1.
  var number: UInt64
  /// Its operation was cancelled: the answer is awaited and dropped, but for what discovery learns from it.
  var isOrphan = false
  /// What was known was forgotten meanwhile: what discovery learns from the answer no longer fits.
  var isStale = false
}

/// A wish for values, held as long as the link.
struct Subscription: Equatable, Sendable {
  var reference: AttributeReference
  var configuration: AttributeHandle
  var kind: SubscriptionKind
  var owners: [OwnerID]
  /// The peer has confirmed the write. Armed before: values may come earlier (rule 11).
  var isWritten = false
}

/// A value that arrived before anybody could name it.
struct KeptValue: Equatable, Sendable {
  var handle: AttributeHandle
  var value: [UInt8]
  var kind: SubscriptionKind
  var at: Instant
  /// An indication whose peer still waits.
  var needsConfirmation: Bool
}

/// Indications that their owners have not acknowledged: confirmed when all have.
struct AwaitedIndication: Equatable, Sendable {
  struct Part: Equatable, Sendable {
    var owner: OwnerID
    var token: UInt64
    var number: EventNumber?
    var isAcknowledged = false
  }

  var parts: [Part]
}
