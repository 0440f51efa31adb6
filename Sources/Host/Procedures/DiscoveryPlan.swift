import Exchange
import Packets
import Vocabulary

/// What `discover` asks next, from what is known alone: named services with all that is in them, or
/// everything.
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
    // none may be missing before the includes have been followed
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

  /// Where the search for the primary services of a UUID goes on; nothing when all of them are
  /// known.
  static func search(_ uuid: UUID, _ knowledge: GattKnowledge) -> DiscoveryRequest? {
    guard knowledge.findsByType else { return knowledge.servicesNext.map { .services(ListServices(start: $0)) } }
    return knowledge.searchNext(uuid).map { .find(FindService(uuid: uuid, start: $0)) }
  }

  /// What has to be asked before every secondary service is known: all primary services, then their
  /// includes, and the includes of those. Each answer adds a service or moves a cursor on, and
  /// services that include each other are added once: so it comes to an end.
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

  /// From the first service whose list has an end to come, up to the next whose list is complete:
  /// one question for all of them, as declarations of one kind are listed by one request wherever
  /// they stand. Asked service by service, each would cost a request that finds nothing more.
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
