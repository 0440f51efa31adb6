import Exchange
import Vocabulary

/// A wish for values, held as long as the link.
struct Subscription: Equatable, Sendable {
  /// As it was asked for: where it leads may change.
  var path: AttributePath
  var reference: AttributeReference
  var configuration: AttributeHandle
  var kind: SubscriptionKind
  var owners: [OwnerID]
  /// The peer has confirmed the write. Armed before: values may come earlier (rule 11).
  var isWritten = false
}
