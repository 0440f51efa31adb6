import Exchange
import Vocabulary

/// A subscription to a value, which lasts as long as the link.
struct Subscription: Equatable, Sendable {
  /// The path as requested; the handle may change.
  var path: AttributePath
  var reference: AttributeReference
  var configuration: AttributeHandle
  var kind: SubscriptionKind
  var owners: [OwnerID]
  /// Whether the peer has confirmed the write. Values may arrive earlier (rule 11).
  var isWritten = false
}
