import Linux
import Recipe
import Testing
import Vocabulary
import World

/// `on services`: a device reports that its attributes have changed.
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
    let own = C4:7C:8D:6A:12:10
    scan for "Lamp" as lamp
    connect to lamp when it appears
    subscribe to 0xFFF1
    on services as d
      set n to n + 1
      read 0xFFF1 as v
      print "{d.name} {device.name} {n} {v.text()}"
    end
    on services of other: print "another device"
    on services of own: print "of {it.name}"
    wait for services within 1min as w
    print "waited for {w.name}"
    wait until n is 1
    wait 5s
    expect n is 1
    test "a change of its attributes is told once"
      simulate lamp with {address: C4:7C:8D:6A:12:10}
      start recipe as r
      wait until count(lamp.subscribers) is 1 within 1min
      wait 2s
      make lamp change services
      wait until r.finished within 5min
      expect r.exit_code is 0
      expect "Lamp Lamp 1 light" in r.printed
      expect "waited for Lamp" in r.printed
      expect not "another device" in r.printed
      expect "of Lamp" in r.printed
      expect count(r.printed) is 3
    end

    """

  /// Directly, and with links that outlive the run: killed once for each effect.
  @Test(arguments: [TestOptions.Kills.none, .kept(sample: nil)]) func aServiceChangeIsReportedOnce(kills: TestOptions.Kills) throws
  {
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

  /// Also if the run only reads a value, every time, and with a cache from another run.
  @Test(arguments: [TestOptions.Kills.none, .kept(sample: nil), .direct(sample: nil)])
  func aReadOnlyRunLearnsOfAServiceChange(kills: TestOptions.Kills) throws {
    let playground = Playground()
    let path = "\(playground.path)/reading.ble"
    let text = """
      peripheral lamp named "Lamp"
        advertise 0xFFF0 every 100ms
        service 0xFFF0
          characteristic 0xFFF1 can read starts as "light"
        end
      end
      let n = 0
      on services
        set n to n + 1
        print "changed {n}"
      end
      scan for "Lamp"
      connect when it appears
      read 0xFFF1 as v
      print v.text()
      wait until n is 2
      test "each change is told"
        simulate lamp
        start recipe as r
        wait until count(r.printed) is 1 within 1min
        wait 5s
        make lamp change services
        wait until "changed 1" in r.printed within 1min
        wait 5s
        make lamp change services
        wait until r.finished within 1min
        expect r.exit_code is 0 and r.printed is ["light", "changed 1", "changed 2"], "{r.printed}"
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

  /// Attributes move while a run is busy: it ends with the right values. So does the next one,
  /// which trusts the first one's cache, even if they moved before any client could get a report.
  @Test(arguments: ["10ms", "300ms", "600ms", "1s", "3s", "8s"], ["wait 200ms", "wait 450ms", "wait 5s"])
  func attributesThatMoveDuringARunAreReadCorrectly(when: String, pace: String) throws {
    let playground = Playground()
    let isEarly = !["3s", "8s"].contains(when)
    let path = "\(playground.path)/moving.ble"
    let text = """
      peripheral lamp named "Lamp"
        advertise 0xFFF0 every 100ms
        service 0xFFF0
          characteristic 0xFFF1 can read, notify starts as "light"
        end
      end
      scan for "Lamp"
      connect
      subscribe to 0xFFF1
      let last = ""
      repeat 60 times
        try
          read 0xFFF1 as v
          set last to v.text()
        otherwise
          set last to "refused"
        end
        \(pace)
      end
      print "{last}"
      test "the next run, too"
        simulate lamp
        start recipe as r
        wait until count(lamp.subscribers) is 1 within 1min
        wait \(when)
        make lamp change services
        wait until r.finished within 10min
        expect r.exit_code is 0 and (\(isEarly) or r.printed is ["light"]), "{r.printed} {r.errors}"
        start recipe as again
        wait until again.finished within 10min
        expect again.exit_code is 0 and again.printed is ["light"], "{again.printed} {again.errors}"
      end

      """
    try saveFile(path, Array(text.utf8))
    let file = try TestFile(path: path)
    for test in file.tests {
      let verdict = try TestSweep(test, of: file, TestOptions(seed: 1)).run()
      #expect(verdict.passed, "\(String(describing: verdict.failure?.failure)) \(verdict.failure?.logs ?? [])")
    }
  }
}
