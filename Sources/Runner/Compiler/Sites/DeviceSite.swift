import Exchange
import Recipe
import Vocabulary

/// The device of a statement.
package enum DeviceSite: Equatable, Sendable {
  case current
  case value(Operand)
}
