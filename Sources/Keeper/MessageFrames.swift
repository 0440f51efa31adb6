import Vocabulary

/// Splits a stream into messages, each of which follows its length, four octets, little endian.
package struct MessageFrames: Sendable {
  /// The length is invalid, so the rest of the stream is unreadable.
  package struct Garbled: Error, Equatable, Sendable {
    package var length: UInt32
  }

  private var bytes: [UInt8] = []
  private var start = 0

  package init() {}

  /// The octets of an incomplete message.
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

  /// Adds the length before a message.
  package static func framed(_ message: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(capacity: message.count + 4)
    writer.put(UInt32(clamping: message.count))
    writer.put(message)
    return writer.bytes
  }
}
