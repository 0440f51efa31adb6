import Glibc
import Runner
import Testing
import Vocabulary

@testable import Journal

/// Only its user can read the files of a run, and only its process uses them while it lives.
@Suite struct StoreFilesTests {
  let scratch = Scratch()
  let id = RunID(heart)

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  private func fill(_ store: RunStore, _ commits: Int = 20) throws {
    for number in 0..<UInt64(commits) { try store.commit(rows((number, [UInt8](repeating: 7, count: 600))), at: noon) }
  }

  @Test func onlyTheOwnerReadsStoreFiles() throws {
    chmod(scratch.path, 0o777)
    let store = try RunStore(id, in: scratch.state)
    try store.startFresh(record(heart))
    try SharedStore(in: scratch.state).keep([Remembered(name: "n", value: [1], at: noon)], of: "o")
    for name in scratch.state.names() where name != "." && name != ".." {
      #expect(mode("\(scratch.path)/\(name)") == 0o600, "\(name)")
    }
    #expect(scratch.state.names().count >= 6)
  }

  @Test func filesOfEarlierVersionsLosePermissions() throws {
    for path in [scratch.state.database(of: id), scratch.state.shared] {
      do {
        let store = try RunStore(id, in: scratch.state)
        try store.startFresh(record(heart))
        _ = try SharedStore(in: scratch.state)
      }
      chmod(path, 0o664)
    }
    let store = try RunStore(id, in: scratch.state)
    try store.startFresh(record(heart))
    _ = try SharedStore(in: scratch.state)
    for path in [scratch.state.database(of: id), scratch.state.database(of: id) + "-wal", scratch.state.shared] {
      #expect(mode(path) == 0o600, "\(path)")
    }
  }

  @Test func databaseLinksAreNotFollowed() throws {
    let elsewhere = "\(scratch.path)/elsewhere"
    symlink(elsewhere, scratch.state.database(of: id))
    _ = try RunStore(id, in: scratch.state)
    #expect(access(elsewhere, F_OK) != 0)
  }

  @Test(arguments: [(mode_t(0o700), false), (0o750, false), (0o770, true), (0o707, true), (0o1777, true)])
  func aFolderThatOthersMayWriteIsWarnedOf(mode: mode_t, isWarned: Bool) throws {
    chmod(scratch.path, mode)
    let warning = try scratch.state.make()
    #expect((warning != nil) == isWarned)
  }

  /// Wherever the log is truncated, the next sync reports it, even if SQLite has written beyond the
  /// cut.
  @Test(arguments: [0, 1, 31, 32, 500, 5000, 20_000]) func detectsATruncatedLog(octets: Int) throws {
    let store = try RunStore(id, in: scratch.state)
    try store.startFresh(record(heart))
    try fill(store)
    try store.sync()
    try fill(store, 3)
    #expect(failure { try store.verify() } == nil)
    truncate(scratch.state.database(of: id) + "-wal", off_t(octets))
    #expect(failure { try store.verify() }?.kind == .displaced)
    let failed = failure {
      try fill(store, 2)
      try store.sync()
    }
    #expect(failed != nil)
  }

  @Test func aCheckpointedLogIsNotTruncated() throws {
    let store = try RunStore(id, in: scratch.state)
    try store.startFresh(record(heart))
    for round in 0..<6 {
      try fill(store, 10 + round)
      try store.verify()
      if round % 2 == 0 { try store.sync() }
      store.tidy(atLeast: round < 3 ? 1 : 1000)
      try store.verify()
    }
    try store.finish(.terminated, code: 0, at: noon)
  }

  @Test func aRunningRunCannotBeDropped() throws {
    let store = try RunStore(id, in: scratch.state)
    try store.startFresh(record(heart))
    #expect(failure { try KnownRun.drop(id, in: scratch.state) }?.kind == .locked(pid: getpid()))
    try fill(store)
    try store.sync()
  }

  /// The discoveries of other runs are in a file that every process finds.
  @Test(arguments: [false, true]) func aRemovedSharedDatabaseIsCreatedAgain(isReplaced: Bool) throws {
    let shared = LazySharedStore(in: scratch.state)
    try shared.open().keep([Remembered(name: "a", value: [1], at: noon)], of: "o")
    for suffix in ["", "-wal", "-shm"] { unlink(scratch.state.shared + suffix) }
    if isReplaced { try SharedStore(in: scratch.state).keep([Remembered(name: "c", value: [3], at: noon)], of: "o") }
    let before = try shared.existing()?.kept(of: "o").map(\.name)
    #expect(before == (isReplaced ? ["c"] : nil))
    try shared.open().keep([Remembered(name: "b", value: [2], at: noon)], of: "o")
    let after = try SharedStore(in: scratch.state).kept(of: "o").map(\.name)
    #expect(after == (isReplaced ? ["b", "c"] : ["b"]))
  }
}
