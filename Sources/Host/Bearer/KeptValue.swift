import Exchange
import Vocabulary

/// A value that arrived before anybody could name it.
struct KeptValue: Equatable, Sendable {
  var handle: AttributeHandle
  var value: [UInt8]
  var kind: SubscriptionKind
  var at: Instant
  /// An indication whose peer still waits.
  var needsConfirmation: Bool
}
