import Exchange
import Vocabulary

/// Centrals of the served peripheral.
extension Machine {
  mutating func centralConnected(_ address: Address, _ info: LinkInfo, _ at: Instant) {
    let index = knownDevice(AddressValue(address))
    devices[link: index].info = info
    devices[link: index].phase = .ready
    if !server.state.centrals.contains(index) { server.state.centrals.append(index) }
    deliver(.centralConnected, device: index, at: at)
  }

  mutating func centralDisconnected(_ address: Address, _ reason: DisconnectReason, _ at: Instant) {
    guard let index = deviceIndex(address) else { return }
    devices[link: index].phase = .idle
    devices[link: index].info = nil
    // Ignore a central of a peripheral that is no longer served.
    guard server.state.centrals.contains(index) || program.isPeripheral else { return }
    server.state.centrals.removeAll { $0 == index }
    if server.state.subscribers.contains(where: { $0.device == index }) {
      server.state.subscribers.removeAll { $0.device == index }
    }
    deliver(.centralDisconnected(reason), device: index, at: at)
    for id in fibers.map(\.id) {
      guard let place = fibers.index(of: id) else { continue }
      switch fibers[place].wait {
      case .closing(index): complete(place)
      case .operation(let operation) where operation.device == index: operationLostLink(place, operation, reason)
      default: break
      }
    }
  }

  mutating func subscribed(_ central: Address, _ attribute: ServerAttributeID, _ kind: SubscriptionKind) {
    let index = knownDevice(AddressValue(central))
    server.state.subscribers.removeAll { $0.device == index && $0.attribute == attribute }
    server.state.subscribers.append(ServerState.Subscriber(device: index, attribute: attribute, kind: kind))
    deliver(.subscribed(attribute), device: index)
  }

  mutating func unsubscribed(_ central: Address, _ attribute: ServerAttributeID) {
    let index = knownDevice(AddressValue(central))
    server.state.subscribers.removeAll { $0.device == index && $0.attribute == attribute }
    deliver(.unsubscribed(attribute), device: index)
  }

  /// Stores a written value that no handler takes, and confirms it afterwards.
  mutating func written(
    _ request: ServerRequestID, _ attribute: ServerAttributeID, _ central: Address, _ bytes: [UInt8], _ at: Instant
  ) {
    let index = knownDevice(AddressValue(central))
    if let served, !served.isAsked(attribute) {
      settle(ServerActivation(request: request, attribute: attribute, written: bytes), .accept)
    }
    deliver(.written(request, attribute, bytes), device: index, at: at)
  }

  // MARK: `P.centrals`, `P.subscribers`

  func serverMember(_ index: Int, _ name: String) throws(Failure) -> Value {
    let isServed = server.site == index
    switch name {
    case "centrals": return .list(isServed ? server.state.centrals.map { .device($0) } : [])
    case "subscribers":
      var list: [Value] = []
      if isServed {
        for subscriber in server.state.subscribers where !list.contains(.device(subscriber.device)) {
          list.append(.device(subscriber.device))
        }
      }
      return .list(list)
    default:
      throw .value("`\(program.servers[index].peripheral)` has no `\(name)`", hint: "its `let`s, `centrals` and `subscribers`")
    }
  }
}
