import Exchange
import Packets
import Vocabulary

/// The radio arbiter (rule 2): looks at what is wished and what the controller does, and starts one
/// procedure at a time.
extension LEHost {
  private var isClosing: Bool { if case .closing = phase { true } else { false } }

  /// A link that we made and whose peer was not heard yet: no scan is started now.
  private var isEstablishing: Bool {
    links.contains { $0.role == .central && $0.stage == .establishing && !$0.isHeard }
  }

  // MARK: What is wished

  /// Peers to look for, ascending; those that have a link need none.
  private func wanted(_ isIncluded: (ConnectWish) -> Bool) -> [Address] {
    var list: [Address] = []
    for wish in wishes where isIncluded(wish) && !list.contains(wish.peer) && link(to: wish.peer) == nil { list.append(wish.peer) }
    return list.sorted()
  }

  private func isUrgent(_ peer: Address) -> Bool { attempts.contains { $0.peer == peer && $0.isUrgent } }

  private var acceptListCapacity: Int {
    let size = facts.acceptListSize > 0 ? facts.acceptListSize : HostLimits.assumedAcceptList
    return max(1, min(size, radio.acceptListLimit ?? size))
  }

  private var isFull: Bool { linkLimit.map { links.count >= $0 } ?? false }

  /// Whom to look for when nothing else mattered.
  private var wishedPlan: InitiatorPlan? {
    if isClosing || isFull { return nil }
    let direct = wanted { !$0.request.pending || isUrgent($0.peer) }
    let pending = wanted { $0.request.pending && !isUrgent($0.peer) }
    if pending.isEmpty, direct.count == 1 { return InitiatorPlan(targets: direct, useList: false, isFull: true) }
    if pending.isEmpty, direct.isEmpty { return nil }
    var chosen = Array(direct.prefix(acceptListCapacity))
    let room = acceptListCapacity - chosen.count
    if pending.count <= room {
      chosen += pending
    } else {
      for offset in 0..<room { chosen.append(pending[(radio.rotation + offset) % pending.count]) }
    }
    return InitiatorPlan(targets: chosen.sorted(), useList: true, isFull: !direct.isEmpty)
  }

  private var wishedScan: ScanMode? {
    if isClosing || scans.isEmpty || radio.scanIsRefused { return nil }
    // a direct attempt, and above all a retry, has the radio for itself
    if let plan = wishedPlan, plan.isFull { return nil }
    let duty: ScanRequest.Duty = scans.contains { $0.request.duty == .full } ? .full : .gentle
    var listed: [Address]?
    // the one accept list serves initiating first
    if wanted({ _ in true }).isEmpty, scans.allSatisfy({ !$0.request.addresses.isEmpty }) {
      var addresses: [Address] = []
      for scan in scans {
        for bits in scan.request.addresses {
          for kind in [Address.Kind.public, .random] {
            let address = Address(bits: bits, kind: kind)
            if !addresses.contains(address) { addresses.append(address) }
          }
        }
      }
      if addresses.count <= acceptListCapacity { listed = addresses.sorted() }
    }
    return ScanMode(duty: duty, listed: listed)
  }

  private var wishedAdvertising: AdvertisingWish? {
    guard !isClosing, !radio.advertisingWaitsForLink, let advertising else { return nil }
    if advertising.plan.connectable, links.count(where: { $0.role == .peripheral }) >= configuration.maximumCentrals { return nil }
    return advertising
  }

  // MARK: Arbitration

