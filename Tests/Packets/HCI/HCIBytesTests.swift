import Packets
import Testing
import Vocabulary

/// Bytes typed from the tables of Vol 4, Part E.
@Suite struct HCIBytesTests {
  @Test(arguments: [
    (HCIPacket.command(.reset), "01 03 0c 00"),
    (.command(.disconnect(ConnectionHandle(0x40), reason: .remoteUserTerminated)), "01 06 04 03 40 00 13"),
    (
      .command(.leSetScanParameters(ScanParameters(active: true, interval: 0x10, window: 0x10))),
      "01 0b 20 07 01 10 00 10 00 00 00"
    ),
    (.command(.leSetScanEnable(true, filterDuplicates: true)), "01 0c 20 02 01 01"),
    (
      .command(
        .leCreateConnection(
          CreateConnection(
            scanInterval: 0x60, scanWindow: 0x30, useFilterAcceptList: false,
            peer: Address(bits: 0xC47C_8D6A_120F, kind: .random), ownAddressType: .public,
            connection: ConnectionParameters(intervalMinimum: 0x18, intervalMaximum: 0x28, supervisionTimeout: 0x2A)))),
      "01 0d 20 19 60 00 30 00 00 01 0f 12 6a 8d 7c c4 00 18 00 28 00 00 00 2a 00 00 00 00 00"
    ),
    (
      .command(.leAddToFilterAcceptList(Address(bits: 0xC47C_8D6A_120F, kind: .random))),
      "01 11 20 07 01 0f 12 6a 8d 7c c4"
    ),
    (
      .command(
        .leAddToResolvingList(
          ResolvingListEntry(
            peer: Address(bits: 0xC47C_8D6A_120F, kind: .random), peerKey: Array(0x10...0x1F), localKey: Array(0x20...0x2F)))),
      "01 27 20 27 01 0f 12 6a 8d 7c c4 10 11 12 13 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f "
        + "20 21 22 23 24 25 26 27 28 29 2a 2b 2c 2d 2e 2f"
    ),
    (
      .command(.leRemoveFromResolvingList(Address(bits: 0x001B_DC0A_0B0C, kind: .public))),
      "01 28 20 07 00 0c 0b 0a dc 1b 00"
    ),
    (.command(.leClearResolvingList), "01 29 20 00"), (.command(.leReadResolvingListSize), "01 2a 20 00"),
    (
      .command(.leReadPeerResolvableAddress(Address(bits: 0xC47C_8D6A_120F, kind: .random))),
      "01 2b 20 07 01 0f 12 6a 8d 7c c4"
    ),
    (
      .command(.leReadLocalResolvableAddress(Address(bits: 0xC47C_8D6A_120F, kind: .random))),
      "01 2c 20 07 01 0f 12 6a 8d 7c c4"
    ),
    (.command(.leSetAddressResolutionEnable(true)), "01 2d 20 01 01"),
    (.command(.leSetResolvableAddressTimeout(900)), "01 2e 20 02 84 03"),
    (
      .command(.leSetPrivacyMode(Address(bits: 0xC47C_8D6A_120F, kind: .random), .device)),
      "01 4e 20 08 01 0f 12 6a 8d 7c c4 01"
    ),
    (
      .event(
        .leEnhancedConnectionComplete(
          EnhancedConnectionComplete(
            connection: ConnectionComplete(
              status: .success, handle: ConnectionHandle(0x40), role: .central,
              peer: Address(bits: 0xC47C_8D6A_120F, kind: .random), isIdentity: true, interval: 0x18, latency: 0,
              supervisionTimeout: 0x2A, clockAccuracy: 5), localPrivateAddress: 0, peerPrivateAddress: 0x4123_4567_89AB))),
      "04 3e 1f 0a 00 40 00 00 03 0f 12 6a 8d 7c c4 00 00 00 00 00 00 ab 89 67 45 23 41 18 00 00 00 2a 00 05"
    ),
    (.event(.commandComplete(CommandComplete(opcode: .reset, status: .success))), "04 0e 04 01 03 0c 00"),
    (
      .event(.commandStatus(CommandStatus(status: .commandDisallowed, opcode: .leCreateConnection))),
      "04 0f 04 0c 01 0d 20"
    ),
    (
      .event(
        .disconnectionComplete(
          DisconnectionComplete(status: .success, handle: ConnectionHandle(0x40), reason: .establishmentFailed))),
      "04 05 04 00 40 00 3e"
    ),
    (
      .event(
        .leConnectionComplete(
          ConnectionComplete(
            status: .success, handle: ConnectionHandle(0x40), role: .central,
            peer: Address(bits: 0xC47C_8D6A_120F, kind: .random), interval: 0x18, latency: 0, supervisionTimeout: 0x2A,
            clockAccuracy: 5))),
      "04 3e 13 01 00 40 00 00 01 0f 12 6a 8d 7c c4 18 00 00 00 2a 00 05"
    ),
    (
      .event(
        .leAdvertisingReport([
          AdvertisingReport(
            kind: .connectableUndirected, address: Address(bits: 0xC47C_8D6A_120F, kind: .random), data: [2, 1, 6], rssi: -60)
        ])),
      "04 3e 0f 02 01 00 01 0f 12 6a 8d 7c c4 03 02 01 06 c4"
    ),
    (.event(.numberOfCompletedPackets([CompletedPackets(handle: ConnectionHandle(0x40), count: 1)])), "04 13 05 01 40 00 01 00"),
    (
      .acl(ACLPacket(handle: ConnectionHandle(0x40), boundary: .firstFlushable, data: [3, 0, 4, 0, 0x0A, 3, 0])),
      "02 40 20 07 00 03 00 04 00 0a 03 00"
    ),
  ])
  func bytesAreThoseOfTheSpecification(_ packet: HCIPacket, _ text: String) throws {
    #expect(Hex.text(packet.encoded) == text)
    #expect(try HCIPacket(encoded: Hex.bytes(text) ?? []) == packet)
  }

