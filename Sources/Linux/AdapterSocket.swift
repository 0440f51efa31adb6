import CBluez
import Glibc
package import Vocabulary

/// The socket of a controller, read in two steps: what has arrived is looked at, and taken away
/// when it is safe elsewhere. Between the two nothing is lost with the process.
package final class AdapterSocket {
  /// How the socket keeps what was sent apart.
  package enum Form: UInt8, Sendable {
    /// One packet at a time, each stamped by the kernel (the HCI user channel).
    case packets
    /// Octets without borders (a Unix socket). The kernel counts how many were looked at and not
    /// taken.
    case octets
  }

  package enum Look: Equatable, Sendable {
    case nothing
    case ended(String)
    /// The time of arrival by the wall clock, where the socket tells.
    case arrived([UInt8], at: WallTime?)
  }

  /// -1 when it is closed.
  package private(set) var descriptor: Int32
  package let form: Form
  private var block = [UInt8](repeating: 0, count: 16384)

  /// Nothing when the kernel cannot say what was looked at and not taken: then nobody can take over
  /// from us.
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

  /// The same socket as another descriptor of this process.
  package convenience init?(duplicating descriptor: Int32) {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 10)
    guard copy >= 0 else { return nil }
    self.init(adopting: copy)
  }

  deinit { close() }

  /// Lets go of it before this value ends: whoever opens the controller anew finds it held
  /// otherwise.
  package func close() {
    guard descriptor >= 0 else { return }
    Glibc.close(descriptor)
    descriptor = -1
  }

  /// What came first and was not looked at yet.
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

  /// Takes away what was looked at.
  package func take(_ count: Int) {
    var left = count
    while left > 0 {
      let taken = recv(descriptor, &block, min(left, block.count), 0)
      if taken < 0, errno == EINTR { continue }
      if taken <= 0 || form == .packets { return }
      left -= taken
    }
  }

  /// Octets that were looked at and not taken; nothing when the socket does not count.
  package var pending: Int? {
    let count = cbluez_peeked(descriptor)
    return form == .octets && count >= 0 ? Int(count) : nil
  }

  /// What was looked at can be looked at again.
  package func lookAgain() { if form == .octets { _ = cbluez_set_peeked(descriptor, 0) } }

  /// Gives the socket octets: how many it took, 0 when it has no room now; nothing when it is
  /// broken, which `look` tells.
  package func give(_ bytes: ArraySlice<UInt8>) -> Int? {
    while true {
      let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count >= 0 { return count }
      if errno == EINTR { continue }
      return errno == EAGAIN || errno == ENOBUFS ? 0 : nil
    }
  }

  /// Packets that the kernel had no room for, since the socket was opened; nothing when it does not
  /// count.
  package var drops: Int64? {
    let count = cbluez_drops(descriptor)
    return count < 0 ? nil : count
  }
}
