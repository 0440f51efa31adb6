import Exchange
import Recipe
import Vocabulary

package struct TrySite: Equatable, Sendable {
  package var times: Operand?
  package var every: Operand?
  package var within: WithinSite
  /// Where the attempts begin.
  package var start: Int
  /// Where the rescues begin; nothing when there are none.
  package var rescue: Int?
}
