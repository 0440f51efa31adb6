import Vocabulary

/// Which Pairing Requests are refused, and when. Of a flood, the first is refused at once, and the
/// last one again after the shortest delay, so that no central waits 30 s for an answer.
struct RefusalPace: Equatable, Sendable {
  /// When the next refusal may be sent.
  private var next = Moment.zero
  /// The last request that came before that.
  private var held: [UInt8] = []

  /// One octet more than a Pairing Request has, so that a request that is too long stays so.
  private static let longest = 8

  /// When the held request is due.
  var deadline: Moment? { held.isEmpty ? nil : next }

  /// Returns whether to refuse this request now; otherwise it is held.
  mutating func refuses(_ request: [UInt8], at now: Moment) -> Bool {
    guard next <= now else {
      held = Array(request.prefix(Self.longest))
      return false
    }
    held = []
    next = now + SecurityLimits.firstWait
    return true
  }

  /// Returns the held request when it is due.
  mutating func takeDue(at now: Moment) -> [UInt8]? {
    guard let deadline, deadline <= now else { return nil }
    defer { held = [] }
    return held
  }

  mutating func drop() { held = [] }
}

extension RefusalPace: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    next = try reader.next()
    held = try reader.next()
    guard held.count <= Self.longest else { throw .invalid("octets of a held request", UInt64(held.count)) }
  }

  func write(to writer: inout ByteWriter) { writer.put(all: next, held) }
}
