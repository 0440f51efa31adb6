import Exchange
import Glibc
import Runner
import Testing
import Vocabulary

@testable import Journal

@Suite struct RunStoreTests {
  let scratch = Scratch()
  let id = RunID(heart)

  @Test func aNewDatabaseHoldsNothing() throws {
    let store = try RunStore(id, in: scratch.state)
    #expect(try store.snapshot() == nil)
    #expect(try store.remembered() == [])
  }

  @Test func aBlankDatabaseTakesTheRecordWithTheFirstCommit() throws {
    do {
      let store = try RunStore(id, in: scratch.state)
      #expect(store.isBlank)
      store.startWithNextCommit(record(heart))
    }
    #expect(try RunStore.peek(id, in: scratch.state) == nil, "killed before its first commit it has done nothing")
    do {
      let store = try RunStore(id, in: scratch.state)
      #expect(!store.isBlank)
      store.startWithNextCommit(record(heart))
      try store.commit(rows((1, [1])), at: noon)
    }
    let snapshot = try #require(try RunStore.peek(id, in: scratch.state))
    #expect(snapshot.record == record(heart) && snapshot.rows.count == 1)
  }

  @Test(arguments: RunRecord.Ending.allCases) func aRunThatEndsBeforeACommitRecordsHow(ending: RunRecord.Ending) throws {
    do {
      let store = try RunStore(id, in: scratch.state)
      store.startWithNextCommit(record(heart))
      try store.finish(ending, code: 3, at: noon)
    }
    let snapshot = try #require(try RunStore.peek(id, in: scratch.state))
    #expect(snapshot.record.ending == ending && snapshot.record.exitCode == 3 && snapshot.record.owner == record(heart).owner)
  }

  @Test func committedStateReachesTheNextProcess() throws {
    let intent = AppendIntent(id: EffectID(7), path: "/r/beats.csv", offset: 120, bytes: [1, 2, 3])
    do {
      let store = try RunStore(id, in: scratch.state)
      try store.startFresh(record(heart))
      var commit = rows((1, [10]), (2, [20]), (3, []))
      commit.remembered = [(name: "total", value: [9])]
      try store.commit(commit, appends: [intent], at: noon + .seconds(1))
      try store.commit(rows((2, nil), (1, [11])), at: noon + .seconds(2))
    }
    let store = try RunStore(id, in: scratch.state)
    let snapshot = try #require(try store.snapshot())
    #expect(snapshot.record == record(heart))
    #expect(snapshot.rows == [Commit.Row(RowKey(.variable, 1), [11]), Commit.Row(RowKey(.variable, 3), [])])
    #expect(snapshot.appends == [intent])
    #expect(snapshot.lastCommit == noon + .seconds(2))
    #expect(try store.remembered() == [Remembered(name: "total", value: [9], at: noon + .seconds(1))])
  }

  @Test func commitsWithinASecondShareTheirTime() throws {
    let store = try RunStore(id, in: scratch.state)
    try store.startFresh(record(heart))
    func time(after step: TimeSpan) throws -> WallTime? {
      try store.commit(rows((1, [UInt8(truncatingIfNeeded: step.milliseconds)])), at: noon + step)
      return try store.snapshot()?.lastCommit
    }
    #expect(try time(after: .zero) == noon)
    #expect(try time(after: .milliseconds(999)) == noon)
    #expect(try time(after: .milliseconds(1000)) == noon + .seconds(1))
    // The clock was set back.
    #expect(try time(after: .zero - .seconds(5)) == noon - .seconds(5))
    try store.finish(.failed, code: 3, at: noon - .milliseconds(4999))
    #expect(try store.snapshot()?.lastCommit == noon - .milliseconds(4999))
  }

  @Test func anIntentEndsWithTheCommitThatKnowsItsOutcome() throws {
    let store = try RunStore(id, in: scratch.state)
    try store.startFresh(record(heart))
    let intents = [1, 2].map { AppendIntent(id: EffectID($0), path: "/f", offset: Int64($0), bytes: [UInt8($0)]) }
    try store.commit(Commit(), appends: intents, at: noon)
    try store.commit(Commit(), settled: [EffectID(1)], at: noon)
    #expect(try store.snapshot()?.appends == [intents[1]])
  }

