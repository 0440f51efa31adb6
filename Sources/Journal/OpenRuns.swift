import Glibc

/// The runs that have begun and not ended: a folder with an empty file for each, so that a start
/// need not look into the databases of all others.
///
/// The file is there before the first commit of a run, and goes after the commit of its end. A kill
/// leaves it, so it says "perhaps", and the database is asked. The folder belongs to one boot, for
/// it is never synced: after another boot, and where there is none, it is made from the databases.
package struct OpenRuns {
  private let directory: StateDirectory
  private let name: String
  private var path: String { "\(directory.path)/\(name)" }

  package init(in directory: StateDirectory, bootID: String) {
    self.directory = directory
    name = "open-" + String(decoding: bootID.utf8.prefix(40).map { RunID.isPlain($0) ? $0 : UInt8(ascii: "-") }, as: UTF8.self)
  }

  /// Makes a file of a name of its own, which it gives, so that nobody who finds an older one out
  /// of date can take it away.
  func enter(_ id: RunID) throws(JournalFailure) -> String {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let file = "\(id.text)~\(String(UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec), radix: 36))"
    // Another start may be clearing away what an older boot left, and ours with it when it is of
    // another machine.
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

  /// Takes away the files of this run, also those that its killed processes have left. Its lock is
  /// held.
  func leave(_ id: RunID) {
    for name in StateDirectory(path: path).names() where name.hasPrefix("\(id.text)~") { leave(name) }
  }

  /// The files of each run of an owner, and of others whose recipes have the same name.
  private func files(of owner: RunIdentity.Owner) -> [(id: RunID, names: [String])] {
    var names = StateDirectory(path: path).names()
    // A folder that exists has two names at least, `.` and `..`.
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

  /// Those of one owner but for this one that may not have ended, the newest start first. Another
  /// run's damaged file is its own affair.
  /// - Parameter limit: so many are looked at.
  /// - Returns: them, and how many more there may be.
  package func others(than id: RunID, of owner: RunIdentity.Owner, limit: Int = .max) throws(JournalFailure)
    -> (runs: [KnownRun], more: Int)
  {
    let files = files(of: owner).filter { $0.id != id }
    var list: [KnownRun] = []
    var buffer: [UInt8] = []
    for (id, names) in files.prefix(limit) {
      // Before the look, so that what is found of one that nobody holds is how it ended.
      let isHeld = RunLock.holder(of: id, in: directory) != nil
      guard let run = KnownRun.look(at: id, in: directory, &buffer) else {
        // It was dropped, or has never committed anything.
        if !isHeld { names.forEach(leave) }
        continue
      }
      guard let snapshot = run.snapshot, snapshot.record.owner == owner.text else { continue }
      list.append(run)
      guard !isHeld, snapshot.record.ending != .none, snapshot.record.ending != .terminated else { continue }
      // It was killed between its end and its leaving: what it remembered goes where it would have
      // put it.
      let entries = try RunStore.remembered(of: id, in: directory)
      if !entries.isEmpty { try SharedStore(in: directory).keep(entries, of: owner.text) }
      names.forEach(leave)
    }
    return (KnownRun.newestFirst(list), files.count - min(files.count, limit))
  }

  /// Makes the folder under another name and then gives it its own, so that it is never seen with
  /// less than it must hold.
  private func make(but own: RunID? = nil) {
    let names = directory.names()
    let runs = names.compactMap { $0.hasSuffix(".db") ? RunID(String($0.dropLast(3))) : nil }.filter { $0 != own }
    if runs.isEmpty { mkdir(path, 0o700) } else { make(with: runs) }
    for other in names where other.hasPrefix("open-") && other != name && !other.hasPrefix("\(name)~") {
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
