package import Runner
package import Vocabulary

/// The contents of a run's database when it was opened.
package struct RunSnapshot: Equatable, Sendable {
  package var record: RunRecord
  package var rows: [Commit.Row]
  /// The intents without a committed outcome.
  package var appends: [AppendIntent]
  /// The time of the last commit, to the second unless it was the end.
  package var lastCommit: WallTime
  /// When the process was last known to be alive; it may have had nothing to commit for long.
  package var lastSign: WallTime?

  package init(record: RunRecord, rows: [Commit.Row], appends: [AppendIntent], lastCommit: WallTime, lastSign: WallTime? = nil) {
    self.record = record
    self.rows = rows
    self.appends = appends
    self.lastCommit = lastCommit
    self.lastSign = lastSign
  }

  /// The later of the last commit and the last sign of life. A time in the future (the clock was
  /// set back) does not count.
  package func lastSeen(at now: WallTime) -> WallTime {
    guard let lastSign, lastSign > lastCommit, lastSign <= now else { return lastCommit }
    return lastSign
  }

  /// Whether a start continues this run. A finished or stopped run is never continued; a run that
  /// failed, was interrupted or is older than `age` is continued only on request.
  package func continues(isRequested: Bool, within age: TimeSpan, at now: WallTime) -> Bool {
    switch record.ending {
    case .finished, .stopped: false
    case .failed, .interrupted: isRequested
    case .none, .terminated: isRequested || now - lastSeen(at: now) <= age
    }
  }
}
