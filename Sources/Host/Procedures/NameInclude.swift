import Exchange
import Packets
import Vocabulary

/// Reads the 128-bit UUID of an included service from its declaration (Vol 3, Part G, 4.5.1).
struct NameInclude: Equatable, Sendable {
  /// The first handle of the including service, and the include in it.
  let service: AttributeHandle
  let include: AttributeCache.Include

  var request: ATTPDU { .readRequest(include.start) }

  func absorb(_ answer: ATTPDU, into attributeCache: inout AttributeCache) -> Failure? {
    guard let place = attributeCache.services.firstIndex(where: { $0.start == service }),
      let inner = attributeCache.services[place].includes.firstIndex(where: { $0.handle == include.handle })
    else { return nil }
    switch answer {
    case .readResponse(let value):
      guard let uuid = UUID(attributeValue: value) else {
        return AttributeFailure.broken("a service UUID of neither 2 nor 16 octets")
      }
      attributeCache.services[place].includes[inner].uuid = uuid
      return FindIncludedServices.addSecondary(attributeCache.services[place].includes[inner], to: &attributeCache)
    case .errorResponse(_, _, let code): return AttributeFailure.refused(code, "reading the UUID of an included service")
    default: return AttributeFailure.unexpected(answer)
    }
  }
}
