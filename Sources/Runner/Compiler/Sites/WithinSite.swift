import Exchange
import Recipe
import Vocabulary

// A site holds what does not fit into an instruction's three operands. Values that the recipe
// computes are operands.

/// The time limit of `within`: the statement's default, none, or a computed one.
package enum WithinSite: Equatable, Sendable {
  case standard
  case forever
  case computed(Operand)
}
