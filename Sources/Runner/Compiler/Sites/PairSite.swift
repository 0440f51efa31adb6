import Exchange
import Recipe
import Vocabulary

package struct PairSite: Equatable, Sendable {
  package var device: DeviceSite
  package var within: WithinSite
}
