import Vocabulary

/// Why a checkpoint cannot be taken up.
package struct RestoreFailure: Error, Equatable, Sendable {
  package var message: String

  package init(_ message: String) { self.message = message }
}
