import Packets
import Simulator
import Testing
import Vocabulary

/// A masked event never arrives, whatever it is (Vol 4, Part E, 7.3.1, 7.3.69 and 7.8.1).
@Suite struct MaskTests {
  struct Masks: Sendable {
    var main: UInt64 = 0x3FFF_FFFF_FFFF_FFFF
    var second: UInt64 = 0x00FF_FFFF
    var lowEnergy: UInt64 = 0x000F_FFFF
  }

  /// An event by its code, with its subevent for LE Meta.
  struct Kind: Hashable, CustomStringConvertible {
    var code: UInt8
    var subevent: UInt8?
    var description: String { "\(Hex.text(code))\(subevent.map { " \(Hex.text($0))" } ?? "")" }
  }

  static let handle = ConnectionHandle(0x40)
  static let connection = ConnectionParameters(intervalMinimum: 30, intervalMaximum: 30, supervisionTimeout: 500)

  /// Every kind of event on an air, as reported to both hosts.
  static func life(_ masks: Masks) -> Set<Kind> { extended(masks).union(legacy(masks)) }

  private static func ready(_ model: ControllerModel, _ masks: Masks) -> World {
    var world = World.ready(central: model, peripheral: model)
    for id in [world.central, world.peripheral] {
      world.send(id, .setEventMask(masks.main))
      world.send(id, .setEventMaskPage2(masks.second))
      world.send(id, .leSetEventMask(masks.lowEnergy))
    }
    world.arrivals = [[], []]
    return world
  }

  private static func kinds(_ world: World) -> Set<Kind> {
    Set((world.events(world.central) + world.events(world.peripheral)).map { Kind(code: $0.code, subevent: $0.subevent) })
  }

  private static func legacy(_ masks: Masks) -> Set<Kind> {
    var world = ready(.legacy, masks)
    world.advertise()
    world.send(world.central, .leSetScanEnable(true, filterDuplicates: false))
    world.advance(by: .seconds(1))
    world.send(world.central, .leSetScanEnable(false, filterDuplicates: false))
    world.initiate()
    world.advance(by: .seconds(1))
    world.air.hardwareError(world.central, code: 1, at: world.air.now)
    for _ in 0..<9 {
      world.give(world.central, .acl(ACLPacket(handle: handle, boundary: .firstNonFlushable, data: World.frame([0x52, 1, 0]))))
    }
    world.advance(by: .seconds(1))
    return kinds(world)
  }

  private static func extended(_ masks: Masks) -> Set<Kind> {
    var world = ready(.extended, masks)
    world.send(
      world.peripheral,
      .leSetExtendedAdvertisingParameters(
        ExtendedAdvertisingParameters(
          set: 1, properties: 0x13, intervalMinimum: 32, intervalMaximum: 32, ownAddressType: .random)))
    world.send(world.peripheral, .leSetAdvertisingSetRandomAddress(set: 1, bits: World.strap.bits))
    world.send(world.peripheral, .leSetExtendedAdvertisingEnable(true, sets: [ExtendedAdvertisingSet(set: 1)]))
    world.send(world.central, .leSetExtendedScanEnable(ExtendedScanEnable(enable: true, filterDuplicates: 0, duration: 50)))
    world.advance(by: .seconds(1))
    world.send(
      world.central,
      .leExtendedCreateConnection(
        ExtendedCreateConnection(
          useFilterAcceptList: false, peer: World.strap,
          le1M: InitiatingPHY(scanInterval: 96, scanWindow: 96, connection: World.connection))))
    world.advance(by: .seconds(1))
    for command in [
      .readRemoteVersion(handle), .leReadRemoteFeatures(handle), .leSetDataLength(handle, octets: 251, time: 2120),
      .leSetPHY(handle, PHYPreferences(transmit: 2, receive: 2), options: 0),
      .leConnectionUpdate(ConnectionUpdate(handle: handle, connection: connection)),
    ] as [HCICommand] { world.send(world.central, command) }
    world.advance(by: .seconds(2))
    world.send(world.peripheral, .leConnectionUpdate(ConnectionUpdate(handle: handle, connection: connection)))
    world.advance(by: .seconds(1))
    world.send(
      world.central,
      .leConnectionParameterRequestReply(ConnectionParameterReply(handle: handle, connection: connection)))
    world.advance(by: .seconds(1))
    let key = EncryptionTests.key
    for _ in 1...2 {
      world.send(
        world.central, .leEnableEncryption(EnableEncryption(handle: handle, random: 1, diversifier: 2, longTermKey: key)))
      world.advance(by: .seconds(1))
      world.send(world.peripheral, .leLongTermKeyRequestReply(handle, key: key))
      world.advance(by: .seconds(1))
    }
    world.send(world.central, .writeAuthenticatedPayloadTimeout(handle, timeout: 50))
    world.air.vanish(world.peripheral, at: world.air.now)
    world.advance(by: .seconds(10))
    return kinds(world)
  }

  @Test func allUnmaskedEventsArrive() {
    let low: [UInt8] = [0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0A, 0x0C, 0x0D, 0x11, 0x12, 0x14]
    let wanted =
      [0x05, 0x08, 0x0C, 0x0E, 0x0F, 0x10, 0x13, 0x1A, 0x30, 0x57].map { Kind(code: $0) }
      + low.map { Kind(code: 0x3E, subevent: $0) }
    #expect(Self.life(Masks()) == Set(wanted))
    // Without the enhanced event the plain one arrives.
    let plain = Self.life(Masks(lowEnergy: 0x000F_FFFF & ~(1 << 9)))
    #expect(plain.contains(Kind(code: 0x3E, subevent: 0x01)) && !plain.contains(Kind(code: 0x3E, subevent: 0x0A)))
  }

  @Test(arguments: [0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0A, 0x0C, 0x0D, 0x11, 0x12, 0x14] as [UInt8])
  func aMaskedLowEnergyEventDoesNotCome(_ subevent: UInt8) {
    let told = Self.life(Masks(lowEnergy: 0x000F_FFFF & ~(1 << UInt64(subevent - 1))))
    #expect(!told.contains(Kind(code: 0x3E, subevent: subevent)), "\(told)")
    #expect(told.count > 15)
  }

  @Test(arguments: [0x05, 0x08, 0x0C, 0x10, 0x1A, 0x30, 0x3E, 0x57] as [UInt8])
  func aMaskedEventDoesNotCome(_ code: UInt8) {
    var masks = Masks()
    if code == 0x57 { masks.second &= ~(1 << 23) } else { masks.main &= ~(1 << UInt64(code - 1)) }
    #expect(!Self.life(masks).contains { $0.code == code })
  }

  /// After a reset the masks are those of Vol 4, Part E, 7.3.1, 7.3.69 and 7.8.1 again.
  @Test func aResetRestoresTheMasks() {
    let told = Self.life(Masks(main: 0x1FFF_FFFF_FFFF, second: 0, lowEnergy: 0x1F))
    #expect(!told.contains { $0.code == 0x3E || $0.code == 0x30 || $0.code == 0x57 })
    var world = EncryptionTests.linked()
    EncryptionTests.encrypt(&world)
    world.send(world.central, .reset)
    world.advance(by: .seconds(10))
    world.arrivals = [[], []]
    world.send(world.central, .setEventMask(0x3FFF_FFFF_FFFF_FFFF))
    world.advertise()
    world.initiate()
    world.advance(by: .seconds(1))
    // The enhanced event is not among the five of the default mask.
    #expect(world.connected(world.central)?.value.status == .success)
    #expect(!world.events(world.central).contains { if case .leEnhancedConnectionComplete = $0 { true } else { false } })
  }
}