  @Test func restartKeepsOnlyRememberedValues() throws {
    let store = try RunStore(id, in: scratch.state)
    try store.startFresh(record(heart))
    var commit = rows((1, [1]))
    commit.remembered = [(name: "n", value: [1])]
    try store.commit(commit, at: noon)
    var again = rows((2, [2]))
    again.clearsAll = true
    try store.commit(again, at: noon)
    #expect(try store.snapshot()?.rows == [Commit.Row(RowKey(.variable, 2), [2])])
    #expect(try store.remembered().count == 1)
  }

  @Test func aFreshStartKeepsOnlyRememberedValues() throws {
    let store = try RunStore(id, in: scratch.state)
    try store.startFresh(record(heart))
    var commit = rows((1, [1]))
    commit.remembered = [(name: "n", value: [1])]
    try store.commit(commit, appends: [AppendIntent(id: EffectID(1), path: "/f", offset: 0, bytes: [1])], at: noon)
    try store.startFresh(record(heart, text: "wait 1s"))
    let snapshot = try #require(try store.snapshot())
    #expect(snapshot.rows.isEmpty && snapshot.appends.isEmpty)
    #expect(snapshot.record.text == Array("wait 1s".utf8))
    #expect(try store.remembered().map(\.name) == ["n"])
  }

  @Test func anEmptyCommitCostsNoTransaction() throws {
    let store = try RunStore(id, in: scratch.state)
    try store.startFresh(record(heart))
    let before = store.commits
    try store.commit(Commit(), at: noon)
    #expect(store.commits == before)
  }

  @Test func onlyRequestedCommitsAreSyncedAtOnce() throws {
    let store = try RunStore(id, in: scratch.state)
    try store.startFresh(record(heart))
    try store.commit(rows((1, [1])), at: noon)
    #expect(store.unsynced == 2)
    var intent = rows((1, [2]))
    intent.mustSync = true
    try store.commit(intent, at: noon)
    #expect(store.unsynced == 0)
    var alone = Commit()
    try store.commit(rows((1, [3])), at: noon)
    alone.mustSync = true
    try store.commit(alone, at: noon)
    #expect(store.unsynced == 0)
  }

  @Test func theEndIsWrittenDownAndAFinishedRunLeavesNoState() throws {
    for (ending, left) in [(RunRecord.Ending.finished, 0), (.interrupted, 1), (.failed, 1)] {
      let store = try RunStore(id, in: scratch.state)
      try store.startFresh(record(heart))
      try store.commit(rows((1, [1])), at: noon)
      try store.finish(ending, code: 3, at: noon + .seconds(9))
      let snapshot = try #require(try store.snapshot())
      #expect(snapshot.record.ending == ending)
      #expect(snapshot.record.exitCode == 3)
      #expect(snapshot.rows.count == left)
      #expect(snapshot.lastCommit == noon + .seconds(9))
    }
  }

  /// The state after a power cut if the name of the log never reached the disk.
  private func databaseAlone() throws -> RunSnapshot? {
    let alone = Scratch()
    try #require(system("cp '\(scratch.path)/\(id.text).db' '\(alone.path)/'") == 0)
    return try RunStore.peek(id, in: alone.state)
  }

  @Test func theEndReachesTheDatabaseFileFirst() throws {
    let store = try RunStore(id, in: scratch.state)
    try store.startFresh(record(heart))
    try store.commit(rows((1, [1])), at: noon)
    #expect(try databaseAlone() == nil)
    try store.finish(.failed, code: 4, at: noon)
    let left = try #require(try databaseAlone())
    #expect(left.record.exitCode == 4)
    #expect(left.rows == [Commit.Row(RowKey(.variable, 1), [1])])
    withExtendedLifetime(store) {}
  }

  @Test func aReaderAtTheEndLosesNothing() throws {
    let store = try RunStore(id, in: scratch.state)
    try store.startFresh(record(heart))
    try store.commit(rows((1, [1])), at: noon)
    _ = try Database.read(scratch.state.database(of: id)) { (reader) throws(JournalFailure) in
      try reader.execute("BEGIN; SELECT * FROM meta")
      try store.finish(.failed, code: 4, at: noon)
    }
    let left = try #require(try databaseAlone())
    #expect(left.record.exitCode == 4)
    #expect(left.rows.count == 1)
    withExtendedLifetime(store) {}
  }

