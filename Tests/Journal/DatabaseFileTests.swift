import Glibc
import Runner
import Testing
import Vocabulary

@testable import Journal

/// The file of a database, written and read without SQLite.
@Suite struct DatabaseFileTests {
  let scratch = Scratch()
  let id = RunID(heart)

  private func tables(_ database: Database) throws -> [String] {
    let statement = try database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid")
    var list: [String] = []
    while try statement.step() { list.append((0..<4).map { statement.text($0) }.joined(separator: "|")) }
    return list
  }

  /// A run that lives for years looks at its caches at each connection.
  @Test func statementsAreReleased() throws {
    let database = try Database(path: "\(scratch.path)/a.db")
    try database.execute("CREATE TABLE a(b)")
    let kept = try database.prepare("SELECT b FROM a")
    for number in 0..<1000 {
      let statement = try database.prepare("INSERT INTO a VALUES(?1)")
      statement.bind(1, Int64(number))
      try statement.run()
    }
    #expect(database.preparedCount <= 2)
    #expect(try kept.step())
  }

  /// Whoever looks at a run holds up neither its commits nor the move of its log.
  @Test func aReaderHoldsNothingUp() throws {
    let store = try RunStore(id, in: scratch.state)
    try store.startFresh(record(heart))
    for number in 0..<20 { try store.commit(rows((1, [UInt8(number)])), at: noon) }
    let seen = try Database.read(scratch.state.database(of: id)) { (reader) throws(JournalFailure) in
      try reader.execute("BEGIN; SELECT count(*) FROM sqlite_master")
      // As long as the log does not begin anew, the reader sees one state.
      try store.commit(rows((2, [7])), at: noon)
      return try reader.number("SELECT count(*) FROM rows")
    }
    #expect(seen == 1)
    #expect(store.unsynced > 0)
    store.tidy(atLeast: 1)
    #expect(store.unsynced == 0)
    #expect(try RunStore.peek(id, in: scratch.state)?.rows.count == 2)
  }

  /// The log is moved, and begins anew, while somebody reads: what was read is read again.
  @Test func aReaderSeesOneStateWhileTheLogMoves() throws {
    let store = try RunStore(id, in: scratch.state)
    try store.startFresh(record(heart))
    let path = scratch.state.database(of: id)
    try store.commit(rows((1, [1]), (2, [1])), at: noon)
    var readings = 0
    let seen = try Database.read(path) { (reader) throws(JournalFailure) in
      readings += 1
      let first = try reader.number("SELECT hex(value) FROM rows WHERE key = (SELECT min(key) FROM rows)")
      if readings == 1 {
        for number in 2..<40 { try store.commit(rows((1, [UInt8(number)]), (2, [UInt8(number)])), at: noon) }
        store.tidy(atLeast: 1)
        try store.commit(rows((1, [0x50]), (2, [0x50])), at: noon)
      }
      return (first, try reader.number("SELECT hex(value) FROM rows WHERE key = (SELECT max(key) FROM rows)"))
    }
    #expect(readings > 1)
    #expect(seen == (50, 50))
  }

