import Exchange
import Recipe
import Vocabulary

/// `for each … at once`
package struct AtOnceSite: Equatable, Sendable {
  /// The unit of a branch.
  package var unit: Int
  package var list: Operand
  package var upTo: Operand?
  /// The local of a branch that holds its element.
  package var element: Operand
  /// The number of locals that each branch copies from the fiber when it starts.
  package var captured: Int
}
