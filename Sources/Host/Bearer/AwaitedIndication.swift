import Exchange
import Vocabulary

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
