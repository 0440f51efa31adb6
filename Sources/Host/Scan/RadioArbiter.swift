import Exchange
import Packets
import Vocabulary

/// Owns the radio (rule 2): the requests for it, its state, and the procedure in progress.
///
/// Only this file writes these properties, and every write marks the arbiter, so that no change is
/// missed. `RadioArbiter+Requests` combines the requests; `RadioSurroundings` makes the commands.
struct RadioArbiter: Equatable, Sendable {
  /// The part of a link's state that concerns the radio.
  struct Neighbour: Equatable, Sendable {
    var handle: ConnectionHandle
    var peer: Address
    var role: LinkRole
    /// Its peer has sent nothing yet, and its end was not requested.
    var isEstablishing = true
  }

  /// The number of the newest scan when reports to a client were lost.
  struct LostSightings: Equatable, Sendable {
    var owner: OwnerID
    var serial: UInt64
  }

  /// Whether something has changed since the last arbitration.
  private(set) var isDirty = false

  // Requests
  private(set) var scans: [RequestedScan] = [] { didSet { isDirty = true } }
  /// The number of the newest scan or loss of reports.
  private(set) var newestScan: UInt64 = 0
  /// One entry per client. It does not affect the radio and marks nothing, because losses occur
  /// with every packet.
  private(set) var lostSightings: [LostSightings] = []
  private(set) var requestedConnections: [RequestedConnection] = [] { didSet { isDirty = true } }
  private(set) var attempts: [Attempt] = [] { didSet { isDirty = true } }
  private(set) var advertising: RequestedAdvertising? { didSet { isDirty = true } }
  private(set) var advertisingVersion = 0 { didSet { isDirty = true } }
  private(set) var advertisingStops: [Link.Waiter] = [] { didSet { isDirty = true } }
  /// The private address that should be ours.
  private(set) var ownAddress: Address? { didSet { isDirty = true } }

  // State
  private(set) var radio = Radio() { didSet { isDirty = true } }
  private(set) var links: [Neighbour] = [] { didSet { isDirty = true } }
  /// How often the controller was lost during a change of its resolving list, since the list last
  /// resolved an address.
  private(set) var resolvingLosses = 0 { didSet { isDirty = true } }
  /// The most links of the controller, once it has refused one (rule 16).
  private(set) var linkLimit: Int? { didSet { isDirty = true } }

  init() {}

  // MARK: Arbitration

  /// Starts the next procedure if none is in progress.
  mutating func arbitrate(_ surroundings: RadioSurroundings) -> [RadioEffect] {
    guard radio.steps.isEmpty else { return [] }
    // Changes made here need no further arbitration.
    defer { isDirty = false }
    if let ownAddress, ownAddress != surroundings.facts.privateAddress, !surroundings.isClosing {
      return changeAddress(ownAddress, surroundings)
    }
    let demand = scanDemand
    if demand.isCoded || requestsCodedPHY, !surroundings.facts.hasCodedPHY { return refuseCoded() + arbitrate(surroundings) }
    let resolving = surroundings.isClosing ? [] : resolvingSteps(surroundings)
    if !resolving.isEmpty { return silence(surroundings) ?? begin(resolving) }
    var plan = desiredPlan(surroundings)
    planProbe(plan, at: surroundings.now)
    var scan = desiredScan(demand, surroundings)
    takeTurns(&plan, &scan, at: surroundings.now)
    rotate(surroundings)

    // First cancel an attempt that no longer matches, or that a scan must precede.
    if case .on(let current) = radio.initiator {
      let scanMustStart = scan != nil && scan != radio.scan && !isEstablishing
      if plan != current || scanMustStart || radio.initiatorMustRestart {
        radio.initiatorMustRestart = false
        radio.cancelWasRefused = false
        return begin([Radio.Step(command: .leCreateConnectionCancel, mark: .cancelled)])
      }
    }
    radio.initiatorMustRestart = false
    if radio.scan != nil, radio.scan != scan || radio.scanMustRestart {
      radio.scanMustRestart = false
      return begin([Radio.Step(command: surroundings.scanEnable(false), mark: .scanning(nil))])
    }
    if radio.initiator == .idle {
      if let scan, radio.scan == nil, !isEstablishing {
        return begin(surroundings.steps(scanning: scan, list: scan.listed.map { listSteps($0) } ?? []))
      }
      // Initiate while there is no scan to start, or while a scan waits for a link.
      if let plan, radio.initiatesAt == nil {
        let list = plan.useList ? listSteps(plan.targets) : []
        return begin(linkDefaults(surroundings) + surroundings.steps(initiating: plan, list: list))
      }
    }
    return arbitrateAdvertising(surroundings)
  }

