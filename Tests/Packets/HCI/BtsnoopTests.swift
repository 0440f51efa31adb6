import Packets
import Testing
import Vocabulary

@Suite struct BtsnoopTests {
  @Test func headerAndRecordAreThoseOfTheFormat() {
    // The format's own description gives 0x00E03AB44A676000 for 2000-01-01T00:00:00Z.
    let record = BtsnoopRecord(isSent: true, time: WallTime(nanoseconds: 946_684_800_000_000_000), packet: .command(.reset))
    #expect(Hex.text(BtsnoopHeader().encoded) == "62 74 73 6e 6f 6f 70 00 00 00 00 01 00 00 03 ea")
    #expect(
      Hex.text(record.encoded) == "00 00 00 04 00 00 00 04 00 00 00 02 00 00 00 00 00 e0 3a b4 4a 67 60 00 01 03 0c 00")
  }

  @Test(arguments: [
    (HCIPacket.command(.reset), true, 2 as UInt8), (.event(.leScanTimeout), false, 3),
    (.acl(ACLPacket(handle: ConnectionHandle(1), boundary: .continuing, data: [])), true, 0),
    (.acl(ACLPacket(handle: ConnectionHandle(1), boundary: .continuing, data: [])), false, 1),
  ])
  func flagsShowDirectionAndKind(_ packet: HCIPacket, isSent: Bool, flags: UInt8) {
    #expect(BtsnoopRecord(isSent: isSent, time: .simulationStart, packet: packet).encoded[11] == flags)
  }

  @Test func aFileIsReadBack() throws {
    let file = BtsnoopFile(
      records: HCISamples.packets.enumerated().map { index, packet in
        BtsnoopRecord(
          isSent: index % 2 == 0, time: .simulationStart + .microseconds(Int64(index)), bytes: packet.encoded)
      })
    #expect(try BtsnoopFile(encoded: file.encoded) == file)
  }

  @Test func filesOfAKilledWriterAreRecovered() throws {
    let record = BtsnoopRecord(isSent: true, time: .simulationStart, packet: .command(.reset))
    let whole = BtsnoopFile(records: [record, record]).encoded
    for cut in 1..<record.encoded.count {
      let (file, rest) = try BtsnoopFile.recover(Array(whole.dropLast(cut)))
      #expect(file.records == [record])
      #expect(rest == record.encoded.count - cut)
    }
    #expect(try BtsnoopFile.recover(whole).rest == 0)
  }

  @Test func unframedFilesGetTheirTypeOctet() throws {
    var bytes = BtsnoopHeader(datalink: .unframed).encoded
    for (flags, content) in [(2, [0x03, 0x0C, 0x00]), (3, [0x10, 0x01, 0x07]), (1, [0x01, 0x00, 0x00, 0x00])] as [(UInt8, [UInt8])]
    {
      bytes += [0, 0, 0, UInt8(content.count), 0, 0, 0, UInt8(content.count), 0, 0, 0, flags] + [UInt8](repeating: 0, count: 4)
      bytes += BtsnoopRecord(isSent: true, time: .simulationStart, bytes: []).encoded[16..<24] + content
    }
    let file = try BtsnoopFile(encoded: bytes)
    #expect(
      file.records.map(\.bytes) == [[1, 0x03, 0x0C, 0x00], [4, 0x10, 0x01, 0x07], [2, 0x01, 0x00, 0x00, 0x00]])
    #expect(file.records.map(\.isSent) == [true, false, false])
  }

  @Test func foreignFilesAreRefused() {
    #expect(throws: DecodeError.self) { try BtsnoopHeader(encoded: [UInt8](repeating: 0x41, count: 16)) }
    var version = BtsnoopHeader().encoded
    version[11] = 2
    #expect(throws: DecodeError.invalid("btsnoop version", 2)) { try BtsnoopHeader(encoded: version) }
    var datalink = BtsnoopHeader().encoded
    datalink[15] = 0xEB
    #expect(throws: DecodeError.invalid("btsnoop datalink", 1003)) { try BtsnoopHeader(encoded: datalink) }
    var record = BtsnoopRecord(isSent: true, time: .simulationStart, bytes: []).encoded
    record[16] = 0x7F
    #expect(throws: DecodeError.self) { try BtsnoopRecord(encoded: record) }
  }
}
