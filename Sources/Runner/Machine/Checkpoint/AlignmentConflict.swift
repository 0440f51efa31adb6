package import Exchange
import Vocabulary

/// The recipe was edited where the last run was working.
package struct AlignmentConflict: Error, Equatable, Sendable {
  /// What happened to the old statement.
  package enum Edit: Equatable, Sendable {
    /// `newRange` is the changed statement.
    case changed
    /// It was removed; `newRange` is the statement after it.
    case removedBefore
    /// It was removed; `newRange` is the statement before it, or its block.
    case removedAfter
    /// One of several equal statements in a block was removed; `newRange` is one of the rest.
    case fewerEquals(of: Int, left: Int)
  }

  package var edit: Edit
  /// Whether the run was inside the edited statement, which is a block.
  package var isAround = false
  /// The place (`line 17`) and the text of the edited statement in the old recipe.
  package var oldPlace: String
  package var oldText: String
  package var newRange: SourceRange
}
