import Exchange
import Recipe
import Vocabulary

package struct SubscribeSite: Equatable, Sendable {
  package var attribute: AttributeSite
  package var within: WithinSite
}
