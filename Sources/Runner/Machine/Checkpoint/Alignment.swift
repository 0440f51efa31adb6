import Exchange
import Vocabulary

/// The result of adapting a checkpoint to an edited recipe.
package struct Alignment: Sendable {
  package var snapshot: Snapshot
  /// The number of new, removed or changed statements.
  package var changedLines: Int
  /// Whether statements have another order than before.
  package var isReordered: Bool
  /// The statement of the body in the old text, and its place in the new one.
  package var oldPlace: String
  package var newPlace: String
  /// The number of events whose handler was removed.
  package var droppedEvents: Int
}
