import Exchange
import Packets
import Vocabulary

/// What `discover` asks next, from what is known alone: named services with all that is in them, or everything.
enum DiscoveryPlan {
  enum Need: Equatable {
    case ask(DiscoveryRequest)
    case nothing
    case failed(Failure)
  }

  static func next(_ uuids: [UUID], _ knowledge: GattKnowledge) -> Need {
    if uuids.isEmpty {
      if let next = knowledge.servicesNext { return .ask(.services(ListServices(start: next))) }
      if let range = span(of: knowledge, { $0.includesNext }) { return .ask(.allIncludes(ListAllIncludes(range: range))) }
      for service in knowledge.services { if let request = names(of: service) { return .ask(request) } }
      if let range = span(of: knowledge, { $0.characteristicsNext }) {
        return .ask(.allCharacteristics(ListAllCharacteristics(range: range)))
      }
      for service in knowledge.services { if let request = descriptors(of: service) { return .ask(request) } }
      return .nothing
    }
    for uuid in uuids { if let next = knowledge.searchNext(uuid) { return .ask(.find(FindService(uuid: uuid, start: next))) } }
    for service in knowledge.services where uuids.contains(service.uuid) {
      if let request = contents(of: service) { return .ask(request) }
    }
    for uuid in uuids where !knowledge.services.contains(where: { $0.uuid == uuid }) {
      return .failed(
        AttributeFailure.missing("the device has no service \(AttributeNames.service(uuid))\(Resolution.services(of: knowledge))"))
    }
    return .nothing
  }

  private static func contents(of service: GattKnowledge.Service) -> DiscoveryRequest? {
    if let next = service.includesNext {
      return .includes(ListIncludes(service: service.start, range: HandleRange(next, service.end)))
    }
    return names(of: service) ?? characteristics(of: service) ?? descriptors(of: service)
  }

  /// From the first service whose list has an end to come, up to the next whose list is complete: one question for all of them, as declarations
  /// of one kind are listed by one request wherever they stand. Asked service by service, each would cost a request that finds nothing more.
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
