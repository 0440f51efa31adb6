import CBluez
import Glibc

/// A listening Unix socket.
package final class LocalListener {
  package let descriptor: Int32
  private let file: SocketFile?

  /// - Parameter mode: The mode of the file. Clients need write permission.
  package init(at path: String, mode: UInt32) throws(SystemFailure) {
    descriptor = try Sockets.listening(at: .unix(path), backlog: 128, isPrivate: true)
    file = SocketFile(path)
    guard chmod(path, mode_t(mode)) == 0 else {
      let failure = SystemFailure("listening at \(path)")
      close(descriptor)
      unlink(path)
      throw failure
    }
  }

  /// Adopts a listening socket of systemd or, with its path, of an earlier process.
  package init(adopting descriptor: Int32, path: String? = nil) {
    self.descriptor = descriptor
    file = path.map { SocketFile($0) }
    let flags = fcntl(descriptor, F_GETFL)
    _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  deinit { close(descriptor) }

  /// Removes the socket's file, so that no more clients connect.
  package func remove() { file?.remove() }

  /// Whether clients can no longer find it, because its file was removed or replaced.
  package var isLost: Bool { file.map { !$0.isThere } ?? false }

  package enum Arrival {
    case stream(ByteStream)
    case noConnection
    /// No descriptor is free, for example. Try again after a while.
    case refused(SystemFailure)
  }

  package func accept() -> Arrival {
    while true {
      if let descriptor = Sockets.accepted(by: descriptor) { return .stream(ByteStream(descriptor: descriptor)) }
      switch errno {
      case EINTR, ECONNABORTED: continue
      case EAGAIN: return .noConnection
      default: return .refused(SystemFailure("taking a connection"))
      }
    }
  }
}

/// The file of a listening socket. Somebody may remove it, and another process put its own there.
struct SocketFile {
  let path: String
  private let identity: FileIdentity?

  init(_ path: String) {
    self.path = path
    identity = FileIdentity(of: path)
  }

  var isThere: Bool { identity != nil && FileIdentity(of: path) == identity }

  /// Removes the file, unless it is another process's by now.
  func remove() { if isThere { unlink(path) } }
}

extension ByteStream {
  /// Connects to a Unix socket.
  package convenience init(connectingTo path: String) throws(SystemFailure) {
    self.init(descriptor: try Sockets.connected(to: .unix(path), patience: .seconds(1)))
  }

  /// The process at the other end, according to the kernel.
  package var peer: (process: Int32, user: UInt32, group: UInt32)? {
    var process: Int32 = 0
    var user: UInt32 = 0
    var group: UInt32 = 0
    guard cbluez_peer(descriptor, &process, &user, &group) == 0 else { return nil }
    return (process, user, group)
  }
}

/// Folders and programs of this user.
package enum CurrentProcess {
  package static var user: UInt32 { getuid() }
  package static var number: Int32 { getpid() }

  /// Identifies the program's file, because another build may interpret the contents of the memory
  /// differently.
  package static var programMark: String {
    var status = stat()
    guard stat("/proc/self/exe", &status) == 0 else { return "?" }
    return "\(status.st_ino).\(status.st_size).\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
  }

  package static var isRoot: Bool { geteuid() == 0 }

  /// Whether this user may write to a path, such as a socket to connect to.
  package static func mayWrite(_ path: String) -> Bool { access(path, W_OK) == 0 }

  /// Whether a path exists, as far as this user can see.
  package static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Whether this folder can be used for sockets.
  package static func isUsable(_ folder: String) -> Bool {
    var status = stat()
    guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return false }
    return access(folder, W_OK | X_OK) == 0
  }

  /// Creates a folder that only this user can access, or checks an existing one.
  package static func makePrivate(_ folder: String) throws(SystemFailure) {
    if mkdir(folder, 0o700) != 0, errno != EEXIST { throw SystemFailure("making \(folder)") }
    var status = stat()
    guard lstat(folder, &status) == 0 else { throw SystemFailure("looking at \(folder)") }
    guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid() else {
      throw SystemFailure("using \(folder), which is another user's", code: EPERM)
    }
    if status.st_mode & 0o077 != 0, chmod(folder, 0o700) != 0 { throw SystemFailure("using \(folder)") }
  }

  /// Starts this program once more, in a session of its own. Returns a descriptor to read its
  /// stderr from.
  package static func startAnother(_ arguments: [String]) throws(SystemFailure) -> Int32 {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemFailure("making a pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    var words = (["tooth"] + arguments).map { strdup($0) } + [nil]
    let code = cbluez_detach("/proc/self/exe", &words, ends[1])
    for word in words { free(word) }
    close(ends[1])
    guard code == 0 else {
      close(ends[0])
      throw SystemFailure("starting /proc/self/exe", code: code)
    }
    return ends[0]
  }

  /// The listening sockets that the parent has opened for this process (`sd_listen_fds`).
  package static func inheritedListeners() -> [Int32] {
    InheritedDescriptors(environment: environment).entries.map(\.descriptor).filter { descriptor in
      var listens: Int32 = 0
      var size = socklen_t(MemoryLayout<Int32>.size)
      return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens != 0
    }
  }

  /// Reads what is available without waiting; `nil` at the end.
  package static func readAvailable(_ descriptor: Int32) -> [UInt8]? {
    var block = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &block, block.count)
    if count > 0 { return Array(block[..<count]) }
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? [] : nil
  }

  package static func closeDescriptor(_ descriptor: Int32) { close(descriptor) }
}

/// A lock that only one process holds, until it ends or gives it up.
package struct ProcessLock: Sendable {
  private let path: String
  private var descriptor: Int32
  private var identity: FileIdentity

  /// Takes it; `nil` if another process holds it.
  package init?(_ path: String) throws(SystemFailure) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw SystemFailure("opening \(path)") }
    var status = stat()
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      if code == EWOULDBLOCK { return nil }
      throw SystemFailure("locking \(path)", code: code)
    }
    (self.path, self.descriptor, identity) = (path, descriptor, FileIdentity(status))
  }

  /// Takes it again if its file was removed. Returns false if another process holds the new file.
  package mutating func takeAgain() throws(SystemFailure) -> Bool {
    if FileIdentity(of: path) == identity { return true }
    guard let next = try ProcessLock(path) else { return false }
    release()
    self = next
    return true
  }

  package func release() { close(descriptor) }
}
