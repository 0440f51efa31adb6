import Packets
package import Vocabulary

/// The start, life and end of links.
extension Air {
  /// The time from the start of an advertising event to the end of CONNECT_IND: 376 µs, a gap of
  /// 150 µs, 352 µs (Vol 6, Part B, 2.1 and 4.1).
  package static let connectRequestTime = TimeSpan.microseconds(878)
  /// The time from the end of CONNECT_IND to the first connection event (Vol 6, Part B, 4.5.3).
  package static let transmitWindowDelay = TimeSpan.microseconds(1250)
  /// The time after which a link layer procedure fails (Vol 6, Part B, 5.2).
  package static let procedureTimeout = TimeSpan.seconds(40)

  mutating func createLink(
    _ initiator: Address, _ connection: ConnectionParameters, _ set: AdvertisingSet, central: Int, peripheral: Int, isHeard: Bool
  ) {
    linkCount += 1
    let created = now + Self.connectRequestTime
    var link = AirLink(
      number: linkCount, created: created,
      central: LinkHalf(controller: central, handle: freeHandle(central), address: initiator, lastHeard: created),
      peripheral: LinkHalf(controller: peripheral, handle: freeHandle(peripheral), address: set.address, lastHeard: created),
      intervalUnits: connection.intervalMaximum, latency: connection.latency,
      timeoutUnits: connection.supervisionTimeout, anchor: created + Self.transmitWindowDelay,
      random: SplitMix(seed: random.next()))
    link.central.identity = controllers[peripheral].identity(of: initiator)
    link.peripheral.identity = controllers[central].identity(of: set.address)
    link.channelMap = controllers[central].channelMap
    link.peripheral.isAlive = isHeard
    // An extended advertiser is connected on its secondary PHY (Vol 6, Part B, 4.4.2.10).
    if !set.isLegacy { link.setPHY(set.secondaryPHY) }
    if let number = set.number { link.advertisedBy = (number, UInt8(clamping: set.events)) }
    if isHeard, controllers[peripheral].faults.failedEstablishments > 0 {
      controllers[peripheral].faults.failedEstablishments -= 1
      link.severed = now
    }
    var place = links.count
    if let free = links.firstIndex(where: \.isDead) {
      place = free
      link.generation = links[free].generation + 1
      links[free] = link
    } else {
      links.append(link)
    }
    controllers[central].links.append(place)
    if isHeard { controllers[peripheral].links.append(place) }
    reschedule(place)
  }

  /// The smallest free handle, so that hosts have to handle recently reused ones.
  private func freeHandle(_ controller: Int) -> ConnectionHandle {
    var raw: UInt16 = 0x0040
    while controllers[controller].links.contains(where: { links[$0][links[$0].role(of: controller)].handle.raw == raw }) {
      raw += 1
    }
    return ConnectionHandle(raw)
  }

  /// Sends Connection Complete in the form that the host has enabled.
  ///
  /// - Parameters:
  ///   - local: The 48 bits of the controller's private address on this link; 0 if it has none.
  ///   - peer: The 48 bits of the peer's private address that the controller has resolved; else 0.
  mutating func announce(_ connection: ConnectionComplete, _ controller: Int, local: UInt64 = 0, peer: UInt64 = 0) {
    if controllers[controller].leEventMask >> 9 & 1 == 1 {
      emit(
        .leEnhancedConnectionComplete(
          EnhancedConnectionComplete(connection: connection, localPrivateAddress: local, peerPrivateAddress: peer)), controller)
    } else {
      var connection = connection
      connection.isIdentity = false
      emit(.leConnectionComplete(connection), controller)
    }
  }

  mutating func reschedule(_ index: Int) {
    let next = links[index].isDead ? nil : links[index].nextMoment(now: now)
    guard next != links[index].scheduled else { return }
    links[index].generation += 1
    links[index].scheduled = next
    if let next { agenda.add(.link(index), at: next, generation: links[index].generation) }
  }

  /// Performs what is due on a link.
  mutating func linkDue(_ index: Int) {
    links[index].scheduled = nil
    defer { reschedule(index) }
    guard links[index].isAnnounced else { return announceLink(index) }
    if let ends = links[index].procedureDeadline, ends <= now {
      links[index].catchUp(to: now)
      end(index, .central, .responseTimeout)
      end(index, .peripheral, .responseTimeout)
      return
    }
    if links[index].isConnected {
      if let update = links[index].update, links[index].time(ofEvent: update.instant) <= now { apply(update.parameters, index) }
      if let event = links[index].nextEvent(now: now), links[index].time(ofEvent: event) <= now { connectionEvent(index, event) }
    }
    watchPayload(index)
    if links[index].isConnected, links[index].isSteady { return }
    for role in [LinkRole.central, .peripheral] where links[index][role].isAlive && links[index].deadline(role) <= now {
      let half = links[index][role]
      let reason: HCIStatus =
        half.isTerminating ? .localHostTerminated : half.isEstablished ? .connectionTimeout : .establishmentFailed
      end(index, role, reason)
    }
  }

