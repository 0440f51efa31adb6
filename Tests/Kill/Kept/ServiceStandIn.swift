import Glibc
import Judgement

/// What a service manager does for a killed service: it holds the descriptors that the service has
/// stored, and passes them to the next process, with a socket for its notifications.
final class ServiceStandIn {
  private let directory: String
  private let path: String
  private let socketDescriptor: Int32
  private(set) var stored: [(name: String, descriptor: Int32)] = []
  private(set) var said: [String] = []
  private(set) var process: ToothProcess?
  private(set) var starts = 0
  private let arguments: [String]
  private let environment: [String]

  init?(_ arguments: [String], in directory: String, environment: [String]) {
    self.arguments = arguments
    self.environment = environment
    self.directory = directory
    path = "\(directory)/notify"
    socketDescriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socketDescriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
    guard bound == 0 else { return nil }
  }

  deinit {
    kill()
    for entry in stored { close(entry.descriptor) }
    close(socketDescriptor)
  }

  /// Starts the service with all stored descriptors. Returns false if that fails.
  func start() -> Bool {
    starts += 1
    said = []
    var list = environment + ["NOTIFY_SOCKET=\(path)"]
    if !stored.isEmpty {
      list += ["LISTEN_FDS=\(stored.count)", "LISTEN_FDNAMES=\(stored.map(\.name).joined(separator: ":"))"]
    }
    process = ToothProcess(
      arguments, in: directory, name: "keeper\(starts)", environment: list, inheriting: stored.map(\.descriptor))
    return process != nil
  }

  func kill() {
    process?.send(SIGKILL)
    process?.wait()
  }

  /// Reads the messages of the service. Never waits.
  func listen() {
    while true {
      var bytes = [UInt8](repeating: 0, count: 4096)
      var control = [UInt8](repeating: 0, count: 64)
      var descriptor: Int32 = -1
      let count: Int = bytes.withUnsafeMutableBytes { text in
        control.withUnsafeMutableBytes { space in
          var part = iovec(iov_base: text.baseAddress, iov_len: text.count)
          return withUnsafeMutablePointer(to: &part) { part in
            var message = msghdr()
            message.msg_iov = part
            message.msg_iovlen = 1
            message.msg_control = space.baseAddress
            message.msg_controllen = space.count
            let count = recvmsg(socketDescriptor, &message, 0)
            // one control message with one descriptor: length, level, type, descriptor
            if count > 0, message.msg_controllen >= 20 { descriptor = space.loadUnaligned(fromByteOffset: 16, as: Int32.self) }
            return count
          }
        }
      }
      if count <= 0 { return }
      let text = String(decoding: bytes[..<count], as: UTF8.self)
      said.append(text)
      let name = text.split(separator: "\n").first { $0.hasPrefix("FDNAME=") }.map { String($0.dropFirst(7)) } ?? "stored"
      if text.hasPrefix("FDSTORE=1"), descriptor >= 0 {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        stored.append((name, descriptor))
      } else if text.hasPrefix("FDSTOREREMOVE=1") {
        for entry in stored where entry.name == name { close(entry.descriptor) }
        stored.removeAll { $0.name == name }
      } else if descriptor >= 0 {
        // a barrier: its closing says that all messages before it were read
        close(descriptor)
      }
    }
  }

  var isReady: Bool { said.contains { $0.hasPrefix("READY=1") } }
}
