import CSQLite
import Glibc
package import Runner
package import Vocabulary

/// The database of one run: state, intents and `remember`. One transaction a turn.
///
/// A commit survives SIGKILL as soon as it is made; `sync` makes it survive a power cut too.
/// SQLite's own `synchronous=FULL` does the same as the `fdatasync` of the write-ahead log behind a
/// commit with NORMAL, and this way the connection need not be switched to and fro.
package final class RunStore {
  /// Counted up with each change of the tables; a newer tooth reads all older ones.
  package static let schema: Int64 = 1

  private let database: Database
  private let lock: RunLock
  private let directory: StateDirectory
  private let log: Int32
  private let file: Int32
  private var files: StoreFiles
  /// The disk has the database and its log under their names, and the database's first page.
  private var isEntered: Bool
  private let putRow: Database.Statement
  private let begin: Database.Statement
  private let end: Database.Statement
  private var setClock = LateStatement("UPDATE clock SET wall = ?1")
  // Many runs need none of these.
  private var deleteRow = LateStatement("DELETE FROM rows WHERE key = ?1")
  private var putRemembered = LateStatement(
    "INSERT INTO remembered VALUES(?1, ?2, ?3) ON CONFLICT(name) DO UPDATE SET value = excluded.value, at = excluded.at")
  private var putAppend = LateStatement("INSERT OR REPLACE INTO appends VALUES(?1, ?2, ?3, ?4)")
  private var deleteAppend = LateStatement("DELETE FROM appends WHERE id = ?1")

  private var awaited: RunRecord?
  /// The time of the last commit, as it is written down.
  private var clock: WallTime?
  /// A commit so soon after that time leaves it: it costs a page, and a killed run was alive to the
  /// second.
  private static let clockStep = TimeSpan.seconds(1)
  private var story = StoryWriter()
  /// It was made by this process, and nothing has been committed.
  package private(set) var isBlank: Bool
  /// There may be intents in it.
  private var mayHaveAppends: Bool
  /// Where it stands among the runs that have not ended, and whose it is.
  private var place: (runs: OpenRuns, owner: String, file: String)?
  /// No process has been at this run before: it has left nothing.
  private let isFirst: Bool
  /// It may hold `remember`ed values.
  private var remembers: Bool

  package let id: RunID
  /// Pages of the write-ahead log beyond which a busy run moves it: 4 MB.
  static let logLimit = 4096
  private var nextMove = RunStore.logLimit

  /// Commits that only SIGKILL cannot take away.
  package private(set) var unsynced = 0
  /// Commits that are still in the write-ahead log only.
  package private(set) var unmoved = 0
  /// Every commit of this process.
  package private(set) var commits = 0

  /// Takes the lock, then opens the database, or makes it.
  package convenience init(_ id: RunID, in directory: StateDirectory) throws(JournalFailure) {
    try self.init(id, in: directory, lock: try RunLock(id, in: directory))
  }

  /// Opens the database of a run whose lock is held, or makes it.
  package init(_ id: RunID, in directory: StateDirectory, lock: RunLock) throws(JournalFailure) {
    self.id = id
    self.lock = lock
    self.directory = directory
    let path = directory.database(of: id)
    let isNew = access(path, F_OK) != 0
    if isNew { try Self.make(path) }
    remembers = !isNew
    isBlank = isNew
    isFirst = isNew
    if isNew { story.begin() }
    mayHaveAppends = !isNew
    let database = try Database(path: path)
    self.database = database
    // Of a log that has never been moved nothing need be on the disk: our first sync makes up for
    // those of SQLite's own.
    try database.execute(isNew ? "PRAGMA synchronous=OFF" : "PRAGMA synchronous=NORMAL")
    if !isNew {
      try database.execute("PRAGMA journal_mode=WAL")
      try Self.migrate(database)
    }
    database.countLog()
    putRow = try database.prepare("INSERT INTO rows VALUES(?1, ?2) ON CONFLICT(key) DO UPDATE SET value = excluded.value")
    begin = try database.prepare("BEGIN IMMEDIATE")
    end = try database.prepare("COMMIT")
    isEntered = !isNew
    // The log is made by whoever first looks into the database.
    if isNew { _ = try database.number("PRAGMA schema_version") }
    // Closing them would free the locks that SQLite holds on these files: they stay open as long as
    // the database does. The log is read too, to see whether it still holds what was written to it.
    log = open("\(path)-wal", O_RDWR | O_CLOEXEC)
    file = open(path, O_WRONLY | O_CLOEXEC)
    if !isNew { StoreFiles.closeToOthers([file, log], ["\(path)-shm"]) }
    files = StoreFiles(lock: lock.file, database: (path, file), log: ("\(path)-wal", log))
    try check(min(log, file, 0))
  }

  /// Makes an empty database. A kill leaves the whole of it, or none; a power cut before the first
  /// sync leaves what cannot be read as one with rows.
  private static func make(_ path: String) throws(JournalFailure) {
    let image = DatabaseImage.make()
    let new = "\(path)-new"
    func create() -> Int32 { open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600) }
    var descriptor = create()
    // Of a start that was killed.
    if descriptor < 0, errno == EEXIST, unlink(new) == 0 { descriptor = create() }
    var code = descriptor < 0 ? errno : 0
    if descriptor >= 0 {
      let written = image.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if written != image.count { code = written < 0 ? errno : ENOSPC }
      Glibc.close(descriptor)
      if code == 0, rename(new, path) != 0 { code = errno }
      if code != 0 { unlink(new) }
    }
    guard code != 0 else { return }
    let isFull = [ENOSPC, EDQUOT, EFBIG].contains(code)
    throw JournalFailure(
      isFull ? .diskFull : .unwritable,
      "\(path) cannot be created: \(isFull ? "the disk is full" : String(cString: strerror(code)))",
      hint: isFull ? "free some space there, or choose another place with --state DIR" : "choose another place with --state DIR")
  }

  deinit {
    database.close()
    if log >= 0 { Glibc.close(log) }
    if file >= 0 { Glibc.close(file) }
  }

  /// A table as it is made, with the number in its first row, whose key is 1.
  struct Table {
    var name: String
    var statement: String
    var isIndex = false
    var firstRow: UInt8?
  }

  /// Short, for they are read whenever a database is opened. Older databases have the same columns
  /// with their types.
  static let tables = [
    Table(
      name: "meta",
      statement:
        "CREATE TABLE meta(id INTEGER PRIMARY KEY,identity,owner,path,recipe,inputs,directory,started,boot,pid,ending,code)"),
    Table(name: "clock", statement: "CREATE TABLE clock(id INTEGER PRIMARY KEY,wall)", firstRow: 0),
    Table(name: "rows", statement: "CREATE TABLE rows(key INTEGER PRIMARY KEY,value)"),
    Table(name: "remembered", statement: "CREATE TABLE remembered(name PRIMARY KEY,value,at) WITHOUT ROWID", isIndex: true),
    Table(name: "appends", statement: "CREATE TABLE appends(id INTEGER PRIMARY KEY,path,offset,bytes)"),
    Table(name: "timeline", statement: "CREATE TABLE timeline(n INTEGER PRIMARY KEY,at,kind,device,text)"),
    Table(name: "minutes", statement: "CREATE TABLE minutes(minute INTEGER PRIMARY KEY,count)"),
  ]

  private static func migrate(_ database: Database) throws(JournalFailure) {
    switch try database.number("PRAGMA user_version") {
    case schema: return
    case 0:
      // Of a start that was killed, by a version that made its tables in a database of its own.
      var text = "BEGIN IMMEDIATE;"
      for table in tables {
        text += "\(table.statement);"
        if let row = table.firstRow { text += "INSERT INTO \(table.name) VALUES(1,\(row));" }
      }
      try database.execute(text + "PRAGMA user_version = \(schema);COMMIT")
    case let version:
      throw JournalFailure(
        .newer,
        "the checkpoint \(database.path) was written by a newer tooth (its format is \(version); this one reads up to \(schema))",
        hint: "use that tooth, or start over with --fresh")
    }
  }

  /// Removes the database of a run whose lock is held, whatever state it is in, and makes an empty
  /// one. For `--fresh` on a database that cannot be read.
  package static func replace(_ id: RunID, in directory: StateDirectory, lock: RunLock) throws(JournalFailure) -> RunStore {
    for suffix in ["", "-wal", "-shm"] { unlink(directory.database(of: id) + suffix) }
    return try RunStore(id, in: directory, lock: lock)
  }

  /// Fails when the files of the run were removed, replaced or cut off since they were opened.
  /// Every `sync` looks too.
  package func verify() throws(JournalFailure) { try files.verify() }

  private static func syncDirectory(_ path: String) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    Glibc.close(descriptor)
  }

  // MARK: Reading

  /// What an earlier process left; nothing in a database that is new.
  package func snapshot() throws(JournalFailure) -> RunSnapshot? {
    var found = try Self.snapshot(database, withRows: true)
    found?.lastSign = lock.lastSign
    return found
  }

  /// Leaves a sign of life, for a run that has nothing to commit.
  package func sign(at time: WallTime) { lock.sign(at: time) }

  /// The state of a run that perhaps goes on at this moment. Takes no lock.
  package static func peek(_ id: RunID, in directory: StateDirectory, withRows: Bool = true) throws(JournalFailure) -> RunSnapshot?
  {
    let path = directory.database(of: id)
    guard access(path, F_OK) == 0 else { return nil }
    let database = try Database(path: path)
    let version = try database.number("PRAGMA user_version")
    if version > schema {
      throw JournalFailure(
        .newer, "the checkpoint \(path) was written by a newer tooth", hint: "use that tooth, or tooth runs drop \(id)")
    }
    guard version == schema else { return nil }
    var found = try snapshot(database, withRows: withRows)
    found?.lastSign = RunLock.lastSign(of: id, in: directory)
    return found
  }

  private static func snapshot(_ database: Database, withRows: Bool) throws(JournalFailure) -> RunSnapshot? {
    let meta = try database.prepare(
      "SELECT identity, owner, path, recipe, inputs, directory, started, boot, pid, ending, code FROM meta")
    guard try meta.step() else { return nil }
    let damaged = JournalFailure(.unreadable, "the checkpoint \(database.path) is damaged", hint: "start over with --fresh")
    var inputs: [RunRecord.Input] = []
    var pins: [RunRecord.Input] = []
    do {
      let bytes = meta.bytes(4)
      var reader = bytes.span.bytes
      inputs = try reader.next([RunRecord.Input].self)
      pins = try reader.next([RunRecord.Input].self)
    } catch { throw damaged }
    guard let ending = RunRecord.Ending(rawValue: meta.text(9)) else { throw damaged }
    var record = RunRecord(
      identity: meta.text(0), owner: meta.text(1), path: meta.text(2), text: meta.bytes(3), inputs: inputs, directory: meta.text(5),
      started: WallTime(nanoseconds: meta.integer(6)), bootID: meta.text(7), pid: Int32(clamping: meta.integer(8)))
    record.pins = pins
    record.ending = ending
    record.exitCode = meta.optionalInteger(10).map { Int32(clamping: $0) }
    meta.reset()
    let clock = WallTime(nanoseconds: try database.number("SELECT wall FROM clock"))
    guard withRows else { return RunSnapshot(record: record, rows: [], appends: [], lastCommit: clock) }

    var rows: [Commit.Row] = []
    let row = try database.prepare("SELECT key, value FROM rows ORDER BY key")
    while try row.step() {
      guard let key = RowKey(integer: row.integer(0)) else { throw damaged }
      rows.append(Commit.Row(key, row.bytes(1)))
    }
    var appends: [AppendIntent] = []
    let append = try database.prepare("SELECT id, path, offset, bytes FROM appends ORDER BY id")
    while try append.step() {
      appends.append(
        AppendIntent(
          id: EffectID(UInt64(bitPattern: append.integer(0))), path: append.text(1), offset: append.integer(2),
          bytes: append.bytes(3)))
    }
    return RunSnapshot(record: record, rows: rows, appends: appends, lastCommit: clock)
  }

  /// The `remember`ed values with the time each was set.
  package func remembered() throws(JournalFailure) -> [Remembered] { try Self.remembered(database) }

  /// Those of another run of the same owner.
  package static func remembered(of id: RunID, in directory: StateDirectory) throws(JournalFailure) -> [Remembered] {
    let path = directory.database(of: id)
    guard access(path, F_OK) == 0 else { return [] }
    let database = try Database(path: path)
    guard try database.number("PRAGMA user_version") == schema else { return [] }
    return try remembered(database)
  }

  /// The newest value of each name among all runs of an owner, ended and dropped ones with them:
  /// several runs share what they remember. Those that are newer than ours are ours from now on.
  package func newestRemembered(of owner: RunIdentity.Owner, among runs: OpenRuns, _ shared: LazySharedStore)
    throws(JournalFailure) -> [Remembered]
  {
    var best = try remembered()
    let own = best
    // What has ended has given its values to the shared database before it left the others.
    let open = try runs.others(than: id, of: owner).runs
    var others: [Remembered] = []
    for run in open { others += (try? Self.remembered(of: run.id, in: directory)) ?? [] }
    others += try shared.existing()?.kept(of: owner.text) ?? []
    for other in others {
      if let index = best.firstIndex(where: { $0.name == other.name }) {
        if best[index].at < other.at { best[index] = other }
      } else {
        best.append(other)
      }
    }
    try adopt(best.filter { !own.contains($0) })
    return best.sorted { $0.name < $1.name }
  }

  private static func remembered(_ database: Database) throws(JournalFailure) -> [Remembered] {
    var list: [Remembered] = []
    let statement = try database.prepare("SELECT name, value, at FROM remembered ORDER BY name")
    while try statement.step() {
      list.append(Remembered(name: statement.text(0), value: statement.bytes(1), at: WallTime(nanoseconds: statement.integer(2))))
    }
    return list
  }

  // MARK: Writing

  /// Everything in it, or nothing: a failure leaves what was committed before.
  private func transaction(_ body: () throws(JournalFailure) -> Void) throws(JournalFailure) {
    do {
      try begin.run()
      try body()
      try end.run()
    } catch {
      database.rollback()
      throw error
    }
    if isBlank {
      isBlank = false
      try database.execute("PRAGMA synchronous=NORMAL")
    }
    commits += 1
    unsynced += 1
    unmoved += 1
    files.committed(frame: database.takeFrames())
    if database.logPages >= nextMove { moveWhileBusy() } else if database.logPages < Self.logLimit { nextMove = Self.logLimit }
  }

  /// Under a load that never pauses the log is moved as well, or it would take the whole disk. A
  /// reader may keep it from being begun anew: then it is moved once in so many pages, and not with
  /// each commit.
  private func moveWhileBusy() {
    nextMove = database.logPages + Self.logLimit
    database.checkpoint()
    guard database.isLogMoved else { return }
    files.moved()
    unmoved = 0
    unsynced = 0
  }

  /// Octets of the write-ahead log.
  package var logSize: Int {
    var found = stat()
    return fstat(log, &found) == 0 ? Int(found.st_size) : 0
  }

  /// The run stands among those that have not ended, from before its first commit until its end.
  package func enter(_ runs: OpenRuns, owner: String) throws(JournalFailure) {
    guard place == nil else { return }
    place = (runs, owner, try runs.enter(id))
  }

  /// The run has ended: whoever starts later need not look into its database any more. Where that
  /// cannot be, it is looked into.
  private func leaveOthers() {
    guard let place else { return }
    do throws(JournalFailure) {
      let entries = remembers ? try remembered() : []
      if !entries.isEmpty { try SharedStore(in: directory).keep(entries, of: place.owner) }
      if isFirst { place.runs.leave(place.file) } else { place.runs.leave(id) }
    } catch {}
    self.place = nil
  }

  /// Begins a run from the top: state and intents of the one before go, `remember`ed values stay.
  package func startFresh(_ record: RunRecord) throws(JournalFailure) {
    try transaction { () throws(JournalFailure) in
      if !isBlank {
        try database.execute("DELETE FROM rows; DELETE FROM appends")
        try story.clear(database)
      }
      try put(record)
    }
  }

  /// Begins a run in a blank database: its record comes with the first commit, and until then it
  /// has done nothing.
  package func startWithNextCommit(_ record: RunRecord) { awaited = record }

  /// A new process goes on with the state that is there, moved to an edited text: the record
  /// changes with the first commit, which holds all of it.
  package func takeOverWithNextCommit(_ record: RunRecord) { awaited = record }

  /// A new process goes on with the state that is there.
  package func takeOver(_ record: RunRecord) throws(JournalFailure) {
    try transaction { () throws(JournalFailure) in
      try put(record)
      try story.write(to: database)
    }
  }

  private func put(_ record: RunRecord) throws(JournalFailure) {
    let statement = try database.prepare("INSERT OR REPLACE INTO meta VALUES(1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)")
    var inputs = ByteWriter()
    inputs.put(all: record.inputs)
    inputs.put(all: record.pins)
    statement.bind(1, record.identity)
    statement.bind(2, record.owner)
    statement.bind(3, record.path)
    statement.bind(4, record.text)
    statement.bind(5, inputs.bytes)
    statement.bind(6, record.directory)
    statement.bind(7, record.started.nanoseconds)
    statement.bind(8, record.bootID)
    statement.bind(9, Int64(record.pid))
    statement.bind(10, record.ending.rawValue)
    statement.bind(11, record.exitCode.map(Int64.init))
    try statement.run()
  }

  /// One turn: rows, `remember`ed values, intents that begin, intents whose outcome these rows
  /// know.
  package func commit(_ commit: Commit, appends: [AppendIntent] = [], settled: [EffectID] = [], at now: WallTime)
    throws(JournalFailure)
  {
    if commit.rows.isEmpty && commit.remembered.isEmpty && !commit.clearsAll && appends.isEmpty && settled.isEmpty {
      if commit.mustSync { try sync() }
      return
    }
    try transaction { () throws(JournalFailure) in
      if let record = awaited { try put(record) }
      if commit.clearsAll { try database.execute("DELETE FROM rows") }
      for row in commit.rows {
        if let value = row.value {
          putRow.bind(1, row.key.integer)
          putRow.bind(2, value)
          try putRow.run()
        } else {
          let deleteRow = try deleteRow.prepared(in: database)
          deleteRow.bind(1, row.key.integer)
          try deleteRow.run()
        }
      }
      for (name, value) in commit.remembered {
        let putRemembered = try putRemembered.prepared(in: database)
        remembers = true
        putRemembered.bind(1, name)
        putRemembered.bind(2, value)
        putRemembered.bind(3, now.nanoseconds)
        try putRemembered.run()
      }
      for id in settled {
        let deleteAppend = try deleteAppend.prepared(in: database)
        deleteAppend.bind(1, Int64(bitPattern: id.raw))
        try deleteAppend.run()
      }
      if !appends.isEmpty { mayHaveAppends = true }
      for intent in appends {
        let putAppend = try putAppend.prepared(in: database)
        putAppend.bind(1, Int64(bitPattern: intent.id.raw))
        putAppend.bind(2, intent.path)
        putAppend.bind(3, intent.offset)
        putAppend.bind(4, intent.bytes)
        try putAppend.run()
      }
      try putClock(now)
      try story.write(to: database)
    }
    awaited = nil
    if commit.mustSync { try sync() }
  }

  private func putClock(_ now: WallTime) throws(JournalFailure) {
    if let clock, now >= clock, now - clock < Self.clockStep { return }
    let statement = try setClock.prepared(in: database)
    statement.bind(1, now.nanoseconds)
    try statement.run()
    clock = now
  }

  /// A value of a run of the same owner that is newer than ours.
  private func adopt(_ newer: [Remembered]) throws(JournalFailure) {
    guard !newer.isEmpty else { return }
    remembers = true
    try transaction { () throws(JournalFailure) in
      for entry in newer {
        let putRemembered = try putRemembered.prepared(in: database)
        putRemembered.bind(1, entry.name)
        putRemembered.bind(2, entry.value)
        putRemembered.bind(3, entry.at.nanoseconds)
        try putRemembered.run()
      }
    }
  }

  /// The run ended in this way. What a finished run leaves is not needed any more; what another one
  /// leaves, `tooth resume` may want.
  package func finish(_ ending: RunRecord.Ending, code: Int32, at now: WallTime) throws(JournalFailure) {
    try files.verify()
    let statement = try database.prepare("UPDATE meta SET ending = ?1, code = ?2")
    story.endMinute()
    try transaction { () throws(JournalFailure) in
      if isBlank, let record = awaited { try put(record) }
      statement.bind(1, ending.rawValue)
      statement.bind(2, Int64(code))
      try statement.run()
      clock = nil
      try putClock(now)
      try story.write(to: database)
      guard ending == .finished || ending == .stopped else { return }
      try database.execute(mayHaveAppends ? "DELETE FROM rows; DELETE FROM appends" : "DELETE FROM rows")
    }
    try syncLog()
    if !isEntered { Self.syncDirectory(directory.path) }
    // The log is on disk, so SQLite need not sync it and its folder again before it moves it. What
    // a reader keeps in the log is moved when the database is closed.
    try database.execute("PRAGMA synchronous=OFF")
    database.checkpoint()
    try database.execute("PRAGMA synchronous=NORMAL")
    try check(fdatasync(file))
    // One that was told to end goes on with the next start.
    if ending != .terminated, ending != .none { leaveOthers() }
  }

  // MARK: Looking back

  /// What happened to the run goes with the next commit.
  package func note(_ line: StoryLine) { story.note(line) }

  /// A device has sent a value.
  package func count(valueAt time: WallTime) { story.count(valueAt: time) }

  /// What is kept of what happened in a run. Takes no lock.
  package static func story(of id: RunID, in directory: StateDirectory) -> RunStory {
    let path = directory.database(of: id)
    guard access(path, F_OK) == 0, let database = try? Database(path: path) else { return RunStory() }
    return (try? StoryWriter.read(database)) ?? RunStory()
  }

  /// At most so much of a failure is kept.
  private static let failureLimit = 64 << 10

  /// Keeps the failure that ends the run for whoever looks back. It is no part of the checkpoint:
  /// a run whose failure cannot be kept has still failed.
  package func keepFailure(_ text: String) {
    let path = directory.failure(of: id)
    let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    defer { Glibc.close(descriptor) }
    let bytes = Array(text.utf8.prefix(Self.failureLimit))
    _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }

  package static func failure(of id: RunID, in directory: StateDirectory) -> String? {
    let descriptor = Glibc.open(directory.failure(of: id), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { Glibc.close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: failureLimit)
    let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }

  /// Everything committed so far survives a power cut.
  package func sync() throws(JournalFailure) {
    guard unsynced > 0 else { return }
    try files.verify()
    if !isEntered {
      isEntered = fsync(file) == 0
      Self.syncDirectory(directory.path)
    }
    try syncLog()
  }

  private func syncLog() throws(JournalFailure) {
    try check(fdatasync(log))
    unsynced = 0
    files.synced()
  }

  private func check(_ result: Int32) throws(JournalFailure) {
    guard result != 0 else { return }
    let why = String(cString: strerror(errno))
    throw JournalFailure(
      [ENOSPC, EDQUOT, EFBIG].contains(errno) ? .diskFull : .unwritable, "\(database.path) cannot be written to the disk: \(why)",
      hint: "choose another place with --state DIR")
  }

  /// Moves the log into the database when nobody waits. Without it the log would grow for ever.
  package func tidy(atLeast pages: Int = 1000) {
    // Where its files are not what they were, the next sync says so.
    guard unmoved >= pages, (try? files.verify()) != nil else { return }
    database.checkpoint()
    files.moved()
    unmoved = 0
    // The move synced the log and the database.
    unsynced = 0
  }

  /// For tests: lets the database grow no further than this.
  func limit(pages: Int) throws(JournalFailure) { try database.execute("PRAGMA max_page_count=\(pages)") }
}
