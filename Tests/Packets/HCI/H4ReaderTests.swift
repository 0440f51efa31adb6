import Packets
import Testing
import Vocabulary

@Suite struct H4ReaderTests {
  @Test(arguments: [1, 2, 3, 7, 64, 100_000])
  func packetsComeOutWholeHoweverTheyArrive(pieces size: Int) throws {
    let stream = HCISamples.packets.flatMap(\.encoded)
    var reader = H4Reader()
    var packets: [HCIPacket] = []
    for start in stride(from: 0, to: stream.count, by: size) {
      reader.push(stream[start..<min(start + size, stream.count)])
      while let packet = try reader.nextPacket() { packets.append(packet) }
    }
    #expect(packets == HCISamples.packets)
    #expect(reader.pending == 0)
  }

  @Test func aFrameWaitsForItsLastOctet() throws {
    var reader = H4Reader()
    for octet in [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C] as [UInt8] {
      reader.push([octet])
      #expect(try reader.nextFrame() == nil)
    }
    #expect(reader.pending == 6)
    reader.push([0x00])
    #expect(try reader.nextFrame() == [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00])
  }

  @Test func garbageIsATypedErrorUntilResync() throws {
    var reader = H4Reader()
    reader.push([0x7F, 0x00])
    #expect(throws: H4Error.unknownType(0x7F)) { try reader.nextFrame() }
    #expect(throws: H4Error.unknownType(0x7F)) { try reader.nextFrame() }
    let early = reader.resync()
    #expect(!early)
    reader.push([0x04, 0x0E, 0x99, 0x04, 0x0E, 0x04, 0x05, 0x03])
    let partly = reader.resync()
    #expect(!partly)
    reader.push([0x0C, 0x00, 0x04, 0x10, 0x01, 0x07])
    let whole = reader.resync()
    #expect(whole)
    #expect(reader.discarded == 5)
    #expect(
      try reader.nextPacket() == .event(.commandComplete(CommandComplete(allowedPackets: 5, opcode: .reset, parameters: [0]))))
    #expect(try reader.nextPacket() == .event(.hardwareError(code: 7)))
  }

  @Test func aMalformedPacketDoesNotEndTheStream() throws {
    var reader = H4Reader()
    reader.push([0x04, 0x05, 0x01, 0x00, 0x04, 0x10, 0x01, 0x07])
    #expect(throws: H4Error.malformed([0x04, 0x05, 0x01, 0x00], .truncated(needed: 2, left: 0))) { try reader.nextPacket() }
    #expect(try reader.nextPacket() == .event(.hardwareError(code: 7)))
    #expect(try reader.nextPacket() == nil)
  }

  @Test func errorsShowTheOctets() {
    #expect(H4Error.unknownType(0x7F).description == "no HCI packet begins with 0x7f")
    #expect(
      H4Error.malformed([0x04, 0x05, 0x01, 0x00], .truncated(needed: 2, left: 0)).description
        == "2 more bytes needed, 0 left in HCI packet 04 05 01 00")
  }
}
