import Exchange
import Recipe
import Vocabulary

package struct DiscoverSite: Equatable, Sendable {
  package var device: DeviceSite
  package var services: [UUIDSite]
  package var within: WithinSite
}
