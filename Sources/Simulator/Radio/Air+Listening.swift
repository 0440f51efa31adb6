import Packets
import Vocabulary

/// Scanning and initiating.
extension Air {
  mutating func performScanning(_ command: HCICommand, _ controller: Int) {
    let opcode = command.opcode
    switch command {
    case .leSetScanParameters(let parameters):
      guard controllers[controller].scanning == nil else { return complete(opcode, controller, .commandDisallowed) }
      guard Self.isValidDuty(parameters.interval, parameters.window) else {
        return complete(opcode, controller, .invalidParameters)
      }
      controllers[controller].scanParameters = parameters
      complete(opcode, controller)
    case .leSetExtendedScanParameters(let parameters):
      guard controllers[controller].scanning == nil else { return complete(opcode, controller, .commandDisallowed) }
      let isValid = [parameters.le1M, parameters.leCoded].allSatisfy { $0.map { Self.isValidDuty($0.interval, $0.window) } ?? true }
      guard isValid else { return complete(opcode, controller, .invalidParameters) }
      guard parameters.leCoded == nil || controllers[controller].model.hasCodedPHY else {
        return complete(opcode, controller, .unsupportedFeature)
      }
      controllers[controller].extendedScanParameters = parameters
      complete(opcode, controller)
    case .leSetScanEnable(let enable, let filterDuplicates):
      let parameters = controllers[controller].scanParameters
      setScanning(
        enable, opcode, controller,
        le1M: ExtendedScanPHY(active: parameters.active, interval: parameters.interval, window: parameters.window),
        own: parameters.ownAddressType, policy: parameters.filterPolicy, filterDuplicates: filterDuplicates ? 1 : 0)
    case .leSetExtendedScanEnable(let value):
      let parameters = controllers[controller].extendedScanParameters
      setScanning(
        value.enable, opcode, controller, le1M: parameters.le1M, leCoded: parameters.leCoded,
        own: parameters.ownAddressType, policy: parameters.filterPolicy, filterDuplicates: value.filterDuplicates,
        duration: value.duration, period: value.period)
    default: break
    }
  }

  private static func isValidDuty(_ interval: UInt16, _ window: UInt16) -> Bool {
    (0x0004...0x4000).contains(interval) && (0x0004...0x4000).contains(window) && window <= interval
  }

  private mutating func setScanning(
    _ enable: Bool, _ opcode: HCIOpcode, _ controller: Int, le1M: ExtendedScanPHY?, leCoded: ExtendedScanPHY? = nil,
    own: OwnAddressType, policy: ScanFilterPolicy, filterDuplicates: UInt8, duration: UInt16 = 0, period: UInt16 = 0
  ) {
    let lasts = TimeSpan.milliseconds(10) * Int64(duration)
    let returns = TimeSpan.milliseconds(1280) * Int64(period)
    // A period requires a duration and must be longer.
    let isPeriodic = duration > 0 && period > 0
    guard !enable || filterDuplicates <= 2 && (filterDuplicates < 2 || isPeriodic) && (!isPeriodic || lasts < returns) else {
      return complete(opcode, controller, .invalidParameters)
    }
    controllers[controller].scanGeneration += 1
    guard enable else {
      controllers[controller].scanning = nil
      listenersChanged()
      return complete(opcode, controller)
    }
    guard let address = controllers[controller].ownAddress(own, at: now) else {
      return complete(opcode, controller, .invalidParameters)
    }
    let cycle = isPeriodic ? ListeningDuty.Cycle(duration: lasts, period: returns) : nil
    func duty(_ phy: ExtendedScanPHY) -> ListeningDuty {
      ListeningDuty(since: now, interval: phy.interval, window: phy.window, cycle: cycle)
    }
    controllers[controller].scanning = Scanning(
      duty: ListeningPHYs(le1M: le1M.map(duty), leCoded: leCoded.map(duty)), isActive: (le1M ?? leCoded)?.active ?? false,
      isExtended: opcode == .leSetExtendedScanEnable, filterPolicy: policy, address: address,
      filtersDuplicates: filterDuplicates != 0)
    controllers[controller].scanning?.forgetsEachPeriod = filterDuplicates == 2
    if duration > 0, !isPeriodic {
      agenda.add(.scan(controller: controller), at: now + lasts, generation: controllers[controller].scanGeneration)
    }
    listenersChanged()
    complete(opcode, controller)
  }

  mutating func endScan(_ controller: Int) {
    controllers[controller].scanning = nil
    controllers[controller].scanGeneration += 1
    listenersChanged()
    emit(.leScanTimeout, controller)
  }

