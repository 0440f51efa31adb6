package import Runner
package import Vocabulary

/// All that a database knew of a run when it was opened.
package struct RunSnapshot: Equatable, Sendable {
  package var record: RunRecord
  package var rows: [Commit.Row]
  /// Intents whose outcome was not committed.
  package var appends: [AppendIntent]
  package var lastCommit: WallTime

  package init(record: RunRecord, rows: [Commit.Row], appends: [AppendIntent], lastCommit: WallTime) {
    self.record = record
    self.rows = rows
    self.appends = appends
    self.lastCommit = lastCommit
  }
}
