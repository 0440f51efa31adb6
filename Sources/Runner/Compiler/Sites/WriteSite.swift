import Exchange
package import Recipe
import Vocabulary

package struct WriteSite: Equatable, Sendable {
  package var value: Operand
  package var attribute: AttributeSite
  package var withoutResponse: Bool
  package var within: WithinSite
  package var policy: UnsurePolicy
  package var pieces: PieceSite?
}

/// The size of the pieces of `write … in pieces`.
package enum PieceSite: Equatable, Sendable {
  /// The most that the link can send at once.
  case link
  case of(Operand)
}
