import Linux
import Recipe
import Runner
import Session
import Testing
import Vocabulary
import World

/// `request`: parameters of the link, requested again on every later connection.
@Suite struct RequestTests {
  private static let lamp = """
    peripheral lamp named "Lamp"
      advertise 0xFFF0 every 100ms
      service 0xFFF0
        characteristic 0xFFF1 can read starts as "light"
        characteristic 0xFFF2 can write
      end
      on write 0xFFF2: disconnect
    end

    """

  private static let recipe = """
    scan for "Lamp"
    connect when it appears
    request mtu 100
    request interval 30ms
    request interval 20ms
    read 0xFFF1 as value
    print "{value.text()} {device.mtu} {device.interval}"
    write "off" to 0xFFF2 when unsure skip
    wait for connect within 1min
    read 0xFFF1 as again
    print "{again.text()} {device.mtu} {device.interval}"

    """

  private func make(_ recipe: String) throws -> Fixture { try Fixture(recipe: recipe, devices: Self.lamp) }

  @Test func theNewestParametersHoldOnEveryLink() throws {
    let fixture = try make(Self.recipe)
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(5)) == .ended, "\(fixture.errors)")
    #expect(fixture.output == "light 100 20ms\nlight 100 20ms\n", "\(fixture.output)\(fixture.errors)")
  }

  @Test(arguments: ["request phy \"2M\"", "request phy \"coded\""]) func unsupportedRequestsFail(_ statement: String) throws {
    let fixture = try make("scan for \"Lamp\"\nconnect\n\(statement) otherwise print it.kind\nprint device.phy\n")
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(2)) == .ended)
    #expect(fixture.output == "adapter\n1M\n", "\(fixture.output)\(fixture.errors)")
  }

  @Test(arguments: ["request speed s", "request interval s", "request phy s"]) func invalidRequestsFail(_ statement: String) throws
  {
    let fixture = try make("let s = json(\"\\\"odder\\\"\")\nscan for \"Lamp\"\nconnect\n\(statement)\n")
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(2)) == .ended)
    #expect(fixture.errors.contains("not \"odder\""), "\(fixture.errors)")
  }

  /// Through a keeper, whose link outlives the run, and with a host of its own, killed once for
  /// each effect.
  @Test(arguments: [TestOptions.Kills.none, .kept(sample: nil), .direct(sample: nil)])
  func resultsAreTheSameThroughAKeeper(kills: TestOptions.Kills) throws {
    let playground = Playground()
    let path = "\(playground.path)/request.ble"
    let text =
      Self.lamp
        + """
        scan for "Lamp"
        connect
        request mtu 100
        request speed "slow"
        read 0xFFF1 as value
        print "{value.text()} {device.mtu} {device.interval}"
        test "a request"
          simulate lamp
          start recipe as r
          wait until r.finished within 5min
          expect r.exit_code is 0
          expect "light 100 125ms" in r.printed
        end

        """
    try saveFile(path, Array(text.utf8))
    let file = try TestFile(path: path)
    var options = TestOptions(seed: 1)
    options.kills = kills
    for test in file.tests {
      let verdict = try TestSweep(test, of: file, options).run()
      #expect(
        verdict.passed,
        "\(verdict.circumstance ?? "") \(String(describing: verdict.failure?.failure)) \(verdict.failure?.logs ?? [])")
    }
  }
}
