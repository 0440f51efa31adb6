import Glibc

/// Octets over a stream socket, either side of it. Never blocks; what the socket does not take
/// waits here.
package final class ByteStream {
  package let descriptor: Int32
  private var outgoing = OutgoingBytes()
  private var block = [UInt8](repeating: 0, count: 16384)
  /// Why nothing comes any more; what was sent before can be read first.
  package private(set) var ending: String?

  package init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Whether the loop should tell when the socket takes more.
  package var wantsToWrite: Bool { outgoing.count > 0 && ending == nil }

  /// Octets that the other side has not taken yet.
  package var backlog: Int { outgoing.count }

  package func send(_ bytes: [UInt8]) {
    guard ending == nil else { return }
    outgoing.append(bytes)
  }

  /// Gives the socket what waits.
  package func flush() {
    outgoing.flush { start, count in Glibc.send(descriptor, start, count, Int32(MSG_NOSIGNAL)) }
  }

  /// What has arrived, at most 16 KiB at a time; nothing when there is nothing now.
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
