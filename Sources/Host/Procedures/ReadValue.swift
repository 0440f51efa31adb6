import Exchange
import Packets
import Vocabulary

/// Read Characteristic Value, continued as Read Long if the response is full (Vol 3, Part G, 4.8.1
/// and 4.8.3).
///
/// Each further response is full or the last, so there are at most 512 octets and 24 responses.
struct ReadValue: Procedure {
  let handle: AttributeHandle
  let mtu: UInt16
  let doing: String
  /// The octets read so far. The next request starts after them.
  private(set) var value: [UInt8]

  init(handle: AttributeHandle, mtu: UInt16, doing: String, from value: [UInt8] = []) {
    self.handle = handle
    self.mtu = mtu
    self.doing = doing
    self.value = value
  }

  func start() -> Step<[UInt8]> { value.isEmpty ? .send(.readRequest(handle)) : next }

  private var next: Step<[UInt8]> { .send(.readBlobRequest(handle, offset: UInt16(clamping: value.count))) }

  mutating func receive(_ answer: ATTPDU) -> Step<[UInt8]> {
    switch answer {
    case .readResponse(let part), .readBlobResponse(let part):
      value += part
      if value.count > AttributeLimits.value { return .failed(AttributeFailure.broken("a value longer than 512 octets")) }
      return part.count < Int(mtu) - 1 || value.count == AttributeLimits.value ? .done(value) : next
    case .errorResponse(_, _, let code):
      // A value that just fills the first response need not be long (Vol 3, Part F, 3.4.4.5).
      if !value.isEmpty, code == .attributeNotLong || code == .invalidOffset { return .done(value) }
      return .failed(AttributeFailure.refused(code, doing))
    default: return .failed(AttributeFailure.unexpected(answer))
    }
  }
}

extension ReadValue: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    handle = try reader.next()
    mtu = try reader.nextMTU()
    doing = try reader.next()
    value = try reader.next()
  }

  func write(to writer: inout ByteWriter) { writer.put(all: handle, mtu, doing, value) }
}
