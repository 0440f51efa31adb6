import Exchange
import Recipe
import Vocabulary

package struct PlaceSite: Equatable, Sendable {
  package enum Step: Equatable, Sendable {
    case member(String)
    case index
  }

  package var root: Operand
  package var steps: [Step]
}
