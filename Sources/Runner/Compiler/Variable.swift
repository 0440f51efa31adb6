import Exchange
import Recipe

/// A variable of the recipe, visible in its body, handlers and procedures.
package struct Variable: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    /// A constant `let`, which is part of the text and not of the state.
    case constant
    case state
    case remembered
    case input
    /// A checkpoint stores only its name.
    case secret
  }

  package var name: String
  package var kind: Kind
  /// Whether it has a value before the body first waits.
  package var isEarly: Bool
  /// Whether code that reads it checks that it has a value. An early `let` may lack one if an edit
  /// adds it above the place of a run, and its value cannot be computed there.
  var mayLackValue = false
  /// Whether it is an input that the checkpoint contains, because a continued run keeps its inputs.
  package var isKeptInput = false

  /// Whether a checkpoint contains a row for it.
  var isSaved: Bool { kind == .state || isKeptInput }
}