  /// Fails all requests for the LE Coded PHY.
  private mutating func refuseCoded() -> [RadioEffect] {
    let failure = Failure(
      .adapter, "this adapter has no LE Coded PHY", blame: .adapter, layer: .hci,
      hint: "long range needs a Bluetooth 5 adapter that has it; without it (`use scan full`) only near devices are heard",
      delivered: .notSent)
    var effects: [RadioEffect] = []
    for scan in scans where scan.request.duty == .coded { effects.append(.complete(scan.owner, scan.id, .failure(failure))) }
    scans.removeAll { $0.request.duty == .coded }
    let peers = Set(requestedConnections.filter { $0.request.coded }.map(\.peer)).sorted()
    for peer in peers { effects += failRequestedConnections(of: peer, where: { $0.request.coded }, failure) }
    return effects
  }

  /// Nothing may be on the air while the address changes (Vol 4, Part E, 7.8.4).
  private mutating func changeAddress(_ address: Address, _ surroundings: RadioSurroundings) -> [RadioEffect] {
    silence(surroundings) ?? begin([Radio.Step(command: .leSetRandomAddress(address.bits), mark: .ownAddress(address))])
  }

  /// Stops the next procedure that is on the air; `nil` if there is none.
  private mutating func silence(_ surroundings: RadioSurroundings) -> [RadioEffect]? {
    switch radio.initiator {
    case .idle: break
    case .on:
      radio.cancelWasRefused = false
      return begin([Radio.Step(command: .leCreateConnectionCancel, mark: .cancelled)])
    case .cancelling: return []
    }
    if radio.scan != nil { return begin([Radio.Step(command: surroundings.scanEnable(false), mark: .scanning(nil))]) }
    if radio.advertising != nil {
      return begin([Radio.Step(command: surroundings.advertisingEnable(false), mark: .advertising(nil))])
    }
    return nil
  }

  /// Plans a probe while an attempt relies on the list, until the list has resolved an address.
  private mutating func planProbe(_ plan: InitiatorPlan?, at now: Moment) {
    let isInDoubt = !radio.resolving.hasResolved && (plan?.targets.contains { resolves($0) } ?? false)
    var resolving = radio.resolving
    resolving.planProbe(isNeeded: isInDoubt, at: now)
    if resolving != radio.resolving { radio.resolving = resolving }
  }

  private mutating func arbitrateAdvertising(_ surroundings: RadioSurroundings) -> [RadioEffect] {
    if let phy = advertising?.plan.phy, !surroundings.facts.advertises(on: phy) {
      return refuseAdvertising(on: phy) + arbitrateAdvertising(surroundings)
    }
    let request = desiredAdvertising(surroundings)
    if let current = radio.advertising {
      if request?.version != current {
        return begin([Radio.Step(command: surroundings.advertisingEnable(false), mark: .advertising(nil))])
      }
    } else if let request {
      return begin(linkDefaults(surroundings) + surroundings.steps(advertising: request))
    }
    var effects = finishAdvertisingStops()
    // There is no room for another central now. Advertising resumes when one leaves.
    if let advertising, !advertising.isCompleted, request == nil, !surroundings.isClosing { effects += completeAdvertising() }
    return effects
  }

