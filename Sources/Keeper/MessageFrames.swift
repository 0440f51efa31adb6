import Vocabulary

/// Cuts what comes over a stream into messages: each has its length before it, four octets, little
/// endian.
package struct MessageFrames: Sendable {
  /// A length that no message has. Nothing behind it can be understood.
  package struct Garbled: Error, Equatable, Sendable {
    package var length: UInt32
  }

  private var bytes: [UInt8] = []
  private var start = 0

  package init() {}

  /// Octets of a message that is not whole yet.
  package var pending: Int { bytes.count - start }

  package mutating func push(_ more: some Collection<UInt8>) {
    if start > 0, start == bytes.count {
      bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 17)
      start = 0
    } else if start > 1 << 16 {
      bytes.removeFirst(start)
      start = 0
    }
    bytes.append(contentsOf: more)
  }

  package mutating func next() throws(Garbled) -> [UInt8]? {
    guard bytes.count - start >= 4 else { return nil }
    var length: UInt32 = 0
    for place in 0..<4 { length |= UInt32(bytes[start + place]) << UInt32(8 * place) }
    guard length > 0, length <= UInt32(KeeperLimits.message) else { throw Garbled(length: length) }
    let end = start + 4 + Int(length)
    guard bytes.count >= end else { return nil }
    let message = Array(bytes[start + 4..<end])
    start = end
    return message
  }

  /// A message with its length before it.
  package static func framed(_ message: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(capacity: message.count + 4)
    writer.put(UInt32(clamping: message.count))
    writer.put(message)
    return writer.bytes
  }
}
