import Packets
import Simulator
import Testing
import Vocabulary

/// Encryption of a link, its refresh, and the authenticated payload timeout (Vol 6, Part B, 5.1.3,
/// 5.1.12 and 5.4).
@Suite struct EncryptionTests {
  static let key = [UInt8](repeating: 7, count: 16)

  /// Both ends with every event, including page 2 of the mask.
  static func linked(_ model: ControllerModel = .legacy, connection: ConnectionParameters = World.connection) -> World {
    var world = World.linked(central: model, peripheral: model, connection: connection)
    for id in [world.central, world.peripheral] {
      world.send(id, .setEventMask(0x3FFF_FFFF_FFFF_FFFF))
      world.send(id, .setEventMaskPage2(0x00FF_FFFF))
    }
    return world
  }

  static func start(_ world: inout World, key: [UInt8] = key) {
    world.send(
      world.central, .leEnableEncryption(EnableEncryption(handle: world.centralHandle, random: 1, diversifier: 2, longTermKey: key))
    )
  }

  static func waitForRequest(_ world: inout World) -> Moment? {
    world.wait(world.peripheral) { if case .leLongTermKeyRequest = $0 { true } else { false } }
  }

  static func encrypt(_ world: inout World, key: [UInt8] = key) {
    start(&world, key: key)
    #expect(waitForRequest(&world) != nil)
    world.send(world.peripheral, .leLongTermKeyRequestReply(world.peripheralHandle, key: key))
    world.advance(by: .seconds(1))
  }

  /// Events about encryption, by name.
  static func reported(_ world: World, _ id: ControllerID) -> [String] {
    world.events(id).compactMap {
      switch $0 {
      case .encryptionChange(let value): "change \(value.status.raw) \(value.enabled)"
      case .encryptionKeyRefreshComplete(let status, _): "refresh \(status.raw)"
      case .authenticatedPayloadTimeoutExpired: "expired"
      case .disconnectionComplete(let value): "end \(value.reason.raw)"
      default: nil
      }
    }
  }

