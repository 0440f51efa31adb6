import Exchange
import Vocabulary

/// A value that arrived before its handle had a known name.
struct KeptValue: Equatable, Sendable {
  var handle: AttributeHandle
  var value: [UInt8]
  var kind: SubscriptionKind
  var at: Instant
  /// Whether it is an indication that is not confirmed yet.
  var needsConfirmation: Bool
}
