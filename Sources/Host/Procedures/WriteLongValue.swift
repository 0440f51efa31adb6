import Exchange
import Packets
import Vocabulary

/// Write Long Characteristic Values (Vol 3, Part G, 4.9.4). Each echo is compared, and nothing is
/// executed after a wrong one.
///
/// Each part has at least 18 octets, so 512 octets take at most 29 parts and one execution.
struct WriteLongValue: Procedure {
  let handle: AttributeHandle
  /// At most 512 octets.
  let value: [UInt8]
  let mtu: UInt16
  let doing: String
  private var offset = 0
  private var failure: Failure?
  /// Whether the execution was requested. From then on the peer may have written the value.
  private(set) var isExecuting = false
  /// Whether the peer's queue contains parts.
  var hasPrepared: Bool { offset > 0 && !isExecuting && failure == nil }

  init(handle: AttributeHandle, value: [UInt8], mtu: UInt16, doing: String) {
    self.handle = handle
    self.value = value
    self.mtu = mtu
    self.doing = doing
  }

  mutating func start() -> Step<Bool> { next() }

  private var part: [UInt8] { Array(value[min(offset, value.count)...].prefix(Int(mtu) - 5)) }

  private mutating func next() -> Step<Bool> {
    let part = self.part
    if part.isEmpty {
      isExecuting = true
      return .send(.executeWriteRequest(write: true))
    }
    return .send(.prepareWriteRequest(handle, offset: UInt16(clamping: offset), part))
  }

  mutating func receive(_ answer: ATTPDU) -> Step<Bool> {
    if let failure { return .failed(failure) }
    switch answer {
    case .prepareWriteResponse(let echoed, let place, let bytes):
      let part = self.part
      guard echoed == handle, Int(place) == offset, bytes == part else {
        return withdraw(AttributeFailure.broken("the echo of a prepared write differs from what was sent"))
      }
      offset += part.count
      return next()
    case .executeWriteResponse: return .done(true)
    case .errorResponse(_, _, let code):
      let failure = AttributeFailure.refused(code, doing)
      return offset == 0 || isExecuting ? .failed(failure) : withdraw(failure)
    default: return .failed(AttributeFailure.unexpected(answer))
    }
  }

  private mutating func withdraw(_ failure: Failure) -> Step<Bool> {
    self.failure = failure
    return .send(.executeWriteRequest(write: false))
  }
}

extension WriteLongValue: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    handle = try reader.next()
    value = try reader.next()
    mtu = try reader.nextMTU()
    doing = try reader.next()
    offset = try reader.next(0...value.count, "octets that were prepared")
    failure = try reader.next()
    isExecuting = try reader.next()
  }

  func write(to writer: inout ByteWriter) { writer.put(all: handle, value, mtu, doing, offset, failure, isExecuting) }
}
