import Exchange
import Vocabulary

/// An indication that its owners must acknowledge. It is confirmed when all have.
struct AwaitedIndication: Equatable, Sendable {
  struct Part: Equatable, Sendable {
    var owner: OwnerID
    var token: UInt64
    var number: EventNumber?
    var isAcknowledged = false
  }

  var parts: [Part]
}
