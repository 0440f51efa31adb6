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

/// How large the pieces of `write … in pieces` are.
package enum PieceSite: Equatable, Sendable {
  /// What the link takes at once.
  case link
  case of(Operand)
}
