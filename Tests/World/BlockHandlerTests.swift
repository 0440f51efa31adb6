import Glibc
import Linux
import Recipe
import Runner
import Session
import Testing
import Vocabulary
import World

/// Handlers and timers in the blocks of `with` and `whenever`: each device is served only by its
/// own block, and each event once, also after a kill at any effect.
@Suite struct BlockHandlerTests {
  private let playground = Playground()

  /// Two devices whose values contain the device and a counter.
  static let devices = """
    peripheral one named "One"
      let sent = 0
      advertise battery_service every 100ms
      service battery_service
        characteristic battery_level can read, notify starts as 1
      end
      every 1s
        set sent to sent + 1
        notify battery_level with 1
      end
    end
    peripheral two named "Two"
      let sent = 0
      advertise battery_service every 100ms
      service battery_service
        characteristic battery_level can read, notify starts as 2
      end
      every 1s
        set sent to sent + 1
        notify battery_level with 2
      end
    end

    """

  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var recipe: String
    /// The output lines, each with its minimum and maximum count.
    var lines: [(line: String, least: Int, most: Int)]
    var testDescription: String { name }
  }

  static let cases = [
    Case(
      name: "with",
      recipe: """
        scan for "One" as a
        connect to a
        scan for "Two" as b
        connect to b
        subscribe to battery_level of a
        subscribe to battery_level of b
        with a
          on notify battery_level as v
            print "value {device.name} {v}"
          end
          every 2s
            read battery_level as level
            print "timer {device.name} {level}"
          end
          wait 5s
        end
        disconnect from a
        disconnect from b
        """,
      lines: [("value One 1", 4, 6), ("timer One 1", 2, 3)]),
    Case(
      name: "of beats with",
      recipe: """
        scan for "One" as a
        connect to a
        scan for "Two" as b
        connect to b
        subscribe to battery_level of a
        subscribe to battery_level of b
        with a
          on notify battery_level of b as v
            print "value {device.name} {v}"
          end
          wait 5s
        end
        disconnect from a
        disconnect from b
        """,
      lines: [("value Two 2", 4, 6)]),
    Case(
      name: "whenever",
      recipe: """
        whenever battery_service appears as d
          on connect
            print "linked {device.name}"
          end
          on notify battery_level as v
            print "value {d.name} {v}"
          end
          every 2s
            read battery_level as level
            print "timer {d.name} {level}"
          end
          after 3s
            print "after {device.name}"
          end
          connect
          subscribe to battery_level
          wait 5s
        end
        wait 12s
        """,
      lines: [
        ("linked One", 1, 2), ("linked Two", 1, 2), ("value One 1", 3, 6), ("value Two 2", 3, 6), ("timer One 1", 2, 4),
        ("timer Two 2", 2, 4), ("after One", 1, 2), ("after Two", 1, 2),
      ]),
    Case(
      name: "with in whenever",
      recipe: """
        whenever battery_service appears as d
          connect
          subscribe to battery_level
          with d
            on notify battery_level as v
              print "value {device.name} {v}"
            end
            wait 4s
          end
        end
        wait 12s
        """,
      lines: [("value One 1", 3, 5), ("value Two 2", 3, 5)]),
  ]

  private func verdict(_ one: Case, _ kills: TestOptions.Kills) throws -> TestVerdict {
    let known = one.lines.map { "\"\($0.line)\"" }.joined(separator: ", ")
    var text = Self.devices + one.recipe
    text += """

      procedure times(lines, wanted)
        let found = 0
        for each line in lines
          if line is wanted: set found to found + 1
        end
        return found
      end

      test "\(one.name)"
        simulate one
        simulate two
        start recipe as r
        wait until r.finished within 1min
        for each line in r.printed
          expect line in [\(known)]
        end

      """
    for (line, least, most) in one.lines {
      text += "  expect times(r.printed, \"\(line)\") >= \(least)\n  expect times(r.printed, \"\(line)\") <= \(most)\n"
    }
    text += "end\n"
    let path = "\(playground.path)/a.ble"
    try saveFile(path, Array(text.utf8))
    let file = try TestFile(path: path)
    var options = TestOptions(seed: 1)
    options.kills = kills
    return try TestSweep(file.tests[0], of: file, options).run()
  }

  @Test(arguments: cases) func eachBlockServesItsOwnDevice(one: Case) throws {
    let verdict = try verdict(one, .none)
    #expect(verdict.passed, "\(String(describing: verdict.failure?.failure))")
  }

  @Test(arguments: cases) func blocksServeTheirDevicesDespiteKills(one: Case) throws {
    let verdict = try verdict(one, .kept(sample: getenv("FULL") == nil ? 20 : nil))
    #expect(verdict.passed, "\(verdict.circumstance ?? "") \(String(describing: verdict.failure?.failure))")
  }

  /// `leave` and `skip` end every `with` on their way, however deep.
  @Test func leavingALoopLeavesTheBlocksInIt() throws {
    let text =
      Self.devices + """
        scan for "One" as a
        connect to a
        scan for "Two" as b
        connect to b
        for each d in [a, b]
          with d
            read battery_level as v
            if v is 1: leave
          end
        end
        print device.name
        repeat 2 times
          with a
            try
              with b
                with a
                  skip
                end
              end
            end
          end
        end
        print device.name
        with a
          for each d in [b, a]
            with d: leave
          end
          print device.name
        end
        print device.name

        test "devices"
          simulate one
          simulate two
          start recipe as r
          wait until r.finished within 1min
          expect r.printed is ["Two", "Two", "One", "Two"]
        end
        """
    let path = "\(playground.path)/a.ble"
    try saveFile(path, Array(text.utf8))
    let file = try TestFile(path: path)
    let verdict = try TestSweep(file.tests[0], of: file, TestOptions(seed: 1)).run()
    #expect(verdict.passed, "\(String(describing: verdict.failure?.failure))")
  }

  /// The losing branch has its link closed, and the link counts as closed at once, also in a run
  /// that was killed between the request and its completion.
  @Test func aReturnedLinkIsGoneAfterAKill() throws {
    let text =
      Self.devices + """
        on disconnect as why: log "{device.name} {why}"
        scan for "One" as a
        scan for "Two" as b
        for each d in [a, b] at once
          connect to d
          wait 1s if d.name is "One" else 3s
          print "won {d.name}"
          leave
        end
        print a.connected
        print b.connected
        wait 1s

        test "a race"
          simulate one
          simulate two
          start recipe as r
          wait until r.finished within 1min
          expect r.printed is ["won One", "false", "false"]
          expect r.errors contains "One asked" and r.errors contains "Two asked"
        end
        """
    let path = "\(playground.path)/a.ble"
    try saveFile(path, Array(text.utf8))
    let file = try TestFile(path: path)
    var options = TestOptions(seed: 1)
    options.kills = .kept(sample: nil)
    let verdict = try TestSweep(file.tests[0], of: file, options).run()
    #expect(verdict.passed, "\(verdict.circumstance ?? "") \(String(describing: verdict.failure?.failure))")
  }
}
