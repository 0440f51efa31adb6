import Exchange
import Packets
import Vocabulary

/// Bonds and encryption: connects links, the controller and the store.
extension LEHost {
  /// How a client lets the link be secured when the peer requires it.
  struct SecurityPolicy: Equatable, Sendable {
    var owner: OwnerID
    var request: PairRequest
    var outOfBand: OutOfBandData?
    var expectsBond = false
  }

  // MARK: Removal

  /// Removes a bond. Completed when the bond and the link that it encrypts are gone.
  mutating func forgetBond(_ owner: OwnerID, _ id: OperationID, _ peer: Address) {
    guard let own = bonds.identity else {
      if let fault = bonds.fault {
        refreshBonds()
        return complete(
          owner, id,
          .failure(
            Failure(
              .file, "bonds cannot be read: \(fault)", blame: .ours, layer: .os,
              hint: Self.cureOfBonds)))
      }
      bonds.removals.append(BondBook.Removal(owner: owner, id: id, peer: peer))
      if phase == .ready { loadBonds() }
      return
    }
    endPairing(with: peer)
    guard let bond = bonds.bond(with: peer) else {
      guard bonds.obstacle(to: peer) != nil else { return completeRemoval(owner, id, peer) }
      bonds.remove(peer)
      out.append(.compute(computations.order(for: .forgetting(owner, id, peer)), .forgetBond(peer, of: own)))
      return
    }
    bonds.remove(bond.identity)
    bondsChanged()
    out.append(.compute(computations.order(for: .forgetting(owner, id, peer)), .forgetBond(bond.identity, of: own)))
    for index in links.indices where links[index].security.bond?.identity == bond.identity {
      links[index].security.bond = nil
      links[index].gatt.session.hasBond = false
      // A link that this bond encrypts, or will, is useless without it.
      let usesBond = links[index].security.security.isEncrypted || links[index].security.isBusy
      if usesBond {
        closeLink(
          links[index].handle,
          Failure(.disconnected, "the bond with \(peer) was removed", blame: .ours, layer: .smp))
      } else {
        linkChanged(links[index].handle)
      }
    }
  }

  /// Also ends the making of a bond with this peer.
  private mutating func endPairing(with peer: Address) {
    guard let index = link(to: peer), links[index].security.pairing != nil else { return }
    let waiting = links[index].pairWaiters
    let onDemand = links[index].onDemand
    links[index].pairWaiters = []
    links[index].onDemand = []
    for waiter in waiting {
      complete(
        waiter.owner, waiter.id,
        .failure(
          Failure(.refused, "\(peer) was forgotten here during the pairing", blame: .ours, layer: .smp, hint: "`pair` again"))
      )
    }
    for wanted in onDemand { complete(wanted.owner, wanted.id, .failure(wanted.failure)) }
    secure(links[index].handle, .cancelled)
  }

  private mutating func completeRemoval(_ owner: OwnerID, _ id: OperationID, _ peer: Address) {
    if let index = link(to: peer), links[index].stage == .closing {
      links[index].waiters.append(Link.Waiter(owner: owner, id: id))
    } else {
      complete(owner, id, .success(.done))
    }
  }

  /// Performs removals that were requested before the adapter was ready.
  mutating func removeBondsThatWait() {
    guard !bonds.removals.isEmpty else { return }
    guard bonds.isAsked else { return loadBonds() }
    let waiting = bonds.removals
    bonds.removals = []
    for removal in waiting { forgetBond(removal.owner, removal.id, removal.peer) }
  }

  // MARK: The store

  /// Loads the bonds with the first link. The answer arrives before the link's first packet.
  mutating func loadBonds() {
    guard !bonds.isAsked else { return }
    bonds.isAsked = true
    out.append(.compute(computations.order(for: .bonds), .loadBonds(own: facts.address)))
  }

  /// Reads the bonds again before a connection and before a pairing, because another process, such
  /// as `tooth bonds import`, may have changed them.
  mutating func refreshBonds() {
    guard bonds.isAsked, !computations.isPending(.bonds) else { return }
    // Bonds that could not be read at first may be readable now.
    guard bonds.identity != nil || bonds.hidesBonds else { return }
    let wanted: Computation = bonds.identity == nil ? .loadBonds(own: facts.address) : .refreshBonds(own: facts.address)
    out.append(.compute(computations.order(for: .bonds), wanted))
  }

  private mutating func bondsRefreshed(_ result: ComputationResult) {
    switch result {
    case .bonds(let identity, let list, let unusable, _, let memories, let elsewhere):
      let inUse = links.compactMap { $0.security.bond?.identity ?? $0.security.pairing?.bond?.identity }
      bonds.refreshed(identity, list, unusable, memories, keeping: inUse)
      bonds.elsewhere = elsewhere
      privacy.forget()
      for index in links.indices {
        links[index].security.know(identity, bonds.bond(with: links[index].peer))
        if links[index].stage != .ready { doubt(at: index) }
      }
    case .refused(let reason), .unreadable(let reason): note(.warning, "the bonds cannot be read again: \(reason)")
    default: break
    }
  }

