import Glibc
import Journal
import Runner
import Testing
import Vocabulary

/// A temporary directory for one test, which is removed afterwards.
final class Scratch {
  let path: String

  init(in place: String = "/tmp") {
    var template = Array("\(place)/tooth-test-XXXXXX".utf8CString)
    path = mkdtemp(&template).map { String(cString: $0) } ?? "/nonexistent"
  }

  deinit { remove(path) }

  private func remove(_ path: String) {
    if let folder = opendir(path) {
      while let entry = readdir(folder) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        guard name != ".", name != ".." else { continue }
        if unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)") }
      }
      closedir(folder)
    }
    chmod(path, 0o700)
    rmdir(path)
  }

  var state: StateDirectory { StateDirectory(path: path) }
}

let noon = WallTime(nanoseconds: 1_767_268_800_000_000_000)

func record(_ identity: RunIdentity, text: String = "wait forever") -> RunRecord {
  RunRecord(
    identity: identity.canonical, owner: identity.owner.text, path: "/r/\(identity.canonical)", text: Array(text.utf8),
    inputs: identity.inputs.map { RunRecord.Input(name: $0.name, value: $0.value) }, directory: "/r", started: noon,
    bootID: "boot-1",
    pid: getpid())
}

let heart = RunIdentity(owner: .path("/recipes/heart.ble"), inputs: [])

func rows(_ pairs: (UInt64, [UInt8]?)...) -> Commit {
  var commit = Commit()
  commit.rows = pairs.map { Commit.Row(RowKey(.variable, $0.0), $0.1) }
  return commit
}

func failure(_ body: () throws -> Void) -> JournalFailure? {
  do {
    try body()
    return nil
  } catch { return error as? JournalFailure }
}
