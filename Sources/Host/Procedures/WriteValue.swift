import Exchange
import Packets
import Vocabulary

/// Write Characteristic Value or a descriptor (Vol 3, Part G, 4.9.3 and 4.12.3).
struct WriteValue: Procedure {
  let handle: AttributeHandle
  let value: [UInt8]
  let doing: String

  func start() -> Step<Bool> { .send(.writeRequest(handle, value)) }

  func receive(_ answer: ATTPDU) -> Step<Bool> {
    switch answer {
    case .writeResponse: .done(true)
    case .errorResponse(_, _, let code): .failed(AttributeFailure.refused(code, doing))
    default: .failed(AttributeFailure.unexpected(answer))
    }
  }
}
