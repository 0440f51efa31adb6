import Glibc

/// The files of a run as this process has opened them. They are checked for removal, replacement
/// and truncation.
///
/// If they are removed or replaced during the run, a second process can start the same run, because
/// its lock is another file.
struct StoreFiles {
  /// A file and its name.
  struct File: Equatable {
    let path: String
    private let device: dev_t
    private let inode: ino_t

    /// The file of an open descriptor, or else the file that has the name now.
    init?(_ path: String, descriptor: Int32? = nil) {
      var status = stat()
      guard (descriptor.map { fstat($0, &status) } ?? stat(path, &status)) == 0 else { return nil }
      self.init(path, status)
    }

    init(_ path: String, _ status: stat) {
      self.path = path
      device = status.st_dev
      inode = status.st_ino
    }

    /// What happened to the file; `nil` if it is unchanged.
    var displacement: String? {
      var status = stat()
      guard stat(path, &status) == 0 else { return errno == ENOENT ? "\(path) was removed" : "\(path) can no longer be reached" }
      return status.st_dev == device && status.st_ino == inode ? nil : "\(path) was replaced by another file"
    }
  }

  private var files: [File] = []
  private let database: (path: String, descriptor: Int32)
  private let log: (path: String, descriptor: Int32)
  /// The least size of the database in octets, because it never shrinks.
  private var size: off_t = 0
  /// The last frames of commits that are only in the log. If the log was truncated, one of them is
  /// missing or a hole.
  private var marks: [Int] = []
  private static let mostMarks = 64

  init(lock: File?, database: (path: String, descriptor: Int32), log: (path: String, descriptor: Int32)) {
    self.database = database
    self.log = log
    files = [lock].compactMap { $0 }
    var status = stat()
    if fstat(database.descriptor, &status) == 0 {
      files.append(File(database.path, status))
      size = status.st_size
    }
    if let file = File(log.path, descriptor: log.descriptor) { files.append(file) }
  }

  /// A commit ended with this frame of the log; 0 if it changed nothing.
  mutating func committed(frame: Int) { if marks.count < Self.mostMarks, frame > 0 { marks.append(frame) } }

  /// The commits so far are on disk, so only the last frame has to be checked.
  mutating func synced() { marks.removeFirst(max(0, marks.count - 1)) }

  /// The log was moved into the database and may restart.
  mutating func moved() {
    marks = []
    size = Self.size(of: database.descriptor)
  }

  /// Fails if a file was removed, replaced or truncated.
  func verify() throws(JournalFailure) {
    for file in files { if let displacement = file.displacement { throw Self.failure(displacement) } }
    guard Self.size(of: database.descriptor) >= size else { throw Self.failure("\(database.path) was cut off") }
    guard marks.isEmpty || isLogWhole else { throw Self.failure("\(log.path) was cut off") }
  }

  /// Whether the frames are intact: each contains the salt of the log's header
  /// (https://www.sqlite.org/fileformat2.html, 4.1).
  private var isLogWhole: Bool {
    // The marks of a short run are near the start, so one call reads them all.
    let head = Self.read(log.descriptor, at: 0, count: marks.count > 1 ? 16_384 : 32)
    guard head.count >= 32, head[0] == 0x37, head[1] == 0x7F else { return false }
    let page = head[8..<12].reduce(0) { $0 << 8 | Int($1) }
    return marks.allSatisfy { frame in
      let place = 32 + (frame - 1) * (24 + page) + 8
      if place + 8 <= head.count { return head[place..<place + 8] == head[16..<24] }
      return Self.read(log.descriptor, at: place, count: 8)[...] == head[16..<24]
    }
  }

  /// Reads bytes; fewer at the end of the file.
  static func read(_ descriptor: Int32, at offset: Int, count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
      filled = max(0, pread(descriptor, bytes.baseAddress, count, off_t(offset)))
    }
  }

  private static func size(of descriptor: Int32) -> off_t {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status.st_size : 0
  }

  private static func failure(_ what: String) -> JournalFailure {
    JournalFailure(
      .displaced, "\(what) during the run: its checkpoint is lost",
      hint: "check with tooth runs whether another process has started the run meanwhile; if not, start it again")
  }
}

extension StoreFiles {
  /// Creates a file for a database that only its user can read, or removes the access rights of
  /// others to it.
  static func makePrivate(_ path: String) throws(JournalFailure) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else {
      // SQLite reports any other error.
      guard errno == ELOOP else { return }
      throw JournalFailure(
        .unwritable, "\(path) is a link, not a checkpoint", hint: "remove it, or choose another place with --state DIR")
    }
    closeToOthers([descriptor])
    close(descriptor)
  }

  /// Removes the access rights of others to files of an earlier version, whose log had the rights
  /// of the database.
  static func closeToOthers(_ descriptors: [Int32]) {
    for descriptor in descriptors {
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_mode & 0o077 != 0 else { continue }
      fchmod(descriptor, 0o600)
    }
  }
}
