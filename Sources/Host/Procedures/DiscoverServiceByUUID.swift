import Exchange
import Packets
import Vocabulary

/// One request of Discover Primary Service by Service UUID (Vol 3, Part G, 4.4.2).
///
/// The results must ascend and lie above the start, so the search advances or ends.
struct DiscoverServiceByUUID: Equatable, Sendable {
  static let primary: UInt16 = 0x2800
  static let secondary: UInt16 = 0x2801
  let uuid: UUID
  let start: AttributeHandle

  var request: ATTPDU {
    var writer = ByteWriter()
    uuid.writeLittleEndian(to: &writer)
    return .findByTypeValueRequest(HandleRange(start, .last), type: Self.primary, value: writer.bytes)
  }

  func absorb(_ answer: ATTPDU, into attributeCache: inout AttributeCache) -> Failure? {
    switch answer {
    case .findByTypeValueResponse(let list):
      var next: AttributeHandle? = start
      for range in list {
        guard range.isValid, let least = next, range.start >= least else {
          return AttributeFailure.broken("services that overlap, are out of order or end before they begin")
        }
        guard attributeCache.add(AttributeCache.Service(uuid: uuid, start: range.start, end: range.end)) else {
          return AttributeFailure.broken("a service that contradicts what was found before")
        }
        next = range.end.next
      }
      attributeCache.setSearch(uuid, next: next)
    case .errorResponse(_, _, .attributeNotFound): attributeCache.setSearch(uuid, next: nil)
    // Small servers only support Read By Group Type.
    case .errorResponse(_, _, .requestNotSupported): attributeCache.findsByType = false
    case .errorResponse(_, _, let code):
      return AttributeFailure.refused(code, "looking for service \(AttributeNames.service(uuid))")
    default: return AttributeFailure.unexpected(answer)
    }
    return attributeCache.services.count > AttributeLimits.services
      ? AttributeFailure.broken("an implausible number of services") : nil
  }
}
