import Exchange
import Recipe
import Vocabulary

// A site is what an instruction needs beyond three operands. Values that a recipe computes are
// operands.

/// `within`: the default of the statement, none, or a computed one.
package enum WithinSite: Equatable, Sendable {
  case standard
  case forever
  case computed(Operand)
}
