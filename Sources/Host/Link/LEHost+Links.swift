import Exchange
import Packets
import Vocabulary

/// Links from the request to the end.
extension LEHost {
  // Loops over indices, because a closure over elements would copy each link.

  func link(to peer: Address) -> Int? {
    // A link that is being closed must not hide a newer one.
    links.indices.first { links[$0].peer == peer && links[$0].stage != .closing } ?? links.indices.first { links[$0].peer == peer }
      // The address that it had before its identity was known.
      ?? links.indices.first { links[$0].address == peer }
  }

  func link(_ handle: ConnectionHandle) -> Int? {
    for index in links.indices where links[index].handle == handle { return index }
    return nil
  }

  func disconnected(_ peer: Address) -> Failure {
    Failure(.disconnected, "\(peer) is not connected", blame: .radio, layer: .hci, delivered: .notSent)
  }

  // MARK: Requests

  mutating func connect(_ owner: OwnerID, _ id: OperationID, _ request: ConnectRequest) {
    if let index = link(to: request.peer) { interruptClosingRead(at: index, for: owner) }
    if let index = link(to: request.peer), links[index].stage != .closing {
      if links[index].stage == .ready, links[index].isHeard {
        let isNew = !links[index].owners.contains(owner)
        addOwner(owner, request, at: index)
        report(owner, .connected(id, request.peer, links[index].info))
        // A new owner also gets what others have discovered on this link.
        if isNew, links[index].gatt.isVerified, !links[index].gatt.attributeCache.isEmpty {
          report(owner, .attributeCacheChanged(request.peer, links[index].gatt.attributeCache))
        }
      } else {
        arbiter.add(RequestedConnection(owner: owner, id: id, request: request))
      }
      return
    }
    if !request.pending {
      switch phase {
      case .lost:
        return complete(
          owner, id, .failure(Failure(.adapter, "there is no adapter", blame: .adapter, layer: .hci, delivered: .notSent)))
      case .ready where arbiter.isFull: return complete(owner, id, .failure(fullFailure(.connectionLimitExceeded)))
      case .off, .initialising, .reopening, .ready, .closing, .closed: break
      }
    }
    arbiter.add(
      RequestedConnection(
        owner: owner, id: id, request: request, deadline: request.pending ? nil : now.moment + HostLimits.directAttempt))
  }

  private mutating func addOwner(_ owner: OwnerID, _ request: ConnectRequest, at index: Int) {
    links[index].policies.removeAll { $0.owner == owner }
    links[index].policies.append(
      SecurityPolicy(owner: owner, request: request.pairing, outOfBand: request.outOfBand, expectsBond: request.expectsBond))
    guard !links[index].owners.contains(owner) else { return }
    let place = links[index].owners.firstIndex { $0 > owner } ?? links[index].owners.count
    links[index].owners.insert(owner, at: place)
  }

  /// Releases a client's link, which closes with its last owner.
  mutating func disconnect(_ owner: OwnerID, _ id: OperationID, _ peer: Address) {
    guard let index = link(to: peer) else { return complete(owner, id, .success(.done)) }
    switch links[index].stage {
    case .closing: links[index].waiters.append(Link.Waiter(owner: owner, id: id))
    case .establishing:
      links[index].waiters.append(Link.Waiter(owner: owner, id: id))
      let handle = links[index].handle
      withdraw { $0.owner == owner && $0.peer == peer }
      // Other clients may still want it.
      if let index = link(handle), links[index].stage != .closing { completeWaiters(at: index, of: owner) }
    case .ready:
      let others = links[index].owners.filter { $0 != owner }
      if others.isEmpty || links[index].owners.isEmpty {
        links[index].waiters.append(Link.Waiter(owner: owner, id: id))
        if links[index].closingReadEnds == nil, !beginClosingRead(at: index) { closeLink(links[index].handle, nil) }
      } else {
        if others.count < links[index].owners.count {
          links[index].owners = others
          let handle = links[index].handle
          dropOnDemand(of: owner, at: index)
          dropPairing(of: owner, at: index)
          if let index = isLive(handle) { apply(links[index].gatt.forget(owner, at: now), to: handle) }
          report(owner, .disconnected(peer, .asked))
        }
        complete(owner, id, .success(.done))
      }
    }
  }

