import Exchange
import Recipe
import Vocabulary

package struct ConnectSite: Equatable, Sendable {
  package var device: DeviceSite
  package var whenItAppears: Bool
  package var within: WithinSite
}
