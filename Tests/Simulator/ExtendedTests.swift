import Packets
import Simulator
import Testing
import Vocabulary

@Suite struct ExtendedTests {
  private static func advertising(properties: UInt16, data: [UInt8] = World.advertising, duration: UInt16 = 0, events: UInt8 = 0)
    -> World
  {
    var world = World.ready(central: .extended, peripheral: .extended)
    world.send(
      world.peripheral,
      .leSetExtendedAdvertisingParameters(
        ExtendedAdvertisingParameters(
          set: 1, properties: properties, intervalMinimum: 160, intervalMaximum: 160, ownAddressType: .random, setIdentifier: 5)))
    world.send(world.peripheral, .leSetAdvertisingSetRandomAddress(set: 1, bits: World.strap.bits))
    for start in stride(from: 0, to: data.count, by: 200) {
      let isFirst = start == 0
      let isLast = start + 200 >= data.count
      let operation: UInt8 = isFirst ? (isLast ? 3 : 1) : (isLast ? 2 : 0)
      world.send(
        world.peripheral,
        .leSetExtendedAdvertisingData(
          ExtendedAdvertisingData(set: 1, operation: operation, data: Array(data[start..<min(start + 200, data.count)]))))
    }
    world.send(
      world.peripheral,
      .leSetExtendedAdvertisingEnable(true, sets: [ExtendedAdvertisingSet(set: 1, duration: duration, maximumEvents: events)]))
    return world
  }

  private static func scan(_ world: inout World, active: Bool = true, duration: UInt16 = 0) {
    world.send(
      world.central,
      .leSetExtendedScanParameters(ExtendedScanParameters(le1M: ExtendedScanPHY(active: active, interval: 96, window: 96))))
    world.send(world.central, .leSetExtendedScanEnable(ExtendedScanEnable(enable: true, filterDuplicates: 0, duration: duration)))
  }

  private static func reports(_ world: World) -> [ExtendedAdvertisingReport] {
    world.events(world.central).flatMap { event -> [ExtendedAdvertisingReport] in
      if case .leExtendedAdvertisingReport(let list) = event { list } else { [] }
    }
  }

  @Test(arguments: [(0x13, 0x13), (0x12, 0x12), (0x10, 0x10), (0x01, 0x01), (0x00, 0x00)] as [(UInt16, UInt16)])
  func eachExtendedKindIsReportedCorrectly(_ properties: UInt16, _ reported: UInt16) {
    var world = Self.advertising(properties: properties)
    #expect(world.lastStatus(world.peripheral) == .success)
    Self.scan(&world)
    world.advance(by: .milliseconds(250))
    #expect(Self.reports(world).first?.properties == reported)
    #expect(Self.reports(world).first?.data == World.advertising)
    #expect(Self.reports(world).first?.address == World.strap)
  }

  @Test func longDataComeInSeveralReports() {
    let data = (0..<500).map { UInt8(truncatingIfNeeded: $0) }
    var world = Self.advertising(properties: 0x00, data: data)
    Self.scan(&world)
    world.advance(by: .milliseconds(120))
    let reports = Self.reports(world)
    #expect(reports.prefix(3).map(\.isIncomplete) == [true, true, false])
    #expect(reports.prefix(3).flatMap(\.data) == data)
  }

  @Test func legacyScannersDoNotHearExtendedAdvertising() {
    var world = Self.advertising(properties: 0x01)
    world.send(world.central, .leSetScanEnable(true, filterDuplicates: false))
    world.advance(by: .seconds(1))
    #expect(!world.events(world.central).contains { if case .leAdvertisingReport = $0 { true } else { false } })
  }

  @Test func aConnectionEndsTheSet() throws {
    var world = Self.advertising(properties: 0x01)
    world.send(
      world.central,
      .leExtendedCreateConnection(
        ExtendedCreateConnection(
          useFilterAcceptList: false, peer: World.strap,
          le1M: InitiatingPHY(scanInterval: 96, scanWindow: 96, connection: World.connection))))
    world.advance(by: .seconds(1))
    #expect(world.connected(world.central)?.value.status == .success)
    let terminated = world.events(world.peripheral).compactMap {
      if case .leAdvertisingSetTerminated(let value) = $0 { value } else { nil }
    }
    #expect(terminated.map(\.handle) == [world.peripheralHandle])
    #expect(world.events(world.central).contains { if case .leChannelSelectionAlgorithm = $0 { true } else { false } })
  }

