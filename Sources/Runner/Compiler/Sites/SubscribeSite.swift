import Exchange
import Recipe
import Vocabulary

package struct SubscribeSite: Equatable, Sendable {
  package var attribute: AttributeSite
  package var within: WithinSite
  /// Its failure on a later connection does not cost the link, for it has an `otherwise`.
  package var isTolerant: Bool
}