  @Test func aSecondStartIsRefusedAndNamesTheProcess() throws {
    let store = try RunStore(id, in: scratch.state)
    let refusal = failure { _ = try RunStore(id, in: scratch.state) }
    #expect(refusal?.kind == .locked(pid: getpid()))
    #expect(refusal?.message.contains("process \(getpid())") == true)
    #expect(RunLock.holder(of: id, in: scratch.state) == getpid())
    withExtendedLifetime(store) {}
  }

  @Test func theLockEndsWithItsHolder() throws {
    _ = try RunStore(id, in: scratch.state)
    #expect(RunLock.holder(of: id, in: scratch.state) == nil)
    _ = try RunStore(id, in: scratch.state)
  }

  @Test func anotherRunHasAnotherLock() throws {
    let one = try RunStore(id, in: scratch.state)
    let other = try RunStore(RunID(RunIdentity(owner: .name("other"), inputs: [])), in: scratch.state)
    withExtendedLifetime((one, other)) {}
  }

  @Test func aRunningRunCanBeLookedAt() throws {
    let store = try RunStore(id, in: scratch.state)
    try store.startFresh(record(heart))
    try store.commit(rows((1, [1])), at: noon)
    #expect(try RunStore.peek(id, in: scratch.state)?.rows.count == 1)
    #expect(try RunStore.peek(RunID(RunIdentity(owner: .name("none"), inputs: [])), in: scratch.state) == nil)
    withExtendedLifetime(store) {}
  }

  @Test(arguments: [
    [UInt8](repeating: 0x55, count: 8192), Array("SQLite format 3\u{0}".utf8) + [UInt8](repeating: 0xFF, count: 5000),
  ])
  func aDamagedDatabaseIsRefused(content: [UInt8]) throws {
    let path = scratch.state.database(of: id)
    let file = open(path, O_WRONLY | O_CREAT, 0o600)
    #expect(write(file, content, content.count) == content.count)
    close(file)
    let refusal = failure {
      let store = try RunStore(id, in: scratch.state)
      _ = try store.snapshot()
    }
    #expect(refusal?.kind == .unreadable)
    #expect(refusal?.hint == "start over with --fresh")
    // And following that advice helps.
    let store = try RunStore.replace(id, in: scratch.state, lock: RunLock(id, in: scratch.state))
    #expect(try store.snapshot() == nil)
  }

  @Test func damagedMetaIsRefused() throws {
    do {
      let store = try RunStore(id, in: scratch.state)
      try store.startFresh(record(heart))
    }
    let database = try Database(path: scratch.state.database(of: id))
    try database.execute("UPDATE meta SET inputs = x'ff'")
    database.close()
    let refusal = failure { _ = try RunStore(id, in: scratch.state).snapshot() }
    #expect(refusal?.kind == .unreadable)
  }

  @Test func aNewerVersionIsRefused() throws {
    _ = try RunStore(id, in: scratch.state)
    let database = try Database(path: scratch.state.database(of: id))
    try database.execute("PRAGMA user_version = 99")
    database.close()
    let refusal = failure { _ = try RunStore(id, in: scratch.state) }
    #expect(refusal?.kind == .newer)
    #expect(refusal?.message.contains("newer tooth") == true)
  }

  @Test func aFullDiskKeepsEarlierCommits() throws {
    do {
      let store = try RunStore(id, in: scratch.state)
      try store.startFresh(record(heart))
      try store.commit(rows((1, [1])), at: noon)
      try store.limit(pages: 80)
      let refusal = failure {
        for number in 2..<1000 { try store.commit(rows((UInt64(number), [UInt8](repeating: 7, count: 3000))), at: noon) }
      }
      #expect(refusal?.kind == .diskFull)
      // A small change still fits: the transaction before it was rolled back completely.
      try store.commit(rows((1, [2])), at: noon)
    }
    let snapshot = try #require(try RunStore(id, in: scratch.state).snapshot())
    #expect(snapshot.rows.first == Commit.Row(RowKey(.variable, 1), [2]))
    #expect(snapshot.rows.dropFirst().allSatisfy { $0.value == [UInt8](repeating: 7, count: 3000) })
  }