  private mutating func refuseAdvertising(on phy: LinkRequest.PHY) -> [RadioEffect] {
    guard let request = advertising else { return [] }
    advertising = nil
    let text = "this adapter cannot advertise on the \(phy == .coded ? "LE Coded" : "LE 2M") PHY"
    // Another controller may have replaced the one that could.
    if request.isCompleted { return [.note(.warning, "advertising has stopped: \(text)")] }
    let failure = Failure(
      .adapter, text, blame: .adapter, layer: .hci,
      hint: "take `phy` out of `advertise … with`, or use a Bluetooth 5 adapter that has it", delivered: .notSent)
    return [.complete(request.owner, request.id, .failure(failure))]
  }

  private mutating func begin(_ steps: [Radio.Step]) -> [RadioEffect] {
    radio.steps = steps
    return nextStep
  }

  private var nextStep: [RadioEffect] { radio.steps.first.map { [.send($0.command)] } ?? [] }

  /// Lets scanning and full-duty initiating alternate, so that an absent peer does not keep other
  /// devices from being received. A controller that cannot scan and initiate at once alternates as
  /// well.
  private mutating func takeTurns(_ plan: inout InitiatorPlan?, _ scan: inout ScanMode?, at now: Moment) {
    guard let wished = plan, scan != nil, radio.takesTurns || wished.isFull else {
      radio.turnEnds = nil
      return
    }
    if radio.turnEnds == nil {
      radio.turnEnds = now + HostLimits.turn
      radio.isScanTurn = isProbing
    }
    if radio.isScanTurn { plan = nil } else { scan = nil }
  }

  private mutating func rotate(_ surroundings: RadioSurroundings) {
    let pending = wanted { $0.request.pending }.count
    if pending <= acceptListCapacity(surroundings) {
      radio.rotationEnds = nil
    } else if radio.rotationEnds == nil {
      radio.rotationEnds = surroundings.now + HostLimits.rotation
    }
  }

  private func listSteps(_ wanted: [Address]) -> [Radio.Step] {
    if radio.acceptListIsUnsure {
      return [Radio.Step(command: .leClearFilterAcceptList, mark: .listCleared)]
        + wanted.map { Radio.Step(command: .leAddToFilterAcceptList($0), mark: .listed($0)) }
    }
    var steps: [Radio.Step] = []
    for address in radio.acceptList where !wanted.contains(address) {
      steps.append(Radio.Step(command: .leRemoveFromFilterAcceptList(address), mark: .unlisted(address)))
    }
    for address in wanted where !radio.acceptList.contains(address) {
      steps.append(Radio.Step(command: .leAddToFilterAcceptList(address), mark: .listed(address)))
    }
    return steps
  }

  private mutating func linkDefaults(_ surroundings: RadioSurroundings) -> [Radio.Step] {
    if radio.linkDefaultsSet { return [] }
    radio.linkDefaultsSet = true
    return surroundings.linkDefaults()
  }

  // MARK: Time

  mutating func wake(_ surroundings: RadioSurroundings) -> [RadioEffect] {
    let now = surroundings.now
    var effects: [RadioEffect] = []
    if let at = radio.initiatesAt, at <= now { radio.initiatesAt = nil }
    if case .cancelling(_, let until) = radio.initiator, until <= now {
      if radio.cancelWasRefused, !radio.hasMissedConnection {
        return [.trouble(.restarted("it does not know about the attempt to connect"))]
      }
      effects.append(.note(.debug, "no Connection Complete came after Create Connection Cancel within \(HostLimits.cancellation)"))
      radio.initiator = .idle
      radio.hasMissedConnection = false
    }
    if let ends = radio.turnEnds, ends <= now {
      radio.isScanTurn.toggle()
      radio.turnEnds = now + HostLimits.turn
    }
    if let ends = radio.rotationEnds, ends <= now {
      radio.rotationEnds = nil
      radio.rotation = (radio.rotation + acceptListCapacity(surroundings)) % max(1, wanted { $0.request.pending }.count)
    }
    if let due = radio.resolving.nextDeadline, due <= now { radio.resolving.wake(at: now) }
    for request in requestedConnections.filter({ $0.deadline.map { $0 <= now } ?? false }) {
      effects += failRequestedConnections(
        of: request.peer, where: { $0.id == request.id && $0.owner == request.owner },
        Failure(
          .unreachable, "\(request.peer) was not heard within \(HostLimits.directAttempt)", blame: .radio, layer: .hci,
          hint: "is it switched on, near, and not connected to something else?"))
    }
    return effects
  }

