import Glibc

/// Checks which users may have placed the sockets in a folder, before secrets are sent to them.
package enum SocketFolder {
  /// The users whose servers may own a socket in the folder: root, this user, and the owner of a
  /// folder that the machine shares.
  ///
  /// - Parameter isShared: Whether only root can create folders where it is; its group may write to
  ///   it.
  /// - Returns: `nil` if there is no such folder.
  package static func servers(in folder: String, isShared: Bool) throws(SystemFailure) -> [UInt32]? {
    var status = stat()
    guard lstat(folder, &status) == 0 else {
      if errno == ENOENT { return nil }
      throw SystemFailure("looking at \(folder)")
    }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFDIR else {
      throw distrust(folder, kind == S_IFLNK ? "it is a link" : "it is not a directory")
    }
    guard isShared || status.st_uid == 0 || status.st_uid == geteuid() else {
      throw distrust(folder, "it belongs to user \(status.st_uid)")
    }
    guard status.st_mode & (isShared ? 0o002 : 0o022) == 0 else { throw distrust(folder, "other users can write there") }
    return [0, geteuid(), status.st_uid]
  }

  private static func distrust(_ folder: String, _ why: String) -> SystemFailure {
    SystemFailure("trusting \(folder)", code: EPERM, words: why)
  }
}
