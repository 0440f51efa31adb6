import Exchange
import Recipe
import Vocabulary

/// Which device a statement means.
package enum DeviceSite: Equatable, Sendable {
  case current
  case value(Operand)
}
