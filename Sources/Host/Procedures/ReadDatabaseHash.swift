import Exchange
import Packets
import Vocabulary

/// Reads the Database Hash by its UUID (Vol 3, Part G, 7.3). The result is `nil` if the peer has
/// none.
struct ReadDatabaseHash: Procedure {
  static let uuid = UUID(0x2B2A)

  func start() -> Step<[UInt8]?> { .send(.readByTypeRequest(.all, type: Self.uuid)) }

  func receive(_ answer: ATTPDU) -> Step<[UInt8]?> {
    switch answer {
    case .readByTypeResponse(let list):
      guard let hash = list.first?.value, hash.count == 16 else {
        return .failed(AttributeFailure.broken("a Database Hash that is not 16 octets long"))
      }
      return .done(hash)
    // Whatever the error, there is no hash to compare.
    case .errorResponse: return .done(nil)
    default: return .failed(AttributeFailure.unexpected(answer))
    }
  }
}
