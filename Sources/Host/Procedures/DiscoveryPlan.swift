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

  static func next(_ uuids: [UUID], _ knowledge: GattKnowledge) -> Need {
    if uuids.isEmpty {
      if let request = secondaries(knowledge) { return .ask(request) }
      if let range = span(of: knowledge, { $0.characteristicsNext }) {
        return .ask(.allCharacteristics(ListAllCharacteristics(range: range)))
      }
      for service in knowledge.services { if let request = descriptors(of: service) { return .ask(request) } }
      return .nothing
    }
    for uuid in uuids { if let request = search(uuid, knowledge) { return .ask(request) } }
    // A service may be missing only after the includes were discovered.
    if uuids.contains(where: { uuid in !knowledge.services.contains { $0.uuid == uuid } }), let request = secondaries(knowledge) {
      return .ask(request)
    }
    for service in knowledge.services where uuids.contains(service.uuid) {
      if let request = contents(of: service) { return .ask(request) }
    }
    for uuid in uuids where !knowledge.services.contains(where: { $0.uuid == uuid }) {
      return .failed(Resolution.noService("the device has no service \(AttributeNames.service(uuid))", knowledge))
    }
    return .nothing
  }

  /// Continues the search for the primary services of a UUID; `nil` if all of them are known.
  static func search(_ uuid: UUID, _ knowledge: GattKnowledge) -> DiscoveryRequest? {
    guard knowledge.findsByType else { return knowledge.servicesNext.map { .services(ListServices(start: $0)) } }
    return knowledge.searchNext(uuid).map { .find(FindService(uuid: uuid, start: $0)) }
  }

  /// Returns the next request until every secondary service is known: the primary services, their
  /// includes, and the includes of those. It terminates, because each answer adds a service or
  /// advances a cursor, and no service is added twice.
  static func secondaries(_ knowledge: GattKnowledge) -> DiscoveryRequest? {
    if let next = knowledge.servicesNext { return .services(ListServices(start: next)) }
    if let range = span(of: knowledge, { $0.includesNext }) { return .allIncludes(ListAllIncludes(range: range)) }
    for service in knowledge.services { if let request = names(of: service) { return request } }
    return nil
  }

  private static func contents(of service: GattKnowledge.Service) -> DiscoveryRequest? {
    if let next = service.includesNext {
      return .includes(ListIncludes(service: service.start, range: HandleRange(next, service.end)))
    }
    return names(of: service) ?? characteristics(of: service) ?? descriptors(of: service)
  }

  /// Returns the range from the first incomplete list of services to the last consecutive one. One
  /// request lists all declarations of a kind in it. A request for each service would cost one more
  /// each to find its end.
  private static func span(of knowledge: GattKnowledge, _ next: (GattKnowledge.Service) -> AttributeHandle?) -> HandleRange? {
    guard let first = knowledge.services.firstIndex(where: { next($0) != nil }), let start = next(knowledge.services[first]) else {
      return nil
    }
    let others = knowledge.services[first...].prefix { next($0) != nil }
    return HandleRange(start, others.last?.end ?? start)
  }

  private static func names(of service: GattKnowledge.Service) -> DiscoveryRequest? {
    for include in service.includes where include.uuid == nil {
      return .includeName(NameInclude(service: service.start, include: include))
    }
    return nil
  }

  private static func descriptors(of service: GattKnowledge.Service) -> DiscoveryRequest? {
    for characteristic in service.characteristics {
      if let request = descriptors(of: characteristic, in: service) { return request }
    }
    return nil
  }

  static func characteristics(of service: GattKnowledge.Service) -> DiscoveryRequest? {
    service.characteristicsNext.map {
      .characteristics(ListCharacteristics(service: service.start, range: HandleRange($0, service.end)))
    }
  }

  static func descriptors(of characteristic: GattKnowledge.Characteristic, in service: GattKnowledge.Service) -> DiscoveryRequest? {
    characteristic.descriptorsNext.map {
      .descriptors(
        ListDescriptors(
          service: service.start, characteristic: characteristic.declaration,
          range: HandleRange($0, characteristic.end ?? service.end)))
    }
  }
}