  /// Starts the next procedure, if the last one is through. Everything that changed marks the radio
  /// dirty; a procedure that ends does too.
  mutating func arbitrate() {
    switch phase {
    case .ready, .closing: break
    case .off, .initialising, .reopening, .lost, .closed: return
    }
    guard radio.steps.isEmpty else { return }
    radio.isDirty = false
    var plan = wishedPlan
    var scan = wishedScan
    takeTurns(&plan, &scan)
    rotate()

    // Initiating that is no longer right, or that a scan must come before, is cancelled first.
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
      return begin([Radio.Step(command: scanEnable(false), mark: .scanning(nil))])
    }
    if radio.initiator == .idle {
      if let scan, radio.scan == nil, !isEstablishing { return begin(steps(scanning: scan)) }
      // while the wish to scan waits for a link, or for nothing, others may be looked for
      if let plan, radio.initiatesAt == nil { return begin(steps(initiating: plan)) }
    }
    arbitrateAdvertising()
  }

  private mutating func arbitrateAdvertising() {
    let wish = wishedAdvertising
    if let current = radio.advertising {
      if wish?.version != current { return begin([Radio.Step(command: advertisingEnable(false), mark: .advertising(nil))]) }
    } else if let wish {
      return begin(steps(advertising: wish))
    }
    finishAdvertisingStops()
    if let advertising, !advertising.isCompleted, wish == nil, !isClosing {
      // no place for a central now: it will be on the air when one leaves
      completeAdvertising()
    }
  }

  private mutating func begin(_ steps: [Radio.Step]) {
    radio.steps = steps
    sendStep()
  }

  private mutating func sendStep() {
    guard let step = radio.steps.first else {
      radio.isDirty = true
      return
    }
    send(step.command, for: .radio)
  }

  /// A controller that cannot scan and initiate at once does them by turns.
  private mutating func takeTurns(_ plan: inout InitiatorPlan?, _ scan: inout ScanMode?) {
    guard radio.takesTurns, plan != nil, scan != nil else {
      radio.turnEnds = nil
      return
    }
    if radio.turnEnds == nil { radio.turnEnds = now.moment + HostLimits.turn }
    if radio.isScanTurn { plan = nil } else { scan = nil }
  }

  private mutating func rotate() {
    let pending = wanted { $0.request.pending }.count
    if pending <= acceptListCapacity {
      radio.rotationEnds = nil
    } else if radio.rotationEnds == nil {
      radio.rotationEnds = now.moment + HostLimits.rotation
    }
  }

  /// An attempt came to nothing: the next ones follow at once, and then after pauses that grow.
  mutating func attemptWasFruitless() {
    radio.fruitless = min(radio.fruitless + 1, 64)
    guard radio.fruitless > HostLimits.fruitlessAttempts else { return }
    var pause = HostLimits.fruitlessPause
    for _ in HostLimits.fruitlessAttempts + 1..<radio.fruitless where pause < HostLimits.fruitlessCeiling { pause = pause * 2 }
    radio.initiatesAt = now.moment + min(pause, HostLimits.fruitlessCeiling)
  }

  mutating func wakeRadio() {
    if let at = radio.initiatesAt, at <= now.moment {
      radio.initiatesAt = nil
      radio.isDirty = true
    }
    if case .cancelling(_, let until) = radio.initiator, until <= now.moment {
      if radio.cancelWasRefused, !radio.hasMissedConnection {
        return trouble(.restarted("it does not know of the attempt to connect"))
      }
      note(.debug, "no Connection Complete came after Create Connection Cancel within \(HostLimits.cancellation)")
      radio.initiator = .idle
      radio.hasMissedConnection = false
      radio.isDirty = true
    }
    if let ends = radio.turnEnds, ends <= now.moment {
      radio.isScanTurn.toggle()
      radio.turnEnds = now.moment + HostLimits.turn
      radio.isDirty = true
    }
    if let ends = radio.rotationEnds, ends <= now.moment {
      radio.rotationEnds = nil
      radio.rotation = (radio.rotation + acceptListCapacity) % max(1, wanted { $0.request.pending }.count)
      radio.isDirty = true
    }
    let ended = wishes.filter { $0.deadline.map { $0 <= now.moment } ?? false }
    for wish in ended {
      failWishes(
        of: wish.peer, where: { $0.id == wish.id && $0.owner == wish.owner },
        Failure(
          .unreachable, "\(wish.peer) was not heard within \(HostLimits.directAttempt)", blame: .radio, layer: .hci,
          hint: "is it switched on, near, and not connected to something else?"))
    }
  }

  // MARK: Procedures

  private func steps(scanning mode: ScanMode) -> [Radio.Step] {
    var steps = mode.listed.map { listSteps($0) } ?? []
    let policy: ScanFilterPolicy = mode.listed == nil ? .everybody : .onlyList
    steps.append(
      Radio.Step(
        command: facts.isExtended
          ? .leSetExtendedScanParameters(
            ExtendedScanParameters(
              ownAddressType: facts.ownAddressType, filterPolicy: policy,
              le1M: ExtendedScanPHY(active: true, interval: mode.interval, window: mode.window)))
          : .leSetScanParameters(
            ScanParameters(
              active: true, interval: mode.interval, window: mode.window, ownAddressType: facts.ownAddressType, filterPolicy: policy
            ))))
    steps.append(Radio.Step(command: scanEnable(true), mark: .scanning(mode)))
    return steps
  }

  /// Duplicates are never filtered by the controller: it would hide a device that comes back.
  /// Gentle scans are coalesced here.
  private func scanEnable(_ enable: Bool) -> HCICommand {
    facts.isExtended
      ? .leSetExtendedScanEnable(ExtendedScanEnable(enable: enable, filterDuplicates: 0))
      : .leSetScanEnable(enable, filterDuplicates: false)
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

  /// What only links need, once, before the first (rule 5).
  private func linkDefaults() -> [Radio.Step] {
    if radio.linkDefaultsSet { return [] }
    var steps: [Radio.Step] = []
    if facts.features.has(.dataLengthExtension), facts.supports(.leWriteSuggestedDefaultDataLength) {
      steps.append(Radio.Step(command: .leWriteSuggestedDefaultDataLength(octets: 251, time: 2120), isOptional: true))
    }
    if facts.supports(.leSetDefaultPHY) {
      steps.append(Radio.Step(command: .leSetDefaultPHY(PHYPreferences(all: 0b11, transmit: 0, receive: 0)), isOptional: true))
    }
    return steps
  }

  private mutating func steps(initiating plan: InitiatorPlan) -> [Radio.Step] {
    var steps = linkDefaults()
    radio.linkDefaultsSet = true
    if plan.useList { steps += listSteps(plan.targets) }
    let peer = plan.useList ? Address(bits: 0, kind: .public) : plan.targets.first ?? Address(bits: 0, kind: .public)
    let parameters = configuration.profile.parameters
    steps.append(
      Radio.Step(
        command: facts.isExtended
          ? .leExtendedCreateConnection(
            ExtendedCreateConnection(
              useFilterAcceptList: plan.useList, ownAddressType: facts.ownAddressType, peer: peer,
              le1M: InitiatingPHY(scanInterval: plan.scanInterval, scanWindow: plan.scanWindow, connection: parameters)))
          : .leCreateConnection(
            CreateConnection(
              scanInterval: plan.scanInterval, scanWindow: plan.scanWindow, useFilterAcceptList: plan.useList, peer: peer,
              ownAddressType: facts.ownAddressType, connection: parameters)), mark: .initiating(plan)))
    return steps
  }

  private static let advertisingSet: UInt8 = 0

  private func advertisingEnable(_ enable: Bool) -> HCICommand {
    facts.isExtended
      ? .leSetExtendedAdvertisingEnable(enable, sets: [ExtendedAdvertisingSet(set: Self.advertisingSet)])
      : .leSetAdvertisingEnable(enable)
  }

  private mutating func steps(advertising wish: AdvertisingWish) -> [Radio.Step] {
    var steps = linkDefaults()
    radio.linkDefaultsSet = true
    let data = wish.payload.advertising.bytes
    let response = wish.payload.scanResponse.bytes
    // in 0.625 ms, 20 ms to 10.24 s
    let interval = UInt16(min(max(wish.plan.interval.nanoseconds / 625_000, 0x0020), 0x4000))
    if facts.isExtended {
      // legacy PDUs: ADV_IND, ADV_SCAN_IND or ADV_NONCONN_IND (Vol 4, Part E, 7.8.53, table 7.2)
      let properties: UInt16 = wish.plan.connectable ? 0x13 : response.isEmpty ? 0x10 : 0x12
      steps.append(
        Radio.Step(
          command: .leSetExtendedAdvertisingParameters(
            ExtendedAdvertisingParameters(
              set: Self.advertisingSet, properties: properties, intervalMinimum: UInt32(interval),
              intervalMaximum: UInt32(interval),
              ownAddressType: facts.ownAddressType))))
      if let random = facts.randomAddress {
        steps.append(Radio.Step(command: .leSetAdvertisingSetRandomAddress(set: Self.advertisingSet, bits: random.bits)))
      }
      steps.append(
        Radio.Step(command: .leSetExtendedAdvertisingData(ExtendedAdvertisingData(set: Self.advertisingSet, data: data))))
      if properties & 0x02 != 0 {
        steps.append(
          Radio.Step(command: .leSetExtendedScanResponseData(ExtendedAdvertisingData(set: Self.advertisingSet, data: response))))
      }
    } else {
      let type: AdvertisingType =
        wish.plan.connectable ? .connectableUndirected : response.isEmpty ? .nonConnectable : .scannableUndirected
      steps.append(
        Radio.Step(
          command: .leSetAdvertisingParameters(
            AdvertisingParameters(
              intervalMinimum: interval, intervalMaximum: interval, type: type, ownAddressType: facts.ownAddressType))))
      steps.append(Radio.Step(command: .leSetAdvertisingData(data)))
      steps.append(Radio.Step(command: .leSetScanResponseData(response)))
    }
    steps.append(Radio.Step(command: advertisingEnable(true), mark: .advertising(wish.version)))
    return steps
  }

  // MARK: Answers

  mutating func radioAnswered(_ status: HCIStatus) {
    guard let step = radio.steps.first else { return }
    guard status.isSuccess || step.isOptional else { return radioRefused(step, status) }
    radio.steps.removeFirst()
    if status.isSuccess { apply(step.mark) }
    sendStep()
  }

  private mutating func apply(_ mark: Radio.Mark) {
    switch mark {
    case .none: break
    case .scanning(let mode):
      radio.scan = mode
      radio.scannedSince = mode == nil ? nil : now.moment
      // a pause is no silence
      if mode != nil, heardAt != nil { heardAt = now.moment }
    case .listed(let address): radio.acceptList.append(address)
    case .unlisted(let address): radio.acceptList.removeAll { $0 == address }
    case .listCleared: clearedList()
    case .initiating(let plan):
      radio.initiator = .on(plan)
      radio.initiatedAt = now.moment
      radio.hasClearedAttempt = false
    case .cancelled:
      // a success may have come before the answer: then there is nothing left to wait for
      if case .on(let plan) = radio.initiator {
        radio.initiator = .cancelling(plan, until: now.moment + HostLimits.cancellation)
      }
    case .advertising(let version):
      radio.advertising = version
      if version != nil { completeAdvertising() } else { finishAdvertisingStops() }
    }
  }

  private mutating func clearedList() {
    radio.acceptList = []
    radio.acceptListIsUnsure = false
  }

  private mutating func radioRefused(_ step: Radio.Step, _ status: HCIStatus) {
    radio.steps = []
    radio.isDirty = true
    switch step.mark {
    case .scanning(.some): scanRefused(step, status)
    case .scanning(nil): radio.scan = nil
    case .initiating(let plan): initiatingRefused(plan, step, status)
    case .cancelled:
      // Command Disallowed: the link is made already and its event is here or on its way
      radio.cancelWasRefused = status == .commandDisallowed
      apply(.cancelled)
    case .listed where status == .memoryExceeded && !radio.acceptList.isEmpty: radio.acceptListLimit = radio.acceptList.count
    case .advertising(.some): advertisingRefused(step, status)
    case .advertising(nil): radio.advertising = nil
    case .unlisted(let address):
      // on the list or not, nobody can say
      radio.acceptList.removeAll { $0 == address }
      radio.acceptListIsUnsure = true
    // filled all the same: at worst somebody is on it whom nobody looks for, and whose link is
    // ended
    case .listCleared: clearedList()
    case .none, .listed:
      // a parameter command: whatever it was to prepare is refused with it
      switch step.command.opcode {
      case .leSetScanParameters, .leSetExtendedScanParameters: scanRefused(step, status)
      case .leAddToFilterAcceptList where scans.isEmpty || wishedPlan != nil:
        if let plan = wishedPlan { initiatingRefused(plan, step, status) }
      case .leAddToFilterAcceptList: scanRefused(step, status)
      default: advertisingRefused(step, status)
      }
    }
  }

  private func refusal(_ step: Radio.Step, _ status: HCIStatus) -> Failure {
    Failure(
      .adapter, "the controller refused \(step.command.opcode): \(status)", blame: .adapter, layer: .hci, code: UInt16(status.raw),
      sent: step.command.encoded)
  }

  private mutating func scanRefused(_ step: Radio.Step, _ status: HCIStatus) {
    radio.scan = nil
    radio.scanIsRefused = true
    let refused = scans
    scans = []
    for scan in refused { complete(scan.owner, scan.id, .failure(refusal(step, status))) }
  }

  private mutating func initiatingRefused(_ plan: InitiatorPlan, _ step: Radio.Step, _ status: HCIStatus) {
    if status == .commandDisallowed, radio.scan != nil, !radio.takesTurns {
      radio.takesTurns = true
      note(.debug, "the controller does not initiate while it scans: they take turns")
      return
    }
    if status == .connectionLimitExceeded || status == .limitedResources, !links.isEmpty { return learnLinkLimit(status) }
    if status == .commandDisallowed, !radio.hasClearedAttempt {
      // it may be at an attempt that the host knows nothing of any more: that is cancelled first,
      // once
      radio.hasClearedAttempt = true
      radio.initiator = .on(plan)
      radio.initiatorMustRestart = true
      // a controller that has none refuses this too, and is not to blame
      radio.hasMissedConnection = true
      // nor, perhaps, of whom it is to look for: an empty list is refused like this
      radio.acceptListIsUnsure = true
      return
    }
    if status == .connectionExists, let peer = plan.targets.first(where: { link(to: $0) == nil }) {
      return trouble(.disagrees("it has a link to \(peer), whose end it had reported"))
    }
    for peer in plan.targets { failWishes(of: peer, refusal(step, status)) }
  }

  private mutating func advertisingRefused(_ step: Radio.Step, _ status: HCIStatus) {
    radio.advertising = nil
    guard let wish = advertising else { return }
    if !links.isEmpty, [.commandDisallowed, .connectionLimitExceeded, .limitedResources].contains(status) {
      radio.advertisingWaitsForLink = true
      completeAdvertising()
      return
    }
    advertising = nil
    if !wish.isCompleted {
      complete(wish.owner, wish.id, .failure(refusal(step, status)))
    } else {
      note(.warning, "advertising has stopped: the controller refused \(step.command.opcode): \(status)")
    }
  }

  // MARK: The link limit (rule 16)

  /// The controller is full: direct attempts fail and say who holds the slots, pending ones wait
  /// for one.
  mutating func learnLinkLimit(_ status: HCIStatus) {
    if links.isEmpty { return }
    linkLimit = links.count
    radio.isDirty = true
    note(.warning, fullMessage)
    let direct = wishes.filter { !$0.request.pending }
    for wish in direct { failWishes(of: wish.peer, where: { !$0.request.pending }, fullFailure(status)) }
  }

  private var fullMessage: String {
    let holders = links.map { link in
      let owners = link.owners.map { "owner \($0.raw)" }.joined(separator: ", ")
      return "\(link.peer) (\(link.role == .peripheral ? "a central of ours" : owners.isEmpty ? "closing" : owners))"
    }
    return
      "the controller holds no more than \(links.count) link\(links.count == 1 ? "" : "s"); held by \(holders.joined(separator: ", "))"
  }

  func fullFailure(_ status: HCIStatus) -> Failure {
    Failure(
      .adapter, fullMessage, blame: .adapter, layer: .hci, code: UInt16(status.raw),
      hint: "disconnect one of them, or use another adapter")
  }

  var isLinkLimitReached: Bool { isFull }
}