  // MARK: Answers of the controller

  mutating func answered(_ status: HCIStatus, _ surroundings: RadioSurroundings) -> [RadioEffect] {
    guard let step = radio.steps.first else { return [] }
    guard status.isSuccess || step.isOptional else { return refused(step, status, surroundings) }
    radio.steps.removeFirst()
    let effects = status.isSuccess ? apply(step.mark, at: surroundings.now) : []
    return effects + nextStep
  }

  private mutating func apply(_ mark: Radio.Mark, at now: Moment) -> [RadioEffect] {
    switch mark {
    case .none: break
    case .scanning(let mode):
      radio.scan = mode
      radio.scannedSince = mode == nil ? nil : now
      if mode != nil { return [.scanBegan] }
    case .listed(let address): radio.acceptList.append(address)
    case .unlisted(let address): radio.acceptList.removeAll { $0 == address }
    case .listCleared: clearedList()
    case .initiating(let plan):
      radio.initiator = .on(plan)
      radio.initiatedAt = now
      radio.hasClearedAttempt = false
    case .cancelled:
      // Connection Complete may have arrived before this answer. Then there is nothing to wait for.
      if case .on(let plan) = radio.initiator { radio.initiator = .cancelling(plan, until: now + HostLimits.cancellation) }
    case .ownAddress(let address): return [.ownAddressChanged(address)]
    case .resolution, .resolved, .unresolvedAll: radio.resolving.apply(mark)
    case .privacyMode: break
    case .advertising(let version):
      radio.advertising = version
      return version != nil ? completeAdvertising() : finishAdvertisingStops()
    }
    return []
  }

  private mutating func clearedList() {
    radio.acceptList = []
    radio.acceptListIsUnsure = false
  }

  private mutating func refused(_ step: Radio.Step, _ status: HCIStatus, _ surroundings: RadioSurroundings) -> [RadioEffect] {
    radio.steps = []
    switch step.mark {
    case .scanning(.some): return scanRefused(step, status)
    case .scanning(nil): radio.scan = nil
    case .initiating(let plan): return initiatingRefused(plan, step, status)
    case .cancelled:
      // Command Disallowed: the link already exists, and its event has arrived or will.
      radio.cancelWasRefused = status == .commandDisallowed
      return apply(.cancelled, at: surroundings.now)
    case .listed where status == .memoryExceeded && !radio.acceptList.isEmpty: radio.acceptListLimit = radio.acceptList.count
    case .advertising(.some): return advertisingRefused(step, status)
    case .advertising(nil): radio.advertising = nil
    case .ownAddress:
      ownAddress = surroundings.facts.privateAddress
      return [.note(.warning, "the controller refused a private address: \(status)")]
    case .resolution, .resolved, .unresolvedAll, .privacyMode: return resolvingRefused(step, status)
    case .unlisted(let address):
      // It is unknown whether the list still contains the address.
      radio.acceptList.removeAll { $0 == address }
      radio.acceptListIsUnsure = true
    // Fill the list anyway. At worst it contains a peer without a request, whose link is then
    // closed.
    case .listCleared: clearedList()
    case .none, .listed:
      // A parameter command was refused, and with it the procedure that it prepares.
      switch step.command.opcode {
      case .leSetScanParameters, .leSetExtendedScanParameters: return scanRefused(step, status)
      case .leAddToFilterAcceptList:
        if let plan = desiredPlan(surroundings) { return initiatingRefused(plan, step, status) }
        if !scans.isEmpty { return scanRefused(step, status) }
      default: return advertisingRefused(step, status)
      }
    }
    return []
  }

