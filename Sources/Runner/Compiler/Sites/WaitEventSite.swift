import Exchange
import Recipe
import Vocabulary

package struct WaitEventSite: Equatable, Sendable {
  package var event: EventSite
  package var predicate: Int?
  package var within: WithinSite
  package var destination: Operand?
  /// Stands in a `peripheral`.
  package var isOfServer = false
}
