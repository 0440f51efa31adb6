import Packets
import Vocabulary

/// Reassembles the fragments of L2CAP frames (Vol 3, Part A, 7.2). Fragments that do not fit are
/// dropped with a reason.
struct Reassembler: Equatable, Sendable {
  enum Dropped: Error, Equatable, Sendable {
    /// A frame announced more octets than this side accepts.
    case tooLong(Int)
    /// A first fragment arrived before the last frame was complete.
    case unfinished(Int)
    /// A continuation fragment arrived without a frame to continue.
    case unexpectedContinuation
    /// A frame has more octets than it announced.
    case overrun(Int)
  }

  /// The longest frame in octets, including its header.
  let limit: Int
  private var partial: [UInt8] = []
  private var isSkipping = false
  /// The reason for the last drop, until it is read.
  var dropped: Dropped?

  init(limit: Int) { self.limit = limit }

  /// The octets of an incomplete frame.
  var pending: Int { partial.count }

  /// The caller received a whole frame, so skipping ends.
  mutating func restart() { isSkipping = false }

  /// Takes a fragment. Returns a frame if it is now complete.
  mutating func take(first: Bool, _ data: [UInt8]) -> L2CAPFrame? {
    if first {
      if !partial.isEmpty { dropped = .unfinished(partial.count) }
      partial = []
      isSkipping = false
    } else if isSkipping {
      return nil
    } else if partial.isEmpty {
      // An empty first fragment is not allowed, so this one continues nothing.
      dropped = .unexpectedContinuation
      return nil
    }
    if partial.isEmpty { partial = data } else { partial.append(contentsOf: data) }
    guard let total = L2CAPFrame.totalLength(of: partial) else { return nil }
    if total > limit {
      dropped = .tooLong(total)
      partial = []
      isSkipping = true
      return nil
    }
    if partial.count < total { return nil }
    defer { partial = [] }
    guard partial.count == total else {
      dropped = .overrun(partial.count)
      return nil
    }
    var reader = partial.span.bytes
    return try? L2CAPFrame(reading: &reader)
  }
}

extension Reassembler.Dropped: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .tooLong(try reader.next())
    case 1: self = .unfinished(try reader.next())
    case 2: self = .unexpectedContinuation
    case 3: self = .overrun(try reader.next())
    case let other: throw .invalid("reason of a dropped frame", UInt64(other))
    }
  }

  func write(to writer: inout ByteWriter) {
    switch self {
    case .tooLong(let count): writer.put(all: 0 as UInt8, count)
    case .unfinished(let count): writer.put(all: 1 as UInt8, count)
    case .unexpectedContinuation: writer.put(2 as UInt8)
    case .overrun(let count): writer.put(all: 3 as UInt8, count)
    }
  }
}

extension Reassembler: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    limit = try reader.next(0...1 << 17, "longest frame")
    partial = try reader.next()
    isSkipping = try reader.next()
    dropped = try reader.next()
  }

  func write(to writer: inout ByteWriter) { writer.put(all: limit, partial, isSkipping, dropped) }
}
