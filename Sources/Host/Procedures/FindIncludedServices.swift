import Exchange
import Packets
import Vocabulary

/// One request of Find Included Services (Vol 3, Part G, 4.5.1).
struct FindIncludedServices: Equatable, Sendable {
  static let declaration = UUID(0x2802)
  /// The service's first handle.
  let service: AttributeHandle
  let range: HandleRange

  var request: ATTPDU { .readByTypeRequest(range, type: Self.declaration) }

  func absorb(_ answer: ATTPDU, into attributeCache: inout AttributeCache) -> Failure? {
    guard let place = attributeCache.services.firstIndex(where: { $0.start == service }) else { return nil }
    switch answer {
    case .readByTypeResponse(let list):
      var next: AttributeHandle? = range.start
      for entry in list {
        guard let least = next, entry.handle >= least, entry.handle <= range.end else {
          return AttributeFailure.broken("includes outside their service or out of order")
        }
        var reader = entry.value.span.bytes
        guard entry.value.count == 4 || entry.value.count == 6, let included = try? HandleRange(reading: &reader), included.isValid
        else {
          return AttributeFailure.broken("an include that cannot be read")
        }
        let uuid = (try? reader.readUInt16()).map { UUID($0) }
        attributeCache.services[place].includes.append(
          AttributeCache.Include(handle: entry.handle, start: included.start, end: included.end, uuid: uuid))
        next = entry.handle.next
      }
      attributeCache.services[place].includesNext = next.flatMap { $0 <= range.end ? $0 : nil }
      for include in attributeCache.services[place].includes {
        if let failure = Self.addSecondary(include, to: &attributeCache) { return failure }
      }
    case .errorResponse(_, _, .attributeNotFound): attributeCache.services[place].includesNext = nil
    case .errorResponse(_, _, let code): return AttributeFailure.refused(code, "looking for included services")
    default: return AttributeFailure.unexpected(answer)
    }
    return attributeCache.services.count > AttributeLimits.services
      ? AttributeFailure.broken("an implausible number of services") : nil
  }

  /// Adds an included service. It is secondary unless the list of primary services has it.
  static func addSecondary(_ include: AttributeCache.Include, to attributeCache: inout AttributeCache) -> Failure? {
    guard let uuid = include.uuid else { return nil }
    let service = AttributeCache.Service(uuid: uuid, start: include.start, end: include.end, isPrimary: false)
    return attributeCache.add(service) ? nil : AttributeFailure.broken("an included service that contradicts what was found before")
  }
}
