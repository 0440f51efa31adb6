import Exchange
import Packets
import Vocabulary

/// One request of Discover All Characteristic Descriptors (Vol 3, Part G, 4.7.1).
///
/// If the characteristic's end is unknown, the range extends to the end of the service, and the
/// next declaration in it is the end.
struct DiscoverDescriptors: Equatable, Sendable {
  /// The service's first handle, and the characteristic's declaration.
  let service: AttributeHandle
  let characteristic: AttributeHandle
  let range: HandleRange

  /// Whether this is the type of a service, include or characteristic declaration, which no
  /// descriptor can have (Vol 3, Part G, 3).
  private static func isDeclaration(_ type: UUID) -> Bool { type.short.map { (0x2800...0x2803).contains($0) } ?? false }

  var request: ATTPDU { .findInformationRequest(range) }

  func absorb(_ answer: ATTPDU, into attributeCache: inout AttributeCache) -> Failure? {
    guard let place = attributeCache.services.firstIndex(where: { $0.start == service }),
      let inner = attributeCache.services[place].characteristics.firstIndex(where: { $0.declaration == characteristic })
    else { return nil }
    switch answer {
    case .findInformationResponse(let list):
      var next: AttributeHandle? = range.start
      for entry in list {
        guard let least = next, entry.handle >= least, entry.handle <= range.end else {
          return AttributeFailure.broken("descriptors outside their characteristic or out of order")
        }
        if Self.isDeclaration(entry.type) {
          return attributeCache.services[place].end(inner, before: entry.handle)
        }
        attributeCache.services[place].characteristics[inner].descriptors.append(
          AttributeCache.Descriptor(handle: entry.handle, uuid: entry.type))
        next = entry.handle.next
      }
      if let next, next <= range.end {
        attributeCache.services[place].characteristics[inner].descriptorsNext = next
      } else {
        attributeCache.services[place].end(inner, at: range.end)
      }
    case .errorResponse(_, _, .attributeNotFound): attributeCache.services[place].end(inner, at: range.end)
    case .errorResponse(_, _, let code):
      return AttributeFailure.refused(
        code,
        "listing the descriptors of \(AttributeNames.characteristic(attributeCache.services[place].characteristics[inner].uuid))")
    default: return AttributeFailure.unexpected(answer)
    }
    let total = attributeCache.services.reduce(0) { $0 + $1.characteristics.reduce(0) { $0 + $1.descriptors.count } }
    return total > AttributeLimits.descriptors ? AttributeFailure.broken("an implausible number of descriptors") : nil
  }
}

extension AttributeCache.Service {
  /// A declaration follows the descriptors, so the characteristic ends there.
  fileprivate mutating func end(_ place: Int, before declaration: AttributeHandle) -> Failure? {
    guard let end = declaration.previous, end >= characteristics[place].value else {
      return AttributeFailure.broken("a declaration inside a characteristic")
    }
    let isLast = place == characteristics.count - 1
    characteristics[place].close(at: end)
    characteristics[place].descriptorsNext = nil
    if isLast, characteristicsNext != nil { characteristicsNext = declaration }
    return nil
  }

  /// The descriptors are complete up to this handle.
  fileprivate mutating func end(_ place: Int, at end: AttributeHandle) {
    characteristics[place].descriptorsNext = nil
    if characteristics[place].end == nil { characteristics[place].end = end }
    if place == characteristics.count - 1, end == self.end { characteristicsNext = nil }
  }
}