  /// CONNECT_IND was sent. Both hosts get an event, although neither controller has received a
  /// packet on the link.
  private mutating func announceLink(_ index: Int) {
    links[index].isAnnounced = true
    for role in [LinkRole.central, .peripheral] where links[index][role].isAlive {
      let half = links[index][role]
      if role == .central {
        controllers[half.controller].initiating = nil
        listenersChanged()
      }
      let (peer, identity) = (links[index][role.other].address, links[index][role.other].identity)
      announce(
        ConnectionComplete(
          status: .success, handle: half.handle, role: role, peer: identity ?? peer, isIdentity: identity != nil,
          interval: links[index].intervalUnits, latency: links[index].latency, supervisionTimeout: links[index].timeoutUnits),
        half.controller, local: controllers[half.controller].resolving.isShown(half.address) ? half.address.bits : 0,
        peer: identity == nil ? 0 : peer.bits)
      if role == .peripheral, let (set, events) = links[index].advertisedBy {
        emit(
          .leAdvertisingSetTerminated(
            AdvertisingSetTerminated(status: .success, set: set, handle: half.handle, completedEvents: events)), half.controller)
      }
      if controllers[half.controller].model.isExtended {
        emit(.leChannelSelectionAlgorithm(ChannelSelectionAlgorithm(handle: half.handle, algorithm: 1)), half.controller)
      }
    }
  }

  /// Starts the new interval at its instant (Vol 6, Part B, 5.1.1).
  private mutating func apply(_ parameters: ConnectionParameters, _ index: Int) {
    links[index].catchUp(to: now)
    links[index].update = nil
    links[index].anchor = now
    links[index].lastStepped = -1
    links[index].lastMutual = 0
    links[index].intervalUnits = parameters.intervalMaximum
    links[index].latency = parameters.latency
    links[index].timeoutUnits = parameters.supervisionTimeout
    for role in [LinkRole.central, .peripheral] {
      emit(
        .leConnectionUpdateComplete(
          ConnectionUpdateComplete(
            status: .success, handle: links[index][role].handle, interval: parameters.intervalMaximum,
            latency: parameters.latency, supervisionTimeout: parameters.supervisionTimeout)), links[index][role].controller)
    }
  }

  /// Stops all traffic on this link. Its two sides notice by their timers.
  mutating func sever(_ index: Int) {
    guard !links[index].isDead, links[index].severed == nil else { return }
    links[index].catchUp(to: now)
    links[index].severed = now
    reschedule(index)
  }

  /// Ends one side and reports it to the host.
  mutating func end(_ index: Int, _ role: LinkRole, _ reason: HCIStatus) {
    guard links[index][role].isAlive else { return }
    let half = links[index][role]
    let kind: AirRecord.Kind =
      switch reason {
      case .connectionTimeout: .supervisionTimeout
      case .establishmentFailed: .establishmentFailed
      default: .linkEnded
      }
    record(
      AirRecord(
        time: now, kind: kind, from: half.address, to: links[index][role.other].address, link: links[index].number, reason: reason))
    close(index, role)
    emit(
      .disconnectionComplete(DisconnectionComplete(status: .success, handle: half.handle, reason: reason)), half.controller)
  }

  /// Ends one side without an event, because of a reset.
  mutating func abandon(_ index: Int, _ controller: Int) {
    let role = links[index].role(of: controller)
    links[index].catchUp(to: now)
    record(
      AirRecord(
        time: now, kind: .linkEnded, from: links[index][role].address, to: links[index][role.other].address,
        link: links[index].number, note: "reset"))
    close(index, role)
    reschedule(index)
  }

  /// Frees what a side held: buffers, its handle, and frames that never arrived.
  private mutating func close(_ index: Int, _ role: LinkRole) {
    links[index].catchUp(to: now)
    let controller = links[index][role].controller
    links[index][role].isAlive = false
    controllers[controller].outstanding -= links[index][role].outstanding
    links[index][role].outstanding = 0
    controllers[controller].links.removeAll { $0 == index }
    while let frame = links[index][role].takeFrame() { recordFrame(frame, index, role, delivered: false) }
    if links[index].isDead { reschedule(index) }
  }

  mutating func recordFrame(
    _ frame: LinkFrame, _ index: Int, _ role: LinkRole, delivered: Bool, toHost: Bool? = nil, note: String? = nil
  ) {
    guard isLogging else { return }
    let half = links[index][role]
    record(
      AirRecord(
        time: now, kind: .acl, from: half.address, to: links[index][role.other].address, link: links[index].number,
        channel: frame.channel, bytes: frame.payload, encryption: half.isEncrypted ? half.encryptions : nil, sent: frame.sent,
        delivered: delivered, toHost: toHost, note: note))
  }
}
