import Packets
import Simulator
import Testing
import Vocabulary

/// Parameters of the correct length with an invalid value (Vol 4, Part E, 7.8).
@Suite struct ParameterTests {
  private static func parameters(_ properties: UInt16 = 0x00, primary: UInt8 = 1, secondary: UInt8 = 1, identifier: UInt8 = 0)
    -> HCICommand
  {
    .leSetExtendedAdvertisingParameters(
      ExtendedAdvertisingParameters(
        set: 1, properties: properties, intervalMinimum: 32, intervalMaximum: 32, ownAddressType: .random, primaryPHY: primary,
        secondaryPHY: secondary, setIdentifier: identifier))
  }

  private static func scan(_ filter: UInt8, duration: UInt16 = 0, period: UInt16 = 0) -> HCICommand {
    .leSetExtendedScanEnable(ExtendedScanEnable(enable: true, filterDuplicates: filter, duration: duration, period: period))
  }

  private static func data(_ operation: UInt8, _ data: [UInt8] = [2, 1, 6]) -> HCICommand {
    .leSetExtendedAdvertisingData(ExtendedAdvertisingData(set: 1, operation: operation, data: data))
  }

  private static let phy = ExtendedScanPHY(active: false, interval: 96, window: 96)

  @Test func anUnsupportedPHYIsRefused() {
    let handle = ConnectionHandle(0x40)
    for (preferences, status) in [
      (PHYPreferences(all: 0, transmit: 0, receive: 1), HCIStatus.invalidParameters),
      (PHYPreferences(all: 0, transmit: 1, receive: 0), .invalidParameters),
      (PHYPreferences(all: 3, transmit: 0, receive: 0), .success),
      (PHYPreferences(all: 2, transmit: 1, receive: 0), .success),
      (PHYPreferences(all: 0, transmit: 4, receive: 1), .unsupportedFeature),
      (PHYPreferences(all: 0, transmit: 1, receive: 0x80), .unsupportedFeature),
      (PHYPreferences(all: 0, transmit: 3, receive: 3), .success),
    ] {
      var world = World.linked(central: .extended, peripheral: .extended)
      world.send(world.central, .leSetDefaultPHY(preferences))
      #expect(world.lastStatus(world.central) == status, "\(preferences)")
      world.send(world.central, .leSetPHY(handle, preferences, options: 0))
      #expect(world.lastStatus(world.central) == status, "\(preferences)")
    }
    var world = World.ready(central: .extended)
    world.send(world.central, .leSetExtendedScanParameters(ExtendedScanParameters(le1M: Self.phy, leCoded: Self.phy)))
    #expect(world.lastStatus(world.central) == .unsupportedFeature)
    world.send(
      world.central,
      .leExtendedCreateConnection(
        ExtendedCreateConnection(
          useFilterAcceptList: false, peer: World.strap, le1M: nil,
          leCoded: InitiatingPHY(scanInterval: 96, scanWindow: 96, connection: World.connection))))
    #expect(world.lastStatus(world.central) == .unsupportedFeature)
    for (command, status) in [
      (Self.parameters(primary: 3), HCIStatus.unsupportedFeature), (Self.parameters(primary: 2), .unsupportedFeature),
      (Self.parameters(secondary: 3), .unsupportedFeature), (Self.parameters(secondary: 0), .unsupportedFeature),
      (Self.parameters(secondary: 2), .success), (Self.parameters(identifier: 16), .invalidParameters),
      (Self.parameters(0x13, secondary: 0, identifier: 16), .success), (Self.parameters(0x04), .invalidParameters),
    ] {
      world.send(world.central, command)
      #expect(world.lastStatus(world.central) == status, "\(command)")
    }
  }

  @Test func scansWithImpossiblePeriodsAreRefused() {
    for (command, status) in [
      (Self.scan(3), HCIStatus.invalidParameters), (Self.scan(2), .invalidParameters),
      (Self.scan(2, duration: 10), .invalidParameters),
      (Self.scan(0, duration: 128, period: 1), .invalidParameters), (Self.scan(0, duration: 127, period: 1), .success),
      (Self.scan(2, duration: 10, period: 1), .success), (Self.scan(0, period: 1), .success),
    ] {
      var world = World.ready(central: .extended)
      world.send(world.central, command)
      #expect(world.lastStatus(world.central) == status, "\(command)")
    }
  }