  /// The time of a file is what somebody has set, up to the end of the type.
  @Test(arguments: [Int.min, -1, 0, Int.max / 1000, Int.max]) func aTimeOfAFileDoesNotTrap(seconds: Int) throws {
    // A file system in memory keeps times that others change to the nearest that they can.
    let scratch = Scratch(in: access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp")
    let store = try RunStore(id, in: scratch.state)
    try store.startFresh(record(heart))
    try store.commit(rows((1, [1])), at: noon)
    let times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
    _ = utimensat(AT_FDCWD, scratch.state.database(of: id), times, 0)
    #expect(try RunStore.peek(id, in: scratch.state)?.rows.count == 1)
    withExtendedLifetime(store) {}
  }

  /// While a process has the run, no other one can write its database.
  @Test func aRunHoldsItsDatabase() throws {
    let store = try RunStore(id, in: scratch.state)
    try store.startFresh(record(heart))
    #expect(!scratch.state.names().contains { $0.hasSuffix("-shm") })
    let refusal = failure { _ = try Database(path: scratch.state.database(of: id)).number("SELECT count(*) FROM rows") }
    #expect(refusal?.kind == .locked(pid: nil))
    withExtendedLifetime(store) {}
  }

  @Test func theImageEqualsADatabaseMadeByStatements() throws {
    let image = DatabaseImage.make()
    let path = "\(scratch.path)/image.db"
    let file = open(path, O_CREAT | O_WRONLY, 0o600)
    #expect(write(file, image, image.count) == image.count)
    close(file)
    let made = try Database(path: path)
    let ordered = try Database(path: "\(scratch.path)/ordered.db")
    for table in RunStore.tables {
      try ordered.execute(table.statement)
      if let row = table.firstRow { try ordered.execute("INSERT INTO \(table.name) VALUES(1,\(row))") }
    }
    #expect(try tables(made) == tables(ordered))
    let check = try made.prepare("PRAGMA integrity_check")
    #expect(try check.step() && check.text(0) == "ok")
    check.reset()
    let mode = try made.prepare("PRAGMA journal_mode")
    #expect(try mode.step() && mode.text(0) == "wal")
    mode.reset()
    #expect(try made.number("PRAGMA user_version") == RunStore.schema)
    #expect(try made.number("SELECT wall FROM clock") == 0)
  }

  @Test func continuesAStartKilledBeforeItsTables() throws {
    close(open(scratch.state.database(of: id), O_CREAT | O_WRONLY, 0o600))
    close(open(scratch.state.database(of: id) + "-new", O_CREAT | O_WRONLY, 0o600))
    let store = try RunStore(id, in: scratch.state)
    #expect(try store.snapshot() == nil)
    try store.startFresh(record(heart))
    #expect(try store.snapshot()?.record == record(heart))
  }

  private func glance(_ id: RunID) -> DatabaseGlance? {
    var buffer: [UInt8] = []
    return DatabaseGlance(path: scratch.state.database(of: id), buffer: &buffer)
  }

  /// Recipes of every length around the sizes of pages, and every kind of record.
  @Test(arguments: [0, 1, 100, 480, 500, 700, 900, 989, 1000, 1020, 2000, 5000, 20_000, 200_000])
  func aGlanceAgreesWithSQLite(length: Int) throws {
    for (number, ending) in RunRecord.Ending.allCases.enumerated() {
      let identity = RunIdentity(owner: .path("/r/ä\(number).ble"), inputs: [("limit", "3"), ("name", "Zoë")])
      var begun = record(identity, text: String(repeating: "é", count: length / 2))
      begun.started = WallTime(nanoseconds: [0, 1, -1, 127, 128, -32_769, 1 << 33, -1 << 47, .max, .min][number % 10])
      begun.pins = [RunRecord.Input(name: "file", value: "abc")]
      begun.exitCode = [nil, 0, 1, 143][number % 4]
      begun.ending = ending
      do {
        let store = try RunStore(RunID(identity), in: scratch.state)
        try store.startFresh(begun)
        #expect(glance(RunID(identity)) == nil, "it is open")
        var commit = rows((1, [UInt8](repeating: 9, count: 3000)))
        if number.isMultiple(of: 2) { commit.remembered = [(name: "total", value: [1])] }
        try store.commit(commit, at: noon + .seconds(Int64(number)))
      }
      let peeked = try #require(try RunStore.peek(RunID(identity), in: scratch.state, withRows: false))
      let found = glance(RunID(identity))
      if length < 20_000 { #expect(found != nil) }
      if let found {
        #expect(found.record == peeked.record && found.record == begun)
        #expect(found.lastCommit == peeked.lastCommit)
        #expect(found.remembers == number.isMultiple(of: 2))
      }
    }
  }

  /// A reader that comes while the run ends may make the log again, which is then empty.
  @Test func anEmptyLogHidesNothing() throws {
    do {
      let store = try RunStore(id, in: scratch.state)
      try store.startFresh(record(heart))
      try store.commit(rows((1, [1])), at: noon)
    }
    close(open(scratch.state.database(of: id) + "-wal", O_CREAT | O_WRONLY, 0o600))
    #expect(glance(id)?.record == record(heart))
    #expect(try RunStore.peek(id, in: scratch.state)?.rows.count == 1)
    let store = try RunStore(id, in: scratch.state)
    #expect(try store.snapshot()?.rows.count == 1)
  }

  @Test func databasesWithOlderTablesAreRead() throws {
    let database = try Database(path: scratch.state.database(of: id))
    try database.execute(
      """
      PRAGMA page_size=1024; PRAGMA journal_mode=WAL; BEGIN IMMEDIATE;
      CREATE TABLE meta(id INTEGER PRIMARY KEY CHECK(id = 1), identity TEXT NOT NULL, owner TEXT NOT NULL, path TEXT NOT NULL,
        recipe BLOB NOT NULL, inputs BLOB NOT NULL, directory TEXT NOT NULL, started INTEGER NOT NULL, boot TEXT NOT NULL,
        pid INTEGER NOT NULL, ending TEXT NOT NULL, code INTEGER);
      CREATE TABLE clock(id INTEGER PRIMARY KEY CHECK(id = 1), wall INTEGER NOT NULL);
      CREATE TABLE rows(key INTEGER PRIMARY KEY, value BLOB NOT NULL);
      CREATE TABLE remembered(name TEXT PRIMARY KEY, value BLOB NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;
      CREATE TABLE appends(id INTEGER PRIMARY KEY, path TEXT NOT NULL, offset INTEGER NOT NULL, bytes BLOB NOT NULL);
      INSERT INTO clock VALUES(1, 0);
      PRAGMA user_version = 1;
      COMMIT
      """)
    database.close()
    do {
      let store = try RunStore(id, in: scratch.state)
      try store.startFresh(record(heart))
      try store.finish(.finished, code: 0, at: noon)
    }
    let found = try #require(glance(id))
    #expect(try RunStore.peek(id, in: scratch.state, withRows: false)?.record == found.record)
  }

  @Test func damagedDatabasesNeverTrap() throws {
    do {
      let store = try RunStore(id, in: scratch.state)
      try store.startFresh(record(heart, text: String(repeating: "wait 1s\n", count: 300)))
      try store.finish(.failed, code: 1, at: noon)
    }
    #expect(glance(id) != nil)
    let path = scratch.state.database(of: id)
    let file = open(path, O_RDWR)
    defer { close(file) }
    var image = [UInt8](repeating: 0, count: 64 << 10)
    let count = pread(file, &image, image.count, 0)
    #expect(count > 6 * 1024)
    var random: UInt64 = 1
    for round in 0..<6000 {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      // Headers of pages and rows are where damage matters.
      let place = round < 3000 ? Int(random >> 33) % count : Int(random >> 33) % (count / 1024) * 1024 + Int(random >> 40) % 120
      var byte = [round.isMultiple(of: 3) ? 0xFF : UInt8(truncatingIfNeeded: random >> 20)]
      #expect(pwrite(file, &byte, 1, place) == 1)
      _ = glance(id)
      var before = [image[place]]
      #expect(pwrite(file, &before, 1, place) == 1)
    }
    for length in [0, 1, 99, 100, 511, 512, 1023, 1024, 2000, 3000] {
      #expect(ftruncate(file, length) == 0)
      #expect(glance(id) == nil)
    }
  }
}
