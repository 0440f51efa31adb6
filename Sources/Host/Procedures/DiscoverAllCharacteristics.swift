import Exchange
import Packets
import Vocabulary

/// One request of Discover All Characteristics (Vol 3, Part G, 4.6.1) for several consecutive
/// services.
struct DiscoverAllCharacteristics: Equatable, Sendable {
  let range: HandleRange

  var request: ATTPDU { .readByTypeRequest(range, type: DiscoverCharacteristics.declaration) }

  /// Gives each service its part of the answer, as if it were the answer to its own request.
  func absorb(_ answer: ATTPDU, into attributeCache: inout AttributeCache) -> Failure? {
    let services = attributeCache.services.filter {
      $0.characteristicsNext != nil && $0.start <= range.end && range.start <= $0.end
    }
    switch answer {
    case .readByTypeResponse(let list):
      guard let last = list.last?.handle, list.ascends(within: range) else {
        return AttributeFailure.broken("characteristics outside the requested range or out of order")
      }
      for service in services {
        let own = list.filter { service.contains($0.handle) }
        let part = DiscoverCharacteristics(service: service.start, range: HandleRange(max(service.start, range.start), service.end))
        if !own.isEmpty, let failure = part.absorb(.readByTypeResponse(own), into: &attributeCache) { return failure }
        // Declarations are listed in order, so everything before the last one is known.
        if service.end <= last { attributeCache.endCharacteristics(of: service.start) }
      }
    case .errorResponse(_, _, .attributeNotFound): for service in services { attributeCache.endCharacteristics(of: service.start) }
    case .errorResponse(_, _, let code): return AttributeFailure.refused(code, "listing the characteristics")
    default: return AttributeFailure.unexpected(answer)
    }
    return nil
  }
}

extension AttributeCache {
  fileprivate mutating func endCharacteristics(of start: AttributeHandle) {
    guard let place = services.firstIndex(where: { $0.start == start }) else { return }
    services[place].endCharacteristics()
  }
}
