import Packets
import Vocabulary

/// Advertising: its commands, and its events over time.
extension Air {
  /// The index of the set for legacy commands.
  mutating func legacySet(_ controller: Int) -> Int {
    if let place = controllers[controller].sets.firstIndex(where: { $0.number == nil }) { return place }
    controllers[controller].sets.append(AdvertisingSet())
    return controllers[controller].sets.count - 1
  }

  mutating func setAdvertising(_ parameters: AdvertisingParameters, _ controller: Int) {
    let opcode = HCIOpcode.leSetAdvertisingParameters
    let place = legacySet(controller)
    guard !controllers[controller].sets[place].isEnabled else {
      complete(opcode, controller, .commandDisallowed)
      return
    }
    let range: ClosedRange<UInt16> = 0x0020...0x4000
    let isTimed = parameters.type != .directedHighDuty
    let isInRange =
      range.contains(parameters.intervalMinimum) && range.contains(parameters.intervalMaximum)
      && parameters.intervalMinimum <= parameters.intervalMaximum
    guard isInRange || !isTimed, parameters.channelMap & 7 != 0 else {
      complete(opcode, controller, .invalidParameters)
      return
    }
    controllers[controller].sets[place].type = parameters.type
    controllers[controller].sets[place].interval = UInt32(parameters.intervalMaximum)
    controllers[controller].sets[place].ownAddressType = parameters.ownAddressType
    controllers[controller].sets[place].target = parameters.peer
    controllers[controller].sets[place].filterPolicy = parameters.filterPolicy
    complete(opcode, controller)
  }

  mutating func setAdvertising(enable: Bool, _ controller: Int) {
    let place = legacySet(controller)
    guard enable else {
      stopAdvertising(controller, place)
      complete(.leSetAdvertisingEnable, controller)
      return
    }
    let reason = startAdvertising(controller, place, duration: 0, maximumEvents: 0)
    complete(.leSetAdvertisingEnable, controller, reason)
  }

  mutating func performExtendedAdvertising(_ command: HCICommand, _ controller: Int) {
    let opcode = command.opcode
    func place(_ number: UInt8) -> Int? { controllers[controller].sets.firstIndex { $0.number == number } }
    switch command {
    case .leSetExtendedAdvertisingParameters(let parameters): setAdvertising(parameters, controller)
    case .leSetAdvertisingSetRandomAddress(let number, let bits):
      guard let place = place(number) else { return complete(opcode, controller, .unknownAdvertisingIdentifier) }
      let isBusy = controllers[controller].sets[place].isEnabled && controllers[controller].sets[place].type.isConnectable
      if !isBusy { controllers[controller].sets[place].randomAddress = bits }
      complete(opcode, controller, isBusy ? .commandDisallowed : .success)
    case .leSetExtendedAdvertisingData(let value):
      guard let place = place(value.set) else { return complete(opcode, controller, .unknownAdvertisingIdentifier) }
      let set = controllers[controller].sets[place]
      guard !set.isEnabled || value.operation > 2 else { return complete(opcode, controller, .commandDisallowed) }
      // Unchanged data with another set identifier. Only for a set that is advertising and has
      // data.
      let isKept = value.operation == 4
      guard !isKept || set.isEnabled && !set.isLegacy && value.data.isEmpty else {
        return complete(opcode, controller, .invalidParameters)
      }
      let joined = Self.join(set.data, value, isLegacy: set.isLegacy)
      if let joined { controllers[controller].sets[place].data = joined }
      complete(opcode, controller, joined == nil ? .invalidParameters : .success)
    case .leSetExtendedScanResponseData(let value):
      guard let place = place(value.set) else { return complete(opcode, controller, .unknownAdvertisingIdentifier) }
      let set = controllers[controller].sets[place]
      guard !set.isEnabled || value.operation > 2 else { return complete(opcode, controller, .commandDisallowed) }
      guard set.isScannable || value.data.isEmpty else { return complete(opcode, controller, .invalidParameters) }
      let joined = value.operation == 4 ? nil : Self.join(set.response, value, isLegacy: set.isLegacy)
      if let joined { controllers[controller].sets[place].response = joined }
      complete(opcode, controller, joined == nil ? .invalidParameters : .success)
    case .leSetExtendedAdvertisingEnable(let enable, let sets): setAdvertising(enable: enable, sets, controller)
    case .leRemoveAdvertisingSet(let number):
      guard let place = place(number) else { return complete(opcode, controller, .unknownAdvertisingIdentifier) }
      guard !controllers[controller].sets[place].isEnabled else { return complete(opcode, controller, .commandDisallowed) }
      // The index stays in use, so that entries in the agenda remain valid.
      controllers[controller].sets[place] = Self.freed(controllers[controller].sets[place])
      complete(opcode, controller)
    default:
      guard !controllers[controller].isAdvertising else { return complete(opcode, controller, .commandDisallowed) }
      for place in controllers[controller].sets.indices {
        controllers[controller].sets[place] = Self.freed(controllers[controller].sets[place])
      }
      complete(opcode, controller)
    }
  }

