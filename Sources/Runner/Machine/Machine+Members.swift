import Exchange
import Vocabulary

extension Machine {
  /// Mutating only to avoid a copy of the whole machine.
  mutating func member(_ value: Value, _ name: String) throws(Failure) -> Value {
    if case .attribute(let attribute) = value, let part = part(of: attribute, name) { return part }
    if case .subject(let index) = value { return try member(ofSubject: index, name) }
    guard case .device(let index) = value, devices.indices.contains(index) else { return try value.member(name, surroundings) }
    let device = devices[index]
    let link = devices[link: index]
    switch name {
    case "name": return device.name.map { .text($0) } ?? .text(device.text)
    case "address", "identity": return .address(device.addressValue)
    case "rssi": return link.rssi.map { .int(Int64($0)) } ?? .nothing
    case "heard": return heard(index).map { .time($0) } ?? .nothing
    case "mtu": return link.info.map { .int(Int64($0.mtu)) } ?? .nothing
    case "phy": return link.info.map { .text($0.phy) } ?? .nothing
    case "interval": return link.info.map { .duration($0.interval) } ?? .nothing
    case "connected": return .bool(link.isLinked)
    case "bonded": return .bool(link.info?.bonded ?? false)
    case "encrypted": return .bool(link.info?.encrypted ?? false)
    case "resumed": return .bool(device.isResumed)
    case "services": return .list(services(of: index))
    default: return device.fields[name] ?? .nothing
    }
  }

  private func services(of index: Int) -> [Value] {
    guard let services = devices[cache: index]?.services else { return [] }
    return services.map { .attribute(serviceValue(index, $0)) }
  }

  private func serviceValue(_ device: Int, _ service: AttributeCache.Service) -> AttributeValue {
    let instance = devices[cache: device]?.instance(of: service) ?? 0
    return AttributeValue(device: device, service: service.uuid, serviceInstance: instance, handle: service.start.raw)
  }

  /// Fields known only after discovery: `.primary`, `.included` and `.characteristics` of a
  /// service, `.descriptors` of a characteristic.
  private func part(of attribute: AttributeValue, _ name: String) -> Value? {
    guard ["primary", "included", "characteristics", "descriptors"].contains(name), devices.indices.contains(attribute.device),
      let services = devices[cache: attribute.device]?.services,
      let place = services.indices.first(where: { place in
        let candidate = serviceValue(attribute.device, services[place])
        return candidate.service == attribute.service && candidate.serviceInstance == attribute.serviceInstance
      })
    else { return nil }
    let service = services[place]
    guard attribute.characteristic == nil else {
      return name == "descriptors" ? descriptors(of: attribute, in: service).map { .list($0) } : nil
    }
    switch name {
    case "primary": return .bool(service.isPrimary)
    case "included":
      let starts = service.includes.map(\.start)
      return .list(services.filter { starts.contains($0.start) }.map { .attribute(serviceValue(attribute.device, $0)) })
    case "characteristics":
      return .list(service.characteristics.indices.map { .attribute(characteristic($0, attribute.device, service)) })
    default: return nil
    }
  }

  private func characteristic(_ number: Int, _ device: Int, _ service: AttributeCache.Service) -> AttributeValue {
    let characteristic = service.characteristics[number]
    var value = serviceValue(device, service)
    value.characteristic = characteristic.uuid
    value.instance = service.characteristics[..<number].count { $0.uuid == characteristic.uuid }
    value.handle = characteristic.value.raw
    value.properties = characteristic.properties
    return value
  }

  private func descriptors(of attribute: AttributeValue, in service: AttributeCache.Service) -> [Value]? {
    let all = service.characteristics.indices.map { characteristic($0, attribute.device, service) }
    guard attribute.descriptor == nil,
      let number = all.firstIndex(where: { $0.characteristic == attribute.characteristic && $0.instance == attribute.instance })
    else { return nil }
    return service.characteristics[number].descriptors.map { descriptor in
      var found = all[number]
      found.descriptor = descriptor.uuid
      found.handle = descriptor.handle.raw
      return .attribute(found)
    }
  }
}
