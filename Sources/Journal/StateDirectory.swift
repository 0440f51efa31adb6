import Glibc

/// The directory of checkpoints: `--state`, else `$STATE_DIRECTORY` (systemd), else
/// `$XDG_STATE_HOME/tooth`, else `~/.local/state/tooth`.
package struct StateDirectory: Equatable, Sendable {
  package var path: String

  package init(path: String) { self.path = path }

  /// Chooses the directory. `environment` looks up a variable.
  package static func choose(option: String?, environment: (String) -> String?) throws(JournalFailure) -> StateDirectory {
    func set(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
    if let option {
      guard !option.isEmpty else { throw JournalFailure(.unwritable, "--state needs a directory") }
      return StateDirectory(path: option)
    }
    // If a unit has several, systemd separates them with colons; the first is ours.
    if let given = set("STATE_DIRECTORY") {
      return StateDirectory(path: String(given.split(separator: ":", maxSplits: 1)[0]))
    }
    if let base = set("XDG_STATE_HOME"), base.hasPrefix("/") { return StateDirectory(path: "\(base)/tooth") }
    if let home = set("HOME"), home.hasPrefix("/") { return StateDirectory(path: "\(home)/.local/state/tooth") }
    throw JournalFailure(
      .unwritable, "there is no folder for checkpoints: HOME is not set", hint: "choose one with --state DIR")
  }

  /// What a directory is needed for.
  package enum Use: Sendable {
    case saving, listing
    /// Of runs that are there, so that another directory is no help.
    case continuing, removing

    fileprivate var complaint: String {
      switch self {
      case .saving: "checkpoints cannot be saved in"
      case .listing: "runs cannot be read in"
      case .continuing: "runs cannot be continued in"
      case .removing: "runs cannot be removed in"
      }
    }
  }

  /// Creates the directory (mode 0700) and its missing parents, and checks that it can be written.
  /// Returns a warning if other users can write to it, because they could remove or replace the
  /// files of a run.
  @discardableResult package func make(for use: Use = .saving) throws(JournalFailure) -> String? {
    var made = path.hasPrefix("/") ? "" : "."
    // Usually it exists, or only the last component is missing.
    let isThere = mkdir(path, 0o700) == 0 || errno == EEXIST
    for part in isThere ? [] : path.split(separator: "/") {
      made += "/\(part)"
      if mkdir(made, 0o700) != 0, errno != EEXIST, errno != EISDIR {
        // For an existing parent, mkdir fails with EROFS on a read-only file system and with EACCES
        // without write access.
        var status = stat()
        guard [EROFS, EACCES, EPERM].contains(errno), stat(made, &status) == 0 else { throw refusal(errno, at: made, use) }
      }
    }
    var status = stat()
    guard stat(path, &status) == 0 else { throw refusal(errno, at: path, use) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw refusal(ENOTDIR, at: path, use) }
    guard access(path, W_OK | X_OK) == 0 else { throw refusal(errno, at: path, use) }
    if status.st_uid != geteuid(), status.st_uid != 0 {
      return "checkpoints are kept in \(path), which belongs to user \(status.st_uid)"
    }
    guard status.st_mode & 0o022 != 0 else { return nil }
    return "other users can write to \(path), where checkpoints are kept: chmod go-w \(path)"
  }

  /// Checks that the directory can be read, even if it cannot be written. Returns false if there is
  /// none.
  package func look() throws(JournalFailure) -> Bool {
    guard let handle = opendir(path) else {
      let code = errno
      if code == ENOENT { return false }
      throw refusal(code, at: path, .listing)
    }
    closedir(handle)
    return true
  }

  private func refusal(_ code: Int32, at place: String, _ use: Use) -> JournalFailure {
    let why =
      switch code {
      case EROFS: "it is on a read-only file system"
      case EACCES, EPERM: "permission denied"
      case ENOTDIR, EEXIST: "\(place) is not a directory"
      case ENOSPC, EDQUOT, EFBIG: "the disk is full"
      default: String(cString: strerror(code))
      }
    return JournalFailure(
      [ENOSPC, EDQUOT, EFBIG].contains(code) ? .diskFull : .unwritable,
      "\(use.complaint) \(path): \(why)", hint: cure(of: code, use))
  }

  private func cure(of code: Int32, _ use: Use) -> String {
    let other = "choose another place with --state DIR"
    var status = stat()
    switch code {
    case EACCES, EPERM:
      // If it does not exist, the folder above it is closed.
      guard stat(path, &status) == 0 else { return other }
      let access =
        status.st_uid == geteuid()
        ? "give yourself access to it (chmod u+rwx)" : "run this as \(Self.name(ofUser: status.st_uid)), who owns this folder"
      return use == .saving ? "\(access), or \(other)" : access
    case EROFS where use == .continuing || use == .removing:
      return "make the file system writable" + (use == .removing ? "" : ", or give a copy of the folder with --state DIR")
    default: return other
    }
  }

  private static func name(ofUser id: uid_t) -> String {
    guard let entry = getpwuid(id), let name = entry.pointee.pw_name else { return "user \(id)" }
    return String(cString: name)
  }

  /// Every file that may be a run's database, by name.
  package func runs() -> [RunID] {
    names().compactMap { $0.hasSuffix(".db") ? RunID(String($0.dropLast(3))) : nil }.sorted()
  }

  /// The names of all entries, in no order.
  func names() -> [String] {
    guard let handle = opendir(path) else { return [] }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        })
    }
    return names
  }

  /// Whether there is a database for a run.
  package func has(_ id: RunID) -> Bool { access(database(of: id), F_OK) == 0 }

  func database(of id: RunID) -> String { "\(path)/\(id.text).db" }
  func lock(of id: RunID) -> String { "\(path)/\(id.text).lock" }
  /// The capture of the last packets before the adapter failed.
  package func packets(of id: RunID) -> String { "\(path)/\(id.text).btsnoop" }
  /// The failure that ended a run, as it was shown.
  func failure(of id: RunID) -> String { "\(path)/\(id.text).failure" }
  var shared: String { "\(path)/shared.db" }
}