  mutating func bondsAnswered(_ result: ComputationResult) {
    if bonds.identity != nil { return bondsRefreshed(result) }
    guard case .bonds(let identity, let list, let unusable, let remarks, let memories, let elsewhere) = result else {
      switch result {
      case .refused(let reason): bonds.fault = reason
      case .unreadable(let reason):
        bonds.fault = reason
        bonds.hidesBonds = true
      default: bonds.fault = "there is no folder for them"
      }
      return removeBondsThatWait()
    }
    for remark in remarks { note(.warning, remark) }
    bonds.loaded(identity, list, unusable, memories)
    bonds.elsewhere = elsewhere
    bondsChanged()
    if privacy.rotatesAt == nil { rotateOwnAddress() }
    removeBondsThatWait()
    for index in links.indices {
      links[index].security.know(identity, bonds.bond(with: links[index].peer))
      if links[index].role == .peripheral {
        links[index].security.acceptance = servedPairing
        links[index].security.outOfBand = server.outOfBand
      }
      doubt(at: index)
    }
  }

  /// Stores a bond, but never over that of another device whose identity this one claims (0x0F).
  private mutating func keep(_ bond: Bond, on handle: ConnectionHandle) {
    guard let index = link(handle) else { return }
    guard let own = bonds.identity else { return secure(handle, .stored(.unwritable)) }
    let isForeign = bonds.belongsToAnother(than: links[index].peer, bond.identity)
    if isForeign, links[index].security.bond?.identity != bond.identity {
      secure(handle, .stored(.foreign))
      return closeLink(handle, PairingFault.foreign(bond.identity).failure(with: links[index].peer))
    }
    // This bond came from another process during the pairing.
    if let old = bonds.bond(with: bond.identity), !old.isProvisional, !old.mayYield(to: bond.security) {
      return secure(handle, .stored(.weaker))
    }
    guard !bonds.isFull || bonds.holds(bond.identity) else {
      note(.warning, "\(BondBook.most) devices are paired with this adapter, which is the limit")
      return secure(handle, .stored(.unwritable))
    }
    out.append(.compute(computations.order(for: .keeping(handle)), .keepBond(bond, of: own)))
  }

  /// Asks the store whether it could take a bond with the peer of this link.
  private mutating func checkRoom(on handle: ConnectionHandle) {
    guard let index = link(handle) else { return }
    guard let own = bonds.identity else {
      return secure(handle, .roomChecked(.noPlace(bonds.fault ?? "there is no folder for bonds")))
    }
    if bonds.isFull, links[index].security.bond == nil { return secure(handle, .roomChecked(.noRoom)) }
    out.append(.compute(computations.order(for: .room(handle)), .checkRoom(own: own.address)))
  }

  mutating func roomChecked(_ result: ComputationResult, on handle: ConnectionHandle) {
    if case .refused(let reason) = result {
      secure(handle, .roomChecked(.noPlace(reason)))
    } else {
      secure(handle, .roomChecked(nil))
    }
  }

  /// Drops a worthless bond, without waiting for the removal.
  mutating func drop(_ identity: Address) {
    bonds.remove(identity)
    bondsChanged()
    if let own = bonds.identity { out.append(.compute(computations.order(for: .dropping), .forgetBond(identity, of: own))) }
  }

  /// The store has answered. An older bond remains until the new one is on disk.
  mutating func bondKept(_ result: ComputationResult, on handle: ConnectionHandle) {
    if case .refused(let reason) = result { note(.warning, reason) }
    guard result == .done else { return secure(handle, .stored(.unwritable)) }
    if let index = link(handle), let bond = links[index].security.pairing?.bond {
      bonds.put(bond)
      bondsChanged()
    }
    secure(handle, .stored(.kept))
  }

  mutating func bondForgotten(_ owner: OwnerID, _ id: OperationID, _ peer: Address, _ result: ComputationResult) {
    guard case .refused(let reason) = result else { return completeRemoval(owner, id, peer) }
    // The bond is still on disk, and so must be in memory.
    refreshBonds()
    complete(
      owner, id,
      .failure(
        Failure(
          .file, reason, blame: .ours, layer: .os,
          hint: "the bond may still be there: make its folder writable for this user, and `tooth forget` it again")))
  }

  // MARK: A link

  /// How centrals may pair: as the served table says, else as configured.
  var servedPairing: PairRequest? { server.pairing ?? configuration.pairing }

