import Packets
import Simulator
import Testing
import Vocabulary

/// The simulated resolving list (Vol 4, Part E, 7.8.38 to 7.8.45 and 7.8.77; Vol 6, Part B, 4.7 and
/// 6).
@Suite struct ResolvingListTests {
  /// The IRK of the sample data in Vol 3, Part H, D.7. `hidden` is a private address generated with
  /// it.
  static let key: [UInt8] = Array((Hex.bytes("ec0234a357c8ad05341010a60a397d9b") ?? []).reversed())
  static let hidden = Address(bits: 0x7081_940D_FBAA, kind: .random)
  static let otherKey = [UInt8](repeating: 9, count: 16)
  static let entry = ResolvingListEntry(peer: World.strap, peerKey: key)
  /// The LE event mask, which enables LE Enhanced Connection Complete.
  static let mask: UInt64 = 0x000F_FF7F

  static func ready(_ model: ControllerModel = .privacy, peripheral: ControllerModel = .privacy) -> World {
    var world = World.ready(central: model, peripheral: peripheral)
    for id in [world.central, world.peripheral] { world.send(id, .leSetEventMask(mask)) }
    return world
  }

  /// A world in which the strap advertises with a private address and the phone has its IRK.
  static func hidden(_ model: ControllerModel = .privacy, mode: PrivacyMode = .device) -> World {
    var world = ready(model)
    world.send(world.peripheral, .leSetRandomAddress(hidden.bits))
    world.send(world.central, .leAddToResolvingList(entry))
    world.send(world.central, .leSetPrivacyMode(World.strap, mode))
    world.send(world.central, .leSetAddressResolutionEnable(true))
    world.advertise()
    return world
  }

  static func status(_ world: inout World, _ command: HCICommand) -> HCIStatus? {
    world.send(world.central, command)
    return world.lastStatus(world.central)
  }

  static func scan(_ world: inout World, _ policy: ScanFilterPolicy = .all) {
    world.send(world.central, .leSetScanParameters(ScanParameters(active: true, interval: 96, window: 96, filterPolicy: policy)))
    world.send(world.central, .leSetScanEnable(true, filterDuplicates: false))
  }

  static func reports(_ world: World) -> Set<String> {
    Set(
      world.events(world.central).flatMap { event -> [String] in
        if case .leAdvertisingReport(let list) = event { list.map { "\($0.address) \($0.isIdentity)" } } else { [] }
      })
  }