  /// Releases everything that a departed client holds. A link closes with its last owner.
  mutating func withdrawEverything(of owner: OwnerID) {
    arbiter.dismiss(owner)
    withdraw { $0.owner == owner }
    for handle in links.map(\.handle) {
      guard let index = isLive(handle) else { continue }
      links[index].waiters.removeAll { $0.owner == owner }
      let others = links[index].owners.filter { $0 != owner }
      let isLast = others.isEmpty && !links[index].owners.isEmpty && links[index].role == .central
      links[index].owners = others
      if isLast, !arbiter.isRequested(links[index].peer) {
        closeLink(handle, nil)
      } else {
        dropOnDemand(of: owner, at: index)
        dropPairing(of: owner, at: index)
        guard let index = isLive(handle) else { continue }
        apply(links[index].gatt.forget(owner, at: now), to: handle)
      }
    }
  }

  private mutating func completeWaiters(at index: Int, of owner: OwnerID) {
    let done = links[index].waiters.filter { $0.owner == owner }
    links[index].waiters.removeAll { $0.owner == owner }
    for waiter in done { complete(waiter.owner, waiter.id, .success(.done)) }
  }

  mutating func cancel(_ owner: OwnerID, _ id: OperationID) {
    if arbiter.endScan(owner, id) {
      complete(owner, id, .failure(Failure(.cancelled, "the scan was ended", blame: .ours, layer: .hci)))
      return
    }
    if arbiter.requestedConnections.contains(where: { $0.owner == owner && $0.id == id }) {
      withdraw { $0.owner == owner && $0.id == id }
      return
    }
    if cancelPairing(owner, id) || cancelOnDemand(owner, id) || cancelAdjustment(owner, id) || cancelOffer(owner, id) { return }
    for index in links.indices where links[index].stage != .closing {
      apply(links[index].gatt.cancel(owner, id, at: now), to: links[index].handle)
    }
  }

  /// Withdraws requests, and closes an unready link that no other client wants.
  private mutating func withdraw(where isSelected: (RequestedConnection) -> Bool) {
    for request in arbiter.takeConnections(where: isSelected) {
      let heard = devices.lastRSSI(request.peer).map { ", last heard at \($0) dBm" } ?? ""
      let tried = arbiter.attempts.first { $0.peer == request.peer }.map { ", \($0.reasons.count) establishment failures" } ?? ""
      complete(
        request.owner, request.id,
        .failure(
          Failure(.cancelled, "the attempt to connect to \(request.peer) was ended\(heard)\(tried)", blame: .ours, layer: .hci))
      )
      if arbiter.forgetUnrequested(request.peer) { closeUnwanted(request.peer) }
    }
  }

  mutating func readRSSI(_ owner: OwnerID, _ id: OperationID, _ peer: Address) {
    guard let index = link(to: peer), links[index].stage == .ready else { return complete(owner, id, .failure(disconnected(peer))) }
    send(.readRSSI(links[index].handle), for: .rssi(owner, id))
  }

  mutating func submit(_ owner: OwnerID, _ id: OperationID, _ peer: Address, _ request: GattRequest) {
    guard let index = link(to: peer), links[index].stage != .closing, links[index].closingReadEnds == nil else {
      return complete(owner, id, .failure(disconnected(peer)))
    }
    let level = maySecure(owner, at: index) ? links[index].security.security : nil
    apply(links[index].gatt.submit(owner, id, request, securesFrom: level, at: now), to: links[index].handle)
  }

  // MARK: Connection Complete

  /// Handles LE Connection Complete and LE Enhanced Connection Complete.
  ///
  /// - Parameter privateAddress: the private address that the controller has resolved to
  ///   `heard.peer`, in 48 bits; 0 if it has resolved none.
  mutating func connectionCompleted(_ heard: ConnectionComplete, at privateAddress: UInt64 = 0) {
    arbiter.connectionReported(heard)
    var event = heard
    var address = heard.peer
    if heard.status.isSuccess, privateAddress != 0 {
      // Pairing uses the addresses that the link was made with, not the identity addresses.
      address = Address(bits: privateAddress, kind: .random)
      resolvedByController(heard.peer, at: address)
    } else if heard.status.isSuccess {
      guard let name = name(of: heard) else { return }
      event.peer = name
    }
    guard event.status.isSuccess else { return connectionFailed(event) }
    if let index = link(event.handle) {
      // Its Disconnection Complete was lost. The controller reuses a handle only after the first
      // link is gone.
      removeLink(at: index, DisconnectReason(text: "its end was missed"))
    }
    switch event.role {
    case .central: centralLinkMade(event, at: address)
    case .peripheral: peripheralLinkMade(event, at: address)
    }
    if unexpectedLink?.handle == event.handle { unexpectedLink = nil }
    let waiting = early
    early = []
    for packet in waiting { receiveData(packet) }
  }

