import Exchange
import Packets
import Vocabulary

/// Initialisation (rule 5), commands and their answers, loss of the adapter.
extension LEHost {
  mutating func start(seed: UInt64) {
    if case .closing = phase { return }
    if phase == .closed { return }
    guard links.isEmpty else {
      // A controller with live links is never reset (rule 4). A caller that reopens it reports the
      // loss of the transport first.
      note(.error, "the adapter was opened again with live links; it is not reset")
      return
    }
    self.seed = seed
    needsAnotherAdapter = false
    reset()
  }

  /// Sends Reset and starts the initialisation.
  mutating func reset() {
    queue = CommandQueue()
    facts = ControllerFacts()
    let removals = bonds.removals
    bonds = BondBook()
    bonds.removals = removals
    privacy = Privacy()
    arbiter.controllerReset()
    early = []
    unexpectedLink = nil
    credits = 0
    phase = .initialising(.reset)
    send(.reset, for: .initialisation)
  }

  mutating func send(_ command: HCICommand, for purpose: CommandPurpose) { queue.add(command, for: purpose) }

  mutating func sendCommands() {
    while let command = queue.next(at: now.moment) { emit(.command(command)) }
  }

  private mutating func emit(_ packet: HCIPacket) {
    let bytes = packet.encoded
    ring.add(bytes, isSent: true, at: now.wall)
    out.append(.send(bytes))
  }

  mutating func wakeController() {
    guard let deadline = queue.deadline, deadline <= now.moment else { return }
    trouble(queue.outstanding.map { .unanswered($0.command.opcode) } ?? .blocked)
  }

  // MARK: Answers

  mutating func commandCompleted(_ event: CommandComplete) {
    let wasUnblocked = queue.isUnblocked
    guard let entry = queue.answered(event.opcode, allowed: event.allowedPackets) else {
      return unasked(event.opcode, wasUnblocked: wasUnblocked)
    }
    answered(entry, status: event.status ?? .success, event)
  }

  mutating func commandAnswered(_ event: CommandStatus) {
    let wasUnblocked = queue.isUnblocked
    guard let entry = queue.answered(event.opcode, allowed: event.allowedPackets) else {
      return unasked(event.opcode, wasUnblocked: wasUnblocked)
    }
    answered(entry, status: event.status, CommandComplete(opcode: event.opcode, parameters: [event.status.raw]))
  }

  /// Handles an unexpected answer. It belongs to a command that was given up, because controllers
  /// answer in order and the Reset's own answer follows, or it shows that the controller has
  /// restarted.
  private mutating func unasked(_ opcode: HCIOpcode, wasUnblocked: Bool) {
    switch opcode {
    case .reset where pendingResets > 0: pendingResets -= 1
    case .reset: trouble(.restarted("it answered a Reset that was not sent"))
    case HCIOpcode(0) where wasUnblocked: suspectRestart("it allows commands unprompted")
    default: break
    }
  }

  private mutating func answered(_ entry: CommandQueue.Entry, status: HCIStatus, _ event: CommandComplete) {
    switch entry.purpose {
    case .initialisation:
      guard case .initialising(let step) = phase else { return }
      initialised(step, status, event)
    case .radio: radioAnswered(status)
    case .probe(let handle): probed(handle, status)
    case .rssi(let owner, let id):
      guard status.isSuccess, let returned = try? event.returned(ReadRSSI.self) else {
        let status = status.isSuccess ? HCIStatus.unspecifiedError : status
        complete(
          owner, id,
          .failure(
            Failure(
              status == .unknownConnection ? .disconnected : .adapter, "the controller could not read the RSSI: \(status)",
              blame: .adapter, layer: .hci, code: UInt16(status.raw))))
        if case .readRSSI(let handle) = entry.command { probed(handle, status) }
        return
      }
      complete(owner, id, .success(.rssi(Int(returned.rssi))))
    case .disconnection(let handle): disconnectionAnswered(handle, status)
    case .adjustment(let handle): if !status.isSuccess { adjusted(handle, status) }
    case .encryption(let handle):
      if !status.isSuccess { encryptionChanged(handle, status, isOn: false) }
    case .aside:
      if status.isSuccess, event.opcode == .leReadPHY, let answer = try? event.returned(ReadPHY.self) { phyRead(answer) }
      if !status.isSuccess, status != .unknownConnection { note(.debug, "\(entry.command.opcode) was refused: \(status)") }
    }
  }

