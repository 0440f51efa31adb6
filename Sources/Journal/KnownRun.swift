import Glibc
import Vocabulary

/// A run with a file in a state directory, which serves as the index of runs.
package struct KnownRun: Sendable {
  package var id: RunID
  /// The state of the run without its rows; `nil` if the file cannot be read.
  package var snapshot: RunSnapshot?

  /// Returns all runs, the newest start first, unreadable ones last. A file without a commit is not
  /// a run.
  package static func all(in directory: StateDirectory) -> [KnownRun] {
    var buffer: [UInt8] = []
    return newestFirst(directory.runs().compactMap { look(at: $0, in: directory, &buffer) })
  }

  /// Returns a run; `nil` if its file has no commit. Reads the file without SQLite if no process
  /// has it open.
  static func look(at id: RunID, in directory: StateDirectory, _ buffer: inout [UInt8]) -> KnownRun? {
    if let glance = DatabaseGlance(path: directory.database(of: id), buffer: &buffer) {
      return KnownRun(
        id: id,
        snapshot: RunSnapshot(
          record: glance.record, rows: [], appends: [], lastCommit: glance.lastCommit,
          lastSign: RunLock.lastSign(of: id, in: directory)))
    }
    do throws(JournalFailure) {
      guard let snapshot = try RunStore.peek(id, in: directory, withRows: false) else { return nil }
      return KnownRun(id: id, snapshot: snapshot)
    } catch {
      return KnownRun(id: id, snapshot: nil)
    }
  }

  static func newestFirst(_ list: [KnownRun]) -> [KnownRun] {
    list.sorted {
      let (left, right) = ($0.snapshot?.record.started, $1.snapshot?.record.started)
      guard let left, let right, left != right else { return left == right ? $0.id < $1.id : left != nil }
      return left > right
    }
  }

  /// Deletes a run. Its owner keeps the `remember`ed values. Refuses a run that is active.
  package static func drop(_ id: RunID, in directory: StateDirectory) throws(JournalFailure) {
    let path = directory.database(of: id)
    guard access(path, F_OK) == 0 else { throw JournalFailure(.unknown, "there is no run \(id)", hint: "tooth runs lists them") }
    let lock = try RunLock(id, in: directory)
    // An unreadable run can be dropped too.
    if let snapshot = try? RunStore.peek(id, in: directory, withRows: false),
      let entries = try? RunStore.remembered(of: id, in: directory), !entries.isEmpty
    {
      try SharedStore(in: directory).keep(entries, of: snapshot.record.owner)
    }
    for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    unlink(directory.packets(of: id))
    unlink(directory.failure(of: id))
    for name in directory.names() where name.hasPrefix("open-") {
      let marks = StateDirectory(path: "\(directory.path)/\(name)")
      for mark in marks.names() where mark.hasPrefix("\(id.text)~") { unlink("\(marks.path)/\(mark)") }
    }
    lock.remove()
  }
}