  /// - Parameter address: The address with which the link was made. The peer of the link is its
  ///   identity address, if that is known.
  mutating func addLink(_ event: ConnectionComplete, at address: Address, attributeCache: AttributeCache?, mtu: UInt16?) -> Int {
    let manager = securityManager(event, at: address)
    let preferred = min(max(mtu ?? configuration.preferredMTU, 23), 517)
    let link = Link(
      handle: event.handle, peer: event.peer, address: address, role: event.role, since: now.moment, heardAt: now.moment,
      interval: event.interval,
      latency: event.latency,
      supervisionTimeout: event.supervisionTimeout,
      gatt: GattPeer(peer: event.peer, isCentral: event.role == .central, preferredMTU: preferred, attributeCache: attributeCache),
      security: manager,
      // The longest frame that this side has ever offered: ATT's MTU, 23 for signalling, 65 for
      // SMP.
      inbound: Reassembler(limit: 4 + Int(max(preferred, configuration.preferredMTU, 65))))
    let place = links.firstIndex { $0.handle > event.handle } ?? links.count
    links.insert(link, at: place)
    doubt(at: place)
    arbiter.linkMade(event)
    return place
  }

  private mutating func centralLinkMade(_ event: ConnectionComplete, at address: Address) {
    let request = arbiter.requestedConnections.first { $0.peer == event.peer }
    let index = addLink(event, at: address, attributeCache: request?.request.attributeCache, mtu: request?.request.mtu)
    guard request != nil else {
      note(.debug, "a link to \(event.peer) came up that is no longer needed; closing it")
      arbiter.attemptWasFruitless(at: now.moment)
      return closeLink(event.handle, nil)
    }
    if facts.features.has(.dataLengthExtension), facts.supports(.leSetDataLength) {
      send(.leSetDataLength(event.handle, octets: 251, time: 2120), for: .aside)
    }
    // An extended advertiser was connected on its secondary PHY, which no event reports.
    if facts.isExtended, facts.supports(.leReadPHY) { send(.leReadPHY(event.handle), for: .aside) }
    apply(links[index].gatt.start(at: now), to: event.handle)
  }

  private mutating func connectionFailed(_ event: ConnectionComplete) {
    if event.role == .peripheral || event.status == .advertisingTimeout {
      arbiter.advertisingEnded()
      return
    }
    guard let plan = arbiter.attemptEnded(at: now.moment) else { return }
    switch event.status {
    case .unknownConnection, .operationCancelled: return
    case .connectionLimitExceeded where !links.isEmpty, .limitedResources where !links.isEmpty:
      apply(arbiter.learnLinkLimit(event.status))
    default:
      let named = plan.targets.contains(event.peer) ? [event.peer] : plan.targets
      var failed: [Address] = []
      for target in named where !failed.contains(identity(at: target)) {
        failed.append(identity(at: target))
        attemptFailed(identity(at: target), event.status)
      }
    }
  }

  /// Handles 0x3E and other ends before the peer's first packet: retries at once and silently,
  /// three times, then fails once with all that is known (rule 1).
  private mutating func attemptFailed(_ peer: Address, _ reason: HCIStatus) {
    guard let reasons = arbiter.attemptFailed(peer, reason) else { return }
    let rssi = devices.lastRSSI(peer).map { "last heard at \($0) dBm" } ?? "its signal strength is not known"
    var kinds: [HCIStatus] = []
    for reason in reasons where !kinds.contains(reason) { kinds.append(reason) }
    let text = kinds.map { kind in "\(reasons.count { $0 == kind }) × \(kind)" }.joined(separator: ", ")
    apply(
      arbiter.failRequestedConnections(
        of: peer,
        Failure(
          .unreachable, "\(peer) did not answer: \(reasons.count) attempts, \(text); \(rssi)", blame: .radio, layer: .hci,
          code: UInt16(reason.raw), hint: "move closer; too many links or another scan can also interfere")))
  }

  // MARK: Ready