  /// Gives up the resolving list if the controller refuses its commands, as some do.
  private mutating func resolvingRefused(_ step: Radio.Step, _ status: HCIStatus) -> [RadioEffect] {
    radio.resolving.refused(step.mark, status).map {
      resolvingGivenUp(.debug, "the controller refused \(step.command.opcode): \($0)")
    } ?? []
  }

  private func resolvingGivenUp(_ level: LogLevel, _ reason: String) -> [RadioEffect] {
    [.note(level, "\(reason); bonded devices with private addresses are found by scans instead")]
  }

  private func refusal(_ step: Radio.Step, _ status: HCIStatus) -> Failure {
    Failure(
      .adapter, "the controller refused \(step.command.opcode): \(status)", blame: .adapter, layer: .hci, code: UInt16(status.raw),
      sent: step.command.encoded)
  }

  private mutating func scanRefused(_ step: Radio.Step, _ status: HCIStatus) -> [RadioEffect] {
    radio.scan = nil
    radio.scanIsRefused = true
    let refused = scans
    scans = []
    return refused.map { .complete($0.owner, $0.id, .failure(refusal(step, status))) }
  }

  private mutating func initiatingRefused(_ plan: InitiatorPlan, _ step: Radio.Step, _ status: HCIStatus) -> [RadioEffect] {
    if status == .commandDisallowed, radio.scan != nil, !radio.takesTurns {
      radio.takesTurns = true
      return [.note(.debug, "the controller does not initiate while it scans: they take turns")]
    }
    if status == .connectionLimitExceeded || status == .limitedResources, !links.isEmpty { return learnLinkLimit(status) }
    if status == .commandDisallowed, !radio.hasClearedAttempt {
      // The controller may have an attempt that the host has forgotten. Cancel it first, once.
      radio.hasClearedAttempt = true
      radio.initiator = .on(plan)
      radio.initiatorMustRestart = true
      // A controller without an attempt refuses the cancel, which is not a fault.
      radio.hasMissedConnection = true
      // An empty accept list is refused in the same way, so the list may differ.
      radio.acceptListIsUnsure = true
      return []
    }
    if status == .connectionExists, let peer = plan.targets.first(where: { !isLinked($0) }) {
      return [.trouble(.disagrees("it has a link to \(peer); it had already reported the end of that link"))]
    }
    return plan.targets.flatMap { failRequestedConnections(of: $0, refusal(step, status)) }
  }

  private mutating func advertisingRefused(_ step: Radio.Step, _ status: HCIStatus) -> [RadioEffect] {
    radio.advertising = nil
    guard let request = advertising else { return [] }
    if !links.isEmpty, [.commandDisallowed, .connectionLimitExceeded, .limitedResources].contains(status) {
      radio.advertisingWaitsForLink = true
      return completeAdvertising()
    }
    advertising = nil
    if !request.isCompleted { return [.complete(request.owner, request.id, .failure(refusal(step, status)))] }
    return [.note(.warning, "advertising has stopped: the controller refused \(step.command.opcode): \(status)")]
  }

  // MARK: Scans

  /// Starts a scan, or repeats one under its number with a new filter.
  mutating func scan(_ owner: OwnerID, _ id: OperationID, _ request: ScanRequest) {
    newestScan += 1
    if let index = scans.firstIndex(where: { $0.owner == owner && $0.id == id }) {
      scans[index].request = request
      scans[index].serial = newestScan
    } else {
      scans.append(RequestedScan(owner: owner, id: id, request: request, serial: newestScan))
    }
    radio.scanIsRefused = false
  }

  /// Ends a scan. Returns whether there was one.
  mutating func endScan(_ owner: OwnerID, _ id: OperationID) -> Bool {
    guard let place = scans.firstIndex(where: { $0.owner == owner && $0.id == id }) else { return false }
    scans.remove(at: place)
    return true
  }

