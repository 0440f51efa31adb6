package import Exchange
import Recipe

/// Identifies a statement in a checkpoint, and locates its code.
package struct StatementInfo: Equatable, Sendable {
  package var id: Int
  package var range: SourceRange
  package var normalized: String
  /// The ids of the enclosing blocks, outermost first.
  package var blocks: [Int]
  /// Its branch of the `if` around it: the `else if` line or `else`, empty for the first. Of the
  /// rescues of a `try`, `otherwise`.
  package var branch = ""
  package var start: Int
  /// Instructions at which a fiber may wait, in order.
  package var waits: [Int]
  package var unit: Int
}
