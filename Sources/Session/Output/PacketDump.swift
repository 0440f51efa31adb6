import Glibc
package import Journal
import Linux
package import Packets
import Vocabulary

/// The file for the last packets of a run whose adapter has failed.
package struct PacketDump: Equatable, Sendable {
  package var directory: StateDirectory
  package var path: String
  /// Whether the file is of one run only.
  private let isOfRun: Bool

  /// The file of a run with a checkpoint, next to that.
  package init(of id: RunID, in directory: StateDirectory) {
    self.directory = directory
    path = directory.packets(of: id)
    isOfRun = true
  }

  /// One file for all runs without a checkpoint.
  package init(in directory: StateDirectory) {
    self.directory = directory
    path = "\(directory.path)/adapter-failure.btsnoop"
    isOfRun = false
  }

  /// Removes the packets of an earlier failure of the run, which would explain the wrong one.
  package func forget() { if isOfRun { unlink(path) } }

  /// Writes the last packets of a host as a btsnoop file, with keys blanked out, and names the file
  /// on the console if there is one.
  package func write(_ records: [BtsnoopRecord], telling console: Console?) {
    guard !records.isEmpty else { return }
    do {
      try directory.make()
      try saveFile(path, BtsnoopFile(records: records).encoded, mode: 0o600)
      let what = records.count == 1 ? "the last packet of the adapter is" : "the last \(records.count) packets of the adapter are"
      console?.note("\(what) in \(path) (btsnoop, keys redacted)")
    } catch {
      console?.note("the last packets of the adapter could not be saved: \(error)")
    }
  }
}
