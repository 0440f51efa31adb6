import Glibc

/// A stream socket, on either side. It never blocks; octets that the socket does not accept are
/// kept here.
package final class ByteStream {
  package let descriptor: Int32
  private var outgoing = OutgoingBytes()
  private var block = [UInt8](repeating: 0, count: 16384)
  /// Why no more octets will arrive. Octets that were sent before can still be read.
  package private(set) var ending: String?

  package init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Whether the loop should report when the socket accepts more.
  package var hasPendingOutput: Bool { outgoing.count > 0 && ending == nil }

  /// The number of octets that the other side has not accepted yet.
  package var backlog: Int { outgoing.count }

  package func send(_ bytes: [UInt8]) {
    guard ending == nil else { return }
    outgoing.append(bytes)
  }

  /// Writes pending octets to the socket.
  package func flush() {
    outgoing.flush { start, count in Glibc.send(descriptor, start, count, Int32(MSG_NOSIGNAL)) }
  }

  /// Returns what has arrived, at most 16 KiB at a time; `nil` if there is nothing now.
  package func receive() -> ArraySlice<UInt8>? {
    guard ending == nil else { return nil }
    while true {
      let count = recv(descriptor, &block, block.count, 0)
      if count > 0 { return block[..<count] }
      if count == 0 {
        ending = "closed"
      } else if errno == EINTR {
        continue
      } else if errno != EAGAIN {
        ending = errno == ECONNRESET || errno == EPIPE ? "closed" : SystemFailure.text(errno)
      }
      return nil
    }
  }
}
