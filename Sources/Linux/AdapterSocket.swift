import CBluez
import Glibc
package import Vocabulary

/// The socket of a controller, read in two steps: input is read, and removed once it is stored
/// elsewhere. So nothing is lost if the process dies in between.
package final class AdapterSocket {
  /// Whether the socket keeps message boundaries.
  package enum Form: UInt8, Sendable {
    /// It does: one packet at a time, each with a timestamp of the kernel (the HCI user channel).
    case packets
    /// It does not: octets of a Unix socket. The kernel counts how many were read but not removed.
    case octets
  }

  package enum Look: Equatable, Sendable {
    case nothing
    case ended(String)
    /// Input, with its arrival time by the wall clock if the socket reports it.
    case arrived([UInt8], at: WallTime?)
  }

  /// -1 after `close`.
  package private(set) var descriptor: Int32
  package let form: Form
  private var block = [UInt8](repeating: 0, count: 16384)

  /// `nil` if the kernel cannot count what was read but not removed, so that no process could take
  /// over.
  package init?(adopting descriptor: Int32) {
    var type: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 else { return nil }
    form = type == Int32(SOCK_STREAM.rawValue) ? .octets : .packets
    self.descriptor = descriptor
    let flags = fcntl(descriptor, F_GETFL)
    _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    switch form {
    case .packets: guard cbluez_stamp(descriptor) == 0 else { return nil }
    case .octets: if cbluez_peeked(descriptor) < 0, cbluez_set_peeked(descriptor, 0) != 0 { return nil }
    }
  }

  /// The same socket with another descriptor of this process.
  package convenience init?(duplicating descriptor: Int32) {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 10)
    guard copy >= 0 else { return nil }
    self.init(adopting: copy)
  }

  deinit { close() }

  /// Closes the socket now. Otherwise the controller would be busy when it is reopened.
  package func close() {
    guard descriptor >= 0 else { return }
    Glibc.close(descriptor)
    descriptor = -1
  }

  /// Returns the next input without removing it.
  package func look() -> Look {
    var arrived: Int64 = 0
    let count = cbluez_peek(descriptor, &block, block.count, &arrived)
    if count > 0 { return .arrived(Array(block[..<count]), at: arrived == 0 ? nil : WallTime(nanoseconds: arrived)) }
    if count == 0 { return form == .octets ? .ended("closed the connection") : .nothing }
    switch errno {
    case EAGAIN: return .nothing
    case ECONNRESET, EPIPE: return .ended("closed the connection")
    default: return .ended(SystemFailure.text(errno))
    }
  }

  /// Removes input that was read.
  package func take(_ count: Int) {
    var left = count
    while left > 0 {
      let taken = recv(descriptor, &block, min(left, block.count), 0)
      if taken < 0, errno == EINTR { continue }
      if taken <= 0 || form == .packets { return }
      left -= taken
    }
  }

  /// The octets that were read but not removed; `nil` if the socket does not count them.
  package var pending: Int? {
    let count = cbluez_peeked(descriptor)
    return form == .octets && count >= 0 ? Int(count) : nil
  }

  /// Makes input readable again that was not removed.
  package func lookAgain() { if form == .octets { _ = cbluez_set_peeked(descriptor, 0) } }

  /// Writes octets. Returns how many were accepted, 0 if there is no room, and `nil` if the socket
  /// is broken, which `look` reports.
  package func give(_ bytes: ArraySlice<UInt8>) -> Int? {
    while true {
      let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count >= 0 { return count }
      if errno == EINTR { continue }
      return errno == EAGAIN || errno == ENOBUFS ? 0 : nil
    }
  }

  /// The packets that the kernel dropped since the socket was opened; `nil` if it does not count
  /// them.
  package var drops: Int64? {
    let count = cbluez_drops(descriptor)
    return count < 0 ? nil : count
  }
}
