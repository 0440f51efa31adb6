import CSQLite
import Glibc

/// What is in a state directory. Nothing is made or changed.
package struct StateSurvey: Equatable, Sendable {
  package var runs = 0
  /// IDs of runs that cannot be read.
  package var damaged: [String] = []
  /// Octets of everything in it.
  package var size: UInt64 = 0

  package init(_ directory: StateDirectory) {
    for name in directory.names() {
      var status = stat()
      if lstat("\(directory.path)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG {
        size += UInt64(max(0, status.st_size))
      }
    }
    for id in directory.runs() {
      // With its rows, which may be damaged as well. One that has never committed anything is no
      // run.
      do throws(JournalFailure) { if try RunStore.peek(id, in: directory) != nil { runs += 1 } } catch { damaged.append(id.text) }
    }
  }

  /// `3.40.1`.
  package static var libraryVersion: String { String(cString: sqlite3_libversion()) }
}
