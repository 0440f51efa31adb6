import Exchange
import Packets

/// Exchange MTU (Vol 3, Part G, 4.3.1), once per link and before anything else. The MTU stays 23 if
/// the peer refuses.
struct ExchangeMTU: Procedure {
  /// Our MTU, 23 to 517.
  let preferred: UInt16

  func start() -> Step<UInt16> { .send(.exchangeMTURequest(preferred)) }

  func receive(_ answer: ATTPDU) -> Step<UInt16> {
    switch answer {
    // Less than 23 is not allowed and counts as 23 (Vol 3, Part F, 3.4.2.2).
    case .exchangeMTUResponse(let theirs): .done(max(AttributeLimits.smallestMTU, min(preferred, theirs)))
    case .errorResponse: .done(AttributeLimits.smallestMTU)
    default: .failed(AttributeFailure.unexpected(answer))
    }
  }
}
