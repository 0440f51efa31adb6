package import Exchange
import Packets
package import Vocabulary

/// Requests for our GATT server, passed on to it and to the links that read it.
extension LEHost {
  private var liveHandles: [ConnectionHandle] {
    // Avoids copying any link.
    var handles: [ConnectionHandle] = []
    for index in links.indices where links[index].stage != .closing { handles.append(links[index].handle) }
    return handles
  }

  /// Whether this client may serve: the adapter serves one at a time.
  func mayServe(_ owner: OwnerID) -> Bool { servingOwner == nil || servingOwner == owner }

  func servesAlready() -> Failure {
    Failure(.adapter, "another run already serves on this adapter", blame: .adapter, layer: .os, delivered: .notSent)
  }

  /// The serving client is gone. Closes its centrals' links and restores the table of a pure
  /// client.
  mutating func endServing() {
    servingOwner = nil
    isServerAway = false
    server.empty()
    for handle in liveHandles {
      if let index = isLive(handle), links[index].role == .peripheral { closeLink(handle, nil) }
    }
  }

  /// The owner of a request has been away for too long.
  mutating func expireRequest(at index: Int) {
    guard let asked = links[index].gatt.waitingRequest else { return }
    let handle = links[index].handle
    apply(links[index].gatt.answer(asked, .refuse(0x0E), server: &server, at: now), to: handle)
    report(serverOwner, .requestExpired(asked))
  }

  /// Whether this peer has a link to us as a central.
  package func isCentral(_ peer: Address) -> Bool { links.contains { $0.peer == peer && $0.role == .peripheral } }

  /// The centrals that are connected to our server.
  package var centrals: [(peer: Address, info: LinkInfo)] {
    links.filter { $0.role == .peripheral && $0.stage == .ready }.map { ($0.peer, $0.info) }
  }

  mutating func publish(_ owner: OwnerID, _ id: OperationID, _ table: ServerTable) {
    guard mayServe(owner) else { return complete(owner, id, .failure(servesAlready())) }
    serverOwner = owner
    servingOwner = table.services.isEmpty ? nil : owner
    isServerAway = false
    if let bytes = server.publish(table, owner: owner) { compute(.databaseHash(of: bytes), for: .databaseHash) }
    for handle in liveHandles {
      guard let index = isLive(handle) else { continue }
      if links[index].role == .peripheral, bonds.identity != nil { links[index].security.acceptance = servedPairing }
      apply(links[index].gatt.tableChanged(server: &server, at: now), to: handle)
    }
    complete(owner, id, .success(.done))
  }

  private mutating func compute(_ computation: Computation, for purpose: PendingComputations.Purpose) {
    out.append(.compute(computations.order(for: purpose), computation))
  }

  mutating func take(_ id: ComputationID, _ result: ComputationResult) {
    switch (computations.answered(id), result) {
    case (.databaseHash, .databaseHash(let hash)): server.hashComputed(hash)
    // Without libcrypto no hash can be computed. Zeros are safe: clients discover again.
    case (.databaseHash, .unavailable): server.hashComputed([UInt8](repeating: 0, count: 16))
    case (.databaseHash, _), (nil, _): break
    case (.security(let handle), _): secure(handle, .computed(result))
    case (.bonds, _): bondsAnswered(result)
    case (.keeping(let handle), _): bondKept(result, on: handle)
    case (.room(let handle), _): roomChecked(result, on: handle)
    case (.forgetting(let owner, let id, let peer), _): bondForgotten(owner, id, peer, result)
    case (.dropping, _): break
    case (.remembering(let identity), .refused(let reason)):
      note(.warning, "the subscriptions of \(identity) are not saved for its next link: \(reason)")
    case (.remembering, _): break
    case (.resolving(let address), .address(let identity)): resolved(address, identity)
    case (.resolving(let address), _): resolved(address, nil)
    case (.ownAddress, .address(let address)): if let address { arbiter.setOwnAddress(address) }
    case (.ownAddress, _): break
    case (.offering, _): offerComputed(result)
    case (.staticAddress, .address(let stored)): setRandomAddress(stored)
    case (.staticAddress, _): setRandomAddress(nil)
    }
  }

  mutating func update(_ owner: OwnerID, _ id: OperationID, _ attribute: ServerAttributeID, _ value: [UInt8]) {
    guard server.update(attribute, value) else {
      let failure = Failure(.missing, "our server has no attribute \(attribute.raw)", blame: .recipe, layer: .att)
      return complete(owner, id, .failure(failure))
    }
    complete(owner, id, .success(.done))
  }

  mutating func publishValue(
    _ owner: OwnerID, _ id: OperationID, _ attribute: ServerAttributeID, _ value: [UInt8], _ kind: SubscriptionKind,
    to peer: Address?
  ) {
    if let failure = server.beginPublication(owner, id, attribute, value, kind, to: peer) {
      return complete(owner, id, .failure(failure))
    }
    for handle in liveHandles {
      guard let index = isLive(handle) else { continue }
      apply(links[index].gatt.sendPublication(server: &server, at: now), to: handle)
    }
    deliver(server.endPublication(), [serverOwner])
  }

  mutating func answer(_ owner: OwnerID, _ id: OperationID, _ asked: ServerRequestID, _ answer: ServerAnswer) {
    for handle in liveHandles {
      guard let index = isLive(handle) else { continue }
      apply(links[index].gatt.answer(asked, answer, server: &server, at: now), to: handle)
    }
    complete(owner, id, .success(.done))
  }

  /// The owner has committed all events up to this one, which confirms the indications among them.
  mutating func acknowledge(_ owner: OwnerID, _ number: EventNumber) {
    for handle in liveHandles {
      guard let index = isLive(handle) else { continue }
      apply(links[index].gatt.acknowledged(owner: owner, number, at: now), to: handle)
    }
  }

  /// Sends the reports among the effects of a bearer without a link.
  mutating func deliver(_ effects: [GattEffect], _ audience: [OwnerID]) {
    for effect in effects {
      switch effect {
      case .report(let owner, let event), .reportIndication(let owner, let event, _): report(owner, event)
      case .needsSecurity(let owner, let id, _, let failure, _): complete(owner, id, .failure(failure))
      case .reportToLinkOwners(let event): for owner in audience { report(owner, event) }
      case .reportArrived(let owner, let event, let instant):
        for owner in owner.map({ [$0] }) ?? audience { report(owner, event, at: instant) }
      case .send, .ready, .authenticationMissing, .closeLink: break
      }
    }
  }
}