  @Test(arguments: [ControllerModel.legacy, .extended])
  func encryptingAgainRefreshesTheKeyOnBothSides(_ model: ControllerModel) {
    var world = Self.linked(model)
    Self.encrypt(&world)
    for id in [world.central, world.peripheral] { #expect(Self.reported(world, id) == ["change 0 1"]) }
    for round in 1...3 {
      Self.encrypt(&world, key: [UInt8](repeating: UInt8(round), count: 16))
      for id in [world.central, world.peripheral] {
        #expect(Self.reported(world, id) == ["change 0 1"] + [String](repeating: "refresh 0", count: round))
      }
    }
  }

  @Test func aNewLinkBeginsUnencrypted() {
    var world = Self.linked()
    Self.encrypt(&world)
    world.disconnect(world.central)
    world.advance(by: .seconds(1))
    world.arrivals = [[], []]
    world.advertise()
    world.initiate()
    _ = world.wait(world.central) { if case .leConnectionComplete = $0 { true } else { false } }
    Self.encrypt(&world)
    for id in [world.central, world.peripheral] { #expect(Self.reported(world, id) == ["change 0 1"]) }
  }

  /// The first time, LL_REJECT_IND leaves the link as it is; after a pause the link has no key and
  /// ends (Vol 6, Part B, 5.1.3.1).
  @Test func withoutAKeyTheFirstAttemptIsRefusedAndARenewalEndsTheLink() {
    var world = Self.linked()
    Self.start(&world)
    _ = Self.waitForRequest(&world)
    world.send(world.peripheral, .leLongTermKeyRequestNegativeReply(world.peripheralHandle))
    world.advance(by: .seconds(1))
    #expect(Self.reported(world, world.central) == ["change 6 0"])
    #expect(Self.reported(world, world.peripheral) == [])
    Self.encrypt(&world)
    Self.start(&world)
    _ = Self.waitForRequest(&world)
    world.send(world.peripheral, .leLongTermKeyRequestNegativeReply(world.peripheralHandle))
    world.advance(by: .seconds(1))
    #expect(Self.reported(world, world.central) == ["change 6 0", "change 0 1", "end 6"])
    #expect(Self.reported(world, world.peripheral) == ["change 0 1", "end 22"])
  }

  @Test func onlyOneEncryptionAtATimeAndOnlyByTheCentral() {
    var world = Self.linked()
    world.send(
      world.peripheral,
      .leEnableEncryption(EnableEncryption(handle: world.peripheralHandle, random: 1, diversifier: 2, longTermKey: Self.key)))
    #expect(world.lastStatus(world.peripheral) == .commandDisallowed)
    Self.start(&world)
    #expect(world.lastStatus(world.central) == .success)
    Self.start(&world)
    #expect(world.lastStatus(world.central) == .commandDisallowed)
    _ = Self.waitForRequest(&world)
    world.send(world.peripheral, .leLongTermKeyRequestReply(world.peripheralHandle, key: Self.key))
    Self.start(&world)
    #expect(world.lastStatus(world.central) == .commandDisallowed)
    world.send(world.peripheral, .leLongTermKeyRequestReply(world.peripheralHandle, key: Self.key))
    #expect(world.lastStatus(world.peripheral) == .commandDisallowed)
    world.advance(by: .seconds(1))
    for id in [world.central, world.peripheral] { #expect(Self.reported(world, id) == ["change 0 1"]) }
  }

  /// Data waits from LL_ENC_REQ, or the pause, until the key is there; data queued before is sent
  /// first (Vol 6, Part B, 5.1.3).
  @Test(arguments: [false, true])
  func dataWaitWhileAKeyIsAgreed(_ again: Bool) {
    var world = Self.linked()
    if again { Self.encrypt(&world) }
    world.arrivals = [world.arrivals[0], world.arrivals[1]]
    world.att(world.central, [0x52, 1, 0, 1])
    Self.start(&world)
    world.att(world.central, [0x52, 1, 0, 2])
    world.att(world.central, [0x52, 1, 0, 3])
    _ = Self.waitForRequest(&world)
    world.att(world.peripheral, [0x1B, 1, 0, 4])
    world.advance(by: .seconds(2))
    #expect(world.acl(world.peripheral).map { $0.data.last } == [1])
    #expect(world.acl(world.central).isEmpty)
    world.send(world.peripheral, .leLongTermKeyRequestReply(world.peripheralHandle, key: Self.key))
    world.advance(by: .seconds(1))
    #expect(world.acl(world.peripheral).map { $0.data.last } == [1, 2, 3])
    #expect(world.acl(world.central).map { $0.data.last } == [4])
    #expect(world.air.violations == 0)
    for (id, count) in [(world.central, 3), (world.peripheral, 1)] {
      let done = world.events(id).reduce(0) {
        if case .numberOfCompletedPackets(let list) = $1 { $0 + list.reduce(0) { $0 + Int($1.count) } } else { $0 }
      }
      #expect(done == count)
    }
  }

  @Test func dataFlowAgainAfterARefusal() {
    var world = Self.linked()
    Self.start(&world)
    world.att(world.central, [0x52, 1, 0, 2])
    _ = Self.waitForRequest(&world)
    world.att(world.peripheral, [0x1B, 1, 0, 4])
    world.send(world.peripheral, .leLongTermKeyRequestNegativeReply(world.peripheralHandle))
    world.advance(by: .seconds(1))
    #expect(world.acl(world.peripheral).map { $0.data.last } == [2])
    #expect(world.acl(world.central).map { $0.data.last } == [4])
  }

  @Test func aHostThatGivesNoKeyLosesTheLink() {
    for again in [false, true] {
      var world = Self.linked()
      if again { Self.encrypt(&world) }
      Self.start(&world)
      _ = Self.waitForRequest(&world)
      world.advance(by: .seconds(41))
      for id in [world.central, world.peripheral] { #expect(Self.reported(world, id).last == "end 34") }
    }
  }

  /// The return parameters of a command, after the status.
  static func returned(_ opcode: UInt16, _ parameters: [UInt8], _ world: inout World) -> [UInt8]? {
    guard case .commandComplete(let value) = ClaimTests.answers(opcode, parameters, &world).first, value.status == .success else {
      return nil
    }
    return Array(value.parameters.dropFirst())
  }

  /// The session key of the specification's sample data (Vol 6, Part C, 1.1), and FIPS 197,
  /// appendix C.1.
  @Test func blocksAreEncrypted() {
    for (key, plain, cipher) in [
      ("4C68384139F574D836BCF34E9DFB01BF", "0213243546576879ACBDCEDFE0F10213", "99AD1B5226A37E3E058E3B8E27C2C666"),
      ("000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff", "69c4e0d86a7b0430d8cdb78070b4c55a"),
      ("2b7e151628aed2a6abf7158809cf4f3c", "6bc1bee22e409f96e93d7e117393172a", "3ad77bb40d7a3660a89ecaf32466ef97"),
      ("00000000000000000000000000000000", "00000000000000000000000000000000", "66e94bd4ef8a2c3b884cfa59ca342b2e"),
    ] {
      var world = World.ready()
      let bytes = [key, plain].flatMap { (Hex.bytes($0) ?? []).reversed() }
      #expect(Self.returned(0x2017, bytes, &world) == (Hex.bytes(cipher) ?? []).reversed())
    }
  }

  // MARK: Authenticated payload

  static func setTimeout(_ timeout: UInt16, _ world: inout World, _ id: ControllerID) -> HCIStatus? {
    let handle = id == world.central ? world.centralHandle : world.peripheralHandle
    world.send(id, .writeAuthenticatedPayloadTimeout(handle, timeout: timeout))
    return world.lastStatus(id)
  }

  static func expiries(_ world: World, _ id: ControllerID) -> [Moment] {
    world.arrivals[id.index].compactMap {
      if case .event(.authenticatedPayloadTimeoutExpired, _) = $0.packet { $0.time } else { nil }
    }
  }

  @Test func aSilentEncryptedPeerIsReported() {
    var world = Self.linked()
    Self.encrypt(&world)
    for id in [world.central, world.peripheral] { #expect(Self.setTimeout(100, &world, id) == .success) }
    let start = world.air.now
    world.air.vanish(world.peripheral, at: start)
    world.advance(by: .seconds(10))
    for id in [world.central, world.peripheral] {
      #expect(Self.expiries(world, id) == (1...4).map { start + .seconds($0) })
      #expect(Self.reported(world, id).last == "end 8")
    }
  }

  @Test func aPeerThatIsThereAnswersThePingInTime() {
    for (latency, loss) in [(0, 0), (4, 0), (0, 0.3)] as [(UInt16, Double)] {
      var world = Self.linked(
        connection: ConnectionParameters(intervalMinimum: 24, intervalMaximum: 24, latency: latency, supervisionTimeout: 500))
      Self.encrypt(&world)
      #expect(Self.setTimeout(200, &world, world.central) == .success)
      #expect(Self.setTimeout(300, &world, world.peripheral) == .success)
      world.air.loss = loss
      _ = world.air.takeLog()
      world.advance(by: .seconds(60))
      for id in [world.central, world.peripheral] { #expect(Self.reported(world, id) == ["change 0 1"]) }
      let pings = world.air.takeLog().filter { $0.note == "LL_PING_REQ" }.count
      #expect((30...50).contains(pings), "\(pings) pings")
    }
  }

  @Test func aBusyLinkNeedsNoPing() {
    var world = Self.linked()
    Self.encrypt(&world)
    _ = Self.setTimeout(200, &world, world.central)
    _ = world.air.takeLog()
    for _ in 0..<20 {
      world.att(world.peripheral, [0x1B, 1, 0, 4])
      world.advance(by: .seconds(1))
    }
    #expect(!world.air.takeLog().contains { $0.note == "LL_PING_REQ" })
    #expect(Self.expiries(world, world.central).isEmpty)
  }

  @Test func thePayloadTimeoutNeedsEncryptionAndMask() {
    var plain = Self.linked()
    plain.advance(by: .seconds(1))
    _ = Self.setTimeout(100, &plain, plain.central)
    plain.air.vanish(plain.peripheral, at: plain.air.now)
    plain.advance(by: .seconds(10))
    #expect(Self.reported(plain, plain.central) == ["end 8"])
    var masked = Self.linked()
    Self.encrypt(&masked)
    masked.send(masked.central, .setEventMaskPage2(~(1 << 23)))
    _ = Self.setTimeout(100, &masked, masked.central)
    masked.air.vanish(masked.peripheral, at: masked.air.now)
    masked.advance(by: .seconds(10))
    #expect(Self.reported(masked, masked.central) == ["change 0 1", "end 8"])
    var paused = Self.linked()
    Self.encrypt(&paused)
    for id in [paused.central, paused.peripheral] { _ = Self.setTimeout(100, &paused, id) }
    Self.start(&paused)
    _ = Self.waitForRequest(&paused)
    paused.advance(by: .seconds(10))
    paused.send(paused.peripheral, .leLongTermKeyRequestReply(paused.peripheralHandle, key: Self.key))
    paused.advance(by: .seconds(10))
    for id in [paused.central, paused.peripheral] { #expect(Self.reported(paused, id) == ["change 0 1", "refresh 0"]) }
  }

  @Test func theTimeoutOfALinkIsReadAndWritten() {
    var world = Self.linked(
      connection: ConnectionParameters(intervalMinimum: 24, intervalMaximum: 24, latency: 4, supervisionTimeout: 500))
    #expect(Self.returned(0x0C7B, [0x40, 0], &world) == [0x40, 0, 0xB8, 0x0B])
    // Five intervals of 30 ms at least.
    for (timeout, status) in [(0, HCIStatus.invalidParameters), (14, .invalidParameters), (15, .success), (0xFFFF, .success)] {
      #expect(Self.setTimeout(UInt16(timeout), &world, world.central) == status)
    }
    #expect(Self.returned(0x0C7C, [0x40, 0, 0x34, 0x12], &world) == [0x40, 0])
    #expect(Self.returned(0x0C7B, [0x40, 0], &world) == [0x40, 0, 0x34, 0x12])
    #expect(Self.setTimeout(100, &world, world.peripheral) == .success)
    #expect(Self.returned(0x0C7B, [0x40, 0], &world) == [0x40, 0, 0x34, 0x12])
  }

  // MARK: Channels

  @Test func theCentralHostCanExcludeChannels() {
    func maps(_ world: World) -> [ChannelMap] {
      [world.central, world.peripheral].compactMap { id in
        for event in world.events(id).reversed() {
          if case .commandComplete(let value) = event, value.opcode == .leReadChannelMap {
            return try? value.returned(ReadChannelMap.self).map
          }
        }
        return nil
      }
    }
    func read(_ world: inout World) -> [ChannelMap] {
      world.send(world.central, .leReadChannelMap(world.centralHandle))
      world.send(world.peripheral, .leReadChannelMap(world.peripheralHandle))
      return maps(world)
    }
    var world = Self.linked()
    #expect(read(&world) == [.all, .all])
    let some = ChannelMap(bits: 0x00_F00F_000F)
    world.send(world.peripheral, .leSetHostChannelClassification(ChannelMap(bits: 3)))
    world.send(world.central, .leSetHostChannelClassification(some))
    world.advance(by: .seconds(1))
    #expect(read(&world) == [some, some])
    world.send(world.central, .leSetHostChannelClassification(ChannelMap(bits: 0)))
    #expect(world.lastStatus(world.central) == .invalidParameters)
    // A link hops between two channels at least.
    world.send(world.central, .leSetHostChannelClassification(ChannelMap(bits: 1 << 36)))
    world.advance(by: .seconds(1))
    #expect(read(&world) == [ChannelMap(bits: 0x18_0000_0000), ChannelMap(bits: 0x18_0000_0000)])
    world.send(world.central, .leSetHostChannelClassification(some))
    world.disconnect(world.central)
    world.advance(by: .seconds(1))
    world.advertise()
    world.initiate()
    world.advance(by: .seconds(1))
    #expect(read(&world) == [some, some])
  }
}
