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
    guard let handle = opendir(directory.path) else { return }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        })
    }
    for name in names.sorted() {
      var status = stat()
      if lstat("\(directory.path)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG {
        size += UInt64(max(0, status.st_size))
      }
      guard name.hasSuffix(".db"), let id = RunID(String(name.dropLast(3))) else { continue }
      // One that has never committed anything is no run.
      do throws(JournalFailure) { if try RunStore.peek(id, in: directory) != nil { runs += 1 } } catch { damaged.append(id.text) }
    }
  }

  /// `3.40.1`.
  package static var libraryVersion: String { String(cString: sqlite3_libversion()) }
}
