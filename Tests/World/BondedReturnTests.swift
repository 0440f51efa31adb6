import Packets
import Runner
import Session
import Simulator
import Testing
import Vocabulary

@testable import World

/// A bonded device that returns after the run was killed: its first value needs no request.
@Suite struct BondedReturnTests {
  private static let lamp = """
    peripheral lamp named "Lamp"
      advertise 0xFFF0 every 100ms
      let count = 0
      service 0xFFF0
        characteristic 0xFFF1 can notify needs encryption
      end
      every 100ms
        set count to count + 1
        notify 0xFFF1 with "{count}"
      end
    end

    """

  private static let watching = """
    use pairing automatic
    scan for "Lamp" as lamp
    connect to lamp
    subscribe to 0xFFF1
    on notify 0xFFF1 as value: print value.text()
    reconnect forever

    """

  /// The requests of the run up to the first value, except the MTU exchange.
  private static func requests(_ records: [AirRecord]) -> [UInt8] {
    let opcodes = records.compactMap { $0.kind == .acl && $0.channel == 4 ? $0.bytes?.first : nil }
    return opcodes.prefix { $0 != ATTOpcode.handleValueNotification }
      .filter { $0.isMultiple(of: 2) && $0 != ATTOpcode.exchangeMTURequest }
  }

  private func goAway(_ fixture: Fixture, for span: TimeSpan) throws {
    let lamp = try #require(fixture.world.air.controller(of: "lamp"))
    let moment = fixture.world.now.moment
    fixture.world.air.make { $0.vanish(lamp, at: moment) }
    fixture.world.wait(span)
    let later = fixture.world.now.moment
    fixture.world.air.make { $0.appear(lamp, at: later) }
  }

  /// The link was made, so the failure does not ask whether the device is near.
  @Test(arguments: ["30s", "10s"]) func aLinkThatIsNotEncryptedSaysSo(limit: String) throws {
    let fixture = try Fixture(
      recipe: """
        scan for "Lamp" as lamp
        connect to lamp
        pair
        disconnect
        wait 1min
        connect to lamp\(limit == "30s" ? "" : " within \(limit)")

        """, devices: Self.lamp)
    try fixture.start()
    _ = fixture.world.run(for: .seconds(30))
    let lamp = try #require(fixture.world.air.controller(of: "lamp"))
    let moment = fixture.world.now.moment
    fixture.world.air.make { $0.disturbEncryption(lamp, .keyRequestLost, at: moment) }
    #expect(fixture.world.run(for: .minutes(3)) == .ended, "\(fixture.errors)")
    #expect(fixture.world.session?.exitStatus.code == 6, "\(fixture.errors)")
    #expect(fixture.errors.contains("its bond did not encrypt it within \(limit)"), "\(fixture.errors)")
    #expect(fixture.errors.contains("`tooth forget") && !fixture.errors.contains("did not answer"), "\(fixture.errors)")
  }

  @Test func afterAKillTheFirstValueNeedsNoRequest() throws {
    let fixture = try Fixture(recipe: Self.watching, devices: Self.lamp)
    try fixture.start()
    _ = fixture.world.run(for: .seconds(20))
    #expect(!fixture.output.isEmpty, "\(fixture.errors)")
    fixture.world.drop()
    try goAway(fixture, for: .minutes(1))
    _ = fixture.world.air.takeLog()
    let before = fixture.output
    try fixture.start()
    _ = fixture.world.run(for: .seconds(20))
    let log = fixture.world.air.takeLog()
    #expect(fixture.output.utf8.count > before.utf8.count, "\(fixture.errors)")
    #expect(Self.requests(log) == [], "\(fixture.errors)")
    // none of it unencrypted
    let pairings = log.filter { $0.channel == 6 }
    #expect(pairings.isEmpty, "\(pairings.map(\.line))")
  }
}
