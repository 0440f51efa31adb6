import Exchange
import Packets
import Testing
import Vocabulary

@testable import Host

@Suite struct ControllerTests {
  @Test func rule05InitialisesWithSupportedCommandsOnly() {
    let bench = LinkBench()
    #expect(
      bench.opcodes == [
        .reset, .readLocalSupportedCommands, .readLocalSupportedFeatures, .readLocalVersion, .readAddress,
        .leReadLocalSupportedFeatures,
        .leReadBufferSize, .leReadFilterAcceptListSize, .setEventMask, .leSetEventMask,
      ])
    #expect(
      bench.facts == [
        .adapterReady(
          AdapterInfo(
            address: Address(bits: 0x00_1B_DC_0A_0B_0C, kind: .public), manufacturer: 0x05F1, version: 0x0C,
            filterAcceptListSize: 4,
            extended: false))
      ])
  }

  /// The most commands that any controller receives until a scan has begun.
  private static let mostCommands = 12

  @Test(arguments: [false, true], [false, true])
  func rule05AScanBeginsAfterFewCommands(isExtended: Bool, hasEverything: Bool) {
    var controller = ScriptedController(isExtended: isExtended)
    if hasEverything {
      controller.hasBufferSizeV2 = true
      controller.hasResolvingList = true
    }
    var bench = LinkBench(controller)
    bench.request(.scan(ScanRequest(duty: .gentle)))
    #expect(bench.host.arbiter.radio.scan != nil)
    #expect([.leSetScanEnable, .leSetExtendedScanEnable].contains(bench.opcodes.last))
    #expect(bench.commands.count <= Self.mostCommands, "\(bench.opcodes)")
  }

  @Test func rule05UsesTheSecondVersionOfTheBufferSize() {
    let bench = LinkBench(ScriptedController(hasBufferSizeV2: true))
    #expect(bench.opcodes.contains(.leReadBufferSizeV2))
    #expect(!bench.opcodes.contains(.leReadBufferSize))
  }

  @Test func rule05FallsBackToTheFirstVersionWhenTheSecondIsRefused() {
    let bench = LinkBench(
      ScriptedController(hasBufferSizeV2: true, refusals: [(.leReadBufferSizeV2, .unknownCommand, 1)]))
    #expect(bench.opcodes.contains(.leReadBufferSize))
    #expect(bench.host.facts.aclCount == 4)
  }

  @Test(arguments: [(0, 4), (27, 0), (0, 0)] as [(UInt16, UInt8)])
  func rule05TakesTheClassicBuffersWhenTheLESizeIsZero(_ size: (length: UInt16, count: UInt8)) {
    let bench = LinkBench(ScriptedController(aclLength: size.length, aclCount: size.count))
    #expect(bench.opcodes.contains(.readBufferSize))
    #expect(bench.host.facts.aclLength == 1021)
    #expect(bench.host.facts.aclCount == 8)
    #expect(bench.host.phase == .ready)
  }

  @Test func rule05AControllerWithoutBuffersIsRefused() {
    let bench = LinkBench(ScriptedController(aclLength: 0, aclCount: 0, classicLength: 0, classicCount: 0))
    #expect(bench.facts.count == 1)
    guard case .adapterLost(let failure) = bench.facts.first else {
      Issue.record("\(bench.facts)")
      return
    }
    #expect(failure.message == "the controller has no buffers for data")
    #expect(failure.kind == .adapter)
  }

  @Test func rule05TheEventMasksEnableUsedEvents() {
    let bench = LinkBench()
    #expect(bench.commands.contains(.setEventMask(0x2000_8000_0200_8890)))
    // connection parameter request and data length change: this controller supports both
    #expect(bench.commands.contains(.leSetEventMask(0x7F)))
    let extended = LinkBench(ScriptedController(isExtended: true))
    #expect(extended.commands.contains(.leSetEventMask(0x2_107F)))
  }

  @Test func withoutAPublicAddressItMakesAStaticOneFromTheSeed() {
    var bench = LinkBench(ScriptedController(publicAddress: nil))
    guard case .leSetRandomAddress(let bits) = bench.commands.last else {
      Issue.record("\(bench.commands)")
      return
    }
    #expect(Address(bits: bits, kind: .random).isStaticRandom)
    #expect(bench.host.facts.info.address == Address(bits: bits, kind: .random))
    let again = LinkBench(ScriptedController(publicAddress: nil))
    #expect(again.commands.last == .leSetRandomAddress(bits))
    var other = LinkBench(ScriptedController(publicAddress: nil), start: false)
    other.input(.started(seed: 8))
    #expect(other.commands.last != .leSetRandomAddress(bits))
    bench.request(.scan(ScanRequest(duty: .full)))
    #expect(
      bench.commands.contains(
        .leSetScanParameters(ScanParameters(active: true, interval: 0x60, window: 0x60, ownAddressType: .random))))
  }

  /// The address that bonded devices know is used by an adapter without an own one, and by any
  /// adapter that is configured to use it. The bond store is not asked otherwise.
  @Test(arguments: [nil, 0x00_1B_DC_01_02_03] as [UInt64?], [HostConfiguration.OwnAddress.automatic, .stored])
  func theStoredAddressIsTaken(publicAddress: UInt64?, own: HostConfiguration.OwnAddress) {
    let stored = Address(bits: 0xC0_00_00_00_00_43, kind: .random)
    var bench = LinkBench(
      ScriptedController(publicAddress: publicAddress), HostConfiguration(ownAddress: own), start: false)
    bench.stored = stored
    bench.input(.started(seed: 7))
    let isTaken = publicAddress == nil || own == .stored
    #expect((bench.host.facts.info.address == stored) == isTaken)
    #expect(bench.commands.contains(.leSetRandomAddress(stored.bits)) == isTaken)
  }

  @Test func aConfiguredStaticAddressReplacesThePublicOne() {
    let bench = LinkBench(ScriptedController(), HostConfiguration(ownAddress: .staticRandom(0xC0_00_00_00_00_42)))
    #expect(bench.commands.last == .leSetRandomAddress(0xC0_00_00_00_00_42))
    #expect(bench.host.facts.address == Address(bits: 0xC0_00_00_00_00_42, kind: .random))
  }

  @Test func noMoreThanTwelveCommandsFromOpenToScanning() {
    var bench = LinkBench()
    bench.request(.scan(ScanRequest(duty: .full)))
    #expect(bench.opcodes.last == .leSetScanEnable)
    #expect(bench.commands.count == 12)
  }

  @Test func rule06LegacyAndExtendedCommandsAreNeverMixed() {
    for isExtended in [false, true] {
      var bench = LinkBench(ScriptedController(isExtended: isExtended))
      let scan = bench.request(.scan(ScanRequest(duty: .full)))
      bench.request(.advertise(AdvertisingPlan(services: [UUID(0x180D)], name: "strap")))
      bench.request(.cancel(scan))
      bench.request(.stopAdvertising)
      bench.connect()
      let legacy: ClosedRange<UInt16> = 0x2006...0x200D
      let extended: ClosedRange<UInt16> = 0x2036...0x2043
      #expect(bench.opcodes.contains { legacy.contains($0.raw) } == !isExtended)
      #expect(bench.opcodes.contains { extended.contains($0.raw) } == isExtended)
    }
  }

  @Test func noCommandIsSentWhileTheControllerAllowsNone() {
    var bench = LinkBench()
    bench.controller.allowedPackets = 0
    bench.forget()
    bench.request(.scan(ScanRequest(duty: .full)))
    #expect(bench.opcodes == [.leSetScanParameters])
    bench.controller.allowedPackets = 1
    // Command Complete of opcode 0x0000 only grants credits
    bench.event(.commandComplete(CommandComplete(opcode: HCIOpcode(0), parameters: [])))
    #expect(bench.opcodes == [.leSetScanParameters, .leSetScanEnable])
  }

  @Test func unknownAndLateCompletionsAreSurvived() {
    var bench = LinkBench(ScriptedController(silent: [.leSetScanParameters]))
    bench.request(.scan(ScanRequest(duty: .full)))
    bench.event(.commandComplete(CommandComplete(opcode: .readRSSI, status: .success)))
    bench.event(.commandComplete(CommandComplete(opcode: HCIOpcode(0xFC01), parameters: [])))
    bench.event(.commandStatus(CommandStatus(status: .unknownCommand, opcode: .leRand)))
    bench.forget()
    bench.event(.commandComplete(CommandComplete(opcode: .leSetScanParameters, status: .success)))
    #expect(bench.opcodes == [.leSetScanEnable])
    bench.event(.commandComplete(CommandComplete(opcode: .leSetScanParameters, status: .success)))
    #expect(bench.opcodes == [.leSetScanEnable])
  }

  @Test func aRequestThatComesTwiceIsPerformedOnce() {
    var bench = LinkBench()
    bench.forget()
    let request = HostRequest(id: OperationID(77), command: .scan(ScanRequest(duty: .full)))
    bench.input(.request(request))
    bench.input(.request(request))
    #expect(bench.host.arbiter.scans.count == 1)
  }

  @Test func rule25OnlyTheLastPacketsAreKept() {
    var bench = LinkBench(ScriptedController(), HostConfiguration(keptPackets: 8))
    for _ in 0..<20 { bench.event(.leScanTimeout) }
    let records = bench.host.lastPackets
    #expect(records.count == 8)
    #expect(records.allSatisfy { !$0.isSent && $0.bytes == [0x04, 0x3E, 0x01, 0x11] })
    #expect(bench.host.ring.count > 20)
    bench.request(.scan(ScanRequest(duty: .full)))
    #expect(bench.host.lastPackets.last?.isSent == false)
    #expect(bench.host.lastPackets.filter(\.isSent).count == 2)
  }

  @Test func rule25KeysAreMasked() {
    let key = [UInt8](repeating: 0xAA, count: 16)
    let enable = HCIPacket.command(
      .leEnableEncryption(EnableEncryption(handle: ConnectionHandle(0x40), random: 0x0102, diversifier: 3, longTermKey: key)))
    let reply = HCIPacket.command(.leLongTermKeyRequestReply(ConnectionHandle(0x40), key: key))
    let encrypt = HCIPacket.command(.leEncrypt(key: key, plaintext: key))
    let smp = HCIPacket.acl(
      ACLPacket(
        handle: ConnectionHandle(0x40), boundary: .firstFlushable, data: L2CAPFrame(channel: 6, payload: [0x06] + key).encoded))
    // Both IRKs of the resolving list are secret.
    let listed = HCIPacket.command(.leAddToResolvingList(ResolvingListEntry(peer: LinkBench.strap, peerKey: key, localKey: key)))
    var redaction = PacketRedaction()
    #expect(redaction.redacted(listed.encoded, isSent: true).prefix(11) == listed.encoded.prefix(11))
    for packet in [enable, reply, encrypt, smp, listed] {
      let redacted = redaction.redacted(packet.encoded, isSent: true)
      #expect(redacted.count == packet.encoded.count)
      #expect(!redacted.contains(0xAA))
      #expect(redacted.prefix(4) == packet.encoded.prefix(4))
    }
    let harmless = HCIPacket.command(.reset).encoded
    #expect(redaction.redacted(harmless, isSent: true) == harmless)
  }
}
