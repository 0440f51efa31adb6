package import Exchange

/// An unhandled failure with its place.
package struct FailureReport: Equatable, Sendable {
  package var failure: Failure
  /// Range of the statement in the program's text.
  package var range: SourceRange
  package var device: String?
  /// The number of attempts.
  package var attempts: Int
  /// Whether the failure ends the run.
  package var ends: Bool
  /// Whether the run waits at a prompt, where its statement can be retried.
  package var parks = false
  /// Whether it happened in a handler, a timer or a branch, so that only this part ended.
  package var isOfHandler: Bool

  package init(failure: Failure, range: SourceRange, device: String?, attempts: Int, ends: Bool, isOfHandler: Bool = false) {
    self.failure = failure
    self.range = range
    self.device = device
    self.attempts = attempts
    self.ends = ends
    self.isOfHandler = isOfHandler
  }
}
