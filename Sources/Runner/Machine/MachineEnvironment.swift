package import Vocabulary

/// What a run must know of the world that it cannot see.
package struct MachineEnvironment: Sendable {
  /// Of its random numbers.
  package var seed: UInt64
  /// Which boot of the machine this is: moments mean nothing across boots.
  package var bootID: String
  package var timeZone: TimeZoneRules
  /// `--strict`: a failure in a handler ends the run.
  package var isStrict: Bool

  package init(seed: UInt64, bootID: String, timeZone: TimeZoneRules = .utc, isStrict: Bool = false) {
    self.seed = seed
    self.bootID = bootID
    self.timeZone = timeZone
    self.isStrict = isStrict
  }
}

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

/// Why a checkpoint cannot be taken up.
package struct RestoreFailure: Error, Equatable, Sendable {
  package var message: String

  package init(_ message: String) { self.message = message }
}
