package import Exchange
import Vocabulary

/// The recipe changed where the last run was working.
package struct AlignmentConflict: Error, Equatable, Sendable {
  /// Where the live statement was, and what it said.
  package var oldPlace: String
  package var oldText: String
  /// What stands nearest to it now.
  package var newRange: SourceRange
}
