import Exchange
import Recipe
import Vocabulary

package struct PublishSite: Equatable, Sendable {
  package var indicate: Bool
  package var attribute: AttributeSite
  package var value: Operand
}
