import Exchange
import Recipe

/// A variable of the recipe: seen by its body, its handlers and its procedures.
package struct Variable: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    /// A `let` that nothing sets and that needs nothing from outside: text, not state.
    case constant
    case state
    case remembered
    case input
    /// Known by name only in a checkpoint.
    case secret
  }

  package var name: String
  package var kind: Kind
  /// Has a value before the body first waits.
  package var isEarly: Bool
  /// An input whose value the checkpoint keeps: a run goes on with the inputs it was started with.
  package var isKeptInput = false

  /// Whether a checkpoint has a row of it.
  var isSaved: Bool { kind == .state || isKeptInput }
}