  @Test func theLogIsCheckpointedWhenIdle() throws {
    let store = try RunStore(id, in: scratch.state)
    try store.startFresh(record(heart))
    for number in 0..<50 { try store.commit(rows((1, [UInt8(number)])), at: noon) }
    store.tidy(atLeast: 10)
    #expect(store.unmoved == 0)
    #expect(store.unsynced == 0)
    try store.commit(rows((1, [99])), at: noon)
    #expect(try RunStore.peek(id, in: scratch.state)?.rows == [Commit.Row(RowKey(.variable, 1), [99])])
  }

  /// A run is killed while it starts a keeper: the child holds the lock for a moment longer.
  @Test func aLockThatOutlivesItsHolderIsWaitedFor() throws {
    let id = RunID(RunIdentity(owner: .name("lock"), inputs: []))
    let path = scratch.state.lock(of: id)
    let child = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(child) }
    #expect(flock(child, LOCK_EX | LOCK_NB) == 0)
    // No process has this number.
    write(child, "2147483646\n", 11)
    var pauses = 0
    let lock = try RunLock(id, in: scratch.state) {
      pauses += 1
      if pauses == 3 { flock(child, LOCK_UN) }
    }
    #expect(pauses == 3)
    withExtendedLifetime(lock) {}
  }

  /// A lock whose owner lives is refused at once.
  @Test func aLockOfALivingProcessIsRefused() throws {
    let id = RunID(RunIdentity(owner: .name("lock"), inputs: []))
    let holder = open(scratch.state.lock(of: id), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(holder) }
    flock(holder, LOCK_EX | LOCK_NB)
    write(holder, "1\n", 2)
    var pauses = 0
    let failure = #expect(throws: JournalFailure.self) { _ = try RunLock(id, in: scratch.state) { pauses += 1 } }
    #expect(failure?.message.contains("in process 1") ?? false)
    #expect(pauses == 0)
  }
}

/// The history that a run keeps.
@Suite struct RunStoryTests {
  let scratch = Scratch()
  let id = RunID(heart)

  private func line(_ number: Int, _ kind: StoryLine.Kind = .linked) -> StoryLine {
    StoryLine(kind, device: "Strap 7", "line \(number)", at: noon + .seconds(Int64(number)))
  }

  @Test func aLineIsPartOfTheNextCommit() throws {
    let store = try RunStore(id, in: scratch.state)
    store.startWithNextCommit(record(heart))
    try store.commit(rows((1, [1])), at: noon)
    #expect(RunStore.story(of: id, in: scratch.state) == RunStory())
    store.note(line(1))
    #expect(RunStore.story(of: id, in: scratch.state).lines.isEmpty, "a kill now takes the event and its line")
    try store.commit(rows((1, [2])), at: noon)
    #expect(RunStore.story(of: id, in: scratch.state).lines == [line(1)])
    // Nothing is written twice.
    try store.commit(rows((1, [3])), at: noon)
    #expect(RunStore.story(of: id, in: scratch.state).lines == [line(1)])
  }

  /// The newest lines of the log are kept in their order, across processes and beside a long
  /// history.
  @Test func theNewestLogLinesAreKept() throws {
    func logged(_ number: Int) -> StoryLine {
      StoryLine(number % 3 == 0 ? .warned : .logged, "said \(number)", at: noon + .seconds(Int64(number % 2)))
    }
    do {
      let store = try RunStore(id, in: scratch.state)
      store.startWithNextCommit(record(heart))
      for number in 0..<7 { store.log(logged(number)) }
      try store.commit(rows((1, [1])), at: noon)
      #expect(RunStore.story(of: id, in: scratch.state).logged == (0..<7).map(logged))
      for number in 7..<30 { store.log(logged(number)) }
      try store.commit(rows((1, [2])), at: noon)
      #expect(RunStore.story(of: id, in: scratch.state).logged == (10..<30).map(logged))
    }
    do {
      let store = try RunStore(id, in: scratch.state)
      try store.takeOver(record(heart))
      for number in 30..<35 { store.log(logged(number)) }
      for number in 0..<1000 { store.note(line(number)) }
      try store.finish(.finished, code: 0, at: noon)
    }
    let story = RunStore.story(of: id, in: scratch.state)
    #expect(story.logged == (15..<35).map(logged))
    #expect(story.dropped == 0 && story.lines == (0..<1000).map { line($0) })
    let store = try RunStore(id, in: scratch.state)
    try store.startFresh(record(heart))
    #expect(RunStore.story(of: id, in: scratch.state) == RunStory())
  }

