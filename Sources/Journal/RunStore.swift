import CSQLite
import Glibc
package import Runner
package import Vocabulary

/// The database of one run: state, intents and `remember`ed values. One transaction per turn.
///
/// A commit survives SIGKILL at once; `sync` makes it survive a power cut. An `fdatasync` of the
/// write-ahead log after a commit with `synchronous=NORMAL` has the same effect as `FULL`, without
/// switching the connection.
package final class RunStore {
  /// Increases with each change of the tables. A newer version of tooth reads all older ones.
  package static let schema: Int64 = 1

  private let database: Database
  private let lock: RunLock
  private let directory: StateDirectory
  private let log: Int32
  private let file: Int32
  private var files: StoreFiles
  /// Whether the directory entries of the database and its log are on disk, and the database's
  /// first page.
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
  /// The stored time of the last commit.
  private var clock: WallTime?
  /// The age of the stored time at which a commit updates it. An update costs a page.
  private static let clockStep = TimeSpan.seconds(1)
  private var story = StoryWriter()
  /// Whether this process created it and nothing was committed.
  package private(set) var isBlank: Bool
  /// Whether there may be intents.
  private var mayHaveAppends: Bool
  /// Its file among the open runs, and its owner.
  private var place: (runs: OpenRuns, owner: String, file: String)?
  /// Whether no earlier process has used this run.
  private let isFirst: Bool
  /// Whether there may be `remember`ed values.
  private var remembers: Bool

  package let id: RunID
  /// The pages of the write-ahead log beyond which a busy run moves it: 4 MB.
  static let logLimit = 4096
  private var nextMove = RunStore.logLimit

  /// The number of commits that would not survive a power cut.
  package private(set) var unsynced = 0
  /// The number of commits that are only in the write-ahead log.
  package private(set) var unmoved = 0
  /// The number of commits of this process.
  package private(set) var commits = 0

  /// Takes the lock and opens or creates the database.
  package convenience init(_ id: RunID, in directory: StateDirectory) throws(JournalFailure) {
    try self.init(id, in: directory, lock: try RunLock(id, in: directory))
  }

  /// Opens or creates the database of a run whose lock is held.
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
    try database.hold()
    // While the log was never moved, none of it need be on disk. Our first sync replaces those of
    // SQLite.
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
    // The first access to the database creates the log.
    if isNew { _ = try database.number("PRAGMA schema_version") }
    // These stay open as long as the database, because closing them would release SQLite's locks on
    // the files. The log is also read to check that it is complete.
    log = open("\(path)-wal", O_RDWR | O_CLOEXEC)
    file = open(path, O_WRONLY | O_CLOEXEC)
    if !isNew { StoreFiles.closeToOthers([file, log]) }
    files = StoreFiles(lock: lock.file, database: (path, file), log: ("\(path)-wal", log))
    try check(min(log, file, 0))
  }

  /// Creates an empty database. After a kill it is complete or absent. After a power cut before the
  /// first sync, it cannot be mistaken for one with rows.
  private static func make(_ path: String) throws(JournalFailure) {
    let image = DatabaseImage.make()
    let new = "\(path)-new"
    func create() -> Int32 { open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600) }
    var descriptor = create()
    // Left by a start that was killed.
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

  /// A table as it is created, with the number in its first row, whose key is 1.
  struct Table {
    var name: String
    var statement: String
    var isIndex = false
    var firstRow: UInt8?
  }

  /// Short, because SQLite reads them when it opens a database. Older databases have the same
  /// columns and types.
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
      // Left by a killed start of a version that created its tables with SQLite.
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

  /// Replaces the database of a run whose lock is held by an empty one, for `--fresh` with an
  /// unreadable database.
  package static func replace(_ id: RunID, in directory: StateDirectory, lock: RunLock) throws(JournalFailure) -> RunStore {
    for suffix in ["", "-wal", "-shm"] { unlink(directory.database(of: id) + suffix) }
    return try RunStore(id, in: directory, lock: lock)
  }

  /// Fails if the files of the run were removed, replaced or truncated since they were opened.
  /// Every `sync` checks this too.
  package func verify() throws(JournalFailure) { try files.verify() }

  private static func syncDirectory(_ path: String) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    Glibc.close(descriptor)
  }

  // MARK: Reading

  /// The state that an earlier process left; `nil` in a new database.
  package func snapshot() throws(JournalFailure) -> RunSnapshot? {
    var found = try Self.snapshot(database, withRows: true)
    found?.lastSign = lock.lastSign
    return found
  }

  /// Records that a run with nothing to commit is alive.
  package func sign(at time: WallTime) { lock.sign(at: time) }

  /// Reads the state of a run that may be active. Takes no lock.
  package static func peek(_ id: RunID, in directory: StateDirectory, withRows: Bool = true) throws(JournalFailure) -> RunSnapshot?
  {
    let path = directory.database(of: id)
    guard access(path, F_OK) == 0 else { return nil }
    var found = try Database.read(path) { (database) throws(JournalFailure) -> RunSnapshot? in
      let version = try database.number("PRAGMA user_version")
      if version > schema {
        throw JournalFailure(
          .newer, "the checkpoint \(path) was written by a newer tooth", hint: "use that tooth, or tooth runs drop \(id)")
      }
      return version == schema ? try snapshot(database, withRows: withRows) : nil
    }
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
    var adapter = ""
    do {
      let bytes = meta.bytes(4)
      var reader = bytes.span.bytes
      inputs = try reader.next([RunRecord.Input].self)
      pins = try reader.next([RunRecord.Input].self)
      adapter = try RunRecord.readAdapter(&reader)
    } catch { throw damaged }
    guard let ending = RunRecord.Ending(rawValue: meta.text(9)) else { throw damaged }
    var record = RunRecord(
      identity: meta.text(0), owner: meta.text(1), path: meta.text(2), text: meta.bytes(3), inputs: inputs, directory: meta.text(5),
      started: WallTime(nanoseconds: meta.integer(6)), bootID: meta.text(7), pid: Int32(clamping: meta.integer(8)))
    record.pins = pins
    record.adapter = adapter
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

  /// The `remember`ed values with the time of each.
  package func remembered() throws(JournalFailure) -> [Remembered] { try Self.remembered(database) }

  /// The `remember`ed values of another run of the same owner.
  package static func remembered(of id: RunID, in directory: StateDirectory) throws(JournalFailure) -> [Remembered] {
    let path = directory.database(of: id)
    guard access(path, F_OK) == 0 else { return [] }
    return try Database.read(path) { (database) throws(JournalFailure) in
      try database.number("PRAGMA user_version") == schema ? try remembered(database) : []
    }
  }

  /// Returns the newest value of each name among all runs of an owner, including ended and dropped
  /// ones, because runs share what they remember. Stores values that are newer than ours.
  package func newestRemembered(of owner: RunIdentity.Owner, among runs: OpenRuns, _ shared: LazySharedStore)
    throws(JournalFailure) -> [Remembered]
  {
    var best = try remembered()
    let own = best
    // An ended run moves its values to the shared database before it leaves the open runs.
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

  /// Runs a transaction. A failure leaves the earlier commits unchanged.
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

  /// Moves the log under continuous load too, or it would fill the disk.
  private func moveWhileBusy() {
    nextMove = database.logPages + Self.logLimit
    database.checkpoint()
    guard database.isLogMoved else { return }
    files.moved()
    unmoved = 0
    unsynced = 0
  }

  /// The size of the write-ahead log in octets.
  package var logSize: Int {
    var found = stat()
    return fstat(log, &found) == 0 ? Int(found.st_size) : 0
  }

  /// Adds the run to the open runs, from before its first commit until its end.
  package func enter(_ runs: OpenRuns, owner: String) throws(JournalFailure) {
    guard place == nil else { return }
    place = (runs, owner, try runs.enter(id))
  }

  /// Removes the ended run from the open runs, so that later starts need not open its database. If
  /// that fails, they do.
  private func leaveOthers() {
    guard let place else { return }
    do throws(JournalFailure) {
      let entries = remembers ? try remembered() : []
      if !entries.isEmpty { try SharedStore(in: directory).keep(entries, of: place.owner) }
      if isFirst { place.runs.leave(place.file) } else { place.runs.leave(id) }
    } catch {}
    self.place = nil
  }

  /// Starts a run from the beginning. Its old state and intents are deleted; `remember`ed values
  /// stay.
  package func startFresh(_ record: RunRecord) throws(JournalFailure) {
    try transaction { () throws(JournalFailure) in
      if !isBlank {
        try database.execute("DELETE FROM rows; DELETE FROM appends")
        try story.clear(database)
      }
      try put(record)
    }
  }

  /// Starts a run in a blank database. The first commit writes its record; until then nothing has
  /// happened.
  package func startWithNextCommit(_ record: RunRecord) { awaited = record }

  /// Continues the existing state in a new process with an edited recipe. The first commit replaces
  /// the record.
  package func takeOverWithNextCommit(_ record: RunRecord) { awaited = record }

  /// Continues the existing state in a new process.
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
    inputs.put(text: record.adapter)
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

  /// Commits a turn: rows, `remember`ed values, new intents, and intents whose outcome is in these
  /// rows.
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

  /// Stores newer values of another run of the same owner.
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

  /// Ends the run. Deletes the state of a finished or stopped run; after other endings, `tooth
  /// resume` may need it.
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
    // The log is on disk, so it can be moved without SQLite's own syncs, which would sync the log
    // and its folder again.
    try database.execute("PRAGMA synchronous=OFF")
    database.checkpoint()
    try database.execute("PRAGMA synchronous=NORMAL")
    try check(fdatasync(file))
    // A run that was terminated continues at the next start.
    if ending != .terminated, ending != .none { leaveOthers() }
  }

  // MARK: History

  /// Adds a line to the history with the next commit.
  package func note(_ line: StoryLine) { story.note(line) }

  /// Adds a line of the recipe's log to the history with the next commit.
  package func log(_ line: StoryLine) { story.log(line) }

  /// Counts a value of a device.
  package func count(valueAt time: WallTime) { story.count(valueAt: time) }

  /// Returns the history of a run. Takes no lock.
  package static func story(of id: RunID, in directory: StateDirectory) -> RunStory {
    let path = directory.database(of: id)
    guard access(path, F_OK) == 0 else { return RunStory() }
    return (try? Database.read(path) { (database) throws(JournalFailure) in try StoryWriter.read(database) }) ?? RunStory()
  }

  /// The most octets of a failure to store.
  private static let failureLimit = 64 << 10

  /// Stores the failure that ends the run, for later display. It is not part of the checkpoint, and
  /// errors here change nothing.
  package func keepFailure(_ failure: KeptFailure) {
    let path = directory.failure(of: id)
    let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    defer { Glibc.close(descriptor) }
    let bytes = failure.bytes(limit: Self.failureLimit)
    _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }

  package static func failure(of id: RunID, in directory: StateDirectory) -> KeptFailure? {
    let descriptor = Glibc.open(directory.failure(of: id), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { Glibc.close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: failureLimit)
    let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
    return count > 0 ? KeptFailure(reading: Array(bytes[..<count])) : nil
  }

  /// Makes everything committed so far survive a power cut.
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

  /// Moves the log into the database while there is nothing else to do, so that it does not grow
  /// without limit.
  package func tidy(atLeast pages: Int = 1000) {
    // If its files were changed, the next sync reports it.
    guard unmoved >= pages, (try? files.verify()) != nil else { return }
    database.checkpoint()
    // An error of the disk may prevent it.
    guard database.isLogMoved else { return }
    files.moved()
    unmoved = 0
    // The move has synced the log and the database.
    unsynced = 0
  }

  /// For tests: limits the size of the database.
  func limit(pages: Int) throws(JournalFailure) { try database.execute("PRAGMA max_page_count=\(pages)") }
}
