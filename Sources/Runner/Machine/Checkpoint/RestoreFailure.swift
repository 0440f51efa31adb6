import Vocabulary

/// The reason why a checkpoint cannot be restored.
package struct RestoreFailure: Error, Equatable, Sendable {
  package var message: String

  package init(_ message: String) { self.message = message }
}
