import Glibc

/// The content of an ordinary file, and its identity, which is the same for every path to it.
package struct OrdinaryFile: Sendable {
  package let bytes: [UInt8]
  /// Device and inode; valid while the file exists.
  package let identity: String

  /// Throws `tooLarge` beyond `limit` bytes. Opens only ordinary files, because a pipe would never
  /// end and a device might act.
  package init(reading path: String, limit: Int) throws(SystemFailure) {
    var status = Glibc.stat()
    guard stat(path, &status) == 0 else { throw SystemFailure("reading \(path)") }
    try Self.demandOrdinary(status, path)
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw SystemFailure("reading \(path)") }
    defer { close(descriptor) }
    // Another file may have replaced it.
    guard fstat(descriptor, &status) == 0 else { throw SystemFailure("reading \(path)") }
    try Self.demandOrdinary(status, path)
    bytes = try readAll(descriptor, named: path, limit: limit)
    identity = Self.identity(status)
  }

  /// `nil` if there is no such file.
  package static func identity(of path: String) -> String? {
    var status = Glibc.stat()
    return stat(path, &status) == 0 ? identity(status) : nil
  }

  private static func identity(_ status: stat) -> String { "\(status.st_dev):\(status.st_ino)" }

  private static func demandOrdinary(_ status: stat, _ path: String) throws(SystemFailure) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: return
    case S_IFDIR: throw SystemFailure("reading \(path)", code: EISDIR)
    default: throw SystemFailure("reading \(path)", code: EINVAL, words: "it is not an ordinary file")
    }
  }
}
