package import Runner
package import Vocabulary

/// All that a database knew of a run when it was opened.
package struct RunSnapshot: Equatable, Sendable {
  package var record: RunRecord
  package var rows: [Commit.Row]
  /// Intents whose outcome was not committed.
  package var appends: [AppendIntent]
  /// To the second, unless it was the end.
  package var lastCommit: WallTime
  /// When its process was last known to live: it may have had nothing to commit for long.
  package var lastSign: WallTime?

  package init(record: RunRecord, rows: [Commit.Row], appends: [AppendIntent], lastCommit: WallTime, lastSign: WallTime? = nil) {
    self.record = record
    self.rows = rows
    self.appends = appends
    self.lastCommit = lastCommit
    self.lastSign = lastSign
  }

  /// The later of its last commit and its last sign of life; a sign from the future (a clock that
  /// was set back) does not count.
  package func lastSeen(at now: WallTime) -> WallTime {
    guard let lastSign, lastSign > lastCommit, lastSign <= now else { return lastCommit }
    return lastSign
  }
}