  /// A packet of the peer has arrived, so the link is established and scans may start again.
  mutating func heard(_ handle: ConnectionHandle) {
    guard let index = link(handle) else { return }
    links[index].heardAt = now.moment
    links[index].isForgotten = false
    if links[index].isHeard || links[index].stage == .closing { return }
    links[index].isHeard = true
    links[index].establishedBy = nil
    arbiter.linkEstablished(handle)
    if links[index].role == .peripheral, links[index].stage == .establishing { centralHeard(at: index) }
  }

  func isLive(_ handle: ConnectionHandle) -> Int? {
    guard let index = link(handle), links[index].stage != .closing else { return nil }
    return index
  }

  private mutating func ready(_ handle: ConnectionHandle, mtu: UInt16) {
    guard let index = isLive(handle) else { return }
    links[index].mtu = mtu
    if links[index].role == .peripheral {
      if links[index].stage == .ready { report(serverOwner, .linkChanged(links[index].peer, links[index].info)) }
      return
    }
    if refuseUnusable(at: index) || encryptBonded(at: index) { return }
    becomeReady(handle)
  }

  mutating func becomeReady(_ handle: ConnectionHandle) {
    guard let index = isLive(handle) else { return }
    links[index].stage = .ready
    completeConnections(at: index)
  }

  mutating func completeConnections(at index: Int) {
    let peer = links[index].peer
    let met = arbiter.completeConnections(for: peer)
    for request in met { addOwner(request.owner, request.request, at: index) }
    for request in met { report(request.owner, .connected(request.id, peer, links[index].info)) }
  }

  // MARK: Orders of the bearer

  mutating func apply(_ effects: [GattEffect], to handle: ConnectionHandle) {
    for effect in effects {
      switch effect {
      case .send(let pdu): sendFrame(L2CAPChannel.attribute, pdu, on: handle, isHidden: hides(pdu, on: handle))
      case .ready(let mtu): ready(handle, mtu: mtu)
      case .report(let owner, let event): report(owner, event)
      case .reportToLinkOwners(let event):
        if let index = link(handle) { for owner in audience(links[index]) { report(owner, event) } }
      case .reportIndication(let owner, let event, let token):
        let number = report(owner, event)
        if let index = isLive(handle) { links[index].gatt.indicationReported(token: token, owner: owner, number: number) }
      case .reportArrived(let owner, let event, let instant):
        guard let index = link(handle) else { continue }
        for owner in owner.map({ [$0] }) ?? audience(links[index]) { report(owner, event, at: instant) }
      case .needsSecurity(let owner, let id, let request, let failure, let level):
        secureOnDemand(OnDemand(owner: owner, id: id, request: request, failure: failure), from: level, on: handle)
      case .authenticationMissing: secure(handle, .authenticationMissing)
      case .closeLink(let failure): closeLink(handle, failure)
      }
    }
    rememberSession(of: handle)
  }

  /// The clients that receive the events of a link: its owners; of a central's link without owners,
  /// the serving client; before it is ready, the clients that wait for it.
  func audience(_ link: Link) -> [OwnerID] {
    if !link.owners.isEmpty { return link.owners }
    if link.role == .peripheral { return [serverOwner] }
    var waiting: [OwnerID] = []
    for request in arbiter.requestedConnections where request.peer == link.peer && !waiting.contains(request.owner) {
      waiting.append(request.owner)
    }
    return waiting
  }

  // MARK: The end

  /// Sends Disconnect. The link is gone at Disconnection Complete.
  mutating func closeLink(_ handle: ConnectionHandle, _ failure: Failure?) {
    guard let index = isLive(handle) else { return }
    links[index].closingFailure = failure
    links[index].establishedBy = nil
    // For clients, a link exists once it is ready. Before that, the attempt fails and is not
    // silently repeated.
    if let failure, links[index].role == .central, links[index].stage == .establishing {
      failConnectionsOfClosingLink(links[index].peer, failure)
    }
    takeLeave(on: handle)
    guard let index = isLive(handle) else { return }
    links[index].stage = .closing
    links[index].closingReadEnds = nil
    let timeout = TimeSpan.milliseconds(Int64(links[index].supervisionTimeout) * 10)
    links[index].closesBy = now.moment + timeout + HostLimits.disconnectionMargin
    arbiter.linkEstablished(handle)
    send(.disconnect(handle, reason: .remoteUserTerminated), for: .disconnection(handle))
  }

  /// Ends a pairing, whose peer would wait 30 s for the rest. This and what the same event has
  /// queued, such as the reason of a refusal, leave at once: a closing link sends nothing more.
  private mutating func takeLeave(on handle: ConnectionHandle) {
    guard let index = isLive(handle) else { return }
    if let pdu = links[index].security.takeLeave() { sendFrame(L2CAPChannel.security, pdu.encoded, on: handle) }
    sendData()
  }

