import Glibc
import Runner
import Testing
import Vocabulary

@testable import Journal

/// The write-ahead log of a run that never pauses.
@Suite struct LogBoundTests {
  let scratch = Scratch()
  let id = RunID(heart)

  private func load(_ store: RunStore, _ commits: Int) throws(JournalFailure) {
    for number in 0..<commits {
      try store.commit(rows((UInt64(number % 64), [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 12_000))), at: noon)
    }
  }

  @Test func theLogIsBoundedWithoutIdleTime() throws {
    let store = try RunStore(id, in: scratch.state)
    try store.startFresh(record(heart))
    try load(store, getenv("FULL") == nil ? 1250 : 25_000)
    // 4,096 pages of 1,024 bytes, each with a header of 24, and the last commit.
    #expect(store.logSize < 5 << 20)
  }

  @Test func aReaderDoesNotMakeTheLogGrow() throws {
    let store = try RunStore(id, in: scratch.state)
    try store.startFresh(record(heart))
    _ = try Database.read(scratch.state.database(of: id)) { (reader) throws(JournalFailure) in
      try reader.execute("BEGIN; SELECT * FROM meta")
      try load(store, 1000)
      #expect(store.logSize < 5 << 20)
    }
    #expect(try store.snapshot()?.rows.count == 64)
  }
}
