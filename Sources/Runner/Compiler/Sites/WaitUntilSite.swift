import Exchange
import Recipe
import Vocabulary

package struct WaitUntilSite: Equatable, Sendable {
  package var predicate: Int
  package var within: WithinSite
  /// Whether it uses `now()`, so that it is also evaluated each second.
  package var mentionsNow: Bool
}
