import Exchange
import Recipe
import Vocabulary

package struct WaitEventSite: Equatable, Sendable {
  package var event: EventSite
  package var predicate: Int?
  package var within: WithinSite
  package var destination: Operand?
  /// The unit that contains it.
  package var unit: Int
  /// The `peripheral` that contains it.
  package var peripheral: String?

  package var isOfServer: Bool { peripheral != nil }
}
