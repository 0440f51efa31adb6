import Exchange
import Vocabulary

/// What became of a checkpoint in an edited recipe.
package struct Alignment: Sendable {
  package var snapshot: Snapshot
  /// Statements that are new, gone or changed.
  package var changedLines: Int
  /// Where the body stood, and where that statement is now.
  package var oldPlace: String
  package var newPlace: String
  /// Events whose handler is gone.
  package var droppedEvents: Int
}
