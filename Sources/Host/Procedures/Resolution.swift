import Exchange
import Packets
import Vocabulary

/// Finds the attribute of a path in the cache. It is found, needs one more request, or cannot be
/// found.
struct Resolution {
  enum Need: Equatable {
    case found(Target)
    case ask(DiscoveryRequest)
    case failed(Failure)
  }

  /// An attribute to read, write or subscribe to.
  struct Target: Equatable, Sendable {
    var handle: AttributeHandle
    var reference: AttributeReference
    /// `nil` for a raw handle that was not discovered.
    var characteristic: AttributeCache.Characteristic?
    /// The handle of the Client Characteristic Configuration descriptor, if requested.
    var configuration: AttributeHandle?
  }

  static let configuration = UUID(0x2902)

  let path: AttributePath
  /// Whether the Client Characteristic Configuration descriptor is needed.
  let subscribes: Bool
  let attributeCache: AttributeCache
  /// Whether the service is known to be primary, so that includes need not be discovered.
  var isPrimary = false

  private typealias Match = (service: AttributeCache.Service, characteristic: AttributeCache.Characteristic)

  func next() -> Need {
    switch path.form {
    case .handle(let handle): return subscribes ? discovered(handle) : .found(bare(handle))
    case .named(let service, let characteristic, let descriptor):
      if let service { return inService(service, characteristic, descriptor) }
      if let home = path.home, characteristic.instance == nil { return inHome(home, characteristic, descriptor) }
      return everywhere(characteristic, descriptor)
    }
  }

  // MARK: By handle

  /// A raw handle says nothing about the attribute, whatever the cache contains.
  private func bare(_ handle: AttributeHandle) -> Target {
    Target(handle: handle, reference: AttributeReference(handle: handle, service: UUID(0), characteristic: UUID(0)))
  }

  private func discovered(_ handle: AttributeHandle) -> Need {
    guard let place = attributeCache.service(holding: handle) else {
      if let request = DiscoveryPlan.secondaries(attributeCache) { return .ask(request) }
      return .failed(AttributeFailure.missing("the device has no attribute \(handle)"))
    }
    let service = attributeCache.services[place]
    if let found = service.characteristics.first(where: { $0.value == handle }) { return complete((service, found), nil) }
    if let request = DiscoveryPlan.characteristics(of: service) { return .ask(request) }
    return .failed(AttributeFailure.missing("\(handle) is not a characteristic value\(Self.contents(of: [service]))"))
  }

  // MARK: By name
  //
  // A name has the same meaning however much is cached: primary services come first, and what
  // another search has found is not taken for all services of its UUID.

  private func inService(_ step: AttributePath.Step, _ characteristic: AttributePath.Step, _ descriptor: AttributePath.Step?)
    -> Need
  {
    if !attributeCache.hasSearched(step.uuid), let request = DiscoveryPlan.search(step.uuid, attributeCache) {
      return .ask(request)
    }
    let primaries = attributeCache.services(of: step.uuid, isPrimary: true)
    if let wanted = step.instance {
      if primaries.indices.contains(wanted) { return either([primaries[wanted]], characteristic, descriptor) }
    } else if let need = inside(primaries, characteristic, descriptor) {
      return need
    }
    if let request = DiscoveryPlan.search(step.uuid, attributeCache) { return .ask(request) }
    if !isPrimary, let request = DiscoveryPlan.secondaries(attributeCache) { return .ask(request) }
    let secondaries = attributeCache.services(of: step.uuid, isPrimary: false)
    let all = primaries + secondaries
    if let wanted = step.instance {
      if all.indices.contains(wanted) { return either([all[wanted]], characteristic, descriptor) }
    } else if !all.isEmpty {
      return inside(secondaries, characteristic, descriptor) ?? absent(all, characteristic)
    }
    let which = step.instance.map { "[\($0)]" } ?? ""
    return .failed(
      Self.noService("\(path.text): the device has no service \(AttributeNames.service(step.uuid))\(which)", attributeCache))
  }

  private func either(
    _ services: [AttributeCache.Service], _ characteristic: AttributePath.Step, _ descriptor: AttributePath.Step?
  ) -> Need { inside(services, characteristic, descriptor) ?? absent(services, characteristic) }

  private func inHome(_ home: UUID, _ characteristic: AttributePath.Step, _ descriptor: AttributePath.Step?) -> Need {
    if !attributeCache.hasSearched(home), let request = DiscoveryPlan.search(home, attributeCache) { return .ask(request) }
    let primaries = attributeCache.services(of: home, isPrimary: true)
    if primaries.isEmpty, let request = DiscoveryPlan.search(home, attributeCache) { return .ask(request) }
    return inside(primaries, characteristic, descriptor) ?? everywhere(characteristic, descriptor)
  }

