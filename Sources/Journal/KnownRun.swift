import Glibc
import Vocabulary

/// A run whose file lies in a state directory: the directory is the index of runs.
package struct KnownRun: Sendable {
  package var id: RunID
  /// How it stands, without its rows; nothing when the file cannot be read.
  package var snapshot: RunSnapshot?

  /// Every run, the newest start first, what cannot be read last. A file that never committed
  /// anything is no run.
  package static func all(in directory: StateDirectory) -> [KnownRun] {
    var buffer: [UInt8] = []
    return newestFirst(directory.runs().compactMap { look(at: $0, in: directory, &buffer) })
  }

  /// One run; nothing when its file never committed anything. Its file is read without SQLite where
  /// nobody has it open.
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

  /// Deletes a run for good; what it remembered stays with its owner. A run that goes on is
  /// refused.
  package static func drop(_ id: RunID, in directory: StateDirectory) throws(JournalFailure) {
    let path = directory.database(of: id)
    guard access(path, F_OK) == 0 else { throw JournalFailure(.unknown, "there is no run \(id)", hint: "tooth runs lists them") }
    let lock = try RunLock(id, in: directory)
    // What cannot be read any more must still be possible to drop.
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
