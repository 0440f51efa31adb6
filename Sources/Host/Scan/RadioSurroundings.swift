import Exchange
import Packets
import Vocabulary

/// State that the arbiter reads but does not own.
struct RadioSurroundings {
  let facts: ControllerFacts
  let configuration: HostConfiguration
  /// Whether the host is closing, which overrides all requests.
  let isClosing: Bool
  let now: Moment
  /// Bonded devices that may use private addresses.
  var privatePeers: [PrivatePeer] = []

  /// A device's identity address, and the address at which it was last received.
  struct PrivatePeer {
    var identity: Address
    var address: Address
    /// The device's entry for the controller's resolving list.
    var entry: ResolvingListEntry
  }

  func isPrivate(_ peer: Address) -> Bool { privatePeers.contains { $0.identity == peer } }

  /// The addresses that a peer may use on the air.
  func addresses(of peer: Address) -> [Address] {
    guard let known = privatePeers.first(where: { $0.identity == peer }), known.address != peer else { return [peer] }
    return [peer, known.address]
  }
}

/// The commands of the procedures.
extension RadioSurroundings {
  func steps(scanning mode: ScanMode, list: [Radio.Step]) -> [Radio.Step] {
    var steps = list
    let policy: ScanFilterPolicy = mode.listed == nil ? .all : .listOnly
    let phy = ExtendedScanPHY(active: true, interval: mode.interval, window: mode.window)
    steps.append(
      Radio.Step(
        command: facts.isExtended
          ? .leSetExtendedScanParameters(
            ExtendedScanParameters(
              ownAddressType: facts.ownAddressType, filterPolicy: policy, le1M: phy, leCoded: mode.duty == .coded ? phy : nil))
          : .leSetScanParameters(
            ScanParameters(
              active: true, interval: mode.interval, window: mode.window, ownAddressType: facts.ownAddressType, filterPolicy: policy
            ))))
    steps.append(Radio.Step(command: scanEnable(true), mark: .scanning(mode)))
    return steps
  }

  /// The controller never filters duplicates, which would hide a device that comes back. The host
  /// limits the reports to gentle scans.
  func scanEnable(_ enable: Bool) -> HCICommand {
    facts.isExtended
      ? .leSetExtendedScanEnable(ExtendedScanEnable(enable: enable, filterDuplicates: 0))
      : .leSetScanEnable(enable, filterDuplicates: false)
  }

  /// The commands that only links need, once before the first (rule 5).
  func linkDefaults() -> [Radio.Step] {
    var steps: [Radio.Step] = []
    if facts.features.has(.dataLengthExtension), facts.supports(.leWriteSuggestedDefaultDataLength) {
      steps.append(Radio.Step(command: .leWriteSuggestedDefaultDataLength(octets: 251, time: 2120), isOptional: true))
    }
    if facts.supports(.leSetDefaultPHY) {
      steps.append(Radio.Step(command: .leSetDefaultPHY(PHYPreferences(all: 0b11, transmit: 0, receive: 0)), isOptional: true))
    }
    return steps
  }

  func steps(initiating plan: InitiatorPlan, list: [Radio.Step]) -> [Radio.Step] {
    var steps = list
    let peer = plan.useList ? Address(bits: 0, kind: .public) : plan.targets.first ?? Address(bits: 0, kind: .public)
    let parameters = configuration.profile.parameters
    let phy = InitiatingPHY(scanInterval: plan.scanInterval, scanWindow: plan.scanWindow, connection: parameters)
    steps.append(
      Radio.Step(
        command: facts.isExtended
          ? .leExtendedCreateConnection(
            ExtendedCreateConnection(
              useFilterAcceptList: plan.useList, ownAddressType: facts.ownAddressType, peer: peer, le1M: phy,
              leCoded: plan.isCoded ? phy : nil))
          : .leCreateConnection(
            CreateConnection(
              scanInterval: plan.scanInterval, scanWindow: plan.scanWindow, useFilterAcceptList: plan.useList, peer: peer,
              ownAddressType: facts.ownAddressType, connection: parameters)), mark: .initiating(plan)))
    return steps
  }

  private static let advertisingSet: UInt8 = 0

  func advertisingEnable(_ enable: Bool) -> HCICommand {
    facts.isExtended
      ? .leSetExtendedAdvertisingEnable(enable, sets: [ExtendedAdvertisingSet(set: Self.advertisingSet)])
      : .leSetAdvertisingEnable(enable)
  }

  func steps(advertising request: RequestedAdvertising) -> [Radio.Step] {
    var steps: [Radio.Step] = []
    let data = request.payload.advertising.bytes
    let response = request.payload.scanResponse.bytes
    // In 0.625 ms, 20 ms to 10.24 s.
    let interval = UInt16(min(max(request.plan.interval.nanoseconds / 625_000, 0x0020), 0x4000))
    if facts.isExtended {
      // Legacy PDUs: ADV_IND, ADV_SCAN_IND or ADV_NONCONN_IND (Vol 4, Part E, 7.8.53, table 7.2).
      // Connectable extended PDUs have no scan response.
      let isLegacy = request.plan.phy == .le1M
      let properties: UInt16 =
        switch (isLegacy, request.plan.connectable) {
        case (true, true): 0x13
        case (true, false): response.isEmpty ? 0x10 : 0x12
        case (false, let isConnectable): isConnectable ? 0x01 : 0x00
        }
      steps.append(
        Radio.Step(
          command: .leSetExtendedAdvertisingParameters(
            ExtendedAdvertisingParameters(
              set: Self.advertisingSet, properties: properties, intervalMinimum: UInt32(interval),
              intervalMaximum: UInt32(interval),
              ownAddressType: facts.ownAddressType, primaryPHY: request.plan.phy == .coded ? 3 : 1,
              secondaryPHY: isLegacy ? 1 : request.plan.phy.rawValue))))
      if let random = facts.privateAddress ?? facts.randomAddress {
        steps.append(Radio.Step(command: .leSetAdvertisingSetRandomAddress(set: Self.advertisingSet, bits: random.bits)))
      }
      steps.append(
        Radio.Step(
          command: .leSetExtendedAdvertisingData(
            ExtendedAdvertisingData(set: Self.advertisingSet, data: isLegacy ? data : data + response))))
      if properties & 0x02 != 0 {
        steps.append(
          Radio.Step(command: .leSetExtendedScanResponseData(ExtendedAdvertisingData(set: Self.advertisingSet, data: response))))
      }
    } else {
      let type: AdvertisingType =
        request.plan.connectable ? .connectableUndirected : response.isEmpty ? .nonConnectable : .scannableUndirected
      steps.append(
        Radio.Step(
          command: .leSetAdvertisingParameters(
            AdvertisingParameters(
              intervalMinimum: interval, intervalMaximum: interval, type: type, ownAddressType: facts.ownAddressType))))
      steps.append(Radio.Step(command: .leSetAdvertisingData(data)))
      steps.append(Radio.Step(command: .leSetScanResponseData(response)))
    }
    steps.append(Radio.Step(command: advertisingEnable(true), mark: .advertising(request.version)))
    return steps
  }
}