  private func everywhere(_ characteristic: AttributePath.Step, _ descriptor: AttributePath.Step?) -> Need {
    if let next = attributeCache.servicesNext { return .ask(.services(DiscoverPrimaryServices(start: next))) }
    var found: [Match] = []
    for isPrimary in [true, false] {
      if !isPrimary, let request = DiscoveryPlan.secondaries(attributeCache) { return .ask(request) }
      let services = attributeCache.services.filter { $0.isPrimary == isPrimary }
      for service in services { if let request = DiscoveryPlan.characteristics(of: service) { return .ask(request) } }
      var here: [Match] = []
      for service in services {
        for candidate in service.characteristics where candidate.uuid == characteristic.uuid { here.append((service, candidate)) }
      }
      // Among secondary services, the home service has priority too.
      if let home = path.home, characteristic.instance == nil, here.contains(where: { $0.service.uuid == home }) {
        here.removeAll { $0.service.uuid != home }
      }
      found += here
      if let need = choose(found, characteristic.instance, descriptor) { return need }
    }
    return absent(attributeCache.services, characteristic)
  }

  /// Looks for the characteristic in services. `nil` if none of them has it.
  private func inside(
    _ services: [AttributeCache.Service], _ characteristic: AttributePath.Step, _ descriptor: AttributePath.Step?
  ) -> Need? {
    var found: [Match] = []
    let wanted = max(characteristic.instance ?? 0, 0)
    for service in services {
      let matches = service.characteristics.filter { $0.uuid == characteristic.uuid }
      if matches.count <= wanted, let request = DiscoveryPlan.characteristics(of: service) { return .ask(request) }
      if characteristic.instance == nil {
        found += matches.map { (service, $0) }
      } else if wanted < matches.count {
        found.append((service, matches[wanted]))
      }
    }
    return choose(found, nil, descriptor)
  }

  private func choose(_ found: [Match], _ instance: Int?, _ descriptor: AttributePath.Step?) -> Need? {
    if let instance { return found.indices.contains(instance) ? complete(found[instance], descriptor) : nil }
    guard let first = found.first else { return nil }
    if found.count == 1 { return complete(first, descriptor) }
    let candidates = found.map { match in
      let reference = attributeCache.reference(to: match.characteristic, of: match.service)
      return
        "\(AttributeNames.service(reference.service))[\(reference.serviceInstance)]/\(AttributeNames.characteristic(reference.characteristic))"
        + "[\(reference.instance)] (\(reference.handle))"
    }
    return .failed(Self.ambiguous(path.text, candidates))
  }

  /// The characteristic is known; a descriptor or the configuration may still have to be
  /// discovered.
  private func complete(_ match: Match, _ descriptor: AttributePath.Step?) -> Need {
    let (service, characteristic) = match
    var target = Target(
      handle: characteristic.value, reference: attributeCache.reference(to: characteristic, of: service, home: path.home),
      characteristic: characteristic)
    if let descriptor {
      let found = characteristic.descriptors.filter { $0.uuid == descriptor.uuid }
      let wanted = descriptor.instance ?? 0
      guard wanted >= 0, wanted < found.count else {
        if let request = DiscoveryPlan.descriptors(of: characteristic, in: service) { return .ask(request) }
        let list = characteristic.descriptors.map { AttributeNames.descriptor($0.uuid) }.joined(separator: ", ")
        return .failed(
          AttributeFailure.missing(
            "\(path.text): the characteristic has no descriptor \(AttributeNames.descriptor(descriptor.uuid))\(list.isEmpty ? "" : "; it has \(list)")"
          ))
      }
      target.handle = found[wanted].handle
      target.reference = attributeCache.reference(to: characteristic, of: service, descriptor: found[wanted], home: path.home)
      return .found(target)
    }
    if subscribes {
      guard let found = characteristic.descriptors.first(where: { $0.uuid == Self.configuration }) else {
        if let request = DiscoveryPlan.descriptors(of: characteristic, in: service) { return .ask(request) }
        return .failed(
          AttributeFailure.missing("\(path.text) has no Client Characteristic Configuration: it cannot be subscribed to"))
      }
      target.configuration = found.handle
    }
    return .found(target)
  }

  // MARK: Messages

  private func absent(_ services: [AttributeCache.Service], _ characteristic: AttributePath.Step) -> Need {
    let which = characteristic.instance.map { "[\($0)]" } ?? ""
    return .failed(
      AttributeFailure.missing(
        "\(path.text): the device has no characteristic \(AttributeNames.characteristic(characteristic.uuid))\(which)\(Self.contents(of: services))"
      ))
  }

  static func ambiguous(_ text: String, _ candidates: [String]) -> Failure {
    var failure = AttributeFailure.missing("\(text) is ambiguous: \(candidates.joined(separator: ", "))")
    failure.hint = "put the service before it, or choose one with [0], [1]"
    return failure
  }

  /// The known services go into the hint, because they differ from run to run.
  static func noService(_ text: String, _ attributeCache: AttributeCache) -> Failure {
    var failure = AttributeFailure.missing(text)
    let list = attributeCache.services.map { AttributeNames.service($0.uuid) }.joined(separator: ", ")
    if !list.isEmpty { failure.hint = "it has \(list)" }
    return failure
  }

  private static func contents(of services: [AttributeCache.Service]) -> String {
    let list = services.map { service in
      let inside = service.characteristics.map { AttributeNames.characteristic($0.uuid) }
      return "\(AttributeNames.service(service.uuid)) with \(inside.isEmpty ? "nothing" : inside.joined(separator: ", "))"
    }
    return list.isEmpty ? "" : "; it has \(list.joined(separator: "; "))"
  }
}
