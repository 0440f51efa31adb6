import Glibc
package import Journal
import Linux
package import Packets
import Vocabulary

/// Where the last packets of a run go when its adapter has failed it.
package struct PacketDump: Equatable, Sendable {
  package var directory: StateDirectory
  package var path: String

  /// Of a run with a checkpoint: beside it.
  package init(of id: RunID, in directory: StateDirectory) {
    self.directory = directory
    path = directory.packets(of: id)
  }

  /// Of whatever keeps no checkpoint: one for all.
  package init(in directory: StateDirectory) {
    self.directory = directory
    path = "\(directory.path)/adapter-failure.btsnoop"
  }

  /// One btsnoop file with the last packets of a host, whose keys are blotted out; and a line that
  /// says so, if somebody is to be told.
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
