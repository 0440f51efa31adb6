import Exchange
import Recipe
import Vocabulary

package struct ReadSite: Equatable, Sendable {
  package var raw: Bool
  package var attribute: AttributeSite
  package var within: WithinSite
  package var destination: Operand?
}
