import CBluez
import Glibc

/// A socket in the file system that takes connections.
package final class LocalListener {
  package let descriptor: Int32
  private let path: String?

  /// - Parameter mode: who may connect: write permission is what the kernel asks for.
  package init(at path: String, mode: UInt32) throws(SystemFailure) {
    descriptor = try Sockets.listening(at: .unix(path), backlog: 128, isPrivate: true)
    self.path = path
    guard chmod(path, mode_t(mode)) == 0 else {
      let failure = SystemFailure("listening at \(path)")
      close(descriptor)
      unlink(path)
      throw failure
    }
  }

  /// A listening socket that somebody else has made, as systemd does; or one of a process before
  /// this one, with its path.
  package init(adopting descriptor: Int32, path: String? = nil) {
    self.descriptor = descriptor
    self.path = path
    let flags = fcntl(descriptor, F_GETFL)
    _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  deinit { close(descriptor) }

  /// Takes the socket's file away, so that nobody comes any more.
  package func remove() { if let path { unlink(path) } }

  package enum Arrival {
    case stream(ByteStream)
    case nobody
    /// No descriptor is free, or so: to be tried again after a while.
    case refused(SystemFailure)
  }

  package func accept() -> Arrival {
    while true {
      if let descriptor = Sockets.accepted(by: descriptor) { return .stream(ByteStream(descriptor: descriptor)) }
      switch errno {
      case EINTR, ECONNABORTED: continue
      case EAGAIN: return .nobody
      default: return .refused(SystemFailure("taking a connection"))
      }
    }
  }
}

extension ByteStream {
  /// A connection to a socket in the file system.
  package convenience init(connectingTo path: String) throws(SystemFailure) {
    self.init(descriptor: try Sockets.connected(to: .unix(path), patience: .seconds(1)))
  }

  /// Who is at the other end, as the kernel says.
  package var peer: (process: Int32, user: UInt32, group: UInt32)? {
    var process: Int32 = 0
    var user: UInt32 = 0
    var group: UInt32 = 0
    guard cbluez_peer(descriptor, &process, &user, &group) == 0 else { return nil }
    return (process, user, group)
  }
}

/// Folders and programs that belong to this user alone.
package enum OwnProcess {
  package static var user: UInt32 { getuid() }
  package static var number: Int32 { getpid() }

  /// Another file as the program gives another text: what one build has left in memory, the next
  /// may read otherwise.
  package static var programMark: String {
    var status = stat()
    guard stat("/proc/self/exe", &status) == 0 else { return "?" }
    return "\(status.st_ino).\(status.st_size).\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
  }

  package static var isRoot: Bool { geteuid() == 0 }

  /// Whether this user may write there; for a socket that is to connect.
  package static func mayWrite(_ path: String) -> Bool { access(path, W_OK) == 0 }

  /// Whether anything stands there, as far as this user can see.
  package static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Whether this folder can be used for sockets.
  package static func isUsable(_ folder: String) -> Bool {
    var status = stat()
    guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return false }
    return access(folder, W_OK | X_OK) == 0
  }

  /// Makes a folder that nobody else can reach into, or makes sure that it is one.
  package static func makePrivate(_ folder: String) throws(SystemFailure) {
    if mkdir(folder, 0o700) != 0, errno != EEXIST { throw SystemFailure("making \(folder)") }
    var status = stat()
    guard lstat(folder, &status) == 0 else { throw SystemFailure("looking at \(folder)") }
    guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid() else {
      throw SystemFailure("using \(folder), which is another user's", code: EPERM)
    }
    if status.st_mode & 0o077 != 0, chmod(folder, 0o700) != 0 { throw SystemFailure("using \(folder)") }
  }

  /// Starts this very program once more, in a session of its own. What it says on stderr can be
  /// read from the descriptor that is returned.
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

  /// Takes a lock that ends with this process; nothing when another has it.
  package static func lock(_ path: String) throws(SystemFailure) -> Int32? {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw SystemFailure("opening \(path)") }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return descriptor }
    let code = errno
    close(descriptor)
    if code == EWOULDBLOCK { return nil }
    throw SystemFailure("locking \(path)", code: code)
  }

  /// Listening sockets that whoever started this process has opened for it (`sd_listen_fds`).
  package static func inheritedListeners() -> [Int32] {
    InheritedDescriptors(environment: environment).entries.map(\.descriptor).filter { descriptor in
      var listens: Int32 = 0
      var size = socklen_t(MemoryLayout<Int32>.size)
      return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens != 0
    }
  }

  /// What can be read now without waiting; nothing at the end.
  package static func readAvailable(_ descriptor: Int32) -> [UInt8]? {
    var block = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &block, block.count)
    if count > 0 { return Array(block[..<count]) }
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? [] : nil
  }

  package static func closeDescriptor(_ descriptor: Int32) { close(descriptor) }
}