  /// Creates the security manager of a new link with what is known of its peer.
  mutating func securityManager(_ event: ConnectionComplete, at address: Address) -> SecurityManager {
    loadBonds()
    refreshBonds()
    return SecurityManager(
      role: event.role, own: facts.privateAddress ?? facts.address, peer: address, identity: bonds.identity,
      acceptance: event.role == .peripheral && bonds.identity != nil ? servedPairing : nil,
      bond: bonds.bond(with: event.peer), attempts: bonds.attempts[event.peer],
      outOfBand: event.role == .peripheral ? server.outOfBand : nil)
  }

  /// The advice if none of the bonds can be read.
  private static let cureOfBonds =
    "restore what is named here, move away a file that is in its place, or give this user sole access to it (chown, chmod)"

  /// Refuses a link without encryption to a device whose bond cannot be used. Returns whether that
  /// ends the link.
  mutating func refuseUnusable(at index: Int) -> Bool {
    let peer = links[index].peer
    guard links[index].role == .central, let reason = bonds.obstacle(to: peer) else { return false }
    closeLink(
      links[index].handle,
      Failure(
        .file, "the bond with \(peer) cannot be used: \(reason)", blame: .ours, layer: .os,
        hint: bonds.hidesBonds
          ? Self.cureOfBonds
          : "repair the file, or run `tooth forget \(peer)` and pair again", delivered: .notSent))
    return true
  }

  /// Why a link may not be paired silently: our bond with the device belongs to another adapter.
  func bondElsewhere(at index: Int) -> Failure? {
    let link = links[index]
    guard link.role == .central, link.security.bond == nil, !link.security.security.isEncrypted, let own = bonds.identity?.address,
      let adapter = bonds.elsewhere.first(where: { $0.identity == link.peer })?.adapter
    else { return nil }
    return Failure(
      .adapter, "the bond with \(link.peer) belongs to the adapter \(adapter), but this adapter is \(own)", blame: .ours,
      layer: .smp,
      hint: "use that adapter, or pair the device with this one, too: `tooth pair \(link.peer)`", delivered: .notSent)
  }

  /// Marks a bonded device as not authenticated until its link is encrypted.
  mutating func doubt(at index: Int) {
    let isOpen = !links[index].security.security.isEncrypted
    links[index].gatt.session.hasBond = links[index].security.bond != nil
    links[index].gatt.isUnproven = links[index].role == .central && links[index].security.bond?.centralKey != nil && isOpen
  }

  /// The bond encrypts the link, so the peer is the device that was paired.
  mutating func confirmBond(_ handle: ConnectionHandle) {
    guard let index = isLive(handle), links[index].security.security.isEncrypted, links[index].security.pairing == nil,
      let bond = links[index].security.bond
    else { return }
    links[index].gatt.session.hasBond = true
    apply(links[index].gatt.bondConfirmed(by: bond.madeAt, at: now), to: handle)
    guard let index = isLive(handle), links[index].role == .peripheral else { return }
    guard !links[index].isRemembered else {
      // The device paired again on this link, so its subscriptions are stored with the new bond.
      if bonds.memory(of: bond.identity) == nil { links[index].gatt.session.isChanged = true }
      return rememberSession(of: handle)
    }
    links[index].isRemembered = true
    if let memory = bonds.memory(of: bond.identity) {
      apply(links[index].gatt.remember(memory, server: &server, at: now), to: handle)
    } else {
      links[index].gatt.session.isChanged = true
      rememberSession(of: handle)
    }
  }

  // MARK: Memory of our server

  /// Stores what our server remembers of a client, within a second and when the link ends.
  mutating func rememberSession(of handle: ConnectionHandle) {
    guard let index = link(handle), links[index].gatt.session.isChanged, links[index].isRemembered,
      let bond = links[index].security.bond
    else { return }
    links[index].gatt.session.isChanged = false
    let session = links[index].gatt.session
    let memory = ServerMemory(
      identity: bond.identity, configurations: session.configurations.sorted { $0.handle < $1.handle },
      features: session.features, table: server.fingerprint)
    if bonds.put(memory) { bonds.saveLater(bond.identity, at: now.moment + SecurityLimits.memory) }
  }

  mutating func saveMemories() {
    guard let own = bonds.identity else { return }
    for memory in bonds.takeUnsaved() {
      out.append(.compute(computations.order(for: .remembering(memory.identity)), .keepMemory(memory, of: own)))
    }
  }

