import Vocabulary

extension AttributeCache {
  /// Joins the caches of two runs, with each list as far as either has discovered it. `nil` if they
  /// describe different tables or contradict each other.
  package func joined(with other: AttributeCache) -> AttributeCache? {
    guard let databaseHash, databaseHash == other.databaseHash else { return nil }
    var whole = self
    whole.findsByType = findsByType && other.findsByType
    whole.probe = probe ?? other.probe
    for service in other.services {
      guard whole.add(service), let place = whole.services.firstIndex(where: { $0.start == service.start }) else { return nil }
      whole.services[place].join(service)
    }
    for search in other.searches {
      let next = whole.searches.first { $0.uuid == search.uuid }.map(\.next) ?? .first
      whole.setSearch(search.uuid, next: Self.later(next, search.next))
    }
    whole.servicesNext = Self.later(servicesNext, other.servicesNext)
    return whole
  }

  /// The later of two cursors; `nil`, the cursor of a complete list, is the latest.
  fileprivate static func later(_ left: AttributeHandle?, _ right: AttributeHandle?) -> AttributeHandle? {
    guard let left, let right else { return nil }
    return max(left, right)
  }

  fileprivate static func isFurther(_ left: AttributeHandle?, than right: AttributeHandle?) -> Bool {
    guard let right else { return false }
    return left.map { $0 > right } ?? true
  }
}

extension AttributeCache.Service {
  fileprivate mutating func join(_ other: Self) {
    let named = includes + other.includes
    if AttributeCache.isFurther(other.includesNext, than: includesNext) {
      includes = other.includes
      includesNext = other.includesNext
    }
    for place in includes.indices where includes[place].uuid == nil {
      includes[place].uuid = named.first { $0.handle == includes[place].handle && $0.uuid != nil }?.uuid
    }
    let known = characteristics + other.characteristics
    if AttributeCache.isFurther(other.characteristicsNext, than: characteristicsNext) {
      characteristics = other.characteristics
      characteristicsNext = other.characteristicsNext
    }
    for place in characteristics.indices {
      for candidate in known where candidate.declaration == characteristics[place].declaration {
        characteristics[place].join(candidate)
      }
    }
  }
}

extension AttributeCache.Characteristic {
  fileprivate mutating func join(_ other: Self) {
    if end == nil { end = other.end }
    if AttributeCache.isFurther(other.descriptorsNext, than: descriptorsNext) {
      descriptors = other.descriptors
      descriptorsNext = other.descriptorsNext
    }
  }
}
