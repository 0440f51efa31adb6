import Exchange
import Recipe

/// The value of an early top-level `let` or of a `remember`, compiled separately.
package struct Initialiser: Equatable, Sendable {
  package var variable: Int
  package var unit: Int
  package var statement: Int
  package var isConstant: Bool
}
