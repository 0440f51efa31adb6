package import Exchange
import Vocabulary

/// The recipe changed where the last run was working.
package struct AlignmentConflict: Error, Equatable, Sendable {
  /// What happened to the statement of the old text.
  package enum Edit: Equatable, Sendable {
    /// `newRange` is what it says now.
    case changed
    /// It is gone, and `newRange` is what follows.
    case removedBefore
    /// It is gone, and `newRange` is what comes before, or its block.
    case removedAfter
    /// It was the last of so many equals in its block, and `newRange` is one of the `left`.
    case fewerEquals(of: Int, left: Int)
  }

  package var edit: Edit
  /// Whether the run was inside the edited statement, a block, and not at it.
  package var isAround = false
  /// Where the edited statement was (`line 17`), and what it said.
  package var oldPlace: String
  package var oldText: String
  package var newRange: SourceRange
}
