import Packets
import Testing
import Vocabulary

/// The kernel's management interface, with bytes from BlueZ's doc/mgmt-api.txt.
@Suite struct ManagementTests {
  static let info = ControllerInfo(
    address: Address(bits: 0x00AA_0100_0042, kind: .public), version: 9, manufacturer: 0x05F1,
    supported: [.powered, .lowEnergy, .classic], current: [.powered, .lowEnergy], deviceClass: 0x0C010C, name: "guest",
    shortName: "g")

  @Test func packetsKeepTheLaws() {
    keepsTheLaws(ManagementCommand.setPowered(1, false))
    keepsTheLaws(ManagementCommand(.readIndexList))
    keepsTheLaws(ManagementEvent.commandComplete(.readIndexList, index: 0xFFFF, .success, [1, 0, 0, 0]))
    keepsTheLaws(ManagementEvent.commandStatus(.setPowered, index: 0, .permissionDenied))
    keepsTheLaws(ManagementEvent.indexAdded(3))
    keepsTheLaws(ManagementEvent.indexRemoved(3))
    keepsTheLaws(ManagementEvent.newSettings(0, [.powered, .lowEnergy]))
    keepsTheLaws(ManagementEvent.unknown(code: 0x0017, index: 1, [1, 2, 3]))
    keepsTheLaws(Self.info)
    keepsTheLaws(ControllerIndexes([0, 2]))
    keepsTheLaws(
      ControllerConnections([
        .init(address: Address(bits: 0xC47C_8D6A_120F, kind: .random)), .init(address: Address(bits: 1, kind: .public)),
        .init(address: Address(bits: 2, kind: .public), isClassic: true),
      ]))
  }

  @Test func commandsHaveTheOctetsOfTheDocument() {
    #expect(ManagementCommand.setPowered(2, true).encoded == [0x05, 0x00, 0x02, 0x00, 0x01, 0x00, 0x01])
    #expect(ManagementCommand(.readIndexList).encoded == [0x03, 0x00, 0xFF, 0xFF, 0x00, 0x00])
    #expect(ManagementCommand(.getConnections, index: 0).encoded == [0x15, 0x00, 0x00, 0x00, 0x00, 0x00])
  }

  @Test func theKernelsAnswersAreRead() throws {
    #expect(
      try ManagementEvent(encoded: [0x01, 0x00, 0xFF, 0xFF, 0x07, 0x00, 0x03, 0x00, 0x00, 0x01, 0x00, 0x01, 0x00])
        == .commandComplete(.readIndexList, index: 0xFFFF, .success, [1, 0, 1, 0]))
    #expect(
      try ManagementEvent(encoded: [0x02, 0x00, 0x00, 0x00, 0x03, 0x00, 0x05, 0x00, 0x14])
        == .commandStatus(.setPowered, index: 0, .permissionDenied))
    #expect(Self.info.encoded.count == 280)
  }

  @Test func anAnswerWithoutRoomForItsStatusIsRefused() {
    #expect(throws: DecodeError.self) { try ManagementEvent(encoded: [0x01, 0, 0, 0, 2, 0, 3, 0]) }
    #expect(throws: DecodeError.self) { try ManagementEvent(encoded: [0x02, 0, 0, 0, 4, 0, 3, 0, 0, 0]) }
  }

  @Test func anUnterminatedNameIsReadWhole() throws {
    var bytes = Self.info.encoded
    for index in bytes.indices.suffix(260) { bytes[index] = 0x41 }
    let read = try ControllerInfo(encoded: bytes)
    #expect(read.name.utf8.count == 249 && read.shortName.utf8.count == 11)
  }

  @Test func statusesHaveNames() {
    #expect("\(ManagementStatus.permissionDenied)" == "permission denied")
    #expect("\(ManagementStatus.blocked)" == "blocked by rfkill")
    #expect("\(ManagementStatus(rawValue: 0x77))" == "status 0x77")
  }
}