  @Test func itsCommandsReturnTheSpecifiedErrors() {
    var world = Self.ready(ControllerModel(resolvingListSize: 2))
    let other = ResolvingListEntry(peer: World.phone, peerKey: Self.otherKey)
    #expect(Self.status(&world, .leAddToResolvingList(Self.entry)) == .success)
    #expect(Self.status(&world, .leAddToResolvingList(Self.entry)) == .success)
    #expect(
      Self.status(&world, .leAddToResolvingList(ResolvingListEntry(peer: World.phone, peerKey: Self.key))) == .invalidParameters)
    #expect(
      Self.status(&world, .leAddToResolvingList(ResolvingListEntry(peer: World.strap, peerKey: Self.otherKey)))
        == .invalidParameters)
    #expect(Self.status(&world, .leAddToResolvingList(other)) == .success)
    let third = ResolvingListEntry(peer: Self.hidden, peerKey: [UInt8](repeating: 3, count: 16))
    #expect(Self.status(&world, .leAddToResolvingList(third)) == .memoryExceeded)
    #expect(Self.status(&world, .leRemoveFromResolvingList(Self.hidden)) == .unknownConnection)
    #expect(Self.status(&world, .leSetPrivacyMode(Self.hidden, .device)) == .unknownConnection)
    #expect(Self.status(&world, .leReadPeerResolvableAddress(World.strap)) == .unknownConnection)
    #expect(Self.status(&world, .leSetResolvableAddressTimeout(0)) == .invalidParameters)
    #expect(Self.status(&world, .leSetResolvableAddressTimeout(3601)) == .invalidParameters)
    #expect(Self.status(&world, .leSetResolvableAddressTimeout(3600)) == .success)
    #expect(Self.status(&world, .leRemoveFromResolvingList(World.phone)) == .success)
    #expect(Self.status(&world, .leAddToResolvingList(third)) == .success)
    #expect(Self.status(&world, .leClearResolvingList) == .success)
    #expect(Self.status(&world, .leRemoveFromResolvingList(World.strap)) == .unknownConnection)
    // Reset clears the list.
    _ = Self.status(&world, .leAddToResolvingList(Self.entry))
    world.send(world.central, .reset)
    #expect(Self.status(&world, .leRemoveFromResolvingList(World.strap)) == .unknownConnection)
  }

  static let onAir: [@Sendable (inout World) -> Void] = [
    { scan(&$0) },
    { $0.initiate() },
    {
      $0.send(
        $0.central,
        .leSetAdvertisingParameters(
          AdvertisingParameters(
            intervalMinimum: 160, intervalMaximum: 160, type: .connectableUndirected, ownAddressType: .public, peer: World.strap)))
      $0.send($0.central, .leSetAdvertisingEnable(true))
    },
  ]

  /// The list cannot be changed while address resolution is enabled and something is on the air.
  @Test(arguments: 0..<3) func aListInUseCannotBeChanged(_ what: Int) {
    for isEnabled in [false, true] {
      var world = Self.ready()
      world.send(world.central, .leAddToResolvingList(Self.entry))
      world.send(world.central, .leSetAddressResolutionEnable(isEnabled))
      Self.onAir[what](&world)
      let expected = isEnabled ? HCIStatus.commandDisallowed : .success
      #expect(Self.status(&world, .leSetPrivacyMode(World.strap, .device)) == expected)
      let other = ResolvingListEntry(peer: World.phone, peerKey: Self.otherKey)
      #expect(Self.status(&world, .leAddToResolvingList(other)) == expected)
      #expect(Self.status(&world, .leRemoveFromResolvingList(World.strap)) == expected)
      #expect(Self.status(&world, .leClearResolvingList) == expected)
      #expect(Self.status(&world, .leSetAddressResolutionEnable(!isEnabled)) == .commandDisallowed)
    }
  }

  @Test func aScanReportsTheIdentity() {
    var world = Self.hidden()
    Self.scan(&world)
    world.advance(by: .seconds(1))
    #expect(Self.reports(world) == ["\(World.strap) true"])
    world.send(world.central, .leReadPeerResolvableAddress(World.strap))
    guard case .commandComplete(let answer)? = world.events(world.central).last else {
      Issue.record("no answer")
      return
    }
    #expect((try? answer.returned(ResolvableAddress.self))?.bits == Self.hidden.bits)
  }

  /// The accept list contains the identity address.
  @Test func aPrivateDeviceIsFoundThroughTheAcceptList() {
    var world = Self.hidden()
    world.send(world.central, .leAddToFilterAcceptList(World.strap))
    Self.scan(&world, .listOnly)
    world.advance(by: .seconds(1))
    #expect(Self.reports(world) == ["\(World.strap) true"])
    world.send(world.central, .leSetScanEnable(false, filterDuplicates: false))
    world.initiate(list: true)
    _ = world.wait(world.central) { if case .leEnhancedConnectionComplete = $0 { true } else { false } }
    let told = world.events(world.central).compactMap {
      if case .leEnhancedConnectionComplete(let event) = $0 { event } else { nil }
    }
    guard let event = told.last else {
      Issue.record("no link")
      return
    }
    #expect(event.connection.peer == World.strap && event.connection.isIdentity)
    #expect(event.peerPrivateAddress == Self.hidden.bits)
    #expect(event.localPrivateAddress == 0)
    let request = world.air.takeLog().first { $0.kind == .connectRequest }
    #expect(request?.to == Self.hidden)
    // A second link to the identity address is refused.
    world.advance(by: .seconds(1))
    world.send(
      world.central,
      .leCreateConnection(
        CreateConnection(
          scanInterval: 96, scanWindow: 96, useFilterAcceptList: false, peer: World.strap, connection: World.connection)))
    #expect(world.lastStatus(world.central) == .connectionExists)
  }

  @Test func aPrivateDeviceIsNotFoundWithoutTheResolvingList() {
    for model in [ControllerModel(isExtended: true, resolvingListSize: 8, resolvingListFault: .resolvesNothing), .extended] {
      var world = Self.hidden(model)
      world.send(world.central, .leAddToFilterAcceptList(World.strap))
      Self.scan(&world)
      world.initiate(list: true)
      world.advance(by: .seconds(2))
      #expect(Self.reports(world) == ["\(Self.hidden) false"])
      #expect(world.connected(world.central) == nil)
    }
  }

  @Test func theCommandsOfAFaultyListAreRefused() {
    var world = Self.ready(ControllerModel(isExtended: true, resolvingListSize: 8, resolvingListFault: .refuses))
    #expect(Self.status(&world, .leReadResolvingListSize) == .success)
    #expect(Self.status(&world, .leAddToResolvingList(Self.entry)) == .unknownCommand)
    #expect(Self.status(&world, .leSetAddressResolutionEnable(true)) == .unknownCommand)
  }

  /// In network privacy mode, a peer whose IRK is listed is only received with private addresses.
  @Test func thePrivacyModeDecidesWhetherAnIdentityIsReceived() {
    for mode in [PrivacyMode.network, .device] {
      let expected: Set<String> = mode == .network ? [] : ["\(World.strap) false"]
      var world = Self.hidden(mode: mode)
      world.send(world.peripheral, .leSetAdvertisingEnable(false))
      world.send(world.peripheral, .leSetRandomAddress(World.strap.bits))
      world.advertise()
      Self.scan(&world)
      world.advance(by: .seconds(1))
      #expect(Self.reports(world) == expected)
    }
  }

  /// The controller generates its own private address, which the peer's controller resolves.
  @Test func ownPrivateAddressesAreGeneratedForAPeer() {
    var world = Self.ready()
    world.send(
      world.central, .leAddToResolvingList(ResolvingListEntry(peer: World.strap, peerKey: Self.otherKey, localKey: Self.key)))
    world.send(world.central, .leSetAddressResolutionEnable(true))
    world.send(world.peripheral, .leAddToResolvingList(ResolvingListEntry(peer: World.phone, peerKey: Self.key)))
    world.send(world.peripheral, .leSetAddressResolutionEnable(true))
    world.send(world.central, .leSetPrivacyMode(World.strap, .device))
    world.advertise()
    world.send(
      world.central,
      .leCreateConnection(
        CreateConnection(
          scanInterval: 96, scanWindow: 96, useFilterAcceptList: false, peer: World.strap, ownAddressType: .resolvableOrPublic,
          connection: World.connection)))
    _ = world.wait(world.peripheral) { if case .leEnhancedConnectionComplete = $0 { true } else { false } }
    let events = [world.central, world.peripheral].map { id in
      world.events(id).compactMap { if case .leEnhancedConnectionComplete(let event) = $0 { event } else { nil } }.last
    }
    guard let central = events[0], let peripheral = events[1] else {
      Issue.record("no link")
      return
    }
    #expect(central.localPrivateAddress != 0)
    #expect(peripheral.peerPrivateAddress == central.localPrivateAddress)
    #expect(peripheral.connection.peer == World.phone && peripheral.connection.isIdentity)
  }
}