  /// Encrypts every link of a bonded device before its clients get it. Returns whether that starts.
  mutating func encryptBonded(at index: Int) -> Bool {
    guard links[index].role == .central, links[index].security.bond?.centralKey != nil,
      !links[index].security.security.isEncrypted
    else { return false }
    links[index].awaitsEncryption = true
    let peer = links[index].peer
    for requested in arbiter.requestedConnections where requested.peer == peer { report(requested.owner, .encrypting(peer)) }
    guard !links[index].security.isBusy else { return true }
    let request = arbiter.requestedConnections.first { $0.request.peer == links[index].peer }?.request
    links[index].security.outOfBand = request?.outOfBand
    let wanted = request?.pairing ?? PairRequest()
    // Another client, which did not ask for a new bond, may have this link.
    let isDistrusted = links[index].security.bond.map { bonds.takeDistrust(of: $0.identity) } ?? false
    secure(links[index].handle, .pair(wanted, renews: isDistrusted && wanted.replacesLost))
    return true
  }

  mutating func secure(_ handle: ConnectionHandle, _ event: SecurityEvent) {
    guard let index = link(handle) else { return }
    let attempts = links[index].security.attempts
    links[index].security.guesses = bonds.guesses
    // Lent, so that only one place holds the key until it is used.
    links[index].security.offer = offer(at: index)
    let effects = links[index].security.handle(event, at: now)
    links[index].security.offer = nil
    bonds.guesses = links[index].security.guesses
    if links[index].security.attempts != attempts { bonds.attempts[links[index].peer] = links[index].security.attempts }
    apply(effects, to: handle)
  }

  mutating func apply(_ effects: [SecurityEffect], to handle: ConnectionHandle) {
    for effect in effects {
      switch effect {
      case .send(let pdu): sendFrame(L2CAPChannel.security, pdu.encoded, on: handle)
      case .compute(let computation): out.append(.compute(computations.order(for: .security(handle)), computation))
      case .encrypt(let key):
        let command = EnableEncryption(handle: handle, random: key.random, diversifier: key.diversifier, longTermKey: key.octets)
        send(.leEnableEncryption(command), for: .encryption(handle))
      case .giveKey(let key): send(.leLongTermKeyRequestReply(handle, key: key), for: .aside)
      case .refuseKey: send(.leLongTermKeyRequestNegativeReply(handle), for: .aside)
      case .ask(let question): ask(question, on: handle)
      case .withdraw: withdrawQuestion(on: handle)
      case .spendOffer: spendOffer(on: handle)
      case .checkRoom: checkRoom(on: handle)
      case .store(let bond): keep(bond, on: handle)
      case .drop(let identity): drop(identity)
      case .keep(let bond):
        bonds.put(bond)
        bondsChanged()
        if let own = bonds.identity { out.append(.compute(computations.order(for: .dropping), .keepBond(bond, of: own))) }
      case .levelChanged(let level): levelChanged(level, on: handle)
      case .authenticationRequested: raiseForPeer(on: handle)
      case .paired(let method, let isSecure):
        guard let index = link(handle) else { break }
        let peer = links[index].security.bond?.identity ?? links[index].peer
        note(
          isSecure || method == .outOfBand ? .debug : .warning,
          "paired with \(peer): \(method.words(isSecureConnections: isSecure))")
      case .finished(let result): pairingFinished(result, on: handle)
      case .closeLink(let fault):
        if let index = link(handle) { closeLink(handle, fault.failure(with: links[index].peer)) }
      }
    }
  }

  private mutating func levelChanged(_ level: LinkSecurity, on handle: ConnectionHandle) {
    guard let index = link(handle) else { return }
    links[index].gatt.session.isEncrypted = level.isEncrypted
    links[index].gatt.session.isAuthenticated = level.isAuthenticated
    links[index].gatt.session.isKeyShort =
      level.isEncrypted && level.keySize < (links[index].security.acceptance ?? PairRequest()).smallestKey
    linkChanged(handle)
    confirmBond(handle)
  }

  mutating func linkChanged(_ handle: ConnectionHandle) {
    guard let index = link(handle), links[index].stage == .ready else { return }
    for owner in audience(links[index]) { report(owner, .linkChanged(links[index].peer, links[index].info)) }
  }

  // MARK: HCI

  mutating func encryptionChanged(_ handle: ConnectionHandle, _ status: HCIStatus, isOn: Bool) {
    guard isLive(handle) != nil else { return }
    heard(handle)
    secure(handle, .encryptionChanged(status, isOn: isOn))
  }

  mutating func longTermKeyAsked(_ event: LongTermKeyRequest) {
    heard(event.handle)
    guard link(event.handle) != nil else {
      return send(.leLongTermKeyRequestNegativeReply(event.handle), for: .aside)
    }
    secure(event.handle, .keyAsked(diversifier: event.diversifier, random: event.random))
  }
}

extension LEHost.SecurityPolicy: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      owner: try reader.next(), request: try reader.next(), outOfBand: try reader.next(), expectsBond: try reader.next())
  }

  func write(to writer: inout ByteWriter) { writer.put(all: owner, request, outOfBand, expectsBond) }
}