  @Test func theNextProcessContinuesTheStory() throws {
    do {
      let store = try RunStore(id, in: scratch.state)
      store.startWithNextCommit(record(heart))
      store.note(line(1))
      for second in 0..<90 { store.count(valueAt: noon + .seconds(Int64(second))) }
      try store.commit(rows((1, [2])), at: noon)
    }
    do {
      let store = try RunStore(id, in: scratch.state)
      store.note(line(2, .died))
      try store.takeOver(record(heart))
      store.note(line(3, .lost))
      store.count(valueAt: noon)
      try store.finish(.finished, code: 0, at: noon)
    }
    let story = RunStore.story(of: id, in: scratch.state)
    #expect(story.lines == [line(1), line(2, .died), line(3, .lost)])
    // The minute in progress at the kill is lost.
    #expect(story.values.map(\.count) == [61] && story.values[0].minute == noon.nanoseconds / 60_000_000_000)
    #expect(try RunStore.peek(id, in: scratch.state)?.rows.isEmpty == true)
    // Another run in the same database has its own history.
    let store = try RunStore(id, in: scratch.state)
    try store.startFresh(record(heart))
    #expect(RunStore.story(of: id, in: scratch.state) == RunStory())
    store.note(line(4))
    try store.commit(rows((1, [2])), at: noon)
    #expect(RunStore.story(of: id, in: scratch.state).lines == [line(4)])
  }

  @Test func theSizeIsBounded() throws {
    let store = try RunStore(id, in: scratch.state)
    store.startWithNextCommit(record(heart))
    for round in 0..<30 {
      for number in 0..<500 { store.note(line(round * 500 + number)) }
      // A day has 1,440 minutes.
      for minute in 0..<100 { store.count(valueAt: noon + .minutes(Int64(round * 100 + minute))) }
      try store.commit(rows((1, [UInt8(round)])), at: noon)
    }
    store.note(StoryLine(.lost, device: String(repeating: "ä", count: 9000), String(repeating: "x", count: 9000), at: noon))
    for number in 0..<5000 { store.note(line(number)) }
    try store.finish(.failed, code: 1, at: noon)
    let story = RunStore.story(of: id, in: scratch.state)
    #expect(story.lines.count == RunStory.most && story.dropped > 0 && story.lines.count + story.dropped == 16_024)
    #expect(story.values.count == 1440 && story.values.last?.minute == noon.nanoseconds / 60_000_000_000 + 2999)
    #expect(story.lines.allSatisfy { ($0.device ?? "").utf8.count <= 512 && $0.text.utf8.count <= 512 })
  }

  /// The database of a run is a file that anyone may change, which must not cause a trap.
  @Test func aCorruptStoryDoesNotTrap() throws {
    do {
      let store = try RunStore(id, in: scratch.state)
      store.startWithNextCommit(record(heart))
      try store.commit(rows((1, [1])), at: noon)
    }
    do {
      let database = try Database(path: scratch.state.database(of: id))
      try database.execute(
        "INSERT INTO timeline VALUES(9223372036854775807, 'x', 'lost', x'ff', NULL), (-5, 9223372036854775807, 'new', 1, 2);"
          + "INSERT INTO minutes VALUES(-9223372036854775808, 9223372036854775807), (9223372036854775807, 5), (3, 'x')")
    }
    let story = RunStore.story(of: id, in: scratch.state)
    #expect(story.lines.count == 1 && story.values.isEmpty)
    let store = try RunStore(id, in: scratch.state)
    store.note(line(1))
    try store.commit(rows((1, [2])), at: noon)
    #expect(RunStore.story(of: id, in: scratch.state).lines.contains(line(1)))
  }

  /// A database from before these tables gets them with the first line.
  @Test func aStoryBeginsInAnOlderDatabase() throws {
    do {
      let store = try RunStore(id, in: scratch.state)
      store.startWithNextCommit(record(heart))
      try store.commit(rows((1, [1])), at: noon)
    }
    do {
      let database = try Database(path: scratch.state.database(of: id))
      try database.execute("DROP TABLE timeline; DROP TABLE minutes")
    }
    #expect(RunStore.story(of: id, in: scratch.state) == RunStory())
    let store = try RunStore(id, in: scratch.state)
    store.note(line(1))
    try store.commit(rows((1, [2])), at: noon)
    #expect(RunStore.story(of: id, in: scratch.state).lines == [line(1)])
  }
}
