import Packets
import Vocabulary

/// A link that data came of and that was never told.
struct StrayLink: Equatable, Sendable {
  var handle: ConnectionHandle
  /// Until when its Connection Complete is waited for.
  var by: Moment
}
