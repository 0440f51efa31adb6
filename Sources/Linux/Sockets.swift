import CBluez
import Glibc
import Vocabulary

/// The socket calls for H4 streams.
enum Sockets {
  private static let stream = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)

  private static func withUnixAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }

  /// Binds a socket to an abstract name, which no file shows. `false` if it is in use.
  static func claim(_ descriptor: Int32, abstract name: String) -> Bool {
    withUnixAddress("\0" + name) { address, _ in
      bind(descriptor, address, socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count))
    } == 0
  }

  /// Calls the body for each address of a host until it returns a descriptor.
  private static func withAddresses(
    _ host: String, _ port: UInt16, passive: Bool, doing: String, _ body: (addrinfo) -> Int32
  ) throws(SystemFailure) -> Int32 {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_NUMERICSERV | (passive ? AI_PASSIVE : 0)
    var list: UnsafeMutablePointer<addrinfo>?
    let answer = getaddrinfo(host, String(port), &hints, &list)
    guard answer == 0 else {
      if answer == EAI_SYSTEM { throw SystemFailure(doing) }
      throw SystemFailure(doing, code: ENOENT, words: String(cString: gai_strerror(answer)))
    }
    defer { freeaddrinfo(list) }
    var entry = list
    var failure = SystemFailure(doing, code: EADDRNOTAVAIL)
    while let current = entry {
      let descriptor = body(current.pointee)
      if descriptor >= 0 { return descriptor }
      failure = SystemFailure(doing)
      entry = current.pointee.ai_next
    }
    throw failure
  }

  /// Returns a connected, nonblocking socket. Gives up after `patience`.
  static func connected(to address: H4Address, patience: TimeSpan) throws(SystemFailure) -> Int32 {
    let doing = "connecting to \(address)"
    switch address {
    case .unix(let path):
      let descriptor = socket(AF_UNIX, stream, 0)
      guard descriptor >= 0 else { throw SystemFailure(doing) }
      guard withUnixAddress(path, { connect(descriptor, $0, $1) }) == 0 else {
        let failure =
          errno == ENOENT
          ? SystemFailure("cannot connect to \(address)", code: ENOENT, words: "there is no such socket") : SystemFailure(doing)
        close(descriptor)
        throw failure
      }
      return descriptor
    case .tcp(let host, let port):
      let descriptor = try withAddresses(host, port, passive: false, doing: doing) { entry in
        let descriptor = socket(entry.ai_family, stream, 0)
        guard descriptor >= 0 else { return -1 }
        if connect(descriptor, entry.ai_addr, entry.ai_addrlen) == 0 { return descriptor }
        if errno == EINPROGRESS {
          let ready = Poll.wait(for: [Poll.Interest(descriptor, writes: true)], until: SystemClock.now().moment + patience)
          var code: Int32 = 0
          var size = socklen_t(MemoryLayout<Int32>.size)
          getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
          if ready[0].writes, code == 0 { return descriptor }
          errno = code == 0 ? ETIMEDOUT : code
        }
        let kept = errno
        close(descriptor)
        errno = kept
        return -1
      }
      noDelay(descriptor)
      return descriptor
    case .serial(let device, let baud): return try SerialPort.open(device, baud: baud)
    }
  }

  /// Returns a listening socket.
  ///
  /// - Parameter isPrivate: Whether only its owner may use a socket in the file system, from its
  ///   creation on.
  static func listening(at address: H4Address, backlog: Int32 = 16, isPrivate: Bool = false) throws(SystemFailure) -> Int32 {
    let doing = "listening at \(address)"
    switch address {
    case .unix(let path):
      let descriptor = socket(AF_UNIX, stream, 0)
      guard descriptor >= 0 else { throw SystemFailure(doing) }
      // The file inherits the mode of the socket. The umask would also work, but it is shared by
      // all threads.
      if isPrivate { fchmod(descriptor, 0o600) }
      var bound = withUnixAddress(path, { bind(descriptor, $0, $1) })
      if bound != 0, errno == EADDRINUSE, isDead(path) {
        // Left by a process that was killed.
        unlink(path)
        bound = withUnixAddress(path, { bind(descriptor, $0, $1) })
      }
      guard bound == 0, listen(descriptor, backlog) == 0 else {
        let failure = SystemFailure(doing)
        close(descriptor)
        throw failure
      }
      return descriptor
    case .tcp(let host, let port):
      return try withAddresses(host, port, passive: true, doing: doing) { entry in
        let descriptor = socket(entry.ai_family, stream, 0)
        guard descriptor >= 0 else { return -1 }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        if bind(descriptor, entry.ai_addr, entry.ai_addrlen) == 0, listen(descriptor, 16) == 0 { return descriptor }
        let kept = errno
        close(descriptor)
        errno = kept
        return -1
      }
    case .serial: throw SystemFailure(doing, code: EOPNOTSUPP)
    }
  }

  private static func isDead(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
    let descriptor = socket(AF_UNIX, stream, 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return withUnixAddress(path, { connect(descriptor, $0, $1) }) != 0 && errno == ECONNREFUSED
  }

  /// Accepts a waiting connection, if there is one.
  static func accepted(by listener: Int32) -> Int32? {
    let descriptor = cbluez_accept(listener)
    guard descriptor >= 0 else { return nil }
    noDelay(descriptor)
    return descriptor
  }

  /// The port that the kernel chose for `tcp:…:0`.
  static func port(of descriptor: Int32) -> UInt16? {
    var address = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let answer = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    guard answer == 0, [AF_INET, AF_INET6].contains(Int32(address.sin6_family)) else { return nil }
    return UInt16(bigEndian: address.sin6_port)
  }

  private static func noDelay(_ descriptor: Int32) {
    // Fails on a Unix socket, which needs no such option.
    var yes: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
  }
}
