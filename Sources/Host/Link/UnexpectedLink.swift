import Packets
import Vocabulary

/// A link that sent data but was never reported.
struct UnexpectedLink: Equatable, Sendable {
  var handle: ConnectionHandle
  /// How long to wait for its Connection Complete.
  var by: Moment
}
