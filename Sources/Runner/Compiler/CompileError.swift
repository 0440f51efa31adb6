package import Exchange
import Recipe

/// An error in a recipe that passes the check but cannot be compiled.
package struct CompileError: Error, Equatable, Sendable {
  package var range: SourceRange
  package var message: String
}