  @Test func aFailedCommandMayReturnTheStatusAlone() throws {
    let complete = CommandComplete(opcode: .leReadBufferSize, parameters: [0x01])
    #expect(complete.status == .unknownCommand)
    #expect(throws: DecodeError.self) { try complete.returned(LEReadBufferSize.self) }
  }

  @Test func returnParametersOfALaterVersionAreRead() throws {
    let complete = CommandComplete(opcode: .leReadBufferSize, parameters: [0x00, 0xFB, 0x00, 0x04, 0x99, 0x99])
    #expect(try complete.returned(LEReadBufferSize.self) == LEReadBufferSize(aclLength: 251, aclCount: 4))
  }

  @Test func aCommandCompleteForNoCommandHasNoStatus() {
    #expect(CommandComplete(opcode: HCIOpcode(0), parameters: []).status == nil)
  }

  @Test func statusesAreShownByNumberAndName() {
    #expect(HCIStatus.connectionTimeout.description == "Connection Timeout (0x08)")
    #expect(HCIStatus.establishmentFailed.description == "Connection Failed to be Established (0x3e)")
    #expect(HCIStatus.operationCancelled.description == "Operation Cancelled by Host (0x44)")
    #expect(HCIStatus(0x2B).name == "Reserved")
    #expect(HCIStatus(0xFF).name == "Reserved")
  }

  @Test func opcodesAreShownByNumberAndName() {
    #expect(HCIOpcode.leCreateConnection.description == "LE Create Connection (0x200d)")
    #expect(HCIOpcode(0xFC01).description == "HCI command 0xfc01")
    #expect(HCIOpcode(0xFC01).group == 0x3F)
  }

  @Test func everyCommandHasItsOwnBitInTheMask() {
    var seen: [Int] = []
    for opcode in HCIOpcode.known {
      guard let bit = opcode.supportBit else {
        Issue.record("\(opcode) has no bit")
        continue
      }
      #expect(!seen.contains(bit.octet * 8 + bit.bit), "\(opcode)")
      seen.append(bit.octet * 8 + bit.bit)
    }
    #expect(HCIOpcode.known == HCIOpcode.known.sorted())
    #expect(HCIOpcode.known.count >= 58)
    let mask = SupportedCommands([.leReadBufferSizeV2])
    #expect(mask.mask[41] == 0x20)
    #expect(mask.supports(.leReadBufferSizeV2))
    #expect(!mask.supports(.leReadBufferSize))
    #expect(!mask.supports(HCIOpcode(0xFC01)))
  }

  @Test func everySampleCommandIsInTheTable() {
    for command in HCISamples.commands {
      if case .unknown = command { continue }
      #expect(command.opcode.name != nil, "\(command)")
    }
  }

  @Test(arguments: [
    // own address type 4, advertising type 5, filter policy 4, scan window missing, boolean 2,
    // address type 2, no PHY
    "06 20 0f 20 00 20 00 00 04 00 00 00 00 00 00 00 07 00", "06 20 0f 20 00 20 00 05 00 00 00 00 00 00 00 00 07 00",
    "06 20 0f 20 00 20 00 00 00 00 00 00 00 00 00 00 07 04", "0b 20 05 01 10 00 10 00", "0a 20 01 02",
    "11 20 07 02 00 00 00 00 00 00", "41 20 03 00 00 00", "08 20 20 20" + String(repeating: " 00", count: 31),
  ])
  func wrongFieldsOfCommandsAreRefused(_ text: String) {
    #expect(throws: DecodeError.self) { try HCICommand(encoded: Hex.bytes(text) ?? []) }
  }

  @Test func aLegacyReportOfMoreThan31OctetsIsRefused() throws {
    let octets: [UInt8] = [0x3E, 0x2C, 0x02, 0x01, 0x00, 0x01, 0x0F, 0x12, 0x6A, 0x8D, 0x7C, 0xC4]
    let longest = [0x04] + [0x3E, 0x2B] + octets[2...] + [31] + [UInt8](repeating: 1, count: 31) + [0xC4]
    guard case .event(.leAdvertisingReport(let reports), _) = try HCIPacket(encoded: longest) else {
      Issue.record("no report")
      return
    }
    #expect(reports.first?.data.count == 31)
    #expect(throws: DecodeError.invalid("length of advertising data", 32)) {
      try HCIPacket(encoded: [0x04] + octets + [32] + [UInt8](repeating: 1, count: 32) + [0xC4])
    }
  }

  @Test func oversizedDataAreTruncated() {
    let long = [UInt8](repeating: 1, count: 70_000)
    #expect(HCICommand.leSetAdvertisingData(long).encoded.count == 3 + 32)
    #expect(HCICommand.unknown(HCIOpcode(0xFC01), long).encoded.count == 3 + 255)
    #expect(HCIEvent.unknown(code: 0xFF, long).encoded.count == 2 + 255)
    #expect(ACLPacket(handle: ConnectionHandle(1), boundary: .complete, data: long).encoded.count == 4 + 65_535)
    let reports = [AdvertisingReport](
      repeating: AdvertisingReport(kind: .scanResponse, address: HCISamples.address, data: long, rssi: 0), count: 300)
    #expect(HCIEvent.leAdvertisingReport(reports).encoded.count == 2 + 255)
  }
}
