import Exchange
import Recipe
import Vocabulary

package struct WaitUntilSite: Equatable, Sendable {
  package var predicate: Int
  package var within: WithinSite
  /// It mentions `now()`, so it is looked at each second too.
  package var mentionsNow: Bool
}