  /// Ends every link at a client's request, whoever owns it.
  mutating func cutLinks() {
    let failure = Failure(.disconnected, "the end of every link of the adapter was requested", blame: .ours, layer: .hci)
    for handle in links.map(\.handle) { closeLink(handle, failure) }
  }

  private mutating func failConnectionsOfClosingLink(_ peer: Address, _ failure: Failure) {
    arbiter.forgetAttempts(of: peer)
    for request in arbiter.takeConnections(where: { $0.peer == peer }) { complete(request.owner, request.id, .failure(failure)) }
  }

  mutating func disconnectionAnswered(_ handle: ConnectionHandle, _ status: HCIStatus) {
    if !status.isSuccess, status != .unknownConnection, phase == .ready, unexpectedLink == nil, link(handle) == nil {
      // The link was never reported, but it still exists.
      unexpectedLink = UnexpectedLink(handle: handle, by: now.moment + HostLimits.missedConnection)
    }
    guard !status.isSuccess, let index = link(handle), links[index].stage == .closing else { return }
    // The controller does not know it any more.
    if status == .unknownConnection { return removeLink(at: index, reason(of: .localHostTerminated, links[index])) }
    // Otherwise the controller would keep a link that no host knows, and the peer would never
    // advertise again.
    guard links[index].refusedDisconnects < HostLimits.disconnectRetries else { return }
    links[index].refusedDisconnects += 1
    send(.disconnect(handle, reason: .remoteUserTerminated), for: .disconnection(handle))
  }

  mutating func disconnectionCompleted(_ event: DisconnectionComplete) {
    guard event.status.isSuccess, let index = link(event.handle) else { return }
    let link = links[index]
    let wasUnheard = link.role == .central && link.stage == .establishing && !link.isHeard
    let wasSettingUp = link.role == .central && link.stage == .establishing && link.isHeard
    let fault = link.security.fault(of: event.reason)
    removeLink(at: index, reason(of: event.reason, link), fault)
    if wasUnheard || event.reason == .establishmentFailed && wasSettingUp {
      attemptFailed(link.peer, event.reason)
    } else if wasSettingUp, fault == .encryption(.micFailure), let bond = link.security.bond, bond.isProvisional {
      // The peer never got this bond and still has the one that it was to replace. It was not
      // reported yet.
      drop(bond.identity)
      attemptFailed(link.peer, event.reason)
    } else if wasSettingUp, fault == .encryption(.micFailure), let bond = link.security.bond, link.security.replacesLost {
      // The next link is paired instead.
      bonds.distrust(bond.identity)
      attemptFailed(link.peer, event.reason)
    } else if wasSettingUp, fault != .lost {
      apply(arbiter.failRequestedConnections(of: link.peer, fault.failure(with: link.peer)))
    } else if wasSettingUp {
      apply(
        arbiter.failRequestedConnections(
          of: link.peer,
          Failure(
            .unreachable, "\(link.peer) was lost before the link was ready: \(event.reason)", blame: .radio, layer: .hci,
            code: UInt16(event.reason.raw))))
    }
  }

  private func reason(of status: HCIStatus, _ link: Link) -> DisconnectReason {
    if let failure = link.closingFailure { return DisconnectReason(code: status.raw, text: failure.message) }
    if link.stage == .closing { return .asked }
    let text =
      switch status {
      case .connectionTimeout: "out of range"
      case .remoteUserTerminated: "closed by the peer"
      case .remoteLowResources: "the peer is short of resources"
      case .remotePowerOff: "the peer is switched off"
      case .establishmentFailed: "never established"
      case .micFailure: "wrong key"
      default: status.name.lowercased()
      }
    return DisconnectReason(code: status.raw, text: text)
  }

