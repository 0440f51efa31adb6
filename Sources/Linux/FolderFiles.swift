import Glibc

/// Files of a folder.
package enum Files {
  /// Returns the names in a folder, unordered; none if it cannot be read.
  package static func names(in path: String) -> [String] {
    guard let handle = opendir(path) else { return [] }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Why a folder or the files in it cannot be read; `nil` if they can, or if there is none.
  package static func obstacle(toReading path: String) -> SystemFailure? {
    guard let handle = opendir(path) else { return errno == ENOENT ? nil : failure("reading", path) }
    closedir(handle)
    return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0 ? nil : SystemFailure("reading the files in \(path)")
  }

  /// A failed use of a folder. Names what stands in its place or in that of a folder above it.
  private static func failure(_ doing: String, _ path: String, code: Int32 = errno) -> SystemFailure {
    guard code == ENOTDIR else { return SystemFailure("\(doing) \(path)", code: code) }
    var place = path
    var status = stat()
    while stat(place, &status) != 0, errno == ENOTDIR, place != parent(of: place) { place = parent(of: place) }
    return SystemFailure("\(doing) \(path)", code: code, words: "\(place) is not a folder")
  }

  /// What to do about a folder that cannot be used.
  package static func cure(of failure: SystemFailure, for folder: String) -> String {
    switch failure.code {
    case ENOTDIR: return "move that file away, or choose another folder with --state DIR"
    case EROFS: return "choose a folder on a file system that can be written with --state DIR"
    default: break
    }
    guard failure.isDenied else { return "check the disk, or choose another folder with --state DIR" }
    var status = stat()
    let isRoots = stat(folder, &status) == 0 && status.st_uid == 0 && geteuid() != 0
    return "give this user sole access to it (chown, chmod)" + (isRoots ? ", or run this as root" : "")
  }

  /// Whether the path is a folder. A symbolic link may form a cycle, so it only counts with
  /// `followsLinks`, for paths that the user has named.
  package static func isFolder(_ path: String, followsLinks: Bool = false) -> Bool {
    var status = stat()
    return (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Whether this user may list a folder and open what is in it.
  package static func mayRead(folder path: String) -> Bool { access(path, R_OK | X_OK) == 0 }

  /// A number that changes when a file in a folder is created, replaced or removed; `nil` if there
  /// is no folder. Timestamps of the file system alone are too coarse.
  package static func state(of folder: String) -> UInt64? {
    var status = stat()
    guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, let handle = opendir(folder) else { return nil }
    defer { closedir(handle) }
    var sum =
      UInt64(truncatingIfNeeded: status.st_mtim.tv_sec) &* 1_000_000_007 &+ UInt64(truncatingIfNeeded: status.st_mtim.tv_nsec)
    // Independent of the order in which they are listed.
    while let entry = readdir(handle) { sum &+= UInt64(entry.pointee.d_ino) &* 0x9E37_79B9_7F4A_7C15 }
    return sum
  }

  /// When a file or folder was last changed, in nanoseconds since 1970; 0 if there is none.
  package static func changed(_ path: String) -> Int64 {
    var status = stat()
    guard lstat(path, &status) == 0 else { return 0 }
    return Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
  }

  /// Creates a folder and its parents.
  package static func makeFolders(_ path: String) throws(SystemFailure) {
    var made = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      made += "/\(part)"
      if mkdir(made, 0o755) != 0, errno != EEXIST, errno != EISDIR { throw SystemFailure("making \(made)") }
    }
  }

  /// Creates a folder that no other user can access, and its parents.
  package static func makePrivateFolder(_ path: String) throws(SystemFailure) {
    try makeFolders(parent(of: parent(of: path)))
    for made in [parent(of: path), path] where mkdir(made, 0o700) != 0 && errno != EEXIST { throw SystemFailure("making \(made)") }
    guard try closeFolder(path) else { throw SystemFailure("making \(path)", code: ENOENT) }
    try sync(parent(of: path))
    // The parents may be new, too. One that cannot be opened is not ours and existed before.
    var above = parent(of: parent(of: path))
    while above.count > 1 {
      try? sync(above)
      above = parent(of: above)
    }
  }

  /// Whether users other than the owner can create and remove files in a folder.
  package static func isOpenToOthers(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_mode & 0o022 != 0
  }

  /// Removes other users' access to an existing folder. Returns false if there is none.
  package static func closeFolder(_ path: String) throws(SystemFailure) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      if errno == ENOENT { return false }
      throw failure("using", path)
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw failure("using", path, code: ENOTDIR) }
    guard status.st_uid == geteuid() else { throw SystemFailure("using \(path)", code: EPERM, words: "another user owns it") }
    // What its owner may not do stays as it is.
    let mode = status.st_mode & 0o700
    guard status.st_mode & 0o777 == mode || chmod(path, mode) == 0 else { throw SystemFailure("using \(path)") }
    return true
  }

  /// Reads a file that no other user can have written or read. Does not follow a link.
  package static func readPrivate(_ path: String, limit: Int) throws(SystemFailure) -> [UInt8] {
    try readGuarded(
      path, limit, rootsToo: false, barred: 0o077, words: "other users can read or write it; `chmod 600` it if none has")
  }

  /// Reads a file of this user or root that no other user can have written. Does not follow a link.
  package static func readOwned(_ path: String, limit: Int) throws(SystemFailure) -> [UInt8] {
    try readGuarded(path, limit, rootsToo: true, barred: 0o022, words: "other users can write it; `chmod go-w` it if none has")
  }

  /// - Parameter barred: The bits that the mode of the file must not have.
  private static func readGuarded(
    _ path: String, _ limit: Int, rootsToo: Bool, barred: mode_t, words: String
  ) throws(SystemFailure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw SystemFailure("reading \(path)") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemFailure("reading \(path)") }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw SystemFailure("reading \(path)", code: EINVAL, words: "it is \(SystemFailure.kind(status.st_mode & S_IFMT))")
    }
    guard status.st_uid == geteuid() || rootsToo && status.st_uid == 0 else {
      throw SystemFailure("reading \(path)", code: EPERM, words: "another user owns it")
    }
    guard status.st_mode & barred == 0 else { throw SystemFailure("reading \(path)", code: EPERM, words: words) }
    return try readAll(descriptor, named: path, limit: limit)
  }

  package enum Kind: Sendable { case file, folder, other }

  /// The kind of a path, without following a link; `nil` if it does not exist.
  package static func kind(of path: String) -> Kind? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    return switch status.st_mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .folder
    default: .other
    }
  }

  /// Performs an operation on a folder as its owner, if this is root and the owner is not. The
  /// service that owns the folder can then read the files.
  package static func asOwner<Result>(of folder: String, _ body: () -> Result) -> Result {
    var status = stat()
    guard geteuid() == 0, stat(folder, &status) == 0, status.st_uid != 0 else { return body() }
    let group = getegid()
    guard setegid(status.st_gid) == 0, seteuid(status.st_uid) == 0 else { return body() }
    defer {
      _ = seteuid(0)
      _ = setegid(group)
    }
    return body()
  }

  /// Removes a file and syncs the folder. A missing file is not an error.
  package static func removeSynced(_ path: String) throws(SystemFailure) {
    if unlink(path) != 0, errno != ENOENT { throw SystemFailure("removing \(path)") }
    try sync(parent(of: path))
  }

  /// Syncs the entries of a folder to disk.
  package static func sync(_ folder: String) throws(SystemFailure) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemFailure("syncing \(folder)") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw SystemFailure("syncing \(folder)") }
  }

  package static func remove(_ path: String) throws(SystemFailure) {
    guard unlink(path) == 0 else { throw SystemFailure("removing \(path)") }
  }

  /// Reads the first line of a small file, such as those of /sys and /proc.
  package static func line(_ path: String) -> String? {
    guard let bytes = try? readFile(path, limit: 1 << 16) else { return nil }
    let text = String(decoding: bytes.prefix { $0 != 0x0A && $0 != 0 }, as: UTF8.self)
    return text.isEmpty ? nil : text
  }

  /// Writes a file of this size in a folder, as a test, and leaves nothing.
  package static func tryWriting(_ size: Int, in folder: String) throws(SystemFailure) {
    let file = "a file in \(folder)"
    // O_TMPFILE, which Swift cannot import: a file without a name, also after a kill.
    let unnamed: Int32 = 0o20000000 | O_DIRECTORY
    var descriptor = open(folder, unnamed | O_WRONLY | O_CLOEXEC, 0o600)
    // A file system without such files, as some of networks: the file has a name until it is open.
    if descriptor < 0, [EOPNOTSUPP, EISDIR, EINVAL].contains(errno) {
      var name = Array("\(folder)/.tooth-XXXXXX".utf8CString)
      descriptor = mkstemp(&name)
      if descriptor >= 0 {
        unlink(name)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      }
    }
    guard descriptor >= 0 else { throw SystemFailure("writing \(file)") }
    defer { close(descriptor) }
    try writeAll(descriptor, [UInt8](repeating: 0, count: size), named: file)
    guard fsync(descriptor) == 0 else { throw SystemFailure("writing \(file)") }
  }

  /// The octets that an unprivileged user may still write, and whether this user may write into it
  /// as a folder; `nil` if the path does not exist.
  package static func room(at path: String) -> (free: UInt64, isFolder: Bool, isWritable: Bool)? {
    var status = statvfs()
    var kind = stat()
    guard statvfs(path, &status) == 0, stat(path, &kind) == 0 else { return nil }
    return (
      UInt64(status.f_bavail) * UInt64(status.f_frsize), kind.st_mode & S_IFMT == S_IFDIR, access(path, W_OK | X_OK) == 0
    )
  }

  /// The octets that a file occupies; 0 if it does not exist.
  package static func size(of path: String) -> UInt64 {
    var status = stat()
    return stat(path, &status) == 0 ? UInt64(max(0, status.st_size)) : 0
  }
}
