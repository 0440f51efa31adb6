import CBluez
import Glibc

/// Replaces a file atomically: readers see the old or the new content, even after a power cut. A
/// link is followed and stays one.
///
/// - Parameters:
///   - mode: The mode of the file; `nil` keeps that of the old file, or uses the default for a new
///     one.
///   - fence: The folders that must contain the file.
package func saveFile(_ path: String, _ bytes: [UInt8], mode: UInt32? = nil, within fence: WriteFence? = nil) throws(SystemFailure)
{
  let place = try SavedFile(path, fence)
  try place.replace(with: bytes, mode: mode.map { mode_t($0) })
}

/// Writes a file that the user maintains. A read-only file is refused, even if its folder permits a
/// replacement. A file with several names or of another owner is written in place, so that it stays
/// the same file; any other is replaced atomically.
package func rewriteFile(_ path: String, _ bytes: [UInt8]) throws(SystemFailure) {
  let doing = "saving \(path)"
  var status = stat()
  guard stat(path, &status) == 0 else { throw SystemFailure(doing) }
  // Root can write everything, but must not write a file that is marked as read-only.
  guard access(path, W_OK) == 0, status.st_mode & 0o222 != 0 else { throw SystemFailure(doing, code: EACCES) }
  let isOthers = geteuid() != 0 && (status.st_uid != geteuid() || status.st_gid != getegid())
  guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink > 1 || isOthers, !StandardOutput.isFile(status) else {
    return try saveFile(path, bytes)
  }
  let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
  guard descriptor >= 0 else { throw SystemFailure(doing) }
  defer { close(descriptor) }
  try writeAll(descriptor, bytes, named: path)
  guard ftruncate(descriptor, bytes.count) == 0, fsync(descriptor) == 0 else { throw SystemFailure(doing) }
}

/// A file by its open folder and its name in it, so that later operations do not follow a path that
/// other users can redirect.
private struct SavedFile: ~Copyable {
  private let folder: Int32
  private let name: String
  private let path: String
  /// The permissions and the owner of the replaced file.
  private let kept: Kept?

  private struct Kept {
    var mode: mode_t
    var user: uid_t
    var group: gid_t
  }

  private static let mostLinks = 40

  init(_ path: String, _ fence: WriteFence?) throws(SystemFailure) {
    let doing = "saving \(path)"
    var current = path
    for _ in 0..<Self.mostLinks {
      let above = parent(of: current)
      let name = fileName(of: current)
      guard !["", ".", ".."].contains(name) else { throw SystemFailure(doing, code: EISDIR) }
      let folder = fence.map { $0.openFolder(of: current) } ?? open(above, O_PATH | O_DIRECTORY | O_CLOEXEC)
      guard folder >= 0 else { throw fence == nil ? SystemFailure(doing) : .fenced(doing) }
      var status = stat()
      if fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 {
        let code = errno
        if code == ENOENT {
          (self.folder, self.name, self.path, kept) = (folder, name, path, nil)
          return
        }
        close(folder)
        throw SystemFailure(doing, code: code)
      }
      switch status.st_mode & S_IFMT {
      case S_IFREG:
        guard !StandardOutput.isFile(status) else {
          close(folder)
          throw SystemFailure(doing, code: EINVAL, words: StandardOutput.words)
        }
        (self.folder, self.name, self.path) = (folder, name, path)
        kept = Kept(mode: status.st_mode & 0o777, user: status.st_uid, group: status.st_gid)
        return
      case S_IFLNK:
        defer { close(folder) }
        // The target of a link below /proc may have no name.
        var end = stat()
        if fence == nil, fstatat(folder, name, &end, 0) == 0, ![S_IFREG, S_IFDIR].contains(end.st_mode & S_IFMT) {
          throw SystemFailure(
            doing, code: EINVAL, words: "it is \(SystemFailure.kind(end.st_mode & S_IFMT)), and only a file can be replaced")
        }
        guard Self.mayFollow(status, in: folder) else {
          throw SystemFailure(doing, code: EACCES, words: "another user's link is there, in a folder that everyone can write")
        }
        let target = try Self.target(of: name, in: folder, doing)
        if fence != nil, target.hasPrefix("/") { throw .fenced(doing, code: EXDEV) }
        current = absolute(target, in: above)
      case S_IFDIR:
        close(folder)
        throw SystemFailure(doing, code: EISDIR)
      case let kind:
        close(folder)
        throw SystemFailure(doing, code: EINVAL, words: "it is \(SystemFailure.kind(kind)), and only a file can be replaced")
      }
    }
    throw SystemFailure(doing, code: ELOOP)
  }

  deinit { close(folder) }

  /// Like the kernel's `protected_symlinks`: in a sticky, world-writable folder, only links of this
  /// user and of the folder's owner are followed.
  private static func mayFollow(_ link: stat, in folder: Int32) -> Bool {
    var above = stat()
    guard fstat(folder, &above) == 0 else { return false }
    guard above.st_mode & S_ISVTX != 0, above.st_mode & S_IWOTH != 0 else { return true }
    return link.st_uid == geteuid() || link.st_uid == above.st_uid
  }

  private static func target(of name: String, in folder: Int32, _ doing: String) throws(SystemFailure) -> String {
    var block = [CChar](repeating: 0, count: 4097)
    let count = readlinkat(folder, name, &block, 4096)
    guard count > 0 else { throw SystemFailure(doing) }
    return String(decoding: block[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  func replace(with bytes: [UInt8], mode: mode_t?) throws(SystemFailure) {
    let (temporary, descriptor) = try make(mode ?? kept?.mode)
    do throws(SystemFailure) {
      try writeAll(descriptor, bytes, named: path)
      // Only root can give a file to another user.
      if let kept, geteuid() == 0 { _ = fchown(descriptor, kept.user, kept.group) }
      if let mode = mode ?? kept?.mode, fchmod(descriptor, mode) != 0 { throw SystemFailure("saving \(path)") }
      guard fsync(descriptor) == 0 else { throw SystemFailure("saving \(path)") }
    } catch {
      close(descriptor)
      unlinkat(folder, temporary, 0)
      throw error
    }
    close(descriptor)
    guard renameat(folder, temporary, folder, name) == 0 else {
      let failure = SystemFailure("saving \(path)")
      unlinkat(folder, temporary, 0)
      throw failure
    }
    let written = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if written >= 0 {
      fsync(written)
      close(written)
    }
  }

  /// Creates a file with an unpredictable name.
  private func make(_ mode: mode_t?) throws(SystemFailure) -> (name: String, descriptor: Int32) {
    for _ in 0..<16 {
      var chance: UInt64 = 0
      guard cbluez_random(&chance, MemoryLayout<UInt64>.size) == 0 else { throw SystemFailure("saving \(path)") }
      let temporary = ".tooth-\(String(chance, radix: 36))"
      let descriptor = openat(
        folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode == nil ? 0o666 : 0o600)
      if descriptor >= 0 { return (temporary, descriptor) }
      guard errno == EEXIST else { throw SystemFailure("saving \(path)") }
    }
    throw SystemFailure("saving \(path)", code: EEXIST)
  }
}