  // MARK: Initialisation

  private mutating func initialised(_ step: InitialisationStep, _ status: HCIStatus, _ event: CommandComplete) {
    var understood = status.isSuccess
    if status.isSuccess {
      do throws(DecodeError) {
        try learn(step, event)
      } catch {
        understood = false
      }
    }
    if !understood, step.isRequired {
      let what =
        status.isSuccess
        ? "the controller's answer to \(event.opcode) during initialisation is invalid"
        : "the controller refused \(event.opcode) during initialisation: \(status)"
      return trouble(
        .refused(
          Failure(.adapter, what, blame: .adapter, layer: .hci, code: UInt16(status.raw), got: event.parameters)))
    }
    if let next = step.next(facts, needsRandomAddress: needsRandomAddress) {
      phase = .initialising(next)
      if next == .randomAddress { return chooseRandomAddress() }
      send(next.command(facts), for: .initialisation)
      return
    }
    guard facts.aclLength > 0, facts.aclCount > 0 else {
      return trouble(.refused(Failure(.adapter, "the controller has no buffers for data", blame: .adapter, layer: .hci)))
    }
    credits = facts.aclCount
    phase = .ready
    gone = nil
    if let span = ladder.works(at: now.moment) { note(.log, "the adapter is back after \(span)") }
    for owner in knownOwners { report(owner, .adapterReady(facts.info)) }
    removeBondsThatWait()
    continueOffer()
    if configuration.privateFor != nil {
      loadBonds()
      if arbiter.ownAddress == nil { rotateOwnAddress() }
    }
  }

  private mutating func learn(_ step: InitialisationStep, _ event: CommandComplete) throws(DecodeError) {
    switch step {
    case .commands: facts.commands = try event.returned(SupportedCommands.self)
    case .version: facts.version = try event.returned(LocalVersion.self)
    case .address:
      let address = try event.returned(ReadAddress.self).address
      // All zeros or all ones means that there is no public address.
      if address.bits != 0, address.bits != 0xFFFF_FFFF_FFFF { facts.publicAddress = Address(bits: address.bits, kind: .public) }
    case .leFeatures: facts.features = try event.returned(LocalFeatures.self)
    case .bufferSizeV2:
      let size = try event.returned(LEReadBufferSizeV2.self)
      learnBuffers(Int(size.aclLength), Int(size.aclCount))
    case .bufferSize:
      let size = try event.returned(LEReadBufferSize.self)
      learnBuffers(Int(size.aclLength), Int(size.aclCount))
    case .classicBufferSize:
      let size = try event.returned(ReadBufferSize.self)
      facts.aclLength = Int(size.aclLength)
      facts.aclCount = Int(size.aclCount)
    case .acceptListSize: facts.acceptListSize = Int(try event.returned(ListSize.self).count)
    case .reset, .features, .eventMask, .leEventMask, .randomAddress: break
    }
  }

  private mutating func learnBuffers(_ length: Int, _ count: Int) {
    facts.knowsLEBuffers = true
    // A zero in either field refers to the BR/EDR buffers (Vol 4, Part E, 7.8.2).
    guard length > 0, count > 0 else { return }
    facts.aclLength = length
    facts.aclCount = count
  }

  private var needsRandomAddress: Bool {
    switch configuration.ownAddress {
    case .automatic: facts.publicAddress == nil
    case .staticRandom, .stored: true
    }
  }

