package import Exchange
import Recipe

/// What is wrong with a recipe that parses and checks but cannot be compiled.
package struct CompileError: Error, Equatable, Sendable {
  package var range: SourceRange
  package var message: String
}
