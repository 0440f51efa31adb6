import Glibc

/// The runs that have started but not ended: a folder with empty files for each, so that a start
/// need not open the databases of all other runs.
///
/// A file is created before the first commit of a run and removed after the commit of its end.
/// After a kill it remains, so it only means "perhaps", and the database decides. The folder
/// belongs to one boot, because it is never synced; if it is missing or of another boot, it is
/// created from the databases.
package struct OpenRuns {
  private let directory: StateDirectory
  private let name: String
  private var path: String { "\(directory.path)/\(name)" }

  package init(in directory: StateDirectory, bootID: String) {
    self.directory = directory
    // Each run with a virtual clock has a boot of its own, but they share a folder, so that none
    // removes that of another.
    let bootID = bootID.hasPrefix("virtual") ? "virtual" : bootID
    name = "open-" + String(decoding: bootID.utf8.prefix(40).map { RunID.isPlain($0) ? $0 : UInt8(ascii: "-") }, as: UTF8.self)
  }

  /// Creates a file with a unique name and returns the name. A process that finds an outdated file
  /// cannot remove this one by mistake.
  func enter(_ id: RunID) throws(JournalFailure) -> String {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let file = "\(id.text)~\(String(UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec), radix: 36))"
    // Another start may be removing the folder of an older boot or of another machine, and ours
    // with it.
    for _ in 0..<8 {
      if mknod("\(path)/\(file)", S_IFREG | 0o600, 0) == 0 { return file }
      guard errno == ENOENT else { break }
      make(but: id)
    }
    let code = errno
    throw JournalFailure(
      [ENOSPC, EDQUOT].contains(code) ? .diskFull : .unwritable,
      "\(path)/\(file) cannot be created: \(String(cString: strerror(code)))",
      hint: "choose another place with --state DIR")
  }

  func leave(_ file: String) { unlink("\(path)/\(file)") }

  /// Removes the files of this run, including those of its killed processes. The caller holds its
  /// lock.
  func leave(_ id: RunID) {
    for name in StateDirectory(path: path).names() where name.hasPrefix("\(id.text)~") { leave(name) }
  }

  /// The files of the runs of an owner, and of others whose recipes have the same name.
  private func files(of owner: RunIdentity.Owner) -> [(id: RunID, names: [String])] {
    var names = StateDirectory(path: path).names()
    // An existing folder has at least the names `.` and `..`.
    if names.isEmpty {
      make()
      names = StateDirectory(path: path).names()
    }
    let prefix = RunID.prefix(of: owner)
    var files: [RunID: [String]] = [:]
    for name in names where name.hasPrefix(prefix) {
      guard let end = name.lastIndex(of: "~"), let id = RunID(String(name[..<end])) else { continue }
      files[id, default: []].append(name)
    }
    return files.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// The other runs of an owner that may not have ended, the newest start first. Damaged files of
  /// other runs are skipped.
  /// - Parameter limit: The most runs to look at.
  /// - Returns: The runs, and how many more there may be.
  package func others(than id: RunID, of owner: RunIdentity.Owner, limit: Int = .max) throws(JournalFailure)
    -> (runs: [KnownRun], more: Int)
  {
    let files = files(of: owner).filter { $0.id != id }
    var list: [KnownRun] = []
    var buffer: [UInt8] = []
    for (id, names) in files.prefix(limit) {
      // Check this first, so that the state of a run that is not held is final.
      let isHeld = RunLock.holder(of: id, in: directory) != nil
      guard let run = KnownRun.look(at: id, in: directory, &buffer) else {
        // It was dropped or never committed anything.
        if !isHeld { names.forEach(leave) }
        continue
      }
      guard let snapshot = run.snapshot, snapshot.record.owner == owner.text else { continue }
      list.append(run)
      guard !isHeld, snapshot.record.ending != .none, snapshot.record.ending != .terminated else { continue }
      // It was killed between its end and the removal of its files, so store its `remember`ed
      // values for it.
      let entries = try RunStore.remembered(of: id, in: directory)
      if !entries.isEmpty { try SharedStore(in: directory).keep(entries, of: owner.text) }
      names.forEach(leave)
    }
    return (KnownRun.newestFirst(list), files.count - min(files.count, limit))
  }

  /// Creates the folder under another name and then renames it, so that it is never visible while
  /// it is incomplete.
  private func make(but own: RunID? = nil) {
    let names = directory.names()
    let runs = names.compactMap { $0.hasSuffix(".db") ? RunID(String($0.dropLast(3))) : nil }.filter { $0 != own }
    if runs.isEmpty { mkdir(path, 0o700) } else { make(with: runs) }
    for other in names where other.hasPrefix("open-") && other != name && !other.hasPrefix("\(name)~") {
      if name == "open-virtual" || other.hasPrefix("open-virtual") { continue }
      Self.clear("\(directory.path)/\(other)")
    }
  }

  private func make(with runs: [RunID]) {
    let new = "\(path)~\(getpid())"
    if mkdir(new, 0o700) != 0 {
      Self.clear(new)
      guard mkdir(new, 0o700) == 0 else { return }
    }
    var buffer: [UInt8] = []
    for id in runs {
      if let glance = DatabaseGlance(path: directory.database(of: id), buffer: &buffer), !glance.remembers,
        glance.record.ending != .none, glance.record.ending != .terminated
      {
        continue
      }
      mknod("\(new)/\(id.text)~0", S_IFREG | 0o600, 0)
    }
    if rename(new, path) != 0 { Self.clear(new) }
  }

  private static func clear(_ folder: String) {
    for name in StateDirectory(path: folder).names() where name != "." && name != ".." { unlink("\(folder)/\(name)") }
    rmdir(folder)
  }
}
