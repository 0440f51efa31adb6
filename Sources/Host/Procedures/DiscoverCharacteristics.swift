import Exchange
import Packets
import Vocabulary

/// One request of Discover All Characteristics of a Service (Vol 3, Part G, 4.6.1).
struct DiscoverCharacteristics: Equatable, Sendable {
  static let declaration = UUID(0x2803)
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
          return AttributeFailure.broken("characteristics outside their service or out of order")
        }
        guard let found = Self.characteristic(entry), found.value > found.declaration, found.value <= range.end else {
          return AttributeFailure.broken("a characteristic declaration that cannot be read")
        }
        if let last = attributeCache.services[place].characteristics.last, found.declaration <= last.value {
          return AttributeFailure.broken("a characteristic inside another")
        }
        attributeCache.services[place].endLastCharacteristic(before: found.declaration)
        attributeCache.services[place].characteristics.append(found)
        next = entry.handle.next
      }
      // After the last value there is no room for another declaration and its value.
      let last = attributeCache.services[place].characteristics.last?.value
      attributeCache.services[place].characteristicsNext = next.flatMap { $0 <= range.end ? $0 : nil }
      if last == range.end { attributeCache.services[place].endCharacteristics() }
    case .errorResponse(_, _, .attributeNotFound): attributeCache.services[place].endCharacteristics()
    case .errorResponse(_, _, let code):
      return AttributeFailure.refused(
        code, "listing the characteristics of \(AttributeNames.service(attributeCache.services[place].uuid))")
    default: return AttributeFailure.unexpected(answer)
    }
    let total = attributeCache.services.reduce(0) { $0 + $1.characteristics.count }
    return total > AttributeLimits.characteristics ? AttributeFailure.broken("an implausible number of characteristics") : nil
  }

  private static func characteristic(_ entry: HandleValue) -> AttributeCache.Characteristic? {
    var reader = entry.value.span.bytes
    guard let properties = try? reader.readUInt8(), let value = try? AttributeHandle(reading: &reader),
      let uuid = UUID(attributeValue: reader.readRest())
    else { return nil }
    return AttributeCache.Characteristic(uuid: uuid, declaration: entry.handle, value: value, properties: properties)
  }
}

extension AttributeCache.Service {
  /// The last known characteristic ends before this declaration.
  mutating func endLastCharacteristic(before declaration: AttributeHandle) {
    guard let last = characteristics.indices.last, let end = declaration.previous else { return }
    characteristics[last].close(at: end)
  }

  /// There are no more declarations, so the last characteristic extends to the end of the service.
  mutating func endCharacteristics() {
    characteristicsNext = nil
    if let last = characteristics.indices.last { characteristics[last].close(at: end) }
  }
}

extension AttributeCache.Characteristic {
  mutating func close(at end: AttributeHandle) {
    self.end = end
    if let next = descriptorsNext, next > end { descriptorsNext = nil }
  }
}
