import Packets
import Runner
import Session
import Simulator
import Testing
import Vocabulary

@testable import World

/// The air's log marks encrypted frames, which shows what two of our hosts send unencrypted.
@Suite struct EncryptedAirTests {
  private static let lamp = """
    peripheral lamp named "Lamp"
      passkey "042137"
      advertise 0xFFF0 every 100ms
      let count = 0
      service 0xFFF0
        characteristic 0xFFF1 can read, write, notify needs encryption starts as "secret light"
        characteristic 0xFFF2 can read needs authentication starts as "locked light"
      end
      every 100ms
        set count to count + 1
        notify 0xFFF1 with "secret {count}"
      end
    end

    """

  /// Pairs without authentication, uses the bond twice, and upgrades it on the third link.
  private static let recipe = """
    use pairing automatic
    scan for "Lamp" as lamp
    connect to lamp
    read 0xFFF1 as value
    disconnect
    wait 1s
    connect to lamp
    subscribe to 0xFFF1
    wait for notify 0xFFF1 within 1min
    disconnect
    wait 1s
    repeat 1 times
      on passkey request: answer "042137"
      connect to lamp
      read 0xFFF2 as value
      print value.text()
    end

    """

  private func played() throws -> [AirRecord] {
    let fixture = try Fixture(recipe: Self.recipe, devices: Self.lamp)
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(5)) == .ended, "\(fixture.errors)")
    #expect(fixture.output == "locked light\n", "\(fixture.errors)")
    return fixture.world.air.takeLog()
  }

  @Test func protectedValuesAreNeverSentUnencrypted() throws {
    let log = try played()
    let frames = log.filter { $0.kind == .acl && $0.delivered == true }
    let words = [Array("secret".utf8), Array("locked".utf8)]
    func holds(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
      bytes.indices.contains { bytes[$0...].starts(with: part) }
    }
    var values = 0
    for frame in frames {
      let bytes = frame.bytes ?? []
      if words.contains(where: { holds(bytes, $0) }) {
        values += 1
        #expect(frame.encryption != nil, "\(frame.line)")
      }
      // keys of a bond, and nothing else from the first two phases of a pairing
      if frame.channel == 6, let code = bytes.first, (0x06...0x0A).contains(code) {
        #expect(frame.encryption != nil, "\(frame.line)")
      }
    }
    #expect(values >= 3)
    // the key of a new pairing differs from that of the link on which it is made
    let links = Set(frames.compactMap(\.link)).sorted()
    #expect(links.count == 3)
    func encryptions(_ link: Int) -> [Int] { log.filter { $0.kind == .encryption && $0.link == link }.compactMap(\.encryption) }
    #expect(encryptions(links[0]) == [1] && encryptions(links[1]) == [1] && encryptions(links[2]) == [1, 2], "\(links)")
    #expect(frames.contains { $0.link == links[2] && $0.encryption == 2 && $0.channel == 6 })
  }

  /// On a link to a bonded device only the MTU is exchanged before encryption.
  @Test func aBondedLinkIsSilentBeforeItIsEncrypted() throws {
    let frames = try played().filter { $0.kind == .acl }
    let links = Set(frames.compactMap(\.link)).sorted()
    for link in links.dropFirst() {
      let clear = frames.filter { $0.link == link && $0.encryption == nil && $0.channel == 4 }.compactMap(\.bytes?.first)
      #expect(Set(clear).isSubset(of: [0x02, 0x03]), "\(clear)")
      #expect(!frames.contains { $0.link == link && $0.encryption == nil && $0.channel == 6 && $0.bytes?.first != 0x0B })
    }
  }

  @Test func logLinesNameTheEncryption() {
    let record = AirRecord(time: .zero, kind: .acl, link: 1, channel: 4, bytes: [0x13], encryption: 2, delivered: true)
    #expect(record.line == #"{"t":0.000000000,"kind":"acl","link":1,"cid":4,"bytes":"13","enc":2,"delivered":true}"#)
  }
}
