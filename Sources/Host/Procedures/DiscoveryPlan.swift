import Exchange
import Packets
import Vocabulary

/// The next request of `discover`, derived from the cache alone: the services with these UUIDs and
/// all they contain, or everything.
enum DiscoveryPlan {
  enum Need: Equatable {
    case ask(DiscoveryRequest)
    case nothing
    case failed(Failure)
  }

  static func next(_ uuids: [UUID], _ attributeCache: AttributeCache) -> Need {
    if uuids.isEmpty {
      if let request = secondaries(attributeCache) { return .ask(request) }
      if let range = span(of: attributeCache, { $0.characteristicsNext }) {
        return .ask(.allCharacteristics(DiscoverAllCharacteristics(range: range)))
      }
      for service in attributeCache.services { if let request = descriptors(of: service) { return .ask(request) } }
      return .nothing
    }
    for uuid in uuids { if let request = search(uuid, attributeCache) { return .ask(request) } }
    // A service counts as missing only after the includes were discovered.
    if uuids.contains(where: { uuid in !attributeCache.services.contains { $0.uuid == uuid } }),
      let request = secondaries(attributeCache)
    {
      return .ask(request)
    }
    for service in attributeCache.services where uuids.contains(service.uuid) {
      if let request = contents(of: service) { return .ask(request) }
    }
    for uuid in uuids where !attributeCache.services.contains(where: { $0.uuid == uuid }) {
      return .failed(Resolution.noService("the device has no service \(AttributeNames.service(uuid))", attributeCache))
    }
    return .nothing
  }

  /// Continues the search for the primary services of a UUID; `nil` if all of them are known.
  static func search(_ uuid: UUID, _ attributeCache: AttributeCache) -> DiscoveryRequest? {
    guard attributeCache.findsByType else {
      return attributeCache.servicesNext.map { .services(DiscoverPrimaryServices(start: $0)) }
    }
    return attributeCache.searchNext(uuid).map { .find(DiscoverServiceByUUID(uuid: uuid, start: $0)) }
  }

  /// Returns the next request until every secondary service is known: the primary services, their
  /// includes, and the includes of those. It terminates, because each answer adds a service or
  /// advances a cursor, and no service is added twice.
  static func secondaries(_ attributeCache: AttributeCache) -> DiscoveryRequest? {
    if let next = attributeCache.servicesNext { return .services(DiscoverPrimaryServices(start: next)) }
    if let range = span(of: attributeCache, { $0.includesNext }) { return .allIncludes(FindAllIncludedServices(range: range)) }
    for service in attributeCache.services { if let request = names(of: service) { return request } }
    return nil
  }

  private static func contents(of service: AttributeCache.Service) -> DiscoveryRequest? {
    if let next = service.includesNext {
      return .includes(FindIncludedServices(service: service.start, range: HandleRange(next, service.end)))
    }
    return names(of: service) ?? characteristics(of: service) ?? descriptors(of: service)
  }

  /// Returns the range from the first incomplete list of services to the last consecutive one. One
  /// request lists all declarations of a kind in it. A request for each service would cost one more
  /// each to find its end.
  private static func span(of attributeCache: AttributeCache, _ next: (AttributeCache.Service) -> AttributeHandle?) -> HandleRange?
  {
    guard let first = attributeCache.services.firstIndex(where: { next($0) != nil }),
      let start = next(attributeCache.services[first])
    else {
      return nil
    }
    let others = attributeCache.services[first...].prefix { next($0) != nil }
    return HandleRange(start, others.last?.end ?? start)
  }

  private static func names(of service: AttributeCache.Service) -> DiscoveryRequest? {
    for include in service.includes where include.uuid == nil {
      return .includeName(NameInclude(service: service.start, include: include))
    }
    return nil
  }

  private static func descriptors(of service: AttributeCache.Service) -> DiscoveryRequest? {
    for characteristic in service.characteristics {
      if let request = descriptors(of: characteristic, in: service) { return request }
    }
    return nil
  }

  static func characteristics(of service: AttributeCache.Service) -> DiscoveryRequest? {
    service.characteristicsNext.map {
      .characteristics(DiscoverCharacteristics(service: service.start, range: HandleRange($0, service.end)))
    }
  }

  static func descriptors(of characteristic: AttributeCache.Characteristic, in service: AttributeCache.Service) -> DiscoveryRequest?
  {
    characteristic.descriptorsNext.map {
      .descriptors(
        DiscoverDescriptors(
          service: service.start, characteristic: characteristic.declaration,
          range: HandleRange($0, characteristic.end ?? service.end)))
    }
  }
}
