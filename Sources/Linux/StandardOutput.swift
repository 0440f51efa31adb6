import Glibc

/// The files that stdout and stderr of this process are redirected to. Replacing one, or writing
/// elsewhere in it, would lose output.
enum StandardOutput {
  static let words = "it is where this process writes its own output"

  static func isFile(_ status: stat) -> Bool { identities().contains(FileIdentity(status)) }

  static func identities() -> [FileIdentity] {
    [1, 2].compactMap { descriptor in
      var own = stat()
      guard fstat(Int32(descriptor), &own) == 0, own.st_mode & S_IFMT == S_IFREG else { return nil }
      return FileIdentity(own)
    }
  }
}

/// The identity of a file, whatever its name; valid while the file exists or is open.
struct FileIdentity: Equatable, Sendable {
  let device: dev_t
  let inode: ino_t

  init(_ status: stat) {
    device = status.st_dev
    inode = status.st_ino
  }

  /// The file at a path, which may be a link; `nil` if there is none.
  init?(of path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }
}
