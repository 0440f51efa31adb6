import CBluez
import Glibc

/// Folders to which writing files is limited. They are held open from the start, so that no link
/// leads out, even one that is created later.
package final class WriteFence {
  private let folders: [(path: String, descriptor: Int32)]
  /// Whether to follow no links, as on a kernel without openat2.
  private let isStepwise: Bool

  /// A folder that does not exist yet is looked up by its path when it is needed.
  package init(_ paths: [String], isStepwise: Bool = false) {
    folders = paths.map { ($0, Glibc.open($0, O_PATH | O_DIRECTORY | O_CLOEXEC)) }
    self.isStepwise = isStepwise
  }

  deinit { for folder in folders where folder.descriptor >= 0 { close(folder.descriptor) } }

  /// Whether a path seems to be in one of them. Only `open` decides.
  package func holds(_ path: String) -> Bool { place(of: path) != nil }

  private func place(of path: String) -> (folder: (path: String, descriptor: Int32), rest: String)? {
    let above = realPath(parent(of: path)) ?? parent(of: path)
    let name = fileName(of: path)
    for folder in folders {
      if above == folder.path { return (folder, name) }
      let prefix = folder.path == "/" ? "/" : folder.path + "/"
      if above.hasPrefix(prefix) { return (folder, "\(above.dropFirst(prefix.count))/\(name)") }
    }
    return nil
  }

  /// Opens a file. Returns -1 with errno, EXDEV if it is in none of them.
  func open(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
    guard let (folder, rest) = place(of: path) else {
      errno = EXDEV
      return -1
    }
    return open(rest.isEmpty ? "." : rest, in: folder, flags, mode)
  }

  /// Opens the folder that contains a file.
  func openFolder(of path: String) -> Int32 {
    guard let (folder, rest) = place(of: path) else {
      errno = EXDEV
      return -1
    }
    return open(rest.contains("/") ? parent(of: rest) : ".", in: folder, O_PATH | O_DIRECTORY, 0)
  }

  private func open(_ rest: String, in folder: (path: String, descriptor: Int32), _ flags: Int32, _ mode: mode_t) -> Int32 {
    if folder.descriptor >= 0 { return cbluez_open_beneath(folder.descriptor, rest, flags, UInt32(mode), isStepwise ? 1 : 0) }
    let late = Glibc.open(folder.path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard late >= 0 else { return -1 }
    let opened = cbluez_open_beneath(late, rest, flags, UInt32(mode), isStepwise ? 1 : 0)
    let code = errno
    close(late)
    errno = code
    return opened
  }
}

/// A descriptor that only names a file. Glibc's header defines it only for C; files.c checks the
/// value.
let O_PATH: Int32 = 0o10000000

/// The part of a path after the last slash.
package func fileName(of path: String) -> String {
  path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
}

extension SystemFailure {
  /// A failure for a path in fenced folders.
  static func fenced(_ doing: String, code: Int32 = errno) -> SystemFailure {
    switch code {
    case EXDEV, ELOOP: SystemFailure(doing, code: code, words: "a link there leads out of the folders that may be written")
    default: SystemFailure(doing, code: code)
    }
  }

  /// The kind of something that is not an ordinary file.
  static func kind(_ mode: mode_t) -> String {
    switch mode & S_IFMT {
    case S_IFIFO: "a named pipe"
    case S_IFSOCK: "a socket"
    case S_IFCHR, S_IFBLK: "a device"
    case S_IFDIR: "a directory"
    default: "a special file"
    }
  }
}
