import Exchange
import Vocabulary

extension Machine {
  static let deviceMembers = [
    "name", "address", "identity", "rssi", "mtu", "phy", "interval", "connected", "bonded", "encrypted", "resumed", "services",
  ]

  func member(_ value: Value, _ name: String) throws(Failure) -> Value {
    guard case .device(let index) = value, devices.indices.contains(index) else { return try value.member(name, surroundings) }
    let device = devices[index]
    switch name {
    case "name": return device.name.map { .text($0) } ?? .text(device.text)
    case "address", "identity": return .address(device.addressValue)
    case "rssi": return device.rssi.map { .int(Int64($0)) } ?? .nothing
    case "mtu": return device.info.map { .int(Int64($0.mtu)) } ?? .nothing
    case "phy": return device.info.map { .text($0.phy) } ?? .nothing
    case "interval": return device.info.map { .duration($0.interval) } ?? .nothing
    case "connected": return .bool(device.isLinked)
    case "bonded": return .bool(false)
    case "encrypted": return .bool(device.info?.encrypted ?? false)
    case "resumed": return .bool(device.isResumed)
    case "services": return .list(services(of: index))
    default: return device.fields[name] ?? .nothing
    }
  }

  private func services(of index: Int) -> [Value] {
    []
  }
}
