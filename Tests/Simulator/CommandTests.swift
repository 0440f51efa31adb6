import Packets
import Simulator
import Testing
import Vocabulary

@Suite struct CommandTests {
  @Test(arguments: HCIOpcode.known)
  func everyCommandOfALegacyControllerIsAnswered(_ opcode: HCIOpcode) throws {
    var world = World.ready()
    let isSupported = ControllerModel.legacy.supportedCommands.contains(opcode)
    // No command has 64 bytes of parameters.
    let bytes: [UInt8] =
      [1, UInt8(truncatingIfNeeded: opcode.raw), UInt8(opcode.raw >> 8), 64] + [UInt8](repeating: 0xEE, count: 64)
    world.air.host(world.central, sends: bytes, at: world.air.now)
    world.collect()
    #expect(world.arrivals[world.central.index].count == 1)
    #expect(world.lastStatus(world.central) == (isSupported ? .invalidParameters : .unknownCommand))
  }

  @Test func unknownCommandsAreRefused() {
    var world = World.ready()
    world.send(world.central, .unknown(HCIOpcode(0xFC01), [1, 2]))
    #expect(world.events(world.central).last == .commandStatus(CommandStatus(status: .unknownCommand, opcode: HCIOpcode(0xFC01))))
    world.send(world.central, .leSetExtendedScanEnable(ExtendedScanEnable(enable: true, filterDuplicates: 0)))
    #expect(world.lastStatus(world.central) == .unknownCommand)
    var poor = World.ready(central: ControllerModel(missing: [.leSetDataLength]))
    poor.send(poor.central, .leSetDataLength(ConnectionHandle(1), octets: 27, time: 328))
    #expect(poor.lastStatus(poor.central) == .unknownCommand)
  }

  @Test func commandsAboutNoLinkAreRefused() {
    var world = World.ready()
    let handle = ConnectionHandle(0x40)
    for command in [
      .disconnect(handle, reason: .remoteUserTerminated), .readRemoteVersion(handle), .readRSSI(handle),
      .readTransmitPower(handle, maximum: false), .leReadRemoteFeatures(handle), .leLongTermKeyRequestNegativeReply(handle),
      .leConnectionUpdate(ConnectionUpdate(handle: handle, connection: World.connection)),
      .leSetDataLength(handle, octets: 27, time: 328),
    ] as [HCICommand] {
      world.send(world.central, command)
      #expect(world.lastStatus(world.central) == .unknownConnection, "\(command)")
    }
  }

  @Test func disconnectIsValidOnceAndWithAKnownReason() {
    var world = World.linked()
    world.disconnect(world.central, reason: .connectionTimeout)
    #expect(world.lastStatus(world.central) == .invalidParameters)
    world.disconnect(world.central)
    #expect(world.lastStatus(world.central) == .success)
    world.disconnect(world.central)
    #expect(world.lastStatus(world.central) == .commandDisallowed)
  }

  @Test func propertiesAreThoseOfTheModel() throws {
    var world = World.ready(central: ControllerModel(aclLength: 100, aclCount: 3, filterAcceptListSize: 2))
    func last() throws -> CommandComplete {
      guard case .commandComplete(let value) = world.events(world.central).last else {
        throw DecodeError.truncated(needed: 1, left: 0)
      }
      return value
    }
    world.send(world.central, .leReadBufferSize)
    #expect(try last().returned(LEReadBufferSize.self) == LEReadBufferSize(aclLength: 100, aclCount: 3))
    world.send(world.central, .readBufferSize)
    #expect(try last().returned(ReadBufferSize.self).aclLength == 0)
    world.send(world.central, .readAddress)
    #expect(try last().returned(ReadAddress.self).address == World.phone)
    world.send(world.central, .readLocalSupportedCommands)
    let commands = try last().returned(SupportedCommands.self)
    #expect(commands.supports(.leCreateConnection))
    #expect(!commands.supports(.leExtendedCreateConnection))
    world.send(world.central, .leReadLocalSupportedFeatures)
    #expect(try last().returned(LocalFeatures.self).has(.dataLengthExtension))
    #expect(try !last().returned(LocalFeatures.self).has(.extendedAdvertising))
    world.send(world.central, .leReadFilterAcceptListSize)
    #expect(try last().returned(ListSize.self).count == 2)
    world.send(world.central, .readLocalVersion)
    #expect(try last().returned(LocalVersion.self).hciVersion == 8)
    for (address, status) in [(1, HCIStatus.success), (2, .success), (2, .success), (3, .memoryExceeded)] as [(UInt64, HCIStatus)] {
      world.send(world.central, .leAddToFilterAcceptList(Address(bits: address, kind: .public)))
      #expect(world.lastStatus(world.central) == status)
    }
  }

