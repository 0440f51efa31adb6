import Exchange
import Recipe
import Vocabulary

package struct PairSite: Equatable, Sendable {
  package var device: DeviceSite
  package var within: WithinSite
  /// Its failure on a later connection does not cost the link, for it has an `otherwise`.
  package var isTolerant: Bool
}
