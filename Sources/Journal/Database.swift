import CSQLite
import Glibc

/// An SQLite connection, used by one thread only.
final class Database {
  /// A prepared statement for repeated use. It is finalised when it is released, or by `close` of
  /// its database.
  final class Statement {
    fileprivate var handle: OpaquePointer?
    private unowned let database: Database

    fileprivate init(_ handle: OpaquePointer?, of database: Database) {
      self.handle = handle
      self.database = database
    }

    deinit { sqlite3_finalize(handle) }

    func bind(_ index: Int32, _ value: Int64) { _ = sqlite3_bind_int64(handle, index, value) }

    func bind(_ index: Int32, _ value: Int64?) {
      if let value { bind(index, value) } else { _ = sqlite3_bind_null(handle, index) }
    }

    /// Binds bytes, which SQLite copies.
    func bind(_ index: Int32, _ value: [UInt8]) {
      let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
      value.withUnsafeBytes { bytes in
        // An empty array has no base address, and SQLite would store NULL for a null pointer.
        if let base = bytes.baseAddress, !bytes.isEmpty {
          _ = sqlite3_bind_blob(handle, index, base, Int32(clamping: bytes.count), transient)
        } else {
          _ = sqlite3_bind_zeroblob(handle, index, 0)
        }
      }
    }

    func bind(_ index: Int32, _ value: String) {
      let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
      _ = sqlite3_bind_text(handle, index, value, Int32(clamping: value.utf8.count), transient)
    }

    func bind(_ index: Int32, _ value: String?) {
      if let value { bind(index, value) } else { _ = sqlite3_bind_null(handle, index) }
    }

    /// Returns whether there is a row. After the last one the statement is reset.
    func step() throws(JournalFailure) -> Bool {
      let code = sqlite3_step(handle)
      if code == SQLITE_ROW { return true }
      sqlite3_reset(handle)
      sqlite3_clear_bindings(handle)
      guard code == SQLITE_DONE else { throw database.failure(code) }
      return false
    }

    /// Runs a statement that returns no rows.
    func run() throws(JournalFailure) {
      while try step() {}
    }