  @Test func aSetMayEndByTimeOrByCount() throws {
    var timed = Self.advertising(properties: 0x13, duration: 50)
    let start = timed.air.now
    let end = timed.wait(timed.peripheral) {
      if case .leAdvertisingSetTerminated(let value) = $0 { value.status == .advertisingTimeout } else { false }
    }
    #expect(end == start + .milliseconds(500))
    var counted = Self.advertising(properties: 0x13, events: 3)
    Self.scan(&counted)
    counted.advance(by: .seconds(2))
    #expect(
      counted.events(counted.peripheral).last
        == .leAdvertisingSetTerminated(
          AdvertisingSetTerminated(status: .limitReached, set: 1, handle: ConnectionHandle(0), completedEvents: 3)))
  }

  @Test func legacyAndExtendedCommandsDoNotMix() {
    var world = Self.advertising(properties: 0x13)
    world.send(world.peripheral, .leSetAdvertisingEnable(true))
    #expect(world.lastStatus(world.peripheral) == .commandDisallowed)
    world.send(world.peripheral, .reset)
    world.send(world.peripheral, .leSetAdvertisingData([1]))
    #expect(world.lastStatus(world.peripheral) == .success)
    world.send(world.peripheral, .leClearAdvertisingSets)
    #expect(world.lastStatus(world.peripheral) == .commandDisallowed)
  }

  @Test func setsAreCountedAndForgotten() {
    var world = World.ready(peripheral: ControllerModel(isExtended: true, advertisingSets: 1))
    func parameters(_ set: UInt8) -> HCICommand {
      .leSetExtendedAdvertisingParameters(
        ExtendedAdvertisingParameters(set: set, properties: 0x13, intervalMinimum: 32, intervalMaximum: 32, ownAddressType: .random)
      )
    }
    for (command, status) in [
      (parameters(1), .success), (parameters(2), .memoryExceeded),
      (.leSetExtendedAdvertisingEnable(true, sets: [ExtendedAdvertisingSet(set: 2)]), .unknownAdvertisingIdentifier),
      // Its own random address was never set.
      (.leSetExtendedAdvertisingEnable(true, sets: [ExtendedAdvertisingSet(set: 1)]), .invalidParameters),
      (.leSetAdvertisingSetRandomAddress(set: 1, bits: 3), .success),
      (.leSetExtendedAdvertisingEnable(true, sets: [ExtendedAdvertisingSet(set: 1)]), .success),
      (.leRemoveAdvertisingSet(1), .commandDisallowed), (.leClearAdvertisingSets, .commandDisallowed),
      (.leSetExtendedAdvertisingEnable(false, sets: []), .success), (.leRemoveAdvertisingSet(1), .success),
      (.leRemoveAdvertisingSet(1), .unknownAdvertisingIdentifier), (parameters(2), .success),
      (.leClearAdvertisingSets, .success),
    ] as [(HCICommand, HCIStatus)] {
      world.send(world.peripheral, command)
      #expect(world.lastStatus(world.peripheral) == status, "\(command)")
    }
  }

  @Test func aScanMayEndByTime() {
    var world = Self.advertising(properties: 0x13)
    let start = world.air.now
    Self.scan(&world, duration: 100)
    let end = world.wait(world.central) { $0 == .leScanTimeout }
    #expect(end == start + .seconds(1))
  }

  @Test func aFasterPHYIsAgreedIfBothHaveIt() {
    for (peripheral, expected) in [(ControllerModel.extended, 2), (.legacy, 1)] as [(ControllerModel, UInt8)] {
      var world = World.linked(central: .extended, peripheral: peripheral)
      world.send(world.central, .leSetPHY(world.centralHandle, PHYPreferences(transmit: 3, receive: 3), options: 0))
      world.advance(by: .seconds(1))
      #expect(
        world.events(world.central).contains(
          .lePHYUpdateComplete(
            PHYUpdateComplete(status: .success, handle: world.centralHandle, transmit: expected, receive: expected))))
    }
  }
}
