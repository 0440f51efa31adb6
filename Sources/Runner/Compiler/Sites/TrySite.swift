import Exchange
import Recipe
import Vocabulary

package struct TrySite: Equatable, Sendable {
  package var times: Operand?
  package var every: Operand?
  package var within: WithinSite
  /// Offset where an attempt begins.
  package var start: Int
  /// Offset where the rescues begin; `nil` if there are none.
  package var rescue: Int?
}
