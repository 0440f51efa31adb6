import Exchange
import Packets
import Vocabulary

/// Read Using Characteristic UUID over the whole table (Vol 3, Part G, 4.8.2): one request.
struct ReadByUUID: Procedure {
  let uuid: UUID
  let doing: String

  func start() -> Step<[HandleValue]> { .send(.readByTypeRequest(.all, type: uuid)) }

  func receive(_ answer: ATTPDU) -> Step<[HandleValue]> {
    switch answer {
    case .readByTypeResponse(let list):
      var last: UInt16 = 0
      for entry in list {
        guard entry.handle.raw > last else { return .failed(AttributeFailure.broken("handles that do not ascend")) }
        last = entry.handle.raw
      }
      return .done(list)
    case .errorResponse(_, _, .attributeNotFound):
      return .failed(AttributeFailure.missing("\(doing): the device has no such characteristic", code: .attributeNotFound))
    case .errorResponse(_, _, let code): return .failed(AttributeFailure.refused(code, doing))
    default: return .failed(AttributeFailure.unexpected(answer))
    }
  }
}
