import Packets
import Simulator
import Testing
import Vocabulary

/// Long range: advertising, scanning and links on the LE Coded PHY.
@Suite struct CodedTests {
  private static let phy = ExtendedScanPHY(active: true, interval: 192, window: 96)

  /// An advertiser whose primary PHY is LE Coded.
  private static func advertising(_ central: ControllerModel = .coded, secondary: UInt8 = 3) -> World {
    var world = World.ready(central: central, peripheral: .coded)
    world.send(
      world.peripheral,
      .leSetExtendedAdvertisingParameters(
        ExtendedAdvertisingParameters(
          set: 1, properties: 0x01, intervalMinimum: 160, intervalMaximum: 160, ownAddressType: .random, primaryPHY: 3,
          secondaryPHY: secondary)))
    #expect(world.lastStatus(world.peripheral) == .success)
    world.send(world.peripheral, .leSetAdvertisingSetRandomAddress(set: 1, bits: World.strap.bits))
    world.send(
      world.peripheral, .leSetExtendedAdvertisingData(ExtendedAdvertisingData(set: 1, operation: 3, data: World.advertising)))
    world.send(world.peripheral, .leSetExtendedAdvertisingEnable(true, sets: [ExtendedAdvertisingSet(set: 1)]))
    #expect(world.lastStatus(world.peripheral) == .success)
    return world
  }

  private static func heard(_ world: World) -> [UInt8] {
    world.events(world.central).flatMap { event -> [UInt8] in
      if case .leExtendedAdvertisingReport(let list) = event { list.map(\.primaryPHY) } else { [] }
    }
  }

  @Test(arguments: [(true, false, false), (false, true, true), (true, true, true)])
  func codedAdvertisingIsHeardOnItsPHYOnly(_ on1M: Bool, _ onCoded: Bool, _ isHeard: Bool) {
    var world = Self.advertising()
    world.send(
      world.central,
      .leSetExtendedScanParameters(ExtendedScanParameters(le1M: on1M ? Self.phy : nil, leCoded: onCoded ? Self.phy : nil)))
    world.send(world.central, .leSetExtendedScanEnable(ExtendedScanEnable(enable: true, filterDuplicates: 0)))
    world.advance(by: .seconds(5))
    let primary = Self.heard(world)
    #expect(primary.isEmpty != isHeard)
    #expect(primary.allSatisfy { $0 == 3 })
    // one receiver: on two PHYs it listens to each for half of the time
    if on1M, onCoded { #expect((10...40).contains(primary.count), "\(primary.count)") }
  }

  @Test(arguments: [1, 2, 3] as [UInt8]) func connectionsUseTheSecondaryPHY(_ secondary: UInt8) throws {
    var world = Self.advertising(secondary: secondary)
    let initiating = InitiatingPHY(scanInterval: 192, scanWindow: 96, connection: World.connection)
    world.send(
      world.central,
      .leExtendedCreateConnection(
        ExtendedCreateConnection(useFilterAcceptList: false, peer: World.strap, le1M: initiating, leCoded: initiating)))
    world.advance(by: .seconds(5))
    let handle = ConnectionHandle(0x40)
    world.send(world.central, .leReadPHY(handle))
    let answer = try #require(
      world.events(world.central).lazy.compactMap { event -> ReadPHY? in
        if case .commandComplete(let value) = event, value.opcode == .leReadPHY { try? value.returned(ReadPHY.self) } else { nil }
      }.first)
    #expect(answer == ReadPHY(handle: handle, transmit: secondary, receive: secondary))
  }

  @Test func initiatingUsesRequestedPHYsOnly() {
    var world = Self.advertising()
    world.send(
      world.central,
      .leExtendedCreateConnection(
        ExtendedCreateConnection(
          useFilterAcceptList: false, peer: World.strap,
          le1M: InitiatingPHY(scanInterval: 96, scanWindow: 96, connection: World.connection))))
    world.advance(by: .seconds(20))
    #expect(
      !world.events(world.central).contains {
        if case .leConnectionComplete = $0 { true } else if case .leEnhancedConnectionComplete = $0 { true } else { false }
      })
  }

  /// Only where both have it.
  @Test(arguments: [(ControllerModel.coded, UInt8(3)), (.extended, 1)])
  func aLinkChangesToCodedPHY(_ peripheral: ControllerModel, _ phy: UInt8) throws {
    var world = World.linked(central: .coded, peripheral: peripheral)
    world.send(world.central, .leSetPHY(ConnectionHandle(0x40), PHYPreferences(transmit: 4, receive: 4), options: 0))
    world.advance(by: .seconds(1))
    let update = try #require(
      world.events(world.central).lazy.compactMap { if case .lePHYUpdateComplete(let value) = $0 { value } else { nil } }.first)
    #expect(update.transmit == phy && update.receive == phy)
  }
}