  @Test func sharedBuffersReportZeroLESize() throws {
    var world = World.ready(central: ControllerModel(aclLength: 1021, aclCount: 4, sharesBuffers: true))
    world.send(world.central, .leReadBufferSize)
    world.send(world.central, .readBufferSize)
    let sizes = world.events(world.central).compactMap { if case .commandComplete(let value) = $0 { value } else { nil } }
    #expect(try sizes[0].returned(LEReadBufferSize.self) == LEReadBufferSize(aclLength: 0, aclCount: 0))
    #expect(try sizes[1].returned(ReadBufferSize.self) == ReadBufferSize(aclLength: 1021, scoLength: 0, aclCount: 4, scoCount: 0))
  }

  @Test func aRandomIdentityHasNoPublicAddress() throws {
    var world = World()
    world.send(world.peripheral, .readAddress)
    guard case .commandComplete(let value) = world.events(world.peripheral).last else {
      Issue.record("no answer")
      return
    }
    #expect(try value.returned(ReadAddress.self).address.bits == 0)
  }

  @Test func withoutItsMaskNoLowEnergyEventComes() {
    var world = World()
    world.send(world.peripheral, .leSetRandomAddress(World.strap.bits))
    world.advertise()
    world.initiate()
    world.advance(by: .seconds(1))
    #expect(world.connected(world.central) == nil)
    #expect(world.air.liveLinks == 1)
  }

  @Test func theMaskSelectsTheEnhancedEvent() throws {
    var world = World.ready()
    world.send(world.central, .leSetEventMask(0x000F_FFFF))
    world.advertise()
    world.initiate()
    world.advance(by: .seconds(1))
    #expect(world.events(world.central).contains { if case .leEnhancedConnectionComplete = $0 { true } else { false } })
    #expect(world.events(world.peripheral).contains { if case .leConnectionComplete = $0 { true } else { false } })
  }

  @Test func parametersMayNotChangeWhileInUse() {
    var world = World.ready()
    world.advertise()
    world.send(world.peripheral, .leSetAdvertisingParameters(AdvertisingParameters(intervalMinimum: 32, intervalMaximum: 32)))
    #expect(world.lastStatus(world.peripheral) == .commandDisallowed)
    world.send(world.peripheral, .leSetRandomAddress(1))
    #expect(world.lastStatus(world.peripheral) == .commandDisallowed)
    world.send(world.central, .leSetScanEnable(true, filterDuplicates: false))
    world.send(world.central, .leSetScanParameters(ScanParameters(active: true, interval: 96, window: 96)))
    #expect(world.lastStatus(world.central) == .commandDisallowed)
  }

  @Test func wrongAdvertisingAndScanParametersAreRefused() {
    var world = World.ready()
    for (minimum, maximum) in [(31, 32), (33, 32), (32, 0x4001)] as [(UInt16, UInt16)] {
      world.send(
        world.peripheral, .leSetAdvertisingParameters(AdvertisingParameters(intervalMinimum: minimum, intervalMaximum: maximum)))
      #expect(world.lastStatus(world.peripheral) == .invalidParameters)
    }
    world.send(
      world.peripheral, .leSetAdvertisingParameters(AdvertisingParameters(intervalMinimum: 32, intervalMaximum: 32, channelMap: 0)))
    #expect(world.lastStatus(world.peripheral) == .invalidParameters)
    for (interval, window) in [(3, 3), (96, 97), (0x4001, 96)] as [(UInt16, UInt16)] {
      world.send(world.central, .leSetScanParameters(ScanParameters(active: true, interval: interval, window: window)))
      #expect(world.lastStatus(world.central) == .invalidParameters)
    }
  }

