import Glibc

/// Octets over a stream socket, either side of it. Never blocks; what the socket does not take
/// waits here.
package final class ByteStream {
  package let descriptor: Int32
  private var outgoing: [UInt8] = []
  private var sent = 0
  private var block = [UInt8](repeating: 0, count: 16384)
  /// Why nothing comes any more; what was sent before can be read first.
  package private(set) var ending: String?

  package init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Whether the loop should tell when the socket takes more.
  package var wantsToWrite: Bool { sent < outgoing.count && ending == nil }

  /// Octets that the other side has not taken yet.
  package var backlog: Int { outgoing.count - sent }

  package func send(_ bytes: [UInt8]) {
    guard ending == nil else { return }
    outgoing.append(contentsOf: bytes)
  }

  /// Gives the socket what waits.
  package func flush() {
    while sent < outgoing.count {
      let count = outgoing.withUnsafeBytes { bytes in
        Glibc.send(descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count < 0 {
        if errno == EINTR { continue }
        if errno == EAGAIN { break }
        // The end is told by `receive`, when what came before it is read.
        outgoing = []
        sent = 0
        return
      }
      sent += count
    }
    if sent == outgoing.count {
      outgoing.removeAll(keepingCapacity: outgoing.capacity <= 1 << 17)
      sent = 0
    } else if sent > 1 << 16 {
      outgoing.removeFirst(sent)
      sent = 0
    }
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
