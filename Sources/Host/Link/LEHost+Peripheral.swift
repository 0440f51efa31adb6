import Exchange
import Packets
import Vocabulary

/// The peripheral role: advertising, centrals, and access to the server.
extension LEHost {
  // MARK: Advertising

  mutating func advertise(_ owner: OwnerID, _ id: OperationID, _ plan: AdvertisingPlan) {
    guard mayServe(owner) else { return complete(owner, id, .failure(servesAlready())) }
    let payload = plan.payload
    guard payload.leftOut.isEmpty else {
      complete(
        owner, id,
        .failure(
          Failure(
            .value, "too much to advertise: no room for \(payload.leftOut.joined(separator: ", "))", blame: .recipe, layer: .hci,
            hint: "an advertisement and its scan response hold 31 bytes each")))
      return
    }
    apply(arbiter.advertise(owner, id, plan, payload))
    serverOwner = owner
  }

  // MARK: Centrals

  mutating func peripheralLinkMade(_ event: ConnectionComplete, at address: Address) {
    let index = addLink(event, at: address, attributeCache: nil, mtu: nil)
    guard arbiter.advertising?.plan.connectable == true else {
      // Its handle may belong to a link whose end was missed or that never ended. No unwanted link
      // may stay in the controller.
      note(.debug, "a link to \(event.peer) came up while we were not advertising; closing it")
      return closeLink(event.handle, nil)
    }
    let events = TimeSpan.microseconds(Int64(event.interval) * 1250) * HostLimits.establishmentEvents
    links[index].establishedBy = now.moment + events
    apply(links[index].gatt.start(at: now), to: event.handle)
  }

  mutating func centralHeard(at place: Int) {
    let handle = links[place].handle
    let older = links.filter { $0.peer == links[place].peer && $0.handle != handle && $0.role == .peripheral }
    for link in older { supersede(link.handle) }
    guard let index = link(handle) else { return }
    links[index].stage = .ready
    report(serverOwner, .centralConnected(links[index].peer, links[index].info))
    // One link serves both roles of GATT.
    completeConnections(at: index)
    secure(handle, .centralHeard)
  }

  /// A killed central is back before its old link has timed out. Two devices have one link, so the
  /// old one is dead.
  private mutating func supersede(_ handle: ConnectionHandle) {
    guard let index = link(handle) else { return }
    let reason = DisconnectReason(text: "the central has connected again")
    deliver(links[index].gatt.lost(reason, server: &server, at: now), audience(links[index]))
    for owner in links[index].owners { report(owner, .disconnected(links[index].peer, reason)) }
    if links[index].isHeard { report(serverOwner, .centralDisconnected(links[index].peer, reason)) }
    for waiter in links[index].waiters { complete(waiter.owner, waiter.id, .success(.done)) }
    links[index].owners = []
    links[index].waiters = []
    links[index].isHeard = false
    closeLink(handle, nil)
  }
}
