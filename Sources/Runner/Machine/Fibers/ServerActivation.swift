import Exchange
import Vocabulary

/// A request of a central under way. Worth nothing once the link is gone.
struct ServerActivation: Equatable, Sendable {
  var request: ServerRequestID
  var attribute: ServerAttributeID
  var isAnswered = false
  /// What `update` said meanwhile: stored behind the answer, which itself stores what was written.
  var update: [UInt8]?
}
