import Exchange
import Recipe
import Vocabulary

/// `for each … at once`
package struct AtOnceSite: Equatable, Sendable {
  /// The unit of a branch.
  package var unit: Int
  package var list: Operand
  package var upTo: Operand?
  /// The local of a branch that has its element.
  package var element: Operand
  /// So many locals of the fiber around it a branch begins with: it sees them as they are then.
  package var captured: Int
}