    func reset() {
      sqlite3_reset(handle)
      sqlite3_clear_bindings(handle)
    }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    func bytes(_ column: Int32) -> [UInt8] {
      let count = Int(sqlite3_column_bytes(handle, column))
      guard count > 0, let base = sqlite3_column_blob(handle, column) else { return [] }
      return Array(UnsafeRawBufferPointer(start: base, count: count))
    }

    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }
  }

  private var handle: OpaquePointer?
  private struct Prepared { weak var statement: Statement? }
  private var statements: [Prepared] = []
  let path: String
  /// The frames of the write-ahead log after the last commit that wrote some, counted from
  /// `countLog` on.
  private var frames = 0

  /// SQLite's memory statistics are unused, and each allocation takes a lock to update them.
  private static let withoutStatistics = csqlite_without_statistics()

  /// Opens a database and creates it. SQLite does not read the file before the first statement.
  convenience init(path: String) throws(JournalFailure) {
    try self.init(path: path, name: path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
  }

  /// Reads a database while its run may be writing it, also in a folder that cannot be written. It
  /// takes no lock and writes nothing, because a run holds its database for itself alone. If the
  /// files changed under the reader, it reads again.
  static func read<Result>(_ path: String, _ work: (Database) throws(JournalFailure) -> Result) throws(JournalFailure) -> Result {
    for _ in 1..<mostReadings {
      let before = FileState(path)
      if before.isAtRest {
        let result: Swift.Result<Result, JournalFailure>
        do throws(JournalFailure) { result = .success(try work(Database(reading: path, before))) } catch {
          result = .failure(error)
        }
        if FileState(path) == before { return try result.get() }
      }
      // A move of the log into the database takes milliseconds.
      poll(nil, 0, 5)
    }
    return try work(Database(reading: path, FileState(path)))
  }

  private static let mostReadings = 100

  /// Whether a log is moved into the database shows in the time of the database, and whether the
  /// log has begun anew in the log's header (https://www.sqlite.org/fileformat2.html, 4.1).
  private struct FileState: Equatable {
    private var file: StoreFiles.File?
    private var size: off_t = 0
    private var seconds = 0
    private var nanoseconds = 0
    /// Empty without a log.
    private var logHead: [UInt8] = []

    init(_ path: String) {
      let log = open("\(path)-wal", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      if log >= 0 {
        logHead = StoreFiles.read(log, at: 0, count: 32)
        Glibc.close(log)
      }
      var status = stat()
      guard stat(path, &status) == 0 else { return }
      file = StoreFiles.File(path, status)
      (size, seconds, nanoseconds) = (status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }

    var hasLog: Bool { !logHead.isEmpty }

    /// Whether the last change is so long ago that another one has another time. The times of files
    /// advance by 4 or 10 ms.
    var isAtRest: Bool {
      var now = timespec()
      clock_gettime(CLOCK_REALTIME, &now)
      // A file may claim any time.
      guard hasLog, case (let age, false) = now.tv_sec.subtractingReportingOverflow(seconds), (0...1).contains(age) else {
        return true
      }
      return !(0..<20).contains(age * 1000 + (now.tv_nsec - nanoseconds) / 1_000_000)
    }
  }

  /// Opens a database to read it. Without a log SQLite would create one, unless the database is
  /// declared immutable.
  private convenience init(reading path: String, _ state: FileState) throws(JournalFailure) {
    let name = "file:\(Self.escaped(path))?" + (state.hasLog ? "vfs=unix-none" : "immutable=1")
    try self.init(path: path, name: name, flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
    // The index of the log is built in memory.
    try hold()
  }

  /// Holds the database for this process alone, from the first access on. Its log then needs no
  /// shared index, and a commit no locks.
  func hold() throws(JournalFailure) { try execute("PRAGMA locking_mode=EXCLUSIVE") }

  /// A path in a URI (RFC 3986, 2.1).
  private static func escaped(_ path: String) -> String {
    path.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
        String(UnicodeScalar(byte))
      default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }.joined()
  }

  private init(path: String, name: String, flags: Int32) throws(JournalFailure) {
    self.path = path
    _ = Self.withoutStatistics
    let code = sqlite3_open_v2(name, &handle, flags | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK else {
      let problem = failure(code)
      close()
      throw problem
    }
    sqlite3_extended_result_codes(handle, 1)
    // Others hold the lock of a shared database for microseconds.
    sqlite3_busy_timeout(handle, 2000)
  }

  deinit { close() }

  func close() {
    for case let statement? in statements.map(\.statement) {
      sqlite3_finalize(statement.handle)
      statement.handle = nil
    }
    statements = []
    sqlite3_close_v2(handle)
    handle = nil
  }

  func execute(_ sql: String) throws(JournalFailure) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code) }
  }

  func prepare(_ sql: String) throws(JournalFailure) -> Statement {
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK else { throw failure(code) }
    let statement = Statement(prepared, of: self)
    if statements.count >= 32 { statements.removeAll { $0.statement == nil } }
    statements.append(Prepared(statement: statement))
    return statement
  }

  /// The number of statements that are not finalised.
  var preparedCount: Int {
    var count = 0
    var statement = sqlite3_next_stmt(handle, nil)
    while statement != nil {
      count += 1
      statement = sqlite3_next_stmt(handle, statement)
    }
    return count
  }

  /// Returns a number from a single row, for pragmas.
  func number(_ sql: String) throws(JournalFailure) -> Int64 {
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, 0, &prepared, nil)
    guard code == SQLITE_OK else { throw failure(code) }
    defer { sqlite3_finalize(prepared) }
    let step = sqlite3_step(prepared)
    guard step == SQLITE_ROW else {
      if step == SQLITE_DONE { return 0 }
      throw failure(step)
    }
    return sqlite3_column_int64(prepared, 0)
  }

  /// The frame count after a commit since the last call; 0 if there was none.
  func takeFrames() -> Int {
    defer { frames = 0 }
    return frames
  }

  /// Rolls back a failed transaction. It may already be gone, because SQLite ends some by itself.
  func rollback() { _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }

  /// The pages in the write-ahead log after the last commit.
  private(set) var logPages = 0
  /// Whether the last `checkpoint` moved the whole log.
  private(set) var isLogMoved = false

  /// Counts the pages of the log from now on and turns automatic checkpoints off.
  func countLog() {
    _ = sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        guard let context else { return SQLITE_OK }
        let database = Unmanaged<Database>.fromOpaque(context).takeUnretainedValue()
        database.logPages = Int(pages)
        database.frames = Int(pages)
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Moves the write-ahead log into the database.
  func checkpoint() {
    var (pages, moved): (Int32, Int32) = (0, 0)
    isLogMoved = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &pages, &moved) == SQLITE_OK && pages == moved
  }

  var changes: Int { Int(sqlite3_changes(handle)) }

  /// The failure for the user.
  func failure(_ code: Int32) -> JournalFailure {
    let message = sqlite3_errmsg(handle).map { String(cString: $0) } ?? "error \(code)"
    switch code & 0xFF {
    case SQLITE_FULL:
      return JournalFailure(
        .diskFull, "the disk is full: \(path) cannot grow", hint: "free some space there, or choose another place with --state DIR")
    case SQLITE_CORRUPT, SQLITE_NOTADB:
      return JournalFailure(.unreadable, "the checkpoint \(path) is damaged (\(message))", hint: "start over with --fresh")
    case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
      return JournalFailure(.unwritable, "\(path) cannot be written (\(message))", hint: "choose another place with --state DIR")
    case SQLITE_BUSY, SQLITE_LOCKED:
      return JournalFailure(.locked(pid: nil), "\(path) is held by another process")
    case SQLITE_IOERR where code == SQLITE_IOERR | 3 << 8 || code == SQLITE_IOERR | 19 << 8:
      // SQLITE_IOERR_WRITE and SQLITE_IOERR_SHMSIZE mean a quota or a limit of the process; a full
      // disk is SQLITE_FULL.
      return JournalFailure(
        .diskFull, "the disk is full, or a limit is reached: \(path) cannot grow",
        hint: "free some space there, or choose another place with --state DIR")
    default:
      return JournalFailure(.unwritable, "\(path): \(message)", hint: "choose another place with --state DIR")
    }
  }
}
