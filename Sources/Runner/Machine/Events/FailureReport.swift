package import Exchange

/// An unhandled failure with its place.
package struct FailureReport: Equatable, Sendable {
  package var failure: Failure
  /// Of the statement, in the program's text.
  package var range: SourceRange
  package var device: String?
  /// How often it was tried, when more than once.
  package var attempts: Int
  /// Whether the run ends because of it.
  package var ends: Bool
  /// Whether nothing handled it in a handler, a timer or a branch, so that only this ended with it.
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
