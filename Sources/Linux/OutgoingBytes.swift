import Glibc

/// Octets that the other side of a stream has not accepted yet.
struct OutgoingBytes {
  /// The capacity beyond which an empty buffer is freed.
  private static let keptCapacity = 1 << 17
  /// The number of sent octets at the front at which they are removed.
  private static let room = 1 << 16

  private var bytes: [UInt8] = []
  private var sent = 0

  var count: Int { bytes.count - sent }

  mutating func append(_ more: [UInt8]) { bytes.append(contentsOf: more) }

  /// Passes the pending octets to `write`, with their address and count, until it accepts no more
  /// (EAGAIN). Drops all of them if the other side is gone. Reading reports the end, after the
  /// input before it.
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