  /// Marks an index as free by the handle 0xFF, which no set may have.
  private static func freed(_ set: AdvertisingSet) -> AdvertisingSet {
    var fresh = AdvertisingSet()
    fresh.number = 0xFF
    fresh.generation = set.generation + 1
    return fresh
  }

  /// Joins fragments (Vol 4, Part E, 7.8.54); `nil` if this one is not allowed now.
  private static func join(_ data: [UInt8], _ value: ExtendedAdvertisingData, isLegacy: Bool) -> [UInt8]? {
    let joined: [UInt8]
    switch value.operation {
    case 0, 2: joined = data + value.data
    case 1, 3: joined = value.data
    case 4: joined = data
    default: return nil
    }
    return joined.count <= (isLegacy ? 31 : 1650) ? joined : nil
  }

  private mutating func setAdvertising(_ parameters: ExtendedAdvertisingParameters, _ controller: Int) {
    let opcode = HCIOpcode.leSetExtendedAdvertisingParameters
    var place = controllers[controller].sets.firstIndex { $0.number == parameters.set }
    if place == nil {
      guard parameters.set <= 0xEF else { return complete(opcode, controller, .invalidParameters) }
      let used = controllers[controller].sets.count { $0.number != nil && $0.number != 0xFF }
      guard used < controllers[controller].model.advertisingSets else { return complete(opcode, controller, .memoryExceeded) }
      if let free = controllers[controller].sets.firstIndex(where: { $0.number == 0xFF }) {
        place = free
      } else {
        place = controllers[controller].sets.count
        controllers[controller].sets.append(AdvertisingSet())
      }
    }
    guard let place else { return }
    guard !controllers[controller].sets[place].isEnabled else { return complete(opcode, controller, .commandDisallowed) }
    let isLegacy = parameters.properties & 0x10 != 0
    let type: AdvertisingType? =
      switch (isLegacy, parameters.properties & 0x0F) {
      case (true, 0x03): .connectableUndirected
      case (true, 0x05): .directedLowDuty
      case (true, 0x0D): .directedHighDuty
      case (_, 0x02): .scannableUndirected
      case (_, 0x00): .nonConnectable
      case (false, 0x01): .connectableUndirected
      case (false, 0x05): .directedLowDuty
      default: nil
      }
    guard let type, parameters.intervalMinimum >= 0x20, parameters.intervalMinimum <= parameters.intervalMaximum,
      parameters.channelMap & 7 != 0, isLegacy || parameters.setIdentifier <= 0x0F
    else { return complete(opcode, controller, .invalidParameters) }
    // Legacy PDUs use LE 1M, and LE 2M is never a primary PHY.
    let hasCodedPHY = controllers[controller].model.hasCodedPHY
    guard parameters.primaryPHY == 1 || parameters.primaryPHY == 3 && hasCodedPHY && !isLegacy,
      isLegacy || (1...2).contains(parameters.secondaryPHY) || parameters.secondaryPHY == 3 && hasCodedPHY
    else { return complete(opcode, controller, .unsupportedFeature) }
    controllers[controller].sets[place].number = parameters.set
    controllers[controller].sets[place].type = type
    controllers[controller].sets[place].isLegacy = isLegacy
    controllers[controller].sets[place].isAnonymous = !isLegacy && parameters.properties & 0x20 != 0
    controllers[controller].sets[place].interval = parameters.intervalMaximum
    controllers[controller].sets[place].ownAddressType = parameters.ownAddressType
    controllers[controller].sets[place].target = parameters.peer
    controllers[controller].sets[place].filterPolicy = parameters.filterPolicy
    controllers[controller].sets[place].setIdentifier = parameters.setIdentifier
    controllers[controller].sets[place].primaryPHY = parameters.primaryPHY
    controllers[controller].sets[place].secondaryPHY = parameters.secondaryPHY
    complete(opcode, controller, .success, AdvertisingTransmitPower(power: 0))
  }

  private mutating func setAdvertising(enable: Bool, _ sets: [ExtendedAdvertisingSet], _ controller: Int) {
    let opcode = HCIOpcode.leSetExtendedAdvertisingEnable
    if !enable, sets.isEmpty {
      for place in controllers[controller].sets.indices { stopAdvertising(controller, place) }
      return complete(opcode, controller)
    }
    let isEachOnce = sets.indices.allSatisfy { index in !sets[..<index].contains { $0.set == sets[index].set } }
    guard !sets.isEmpty, isEachOnce else { return complete(opcode, controller, .invalidParameters) }
    for set in sets {
      guard let place = controllers[controller].sets.firstIndex(where: { $0.number == set.set }), set.set != 0xFF else {
        return complete(opcode, controller, .unknownAdvertisingIdentifier)
      }
      guard enable else {
        stopAdvertising(controller, place)
        continue
      }
      let reason = startAdvertising(controller, place, duration: set.duration, maximumEvents: set.maximumEvents)
      guard reason.isSuccess else { return complete(opcode, controller, reason) }
    }
    complete(opcode, controller)
  }

