import Linux
import Recipe
import Testing
import Vocabulary
import World

/// `on services`: a device says that its attributes have changed.
@Suite struct ServicesEventTests {
  private static let text = """
    peripheral lamp named "Lamp"
      advertise 0xFFF0 every 100ms
      service 0xFFF0
        characteristic 0xFFF1 can read, notify starts as "light"
      end
    end
    let n = 0
    let other = C4:7C:8D:6A:12:0F
    scan for "Lamp" as lamp
    connect to lamp when it appears
    subscribe to 0xFFF1
    on services as d
      set n to n + 1
      read 0xFFF1 as v
      print "{d.name} {device.name} {n} {v.text()}"
    end
    on services of other: print "another device"
    wait for services within 1min as w
    print "waited for {w.name}"
    wait until n is 1
    wait 5s
    expect n is 1
    test "a change of its attributes is told once"
      simulate lamp
      start recipe as r
      wait until count(lamp.subscribers) is 1 within 1min
      wait 2s
      make lamp change services
      wait until r.finished within 5min
      expect r.exit_code is 0
      expect "Lamp Lamp 1 light" in r.printed
      expect "waited for Lamp" in r.printed
      expect not "another device" in r.printed
      expect count(r.printed) is 2
    end

    """

  /// Directly, and with links that outlive the run: killed once for each effect.
  @Test(arguments: [TestOptions.Kills.none, .kept(sample: nil)]) func aChangeIsToldOnce(kills: TestOptions.Kills) throws {
    let playground = Playground()
    let path = "\(playground.path)/services.ble"
    try saveFile(path, Array(Self.text.utf8))
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
