import Exchange
import Recipe
import Vocabulary

/// What a peripheral's program knows of its own server.
struct ServerState: Equatable, Sendable {
  var isPublished = false
  /// As it was published, with its first values.
  var table: ServerTable?
  /// Centrals with a link, in the order in which they came.
  var centrals: [Int] = []
}
