import Packets
import Testing
import Vocabulary

/// The stream of a controller, split into packets and resynchronised.
@Suite struct H4FramerTests {
  private static let event: [UInt8] = [0x04, 0x3E, 0x02, 0x01, 0x02]
  private static let resetAnswer: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]

  private static func items(_ framer: inout H4Framer) -> [H4Framer.Item] {
    var items: [H4Framer.Item] = []
    while let item = framer.next() { items.append(item) }
    return items
  }

  @Test func packetsComeWholeAtEveryCut() {
    let bytes = Self.event + Self.resetAnswer
    for cut in 0...bytes.count {
      var framer = H4Framer(isFromController: true)
      framer.push(bytes[..<cut], at: .zero)
      var items = Self.items(&framer)
      framer.push(bytes[cut...], at: .zero)
      items += Self.items(&framer)
      #expect(items == [.packet(Self.event), .packet(Self.resetAnswer)])
      #expect(framer.pending == 0 && framer.halfPacketDue == nil)
    }
  }

  @Test func resynchronisingDiscardsUpToTheResetAnswer() {
    var framer = H4Framer(isFromController: true)
    framer.push(([0xFF] + Self.event + Self.resetAnswer + Self.event)[...], at: .zero)
    #expect(
      Self.items(&framer) == [
        .fault(.outOfStep([0xFF])), .fault(.backInStep(dropped: 6)), .packet(Self.resetAnswer), .packet(Self.event),
      ])
  }

  @Test func aFramerThatDistrustsWaitsForTheAnswerToReset() throws {
    var framer = H4Framer(isFromController: true, isOutOfStep: true)
    #expect(framer.answerDue == nil)
    framer.push(Self.event[...], at: .zero)
    #expect(Self.items(&framer) == [])
    #expect(framer.answerDue == Moment.zero + H4Framer.patience && framer.halfPacketDue == nil)
    #expect(framer.giveUp() == .noAnswer(count: Self.event.count))
    // reported once
    #expect(framer.answerDue == nil)
    // all of it is in its bytes
    #expect(try H4Framer(encoded: framer.encoded).encoded == framer.encoded)
  }

  @Test func anIncompletePacketTimesOut() {
    var framer = H4Framer(isFromController: true)
    framer.push(Self.event[..<4], at: .zero)
    #expect(Self.items(&framer) == [])
    #expect(framer.halfPacketDue == Moment.zero + H4Framer.patience)
    #expect(framer.giveUp() == .halfPacket(count: 4, of: 5))
    framer.push(Self.event[...], at: .zero)
    #expect(Self.items(&framer) == [.packet(Self.event)])
  }
}