  @Test func featuresAndVersionsOfThePeerAreRead() {
    var world = World.linked(peripheral: .extended)
    world.send(world.central, .leReadRemoteFeatures(world.centralHandle))
    world.send(world.central, .readRemoteVersion(world.centralHandle))
    world.advance(by: .seconds(1))
    let handle = world.centralHandle
    #expect(
      world.events(world.central).contains(
        .leReadRemoteFeaturesComplete(
          RemoteFeatures(status: .success, handle: handle, features: ControllerModel.extended.leFeatures))))
    #expect(
      world.events(world.central).contains(
        .readRemoteVersionComplete(RemoteVersion(status: .success, handle: handle, version: 11, company: 0xFFFF, subversion: 0))))
  }

  @Test func encryptionNeedsEqualKeys() {
    let key = [UInt8](repeating: 7, count: 16)
    for (answer, expected) in [
      (HCICommand.leLongTermKeyRequestReply(ConnectionHandle(0x40), key: key), HCIStatus.success),
      (.leLongTermKeyRequestNegativeReply(ConnectionHandle(0x40)), .keyMissing),
      (.leLongTermKeyRequestReply(ConnectionHandle(0x40), key: [UInt8](repeating: 8, count: 16)), .micFailure),
    ] {
      var world = World.linked()
      world.send(
        world.central,
        .leEnableEncryption(EnableEncryption(handle: world.centralHandle, random: 1, diversifier: 2, longTermKey: key)))
      _ = world.wait(world.peripheral) {
        $0 == .leLongTermKeyRequest(LongTermKeyRequest(handle: ConnectionHandle(0x40), random: 1, diversifier: 2))
      }
      world.send(world.peripheral, answer)
      world.advance(by: .seconds(1))
      if expected == .micFailure {
        #expect(world.end(world.central)?.reason == .micFailure)
      } else {
        let change = EncryptionChange(status: expected, handle: world.centralHandle, enabled: expected.isSuccess ? 1 : 0)
        #expect(world.events(world.central).contains(.encryptionChange(change)))
      }
    }
  }

  @Test func resetForgetsEverythingButTheAddress() {
    var world = World.ready()
    world.advertise()
    world.send(world.central, .leAddToFilterAcceptList(World.strap))
    world.initiate(list: true)
    world.send(world.central, .reset)
    world.send(world.peripheral, .reset)
    #expect(world.air.nextMoment == nil)
    world.initialise(world.central)
    world.initiate(list: true)
    // The accept list is empty again.
    #expect(world.lastStatus(world.central) == .commandDisallowed)
    world.send(world.peripheral, .leSetAdvertisingEnable(true))
    #expect(world.lastStatus(world.peripheral) == .success)
  }

  @Test func garbageFromAHostIsNotedAndRefused() {
    var world = World.ready()
    for bytes in [[], [0x01], [0x07, 0x00], [0x02, 0x40], [0x04, 0x10, 0x01, 0x00], [0x03, 0, 0, 0]] as [[UInt8]] {
      world.air.host(world.central, sends: bytes, at: world.air.now)
    }
    #expect(world.air.violations == 6)
    #expect(world.air.takeOutput().isEmpty)
  }

  /// Every command with every byte of its parameters corrupted: an answer or an event, never a
  /// crash.
  @Test func corruptCommandsNeverCrash() {
    var random = SplitMix(seed: 3)
    var world = World.linked(central: .extended, peripheral: .extended)
    for round in 0..<30_000 {
      let known = HCIOpcode.known
      let opcode = known[Int(random.next(below: UInt64(known.count)))].raw
      if opcode == HCIOpcode.reset.raw, round % 50 != 0 { continue }
      let count = Int(random.next(below: 40))
      var bytes: [UInt8] = [1, UInt8(truncatingIfNeeded: opcode), UInt8(opcode >> 8), UInt8(count)]
      for _ in 0..<count {
        bytes.append(UInt8(truncatingIfNeeded: random.next(below: 3) == 0 ? random.next() : random.next(below: 4)))
      }
      world.air.host(
        random.next(below: 2) == 0 ? world.central : world.peripheral, sends: bytes, at: world.air.now + .microseconds(300))
      if round % 100 == 0 {
        _ = world.air.takeOutput()
        _ = world.air.takeLog()
      }
    }
  }
}