  /// Ends the spare scans of a client that is away.
  mutating func endSpareScans(of owner: OwnerID) {
    guard scans.contains(where: { $0.owner == owner && $0.request.duty == .spare }) else { return }
    scans.removeAll { $0.owner == owner && $0.request.duty == .spare }
  }

  /// Reports every device to these scans once more.
  mutating func forgetSightings(of owner: OwnerID) {
    newestScan += 1
    if let place = lostSightings.firstIndex(where: { $0.owner == owner }) {
      lostSightings[place].serial = newestScan
    } else if scans.contains(where: { $0.owner == owner }) {
      lostSightings.append(LostSightings(owner: owner, serial: newestScan))
    }
  }

  /// Restarts the scan unless another procedure is in progress.
  mutating func restartScan() { radio.scanMustRestart = true }

  mutating func setOwnAddress(_ address: Address) { ownAddress = address }

  /// Call after the address of a requested peer, or the bonds, have changed.
  mutating func peersChanged() { isDirty = true }

  /// The controller has resolved a private address, so its list can be relied upon.
  mutating func resolvedByController() {
    if !radio.resolving.hasResolved { radio.resolving.hasResolved = true }
    if resolvingLosses > 0 { resolvingLosses = 0 }
  }

  /// A bonded device was reported under a private address. If the device is on the list, the
  /// controller should have resolved it.
  mutating func heardUnresolved(_ peer: Address) -> [RadioEffect] {
    guard resolves(peer), radio.resolving.countMiss() else { return [] }
    return resolvingGivenUp(.log, "the controller resolves no private addresses although it has a resolving list")
  }

  /// Sets the identity address of a link's peer, which is now known.
  mutating func rename(_ handle: ConnectionHandle, to identity: Address) {
    for index in links.indices where links[index].handle == handle { links[index].peer = identity }
  }

  // MARK: Connections

  mutating func add(_ request: RequestedConnection) { requestedConnections.append(request) }

  /// Removes and returns requests, whose owners the caller must inform.
  mutating func takeConnections(where isSelected: (RequestedConnection) -> Bool) -> [RequestedConnection] {
    let taken = requestedConnections.filter(isSelected)
    if !taken.isEmpty { requestedConnections.removeAll(where: isSelected) }
    return taken
  }

  /// Fails the requests for a peer.
  mutating func failRequestedConnections(
    of peer: Address, where isSelected: (RequestedConnection) -> Bool = { _ in true }, _ failure: Failure
  ) -> [RadioEffect] {
    let failed = takeConnections { $0.peer == peer && isSelected($0) }
    var effects: [RadioEffect] = failed.map { .complete($0.owner, $0.id, .failure(failure)) }
    if forgetUnrequested(peer) { effects.append(.unwanted(peer)) }
    return effects
  }

  /// Forgets the attempts for a peer that no client requests. Returns whether that is so.
  mutating func forgetUnrequested(_ peer: Address) -> Bool {
    if isRequested(peer) { return false }
    forgetAttempts(of: peer)
    return true
  }

  mutating func forgetAttempts(of peer: Address) { attempts.removeAll { $0.peer == peer } }

  /// Adds a failed attempt. Returns all failures since the last success once they are too many for
  /// a silent retry (rule 1).
  mutating func attemptFailed(_ peer: Address, _ reason: HCIStatus) -> [HCIStatus]? {
    guard isRequested(peer) else { return nil }
    let place = attempts.firstIndex { $0.peer == peer } ?? attempts.count
    if place == attempts.count { attempts.append(Attempt(peer: peer)) }
    attempts[place].reasons.append(reason)
    // Retry at once, without a scan in between.
    radio.turnEnds = nil
    return attempts[place].reasons.count > HostLimits.silentRetries ? attempts[place].reasons : nil
  }

  /// There is a link to this peer. Returns the requests that it fulfils.
  mutating func completeConnections(for peer: Address) -> [RequestedConnection] {
    forgetAttempts(of: peer)
    radio.fruitless = 0
    radio.initiatesAt = nil
    return takeConnections { $0.peer == peer }
  }

