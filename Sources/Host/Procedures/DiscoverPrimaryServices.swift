import Exchange
import Packets
import Vocabulary

/// One request of Discover All Primary Services (Vol 3, Part G, 4.4.1).
struct DiscoverPrimaryServices: Equatable, Sendable {
  let start: AttributeHandle

  var request: ATTPDU { .readByGroupTypeRequest(HandleRange(start, .last), type: UUID(DiscoverServiceByUUID.primary)) }

  func absorb(_ answer: ATTPDU, into attributeCache: inout AttributeCache) -> Failure? {
    switch answer {
    case .readByGroupTypeResponse(let list):
      var next: AttributeHandle? = start
      for group in list {
        guard group.range.isValid, let least = next, group.range.start >= least else {
          return AttributeFailure.broken("services that overlap, are out of order or end before they begin")
        }
        guard let uuid = UUID(attributeValue: group.value) else {
          return AttributeFailure.broken("a service UUID of neither 2 nor 16 octets")
        }
        guard attributeCache.add(AttributeCache.Service(uuid: uuid, start: group.range.start, end: group.range.end)) else {
          return AttributeFailure.broken("a service that contradicts what was found before")
        }
        next = group.range.end.next
      }
      attributeCache.servicesNext = next
    case .errorResponse(_, _, .attributeNotFound): attributeCache.servicesNext = nil
    case .errorResponse(_, _, let code): return AttributeFailure.refused(code, "listing the services")
    default: return AttributeFailure.unexpected(answer)
    }
    return attributeCache.services.count > AttributeLimits.services
      ? AttributeFailure.broken("an implausible number of services") : nil
  }
}

extension UUID {
  /// The UUID in the value of a declaration: exactly 2 or 16 octets.
  init?(attributeValue bytes: [UInt8]) {
    var reader = bytes.span.bytes
    switch bytes.count {
    case 2:
      guard let short = try? reader.readUInt16() else { return nil }
      self.init(short)
    case 16:
      guard let long = try? UUID(littleEndian: &reader) else { return nil }
      self = long
    default: return nil
    }
  }
}
