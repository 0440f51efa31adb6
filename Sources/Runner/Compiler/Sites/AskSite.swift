import Exchange
import Recipe
import Vocabulary

package struct AskSite: Equatable, Sendable {
  package var question: Operand
  package var isSecret: Bool
  package var destination: Operand?
}