  /// Removes a link: returns its credits (rule 7), fails its operations, reports its end to its
  /// owners and completes pending disconnects.
  /// - Parameter fault: Why a pairing in progress fails.
  mutating func removeLink(at index: Int, _ reason: DisconnectReason, _ fault: PairingFault = .lost) {
    rememberSession(of: links[index].handle)
    if bonds.savesAt != nil { saveMemories() }
    var link = links.remove(at: index)
    credits = min(credits + link.outbox.inFlight, facts.aclCount)
    arbiter.linkEnded(link.handle)
    if let open = link.question { report(open.owner, .pairingWithdrawn(open.id)) }
    for answer in link.answers { complete(answer.owner, answer.id, .success(.done)) }
    for waiter in link.pairWaiters { complete(waiter.owner, waiter.id, .failure(fault.failure(with: link.peer))) }
    for adjustment in link.adjustments { complete(adjustment.owner, adjustment.id, .failure(disconnected(link.peer))) }
    for waiter in link.onDemand {
      let failure = fault == .lost ? GattPeer.disconnected(reason, .notSent, nil) : fault.failure(with: link.peer)
      complete(waiter.owner, waiter.id, .failure(failure))
    }
    let owners = audience(link)
    deliver(link.gatt.lost(reason, server: &server, at: now), owners)
    for owner in link.owners { report(owner, .disconnected(link.peer, reason)) }
    if link.role == .peripheral, link.isHeard { report(serverOwner, .centralDisconnected(link.peer, reason)) }
    for waiter in link.waiters { complete(waiter.owner, waiter.id, .success(.done)) }
  }

  /// Removes all links at once without sending a command.
  mutating func dropLinks(_ reason: DisconnectReason) {
    while let index = links.indices.last { removeLink(at: index, reason) }
  }

  mutating func wakeLinks() {
    if let unexpectedLink, unexpectedLink.by <= now.moment { endUnexpectedLink(unexpectedLink.handle) }
    if let at = bonds.savesAt, at <= now.moment { saveMemories() }
    for handle in links.map(\.handle) {
      guard let index = link(handle) else { continue }
      if let by = links[index].establishedBy, by <= now.moment { heard(handle) }
      if let by = links[index].closingReadEnds, by <= now.moment { closeLink(handle, nil) }
      if let by = links[index].closesBy, by <= now.moment {
        note(.warning, "the controller did not report the end of the link to \(links[index].peer) in time")
        removeLink(at: index, reason(of: .localHostTerminated, links[index]))
        continue
      }
      if let due = links[index].unacknowledgedBy, due <= now.moment {
        closeLink(
          handle,
          Failure(
            .adapter, "the controller acknowledged nothing that was sent to \(links[index].peer) for \(HostLimits.acknowledgement)",
            blame: .adapter, layer: .hci, hint: "the link is ended: a Number Of Completed Packets event may be lost"))
        continue
      }
      if let due = links[index].security.nextDeadline, due <= now.moment { secure(handle, .deadline) }
      guard let index = link(handle) else { continue }
      if isServerAway, let due = links[index].gatt.requestExpires, due <= now.moment { expireRequest(at: index) }
      guard let index = link(handle) else { continue }
      if let due = links[index].gatt.nextDeadline, due <= now.moment { apply(links[index].gatt.wake(at: now), to: handle) }
    }
  }

  // MARK: Parameters

  mutating func connectionUpdated(_ event: ConnectionUpdateComplete) {
    guard let index = link(event.handle) else { return }
    guard event.status.isSuccess else {
      note(.debug, "the parameters of the link to \(links[index].peer) remain unchanged: \(event.status)")
      adjusted(event.handle, event.status) { if case .interval = $0 { true } else { false } }
      return
    }
    heard(event.handle)
    links[index].interval = event.interval
    links[index].latency = event.latency
    links[index].supervisionTimeout = event.supervisionTimeout
    linkChanged(at: index)
    adjusted(event.handle, .success) { if case .interval = $0 { true } else { false } }
  }

  mutating func phyUpdated(_ event: PHYUpdateComplete) {
    guard event.status.isSuccess, let index = link(event.handle) else {
      return adjusted(event.handle, event.status) { if case .phy = $0 { true } else { false } }
    }
    heard(event.handle)
    setPHY(event.transmit, at: index)
    adjusted(event.handle, .success) { if case .phy = $0 { true } else { false } }
  }

  mutating func phyRead(_ answer: ReadPHY) {
    if let index = link(answer.handle) { setPHY(answer.transmit, at: index) }
  }

  private mutating func setPHY(_ number: UInt8, at index: Int) {
    let phy = number == 2 ? "2M" : number == 3 ? "coded" : "1M"
    if links[index].phy == phy { return }
    links[index].phy = phy
    linkChanged(at: index)
  }

  private mutating func linkChanged(at index: Int) {
    guard links[index].stage == .ready else { return }
    for owner in audience(links[index]) { report(owner, .linkChanged(links[index].peer, links[index].info)) }
  }
}