  /// An attempt ended without a link. The next ones follow at once, later ones after growing
  /// pauses.
  mutating func attemptWasFruitless(at now: Moment) {
    radio.fruitless = min(radio.fruitless + 1, 64)
    guard radio.fruitless > HostLimits.fruitlessAttempts else { return }
    var pause = HostLimits.fruitlessPause
    for _ in HostLimits.fruitlessAttempts + 1..<radio.fruitless where pause < HostLimits.fruitlessCeiling { pause = pause * 2 }
    radio.initiatesAt = now + min(pause, HostLimits.fruitlessCeiling)
  }

  /// A Connection Complete may overtake the answer to its command, which then brings no news.
  mutating func connectionReported(_ event: ConnectionComplete) {
    guard event.role == .central || !event.status.isSuccess, let step = radio.steps.first, case .initiating(let plan) = step.mark
    else { return }
    radio.steps[0].mark = .none
    radio.initiator = .on(plan)
  }

  /// The attempt ended without a link. Returns its plan.
  mutating func attemptEnded(at now: Moment) -> InitiatorPlan? {
    let plan: InitiatorPlan
    switch radio.initiator {
    case .idle: return nil
    case .on(let current):
      plan = current
      attemptWasFruitless(at: now)
    case .cancelling(let current, _): plan = current
    }
    radio.initiator = .idle
    return plan
  }

  /// Starts the attempt again. The controller refuses the cancel if it has forgotten the attempt,
  /// and its accept list may be empty after a reset.
  ///
  /// - Parameter isMissed: Whether the attempt may have become a link that was not reported.
  mutating func renewAttempt(isMissed: Bool = false) {
    radio.initiatorMustRestart = true
    radio.acceptListIsUnsure = true
    if radio.resolving.isEnabled || !radio.resolving.entries.isEmpty { radio.resolving.isUnsure = true }
    if isMissed { radio.hasMissedConnection = true }
  }

  /// The controller was checked for the attempt.
  mutating func attemptProbed(at now: Moment) { radio.initiatedAt = now }

  // MARK: Advertising

  mutating func advertise(_ owner: OwnerID, _ id: OperationID, _ plan: AdvertisingPlan, _ payload: AdvertisingPayload)
    -> [RadioEffect]
  {
    let effects = completeAdvertising()
    advertisingVersion += 1
    advertising = RequestedAdvertising(owner: owner, id: id, plan: plan, payload: payload, version: advertisingVersion)
    return effects
  }

  mutating func stopAdvertising(_ owner: OwnerID, _ id: OperationID) -> [RadioEffect] {
    let effects = completeAdvertising()
    advertising = nil
    guard radio.advertising != nil || !radio.steps.isEmpty else { return effects + [.complete(owner, id, .success(.done))] }
    advertisingStops.append(Link.Waiter(owner: owner, id: id))
    return effects
  }

  private mutating func completeAdvertising() -> [RadioEffect] {
    guard let request = advertising, !request.isCompleted else { return [] }
    advertising?.isCompleted = true
    return [.complete(request.owner, request.id, .success(.done))]
  }

  private mutating func finishAdvertisingStops() -> [RadioEffect] {
    radio.advertising == nil || advertising != nil ? endAdvertisingStops() : []
  }

  private mutating func endAdvertisingStops() -> [RadioEffect] {
    let stops = advertisingStops
    advertisingStops = []
    return stops.map { .complete($0.owner, $0.id, .success(.done)) }
  }

  /// Advertising ended because of a link, which has its own event, or because the controller
  /// stopped.
  mutating func advertisingEnded() { radio.advertising = nil }

  // MARK: Links

  mutating func linkMade(_ event: ConnectionComplete) {
    links.append(Neighbour(handle: event.handle, peer: event.peer, role: event.role))
    switch event.role {
    // Every success is matched with an attempt (rule 3), even one that was being cancelled.
    case .central: radio.initiator = .idle
    // Connectable advertising ends with the link (Vol 6, Part B, 4.4.2).
    case .peripheral: radio.advertising = nil
    }
  }