  mutating func performInitiating(_ command: HCICommand, _ controller: Int) {
    let opcode = command.opcode
    switch command {
    case .leCreateConnection(let value):
      initiate(
        opcode, controller, usesList: value.useFilterAcceptList, peer: value.peer, own: value.ownAddressType,
        le1M: InitiatingPHY(scanInterval: value.scanInterval, scanWindow: value.scanWindow, connection: value.connection))
    case .leExtendedCreateConnection(let value):
      guard value.leCoded == nil || controllers[controller].model.hasCodedPHY else {
        return status(opcode, controller, .unsupportedFeature)
      }
      // LE 2M alone: it is never a primary PHY.
      guard value.le1M != nil || value.leCoded != nil else { return status(opcode, controller, .invalidParameters) }
      initiate(
        opcode, controller, usesList: value.useFilterAcceptList, peer: value.peer, own: value.ownAddressType, le1M: value.le1M,
        leCoded: value.leCoded)
    default:
      guard let initiating = controllers[controller].initiating else { return complete(opcode, controller, .commandDisallowed) }
      complete(opcode, controller)
      // Once the request was sent, the link will exist. The cancel is too late, and the host gets a
      // success.
      guard !initiating.isSent else { return }
      controllers[controller].initiating = nil
      listenersChanged()
      announce(ConnectionComplete(failed: .unknownConnection), controller)
    }
  }

  private mutating func initiate(
    _ opcode: HCIOpcode, _ controller: Int, usesList: Bool, peer: Address, own: OwnAddressType, le1M: InitiatingPHY?,
    leCoded: InitiatingPHY? = nil
  ) {
    guard controllers[controller].initiating == nil else { return status(opcode, controller, .commandDisallowed) }
    let phys = [le1M, leCoded].compactMap(\.self)
    guard phys.allSatisfy({ $0.connection.isValid && Self.isValidDuty($0.scanInterval, $0.scanWindow) }),
      let address = controllers[controller].ownAddress(own, for: usesList ? nil : peer, at: now)
    else { return status(opcode, controller, .invalidParameters) }
    guard !usesList || !controllers[controller].acceptList.isEmpty else { return status(opcode, controller, .commandDisallowed) }
    guard controllers[controller].links.count < controllers[controller].model.maximumLinks else {
      return status(opcode, controller, controllers[controller].model.limitStatus)
    }
    guard usesList || !isLinked(controller, peer) else { return status(opcode, controller, .connectionExists) }
    func duty(_ phy: InitiatingPHY) -> ListeningDuty {
      ListeningDuty(since: now, interval: phy.scanInterval, window: phy.scanWindow)
    }
    controllers[controller].initiating = Initiating(
      duty: ListeningPHYs(le1M: le1M.map(duty), leCoded: leCoded.map(duty)), isExtended: opcode == .leExtendedCreateConnection,
      usesList: usesList, peer: peer, address: address, ownAddressType: own, le1M: le1M?.connection, leCoded: leCoded?.connection)
    listenersChanged()
    status(opcode, controller)
  }

  private func isLinked(_ controller: Int, _ peer: Address) -> Bool {
    controllers[controller].links.contains {
      let half = links[$0][links[$0].role(of: controller).other]
      return (half.identity ?? half.address) == peer
    }
  }

  /// Lets a listener receive an advertising event. Returns true if that led to a connection, which
  /// stops the advertiser.
  mutating func hear(_ advertiser: Int, _ place: Int, _ listener: Int) -> Bool {
    scan(advertiser, place, listener)
    return connect(advertiser, place, listener)
  }

  private mutating func isLost(_ sender: Int, _ receiver: Int) -> Bool {
    let chance = 1 - (1 - loss) * (1 - controllers[sender].loss) * (1 - controllers[receiver].loss)
    return controllers[receiver].random.chance(chance)
  }

  private mutating func scan(_ advertiser: Int, _ place: Int, _ listener: Int) {
    let phy = controllers[advertiser].sets[place].primaryPHY
    guard let duty = controllers[listener].scanning?.duty, duty.isListening(on: phy, at: now),
      let isExtended = controllers[listener].scanning?.isExtended, let isActive = controllers[listener].scanning?.isActive,
      let policy = controllers[listener].scanning?.filterPolicy, let own = controllers[listener].scanning?.address
    else { return }
    let set = controllers[advertiser].sets[place]
    guard set.isLegacy || isExtended, isAddressed(set, listener, own),
      let (known, isIdentity) = self.known(set.address, to: listener)
    else {
      return
    }
    guard !policy.usesList || controllers[listener].acceptList.contains(known) else { return }
    guard !isLost(advertiser, listener) else { return }
    record(AirRecord(time: now, kind: .advertisement, from: set.address, to: own, bytes: set.data))
    report(set, isResponse: false, advertiser, listener, known, isIdentity, isExtended: isExtended)
    guard isActive, set.isScannable else { return }
    let scanner = controllers[advertiser].identity(of: own) ?? own
    guard !set.filterPolicy.scansOnlyFromList || controllers[advertiser].acceptList.contains(scanner) else { return }
    guard !isLost(listener, advertiser) else { return }
    record(AirRecord(time: now, kind: .scanRequest, from: own, to: set.address))
    guard !isLost(advertiser, listener) else { return }
    record(AirRecord(time: now, kind: .scanResponse, from: set.address, to: own, bytes: set.response))
    report(set, isResponse: true, advertiser, listener, known, isIdentity, isExtended: isExtended)
  }