  private mutating func startAdvertising(_ controller: Int, _ place: Int, duration: UInt16, maximumEvents: UInt8) -> HCIStatus {
    let set = controllers[controller].sets[place]
    guard let address = shownAddress(controller, place) else { return .invalidParameters }
    if !set.isLegacy, set.isScannable, set.response.isEmpty { return .commandDisallowed }
    guard !set.type.isConnectable || controllers[controller].links.count < controllers[controller].model.maximumLinks else {
      return controllers[controller].model.limitStatus
    }
    controllers[controller].sets[place].isEnabled = true
    controllers[controller].sets[place].address = address
    controllers[controller].sets[place].events = 0
    controllers[controller].sets[place].maximumEvents = maximumEvents
    controllers[controller].sets[place].ends =
      set.type == .directedHighDuty
      ? now + .milliseconds(1280) : duration == 0 ? nil : now + .milliseconds(10) * Int64(duration)
    // The first event occurs within the random delay.
    scheduleAdvertising(controller, place, after: controllers[controller].random.next(upTo: set.randomDelay))
    return .success
  }

  /// The current address of a set; `nil` if it needs a random address that was never set.
  private mutating func shownAddress(_ controller: Int, _ place: Int) -> Address? {
    let set = controllers[controller].sets[place]
    let address = controllers[controller].ownAddress(set.ownAddressType, for: set.target, at: now)
    let isPrivate = address.map { controllers[controller].resolving.isShown($0) } ?? false
    if set.number != nil, !isPrivate, set.ownAddressType == .random || set.ownAddressType == .resolvableOrRandom {
      return set.randomAddress.map { Address(bits: $0, kind: .random) }
    }
    return address
  }

  mutating func stopAdvertising(_ controller: Int, _ place: Int) {
    controllers[controller].sets[place].isEnabled = false
    controllers[controller].sets[place].ends = nil
    parkAdvertising(controller, place)
  }

  /// Schedules the next event. Advertising without listeners has no entry in the agenda unless it
  /// ends by time or count.
  private mutating func scheduleAdvertising(_ controller: Int, _ place: Int, after delay: TimeSpan) {
    let isCounted = controllers[controller].sets[place].maximumEvents > 0
    var next: Moment? = isCounted || listeners > 0 && !controllers[controller].isVanished ? now + delay : nil
    if let ends = controllers[controller].sets[place].ends { next = min(next ?? ends, ends) }
    parkAdvertising(controller, place)
    guard let next else { return }
    controllers[controller].sets[place].scheduled = next
    agenda.add(
      .advertising(controller: controller, set: place), at: next, generation: controllers[controller].sets[place].generation)
  }

  private mutating func parkAdvertising(_ controller: Int, _ place: Int) {
    controllers[controller].sets[place].generation += 1
    controllers[controller].sets[place].scheduled = nil
  }

  /// Updates all advertisers after a listener has started, stopped, appeared or vanished.
  mutating func listenersChanged() {
    listeners = controllers.reduce(0) { $0 + ($1.isListening ? 1 : 0) }
    for controller in controllers.indices {
      for place in controllers[controller].sets.indices where controllers[controller].sets[place].isEnabled {
        let set = controllers[controller].sets[place]
        guard set.maximumEvents == 0 else { continue }
        let isHeard = listeners > 0 && !controllers[controller].isVanished
        // The position of a parked advertiser in its interval is unknown and therefore random.
        if isHeard, set.scheduled == nil || set.scheduled == set.ends {
          scheduleAdvertising(controller, place, after: controllers[controller].random.next(upTo: set.span + set.randomDelay))
        } else if !isHeard, set.scheduled != nil {
          scheduleAdvertising(controller, place, after: .zero)
        }
      }
    }
  }

  /// Performs one advertising event.
  mutating func advertise(_ controller: Int, _ place: Int) {
    controllers[controller].sets[place].scheduled = nil
    if let ends = controllers[controller].sets[place].ends, ends <= now {
      endAdvertising(controller, place, .advertisingTimeout)
      return
    }
    controllers[controller].sets[place].events += 1
    // The controller's private address may have expired.
    if controllers[controller].resolving.isEnabled, let address = shownAddress(controller, place) {
      controllers[controller].sets[place].address = address
    }
    let isVanished = controllers[controller].isVanished
    for listener in controllers.indices where !isVanished && listener != controller && controllers[listener].isListening {
      if hear(controller, place, listener) { return }
    }
    let set = controllers[controller].sets[place]
    if set.maximumEvents > 0, set.events >= UInt64(set.maximumEvents) {
      endAdvertising(controller, place, .limitReached)
      return
    }
    let delay = controllers[controller].random.next(upTo: set.randomDelay)
    scheduleAdvertising(controller, place, after: set.span + delay)
  }

  private mutating func endAdvertising(_ controller: Int, _ place: Int, _ reason: HCIStatus) {
    let set = controllers[controller].sets[place]
    stopAdvertising(controller, place)
    if let number = set.number {
      emit(
        .leAdvertisingSetTerminated(
          AdvertisingSetTerminated(
            status: reason, set: number, handle: ConnectionHandle(0), completedEvents: UInt8(clamping: set.events))), controller)
    } else {
      announce(ConnectionComplete(failed: reason), controller)
    }
  }
}
