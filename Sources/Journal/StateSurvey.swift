import CSQLite
import Glibc

/// The contents of a state directory. Nothing is created or changed.
package struct StateSurvey: Equatable, Sendable {
  package var runs = 0
  /// The IDs of runs that cannot be read.
  package var damaged: [String] = []
  /// The total size of all files in octets.
  package var size: UInt64 = 0

  package init(_ directory: StateDirectory) {
    for name in directory.names() {
      var status = stat()
      if lstat("\(directory.path)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG {
        size += UInt64(max(0, status.st_size))
      }
    }
    for id in directory.runs() {
      // Reads the rows too, because they may be damaged. A file without a commit is not a run.
      do throws(JournalFailure) { if try RunStore.peek(id, in: directory) != nil { runs += 1 } } catch { damaged.append(id.text) }
    }
  }

  /// The version of SQLite, such as `3.40.1`.
  package static var libraryVersion: String { String(cString: sqlite3_libversion()) }
}