  /// The peer of a link has sent something, or its end was requested.
  mutating func linkEstablished(_ handle: ConnectionHandle) {
    for index in links.indices where links[index].handle == handle { links[index].isEstablishing = false }
  }

  mutating func linkEnded(_ handle: ConnectionHandle) {
    links.removeAll { $0.handle == handle }
    radio.advertisingWaitsForLink = false
  }

  /// The controller has no room for another link. Direct attempts fail and name the holders of the
  /// links; pending ones wait.
  mutating func learnLinkLimit(_ status: HCIStatus) -> [RadioEffect] {
    if links.isEmpty { return [] }
    linkLimit = links.count
    return [.linksAreFull(status)]
  }

  // MARK: The controller

  /// The controller was reset and waits for commands.
  mutating func controllerReset() {
    radio = Radio()
    linkLimit = nil
  }

  /// The controller has forgotten everything; the requests stay.
  mutating func controllerLost() {
    if let mark = radio.steps.first?.mark, mark.isOfResolving {
      resolvingLosses = min(resolvingLosses + 1, HostLimits.resolvingLosses)
    }
    radio = Radio()
  }

  /// Ends what only waits for the controller, because its answers are no longer awaited.
  mutating func endWaiting() -> [RadioEffect] { endAdvertisingStops() }

  mutating func forgetAllAttempts() { attempts = [] }

  /// Removes a departed client. Its requests for links are withdrawn elsewhere.
  mutating func dismiss(_ owner: OwnerID) {
    if scans.contains(where: { $0.owner == owner }) { scans.removeAll { $0.owner == owner } }
    lostSightings.removeAll { $0.owner == owner }
    if advertising?.owner == owner { advertising = nil }
    advertisingStops.removeAll { $0.owner == owner }
  }

  /// Withdraws all requests and fails those that wait.
  mutating func dropRequests(_ failure: Failure) -> [RadioEffect] {
    var ended = scans.map { ($0.owner, $0.id) } + requestedConnections.map { ($0.owner, $0.id) }
    if let advertising, !advertising.isCompleted { ended.append((advertising.owner, advertising.id)) }
    scans = []
    requestedConnections = []
    attempts = []
    advertising = nil
    return ended.map { .complete($0.0, $0.1, .failure(failure)) }
  }
}

// MARK: Handover between processes

extension RadioArbiter.Neighbour: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(handle: try reader.next(), peer: try reader.next(), role: try reader.next(), isEstablishing: try reader.next())
  }

  func write(to writer: inout ByteWriter) { writer.put(all: handle, peer, role, isEstablishing) }
}

extension RadioArbiter.LostSightings: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(owner: try reader.next(), serial: try reader.nextCounter("number of lost sightings"))
  }

  func write(to writer: inout ByteWriter) { writer.put(all: owner, serial) }
}

extension RadioArbiter: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init()
    scans = try reader.next()
    newestScan = try reader.nextCounter("number of a scan")
    lostSightings = try reader.next()
    requestedConnections = try reader.next()
    attempts = try reader.next()
    advertising = try reader.next()
    advertisingVersion = try reader.nextCounter("version of what is advertised")
    advertisingStops = try reader.next()
    ownAddress = try reader.next()
    resolvingLosses = try reader.next(0...HostLimits.resolvingLosses, "losses of the resolving list")
    radio = try reader.next()
    links = try reader.next()
    linkLimit = try reader.next()
    isDirty = try reader.next()
  }

  func write(to writer: inout ByteWriter) {
    writer.put(
      all: scans, newestScan, lostSightings, requestedConnections, attempts, advertising, advertisingVersion, advertisingStops)
    writer.put(all: ownAddress, resolvingLosses)
    writer.put(all: radio, links, linkLimit, isDirty)
  }
}