  private mutating func chooseRandomAddress() {
    switch configuration.ownAddress {
    case .staticRandom(let bits): setRandomAddress(Address(bits: bits, kind: .random))
    case .automatic, .stored: out.append(.compute(computations.order(for: .staticAddress), .storedAddress))
    }
  }

  /// Continues the initialisation with a static random address: the two upper bits are set, and the
  /// other 46 are neither all 0 nor all 1 (Vol 6, Part B, 1.3.2.1).
  /// - Parameter known: `nil` takes one from the seed.
  mutating func setRandomAddress(_ known: Address?) {
    guard case .initialising(.randomAddress) = phase else { return }
    // Adjacent seeds give unrelated addresses.
    var generator = SplitMix(seed: seed)
    var bits = (known?.bits ?? generator.next()) & 0x3FFF_FFFF_FFFF
    if bits == 0 || bits == 0x3FFF_FFFF_FFFF { bits = 0x1234_5678_9ABC }
    facts.randomAddress = Address(bits: bits | 0xC000_0000_0000, kind: .random)
    send(InitialisationStep.randomAddress.command(facts), for: .initialisation)
  }

  // MARK: Loss

  /// Reports the end of the links, then the failed operations, then the loss. Requests without a
  /// time limit stay (rule 14).
  mutating func loseAdapter(_ failure: Failure) {
    switch phase {
    case .lost, .closed: return
    case .off, .initialising, .ready, .reopening:
      phase = .lost
      gone = failure
    case .closing: phase = .closed
    }
    forget(DisconnectReason(text: "adapter lost"), failure)
    for request in arbiter.takeConnections(where: { !$0.request.pending }) {
      complete(request.owner, request.id, .failure(failure))
    }
    failWaiting(failure)
    for owner in knownOwners { report(owner, .adapterLost(failure)) }
    // No event may follow `closed`.
    if phase == .closed { out.append(.closed) }
  }

  // MARK: Closing

  mutating func close() {
    switch phase {
    case .closing, .closed: return
    case .off, .initialising, .reopening, .lost:
      dropRequests()
      return becomeClosed()
    case .ready: break
    }
    phase = .closing(until: now.moment + HostLimits.closing)
    dropRequests()
    for link in links where link.stage != .closing { closeLink(link.handle, nil) }
  }

  private mutating func dropRequests() {
    let failure = Failure(.cancelled, "tooth is closing", blame: .ours, layer: .hci)
    apply(arbiter.dropRequests(failure))
    failWaiting(failure)
  }

  /// Fails requests that wait for the adapter or for a computation.
  private mutating func failWaiting(_ failure: Failure) {
    let removals = bonds.removals
    bonds.removals = []
    for removal in removals { complete(removal.owner, removal.id, .failure(failure)) }
    guard let owner = offer?.owner, let waiting = offer?.waiting else { return }
    offer?.waiting = []
    for id in waiting { complete(owner, id, .failure(failure)) }
  }

  /// Drops the queue and fails what waits for answers from it.
  mutating func dropCommands(_ failure: Failure) {
    let abandoned = queue.abandoned
    queue = CommandQueue()
    for entry in abandoned {
      if case .rssi(let owner, let id) = entry.purpose { complete(owner, id, .failure(failure)) }
    }
  }

  /// Closes when nothing is on the air and every link is gone, or when the time is up.
  mutating func finishClosing() {
    guard case .closing(let until) = phase else { return }
    let isQuiet = links.isEmpty && arbiter.isQuiet
    guard isQuiet || until <= now.moment else { return }
    if !isQuiet { dropLinks(DisconnectReason(text: "closing took too long")) }
    becomeClosed()
  }

  /// Stops waiting for anything.
  private mutating func becomeClosed() {
    phase = .closed
    dropCommands(Failure(.cancelled, "tooth is closing", blame: .ours, layer: .hci))
    // A controller may report links during initialisation, and clients may wait for their end.
    dropLinks(.asked)
    arbiter.controllerLost()
    apply(arbiter.endWaiting())
    out.append(.closed)
  }
}
