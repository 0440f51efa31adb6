import Journal
import Linux
import Runner
import Vocabulary

/// Commits of a run, and their sync to disk.
extension RunSession {
  func commit(_ commit: Commit, intents: [AppendIntent], settled: [EffectID], at now: Instant) -> Bool {
    guard let store else { return true }
    var commit = commit
    var intents = intents
    var settled = settled
    if options.keepsOnlyRemembered {
      guard !commit.remembered.isEmpty else { return true }
      commit.rows = []
      commit.clearsAll = false
      intents = []
      settled = []
    }
    let isEmpty = commit.isEmpty && intents.isEmpty && settled.isEmpty
    if isEmpty { return true }
    do throws(JournalFailure) {
      var problem: JournalFailure?
      perform(.commit(synced: commit.mustSync)) {
        do throws(JournalFailure) {
          if commit.mustSync { try syncFiles() }
          try store.commit(commit, appends: intents, settled: settled, at: now.wall)
        } catch {
          problem = error
        }
      }
      if let problem { throw problem }
      if isKilled { return false }
      if store.unsynced == 0 {
        syncDue = nil
      } else if syncDue == nil {
        syncDue = now.moment + options.syncWithin
      }
      return true
    } catch {
      fail(error, at: now)
      return false
    }
  }

  func syncFiles() throws(JournalFailure) {
    do throws(SystemFailure) {
      try appender.sync()
    } catch {
      throw JournalFailure(error.isDiskFull ? .diskFull : .unwritable, "\(error)")
    }
  }

  func sync(at now: Instant) {
    syncDue = nil
    do throws(JournalFailure) {
      try syncFiles()
      try store?.sync()
    } catch {
      fail(error, at: now)
    }
  }

  /// The checkpoint cannot be written any more. Earlier commits stay, and nothing more is done.
  func fail(_ failure: JournalFailure, at now: Instant) {
    journalFailure = failure
    exitStatus = ExitStatus(code: 11, reason: .failed)
    finishedWith = exitStatus
    close(at: now)
  }

  func saveDiscovered() {
    guard !discovered.isEmpty, let shared else { return }
    // A cache that cannot be written only costs round trips.
    for entry in discovered { try? shared.open().keep(entry.attributeCache, of: entry.address, at: SystemClock.now().wall) }
    discovered = []
  }
}
