import Packets
import Session
import Testing
import Vocabulary

/// What a process finds in its socket after it had no CPU time for a while.
@Suite struct BurstTests {
  private static let strap = """
    peripheral strap named "Strap 7"
      advertise heart_rate every 100ms
      service heart_rate
        characteristic heart_rate_measurement can notify
      end
    end

    """

  private static let count = """
    let expected = 1
    let wrong = 0
    on notify heart_rate_measurement as beat
      if beat.bpm is not expected: set wrong to wrong + 1
      set expected to beat.bpm + 1
    end
    scan for heart_rate
    connect
    subscribe to heart_rate_measurement
    wait until expected > 20000 within 60s
    print "{expected - 1} {wrong}"

    """

  @Test func aFastHandlerLosesNothingOfABurst() throws {
    let fixture = try Fixture(recipe: Self.count, devices: Self.strap)
    var link: [UInt8] = []
    try fixture.start { point in
      // The connection handle of any data that the host sends.
      if case .packet(let bytes) = point.kind, bytes.first == 2, bytes.count > 3 { link = [bytes[1], bytes[2] & 0x0F | 0x20] }
      return .goOn
    }
    #expect(fixture.world.run(for: .seconds(5)) == .timeUp)
    let session = try #require(fixture.world.session)
    try #require(link.count == 2)
    let packets = (1...20_000).map { number -> [UInt8] in
      // Handle Value Notification of 0x0010: flags for a two-byte rate, and the rate.
      let pdu: [UInt8] = [0x1B, 0x10, 0x00, 0x01, UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
      return [2] + link + [UInt8(pdu.count + 4), 0, UInt8(pdu.count), 0, 4, 0] + pdu
    }
    try #require(session.host as? LocalHost).inject(packets)
    _ = session.receive(at: fixture.world.now)
    #expect(fixture.world.run(for: .seconds(5)) == .ended)
    #expect(fixture.output == "20000 0\n", "\(fixture.errors)")
  }

  /// A long computation, in `on stop`, too, is stopped in time only if the clock is checked between
  /// its turns.
  @Test func aLongComputationTakesManyRounds() throws {
    let text = "let n = 0\nafter 1s\n  repeat 900000 times: set n to n + 1\n  print n\nend\nwait forever\n"
    let fixture = try Fixture(recipe: text, devices: Self.strap)
    try fixture.start { _ in .goOn }
    #expect(fixture.world.run(for: .milliseconds(500)) == .timeUp)
    let session = try #require(fixture.world.session)
    session.wake(at: fixture.world.now + .seconds(1))
    #expect(session.hasMore)
    #expect(fixture.output == "")
    #expect(fixture.world.run(for: .seconds(2)) == .timeUp)
    #expect(fixture.output == "900000\n", "\(fixture.errors)")
  }
}
