import Glibc
import Linux

/// The directory of one test, which is removed with all its contents.
final class TestFolder {
  /// The directory that the recipes and the test use.
  let files: String
  /// The directory of checkpoints.
  let state: String
  private let path: String

  init() throws(SystemFailure) {
    // In memory, because a test makes thousands of commits.
    let place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    path = try makeTemporaryFolder(in: place)
    files = "\(path)/files"
    state = "\(path)/state"
    guard mkdir(files, 0o700) == 0 else { throw SystemFailure("making \(files)") }
  }

  deinit { Self.remove(path, levels: 32) }

  private static func remove(_ path: String, levels: Int) {
    guard levels > 0, let folder = opendir(path) else { return }
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard name != ".", name != ".." else { continue }
      if unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)", levels: levels - 1) }
    }
    closedir(folder)
    rmdir(path)
  }
}