  /// The identity address that a controller has resolved from an address, or else the address
  /// itself; `nil` if the controller ignores it because of network privacy mode.
  private mutating func known(_ address: Address, to controller: Int) -> (Address, isIdentity: Bool)? {
    if let identity = controllers[controller].identity(of: address) { return (identity, true) }
    return controllers[controller].resolving.ignoresIdentity(address) ? nil : (address, false)
  }

  /// Whether advertising is undirected or directed to this listener.
  private func isAddressed(_ set: AdvertisingSet, _ listener: Int, _ own: Address) -> Bool {
    !set.type.isDirected || set.target == own || controllers[listener].resolving.isOurs(set.target)
  }

  /// The measured signal strength: the sender's signal plus or minus 3 dB.
  mutating func measure(_ sender: Int, _ receiver: Int) -> Int8 {
    Int8(clamping: Int(controllers[sender].model.signal) + Int(controllers[receiver].random.next(below: 7)) - 3)
  }

  private mutating func report(
    _ set: AdvertisingSet, isResponse: Bool, _ advertiser: Int, _ listener: Int, _ address: Address, _ isIdentity: Bool,
    isExtended: Bool
  ) {
    let rssi = measure(advertiser, listener)
    guard controllers[listener].scanning?.isNew(address, kind: isResponse ? 1 : 0, at: now) ?? false else { return }
    guard isExtended else {
      let kind: AdvertisingReport.Kind =
        if isResponse {
          .scanResponse
        } else {
          switch set.type {
          case .connectableUndirected: .connectableUndirected
          case .directedHighDuty, .directedLowDuty: .connectableDirected
          case .scannableUndirected: .scannableUndirected
          case .nonConnectable: .nonConnectable
          }
        }
      let data = isResponse ? set.response : set.data
      let report = AdvertisingReport(kind: kind, address: address, isIdentity: isIdentity, data: data, rssi: rssi)
      emit(.leAdvertisingReport([report]), listener)
      return
    }
    var properties: UInt16 = set.isLegacy ? 0x10 : 0
    if set.type.isConnectable { properties |= 0x01 }
    if set.isScannable { properties |= 0x02 }
    if set.type.isDirected { properties |= 0x04 }
    if isResponse { properties |= 0x08 }
    var rest = (isResponse ? set.response : set.data)[...]
    repeat {
      let piece = rest.prefix(229)
      rest = rest.dropFirst(229)
      emit(
        .leExtendedAdvertisingReport([
          ExtendedAdvertisingReport(
            properties: properties | (rest.isEmpty ? 0 : 0x20), address: set.isAnonymous ? nil : address,
            isIdentity: isIdentity && !set.isAnonymous, primaryPHY: set.primaryPHY,
            secondaryPHY: set.isLegacy ? 0 : set.secondaryPHY,
            setIdentifier: set.isLegacy ? 0xFF : set.setIdentifier,
            rssi: rssi, target: set.type.isDirected ? set.target : nil, data: Array(piece))
        ]), listener)
    } while !rest.isEmpty
  }

  private mutating func connect(_ advertiser: Int, _ place: Int, _ listener: Int) -> Bool {
    let set = controllers[advertiser].sets[place]
    guard let initiating = controllers[listener].initiating, !initiating.isSent,
      initiating.duty.isListening(on: set.primaryPHY, at: now),
      let connection = set.primaryPHY == 3 ? initiating.leCoded : initiating.le1M
    else { return false }
    guard set.type.isConnectable, set.isLegacy || initiating.isExtended, isAddressed(set, listener, initiating.address),
      let (known, _) = self.known(set.address, to: listener)
    else { return false }
    let isWanted =
      initiating.usesList
      ? controllers[listener].acceptList.contains(known) && !isLinked(listener, known) : initiating.peer == known
    guard isWanted, !isLost(advertiser, listener) else { return false }
    if initiating.usesList, controllers[listener].model.resolvingListFault == .failsLists {
      controllers[listener].initiating = nil
      listenersChanged()
      announce(ConnectionComplete(failed: .establishmentFailed), listener)
      return false
    }
    let own = controllers[listener].ownAddress(initiating.ownAddressType, for: known, at: now) ?? initiating.address
    // Whether the advertiser receives the request, which the initiator cannot know.
    var isHeard = !isLost(listener, advertiser)
    let caller = self.known(own, to: advertiser)?.0
    if caller == nil || set.filterPolicy.connectionsOnlyFromList && !controllers[advertiser].acceptList.contains(caller ?? own) {
      isHeard = false
    }
    if controllers[advertiser].links.count >= controllers[advertiser].model.maximumLinks { isHeard = false }
    if controllers[advertiser].faults.missedConnections > 0 {
      controllers[advertiser].faults.missedConnections -= 1
      isHeard = false
    }
    record(AirRecord(time: now, kind: .connectRequest, from: own, to: set.address, delivered: isHeard))
    controllers[listener].initiating?.isSent = true
    createLink(own, connection, set, central: listener, peripheral: advertiser, isHeard: isHeard)
    guard isHeard else { return false }
    stopAdvertising(advertiser, place)
    return true
  }
}
