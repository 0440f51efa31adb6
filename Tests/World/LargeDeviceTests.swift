import Packets
import Testing
import Vocabulary

/// A device with hundreds of attributes answers each request at once.
@Suite struct LargeDeviceTests {
  private static let device =
    "peripheral big named \"Big\"\n  advertise heart_rate every 30ms\n"
    + (0..<30).map { service in
      "  service 0xA0\(10 + service)\n"
        + (0..<6).map { "    characteristic 0xB\(10 + service)\($0) can read, notify starts as u8(\($0))\n" }.joined() + "  end\n"
    }.joined() + "end\n"

  private static let start = "scan for heart_rate\nconnect\n"

  /// The default limit is for an answer, not for the whole discovery.
  @Test func discoveryMayTakeLongerThanOneAnswer() throws {
    let fixture = try Fixture(
      recipe: Self.start + "let before = now()\ndiscover everything\n"
        + "print \"{count(device.services)} {now() - before > 11s}\"\n", devices: Self.device)
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(2)) == .ended)
    // Two services are those of every device.
    #expect(fixture.output == "32 true\n", "\(fixture.errors)")
  }

  /// A limit of the recipe still holds, and so does the default for a device that falls silent.
  @Test(arguments: ["discover everything within 5s", "discover everything"]) func theLimitStillHolds(statement: String) throws {
    let fixture = try Fixture(
      recipe: Self.start + "let before = now()\n\(statement) otherwise print \"{it.kind} {(now() - before).seconds}\"\n",
      devices: Self.device)
    try fixture.start()
    if statement.hasSuffix("everything") {
      _ = fixture.world.run(for: .seconds(4))
      let big = try #require(fixture.world.air.controller(of: "big"))
      fixture.world.air.make { $0.loseNextReply(big, opcode: ATTOpcode.findInformationResponse, then: .silence, at: $0.now) }
    }
    #expect(fixture.world.run(for: .minutes(2)) == .ended)
    #expect(fixture.output.hasPrefix("timeout "), "\(fixture.output) \(fixture.errors)")
  }
}
