import Glibc
import Runner
import Testing
import Vocabulary

@testable import Journal

/// The writer of a run keeps its locks on the log; readers see each commit all the same, and keep what they see as long as they look.
@Suite struct KeptLocksTests {
  let scratch = Scratch()
  let id = RunID(heart)

  private func row(_ number: Int) -> Commit {
    // Both rows are of one commit, the second large enough that the log is moved and begun anew now and then.
    rows((1, [UInt8(number >> 8), UInt8(number & 0xFF)]), (2, [UInt8](repeating: UInt8(number & 0xFF), count: 700)))
  }

  private func number(_ database: Database) throws -> Int? {
    let statement = try database.prepare("SELECT value FROM rows ORDER BY key")
    guard try statement.step() else { return nil }
    let first = statement.bytes(0)
    guard first.count == 2, try statement.step() else { return -1 }
    let number = Int(first[0]) << 8 | Int(first[1])
    let isWhole = statement.bytes(0).allSatisfy { $0 == first[1] }
    statement.reset()
    return isWhole ? number : -1
  }

  @Test func aReaderSeesEachCommitAndKeepsWhatItSees() throws {
    var random = SplitMix(seed: 5)
    var store: RunStore? = try RunStore(id, in: scratch.state)
    try store?.startFresh(record(heart))
    try store?.commit(row(0), at: noon)
    var readers: [(database: Database, sees: Int)] = []
    for number in 1...600 {
      try store?.commit(row(number), at: noon + .milliseconds(10 * Int64(number)))
      switch random.next() % 12 {
      case 0, 1:
        let database = try Database(path: scratch.state.database(of: id))
        try database.execute("BEGIN")
        #expect(try self.number(database) == number)
        readers.append((database, number))
      case 2 where !readers.isEmpty:
        let reader = readers.remove(at: Int(random.next() % UInt64(readers.count)))
        #expect(try self.number(reader.database) == reader.sees)
        reader.database.close()
      case 3: store?.tidy(atLeast: 1)
      case 4: try store?.sync()
      case 5 where random.next() % 4 == 0:
        // Another process goes on.
        store = nil
        store = try RunStore(id, in: scratch.state)
      default: break
      }
      for reader in readers { #expect(try self.number(reader.database) == reader.sees) }
    }
    for reader in readers { reader.database.close() }
    store = nil
    let left = try Database(path: scratch.state.database(of: id))
    #expect(try number(left) == 600)
    let check = try left.prepare("PRAGMA integrity_check")
    #expect(try check.step() && check.text(0) == "ok")
  }

  @Test func whatWasCutOffByAKillIsRecovered() throws {
    let store = try RunStore(id, in: scratch.state)
    try store.startFresh(record(heart))
    for number in 0..<40 { try store.commit(row(number), at: noon) }
    // A kill leaves the files as they are.
    let copy = Scratch()
    for suffix in ["", "-wal"] { try #require(system("cp '\(scratch.state.database(of: id))\(suffix)' '\(copy.path)/'") == 0) }
    let again = try RunStore(id, in: copy.state)
    #expect(try again.snapshot()?.rows.count == 2)
    try again.commit(row(41), at: noon)
    #expect(try RunStore.peek(id, in: copy.state)?.rows.first?.value == [0, 41])
    withExtendedLifetime(store) {}
  }
}
