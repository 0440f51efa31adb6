package import Exchange
import Recipe

/// What a checkpoint knows a statement by, and where it is in the code.
package struct StatementInfo: Equatable, Sendable {
  package var id: Int
  package var range: SourceRange
  package var normalized: String
  /// The ids of the blocks around it, outermost first.
  package var blocks: [Int]
  /// Its branch of the `if` around it: the `else if` line or `else`, empty for the first. Of the
  /// rescues of a `try`, `otherwise`.
  package var branch = ""
  package var start: Int
  /// Instructions at which a fiber may stand, in order.
  package var waits: [Int]
  package var unit: Int
}
