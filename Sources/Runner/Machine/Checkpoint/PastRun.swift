package import Vocabulary

/// How the last run of a recipe ended, for `on restore as past`.
package struct PastRun: Sendable {
  package enum Reason: String, Sendable {
    case killed, crashed, rebooted, stopped
  }

  package var reason: Reason
  /// When it was last seen alive.
  package var at: Instant
  package var isEdited: Bool

  package init(reason: Reason, at: Instant, isEdited: Bool = false) {
    self.reason = reason
    self.at = at
    self.isEdited = isEdited
  }
}