  /// A periodic scan lasts for its duration in each period, and reports no end (Vol 4, Part E,
  /// 7.8.65).
  @Test(arguments: [0, 1, 2] as [UInt8]) func aScanMayComeInPeriods(_ filter: UInt8) {
    var world = World.ready(central: .extended)
    world.advertise(interval: 32)
    let start = world.air.now
    world.send(world.central, Self.scan(filter, duration: 50, period: 1))
    world.advance(by: .milliseconds(3 * 1280))
    let heard = world.arrivals[0].filter { if case .event(.leExtendedAdvertisingReport, _) = $0.packet { true } else { false } }
    #expect(heard.allSatisfy { ($0.time - start).nanoseconds % 1_280_000_000 < 500_000_000 })
    let periods = Set(heard.map { ($0.time - start).nanoseconds / 1_280_000_000 })
    #expect(periods == (filter == 1 ? [0] : [0, 1, 2]))
    if filter == 0 { #expect(heard.count > 20) } else { #expect(heard.count == (filter == 1 ? 1 : 3)) }
    #expect(!world.events(world.central).contains(.leScanTimeout))
  }

  @Test func dataOfASetThatAdvertisesMayNotComeInPieces() {
    var world = World.ready(central: .extended)
    func check(_ command: HCICommand, _ status: HCIStatus) {
      world.send(world.central, command)
      #expect(world.lastStatus(world.central) == status, "\(command)")
    }
    func enable(_ sets: UInt8...) -> HCICommand {
      .leSetExtendedAdvertisingEnable(true, sets: sets.map { ExtendedAdvertisingSet(set: $0) })
    }
    check(Self.parameters(), .success)
    check(.leSetAdvertisingSetRandomAddress(set: 1, bits: 3), .success)
    check(Self.data(4, []), .invalidParameters)
    check(enable(1, 1), .invalidParameters)
    check(Self.data(1), .success)
    check(Self.data(2), .success)
    check(enable(1), .success)
    for operation in [0, 1, 2] as [UInt8] { check(Self.data(operation), .commandDisallowed) }
    check(Self.data(3), .success)
    check(Self.data(4, []), .success)
    check(Self.data(4), .invalidParameters)
    check(.leSetExtendedAdvertisingEnable(false, sets: []), .success)
    // Scannable extended advertising has a scan response.
    check(Self.parameters(0x02), .success)
    check(enable(1), .commandDisallowed)
    check(.leSetExtendedScanResponseData(ExtendedAdvertisingData(set: 1, data: [2, 1, 6])), .success)
    check(enable(1), .success)
  }

  /// Events are counted whether or not a scanner listens.
  @Test func aSetEndsByCountWithoutAListener() {
    var world = World.ready(central: .extended)
    world.send(world.central, Self.parameters())
    world.send(world.central, .leSetAdvertisingSetRandomAddress(set: 1, bits: 3))
    world.send(
      world.central, .leSetExtendedAdvertisingEnable(true, sets: [ExtendedAdvertisingSet(set: 1, maximumEvents: 5)]))
    world.advance(by: .seconds(1))
    #expect(
      world.events(world.central).last
        == .leAdvertisingSetTerminated(
          AdvertisingSetTerminated(status: .limitReached, set: 1, handle: ConnectionHandle(0), completedEvents: 5)))
    #expect(world.air.nextMoment == nil)
  }

  /// An active scan sends requests to scannable advertisers.
  @Test(arguments: [(0x13, true), (0x12, true), (0x10, false), (0x01, false), (0x02, true), (0x00, false)] as [(UInt16, Bool)])
  func onlyScannableSetsAreAsked(_ properties: UInt16, _ isScannable: Bool) {
    var world = World.ready(central: .extended, peripheral: .extended)
    world.send(world.peripheral, Self.parameters(properties))
    world.send(world.peripheral, .leSetAdvertisingSetRandomAddress(set: 1, bits: World.strap.bits))
    world.send(world.peripheral, .leSetExtendedScanResponseData(ExtendedAdvertisingData(set: 1, data: World.response)))
    #expect(world.lastStatus(world.peripheral) == (isScannable ? .success : .invalidParameters))
    world.send(world.peripheral, .leSetExtendedAdvertisingEnable(true, sets: [ExtendedAdvertisingSet(set: 1)]))
    let active = ExtendedScanPHY(active: true, interval: 96, window: 96)
    world.send(world.central, .leSetExtendedScanParameters(ExtendedScanParameters(le1M: active)))
    world.send(world.central, Self.scan(0))
    world.advance(by: .milliseconds(200))
    let reports = world.events(world.central).flatMap { event -> [ExtendedAdvertisingReport] in
      if case .leExtendedAdvertisingReport(let list) = event { list } else { [] }
    }
    #expect(reports.contains { $0.properties & 0x08 == 0 })
    #expect(reports.contains { $0.properties & 0x08 != 0 } == isScannable)
    #expect(reports.allSatisfy { ($0.properties & 0x02 != 0) == isScannable })
  }
}
