import Glibc

/// The files that stdout and stderr of this process go to. What replaces one of them, or writes
/// into it at other places, loses output.
enum StandardOutput {
  static let words = "it is where this process writes its own output"

  static func isFile(_ status: stat) -> Bool {
    [1, 2].contains { descriptor in
      var own = stat()
      guard fstat(Int32(descriptor), &own) == 0, own.st_mode & S_IFMT == S_IFREG else { return false }
      return own.st_dev == status.st_dev && own.st_ino == status.st_ino
    }
  }
}
