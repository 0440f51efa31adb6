import Glibc

/// Octets that wait for the other side of a stream to take them.
struct OutgoingBytes {
  /// A buffer that was larger than this goes back to the system once it is empty.
  private static let keptCapacity = 1 << 17
  /// So many octets that have left are taken off the front.
  private static let room = 1 << 16

  private var bytes: [UInt8] = []
  private var sent = 0

  var count: Int { bytes.count - sent }

  mutating func append(_ more: [UInt8]) { bytes.append(contentsOf: more) }

  /// Gives what waits to `write`, which is told where it is and its length, until that takes no
  /// more (EAGAIN). Drops all of it when the other side is gone: reading tells the end, behind what
  /// came before it.
  mutating func flush(_ write: (UnsafeRawPointer?, Int) -> Int) {
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { bytes in write(bytes.baseAddress.map { $0 + sent }, bytes.count - sent) }
      if count < 0 {
        if errno == EINTR { continue }
        if errno == EAGAIN { break }
        bytes = []
        sent = 0
        return
      }
      sent += count
    }
    if sent == bytes.count {
      bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
      sent = 0
    } else if sent > Self.room {
      bytes.removeFirst(sent)
      sent = 0
    }
  }
}
