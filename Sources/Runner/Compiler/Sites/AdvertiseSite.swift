import Exchange
import Recipe
import Vocabulary

package struct AdvertiseSite: Equatable, Sendable {
  package var services: [UUIDSite]
  package var every: Operand?
  package var with: Operand?
}
