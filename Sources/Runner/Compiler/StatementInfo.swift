package import Exchange
import Recipe

/// Identifies a statement in a checkpoint, and locates its code.
package struct StatementInfo: Equatable, Sendable {
  package var id: Int
  package var range: SourceRange
  package var normalized: String
  /// The ids of the enclosing blocks, outermost first.
  package var blocks: [Int]
  /// The branch of the innermost `if` that contains the statement: the `else if` line, `else`, or
  /// empty for the first branch. It is `otherwise` for a rescue of a `try`.
  package var branch = ""
  package var start: Int
  /// Instructions at which a fiber may wait, in order.
  package var waits: [Int]
  package var unit: Int
}
