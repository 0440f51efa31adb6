import Exchange
import Packets
import Vocabulary

/// One request of Find Included Services (Vol 3, Part G, 4.5.1) for several consecutive services.
struct FindAllIncludedServices: Equatable, Sendable {
  let range: HandleRange

  var request: ATTPDU { .readByTypeRequest(range, type: FindIncludedServices.declaration) }

  /// Each service gets its part, as from a request of its own.
  func absorb(_ answer: ATTPDU, into attributeCache: inout AttributeCache) -> Failure? {
    let services = attributeCache.services.filter { $0.includesNext != nil && $0.start <= range.end && range.start <= $0.end }
    switch answer {
    case .readByTypeResponse(let list):
      guard let last = list.last?.handle, list.ascends(within: range) else {
        return AttributeFailure.broken("includes outside the requested range or out of order")
      }
      for service in services {
        let own = list.filter { service.contains($0.handle) }
        let part = FindIncludedServices(service: service.start, range: HandleRange(max(service.start, range.start), service.end))
        if !own.isEmpty, let failure = part.absorb(.readByTypeResponse(own), into: &attributeCache) { return failure }
        // Includes are listed in order, so everything before the last one is known.
        if service.end <= last { attributeCache.endIncludes(of: service.start) }
      }
    case .errorResponse(_, _, .attributeNotFound): for service in services { attributeCache.endIncludes(of: service.start) }
    case .errorResponse(_, _, let code): return AttributeFailure.refused(code, "looking for included services")
    default: return AttributeFailure.unexpected(answer)
    }
    return nil
  }
}

extension AttributeCache {
  fileprivate mutating func endIncludes(of start: AttributeHandle) {
    guard let place = services.firstIndex(where: { $0.start == start }) else { return }
    services[place].includesNext = nil
  }
}

extension [HandleValue] {
  /// Whether the entries are in the range and ascend.
  func ascends(within range: HandleRange) -> Bool {
    var next: AttributeHandle? = range.start
    for entry in self {
      guard let least = next, entry.handle >= least, entry.handle <= range.end else { return false }
      next = entry.handle.next
    }
    return true
  }
}
