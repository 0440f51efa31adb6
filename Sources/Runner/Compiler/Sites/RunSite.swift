import Exchange
package import Recipe
import Vocabulary

package struct RunSite: Equatable, Sendable {
  package enum Form: Equatable, Sendable {
    /// One local for each argument.
    case words
    /// A value that is split at run time.
    case value
    /// A text for the shell, followed by the values of its variables.
    case shell(names: [String])
  }

  package var form: Form
  package var first: Operand
  package var count: Int
  package var within: WithinSite
  package var destination: Operand?
  package var policy: UnsurePolicy
}
