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
      for service in knowledge.services { if let request = contents(of: service) { return .ask(request) } }
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
    for include in service.includes where include.uuid == nil {
      return .includeName(NameInclude(service: service.start, include: include))
    }
    if let request = characteristics(of: service) { return request }
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
