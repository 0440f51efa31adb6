import Linux
import Recipe
import Testing
import Vocabulary
import World

/// What a report says about the place of a kill, or about the place where a recipe was.
@Suite struct KillReportTests {
  private let helper = TestRunTests()

  /// Recipes whose effects come from all kinds of places, with their tests.
  static let recipes: [String] = [
    // It never waits, so it is over when its process has started.
    """
    print "a"
    print "b"
    test "x"
      start recipe as r
      wait until r.finished within 1min
    end

    """,
    """
    scan for lamp_service
    connect
    subscribe to lamp_state
    write u8(1) to lamp_state
    on notify lamp_state as state: append "x" to "out.txt"
    wait 5s
    save "y" to "out.txt"
    test "x"
      simulate lamp
      start recipe as r
      wait until r.finished within 1min
    end

    """,
    // Nothing but handlers.
    """
    every 1s: print "tick"
    on stop as why: print why
    after 3s: stop
    wait forever
    test "x"
      start recipe as r
      wait until r.finished within 1min
    end

    """,
    // Of another file.
    """
    test "x"
      start recipe "b.ble" as r
      wait until r.finished within 1min
    end

    """,
    // It fails.
    """
    print 1
    fail "no"
    test "x"
      start recipe as r
      wait until r.finished within 1min
    end

    """,
    // It hangs.
    """
    print 1
    wait forever
    test "x"
      start recipe as r
      wait until r.idle within 1min
    end

    """,
    // It does nothing.
    """
    test "x"
      start recipe as r
      wait until r.finished within 1min
    end

    """,
  ]

  static let other = """
    include "c.ble"
    greet()
    print 2

    """

  static let included = """
    procedure greet()
      print "hello"
    end

    """

  private func file(_ text: String) throws -> TestFile {
    let folder = try helper.file(text).path.split(separator: "/").dropLast().joined(separator: "/")
    try saveFile("/\(folder)/b.ble", Array(Self.other.utf8))
    try saveFile("/\(folder)/c.ble", Array(Self.included.utf8))
    return try helper.file(text)
  }

  /// Each effect has a line and its file.
  @Test(arguments: recipes, [false, true]) func everyEffectHasALine(text: String, isDirect: Bool) throws {
    let file = try file(text)
    let test = try #require(file.tests.first)
    var mode = TestMode(seed: 1)
    mode.isTraced = true
    mode.isDirect = isDirect
    let outcome = try TestRun(test, of: file, mode).run()
    let trail = try #require(outcome.trails.first)
    #expect(!trail.isEmpty)
    let sources = Dictionary(
      uniqueKeysWithValues: [
        ("a.ble", TestRunTests.lamp + text), ("b.ble", Self.other), ("c.ble", Self.included),
      ])
    for effect in trail {
      // `line 3 of a.ble`
      let words = effect.line.split(separator: " ")
      #expect(words.count == 4 && words.first == "line", "\(effect)")
      guard words.count == 4, let number = Int(words[1]), let name = words[3].split(separator: "/").last else { continue }
      let lines = try #require(sources[String(name)]).split(separator: "\n", omittingEmptySubsequences: false)
      #expect(number >= 1 && number <= lines.count, "\(effect)")
      // What it names says what it does.
      let line = lines[number - 1]
      if effect.words.hasPrefix("print") { #expect(line.contains("print"), "\(effect) \(line)") }
      if effect.words.hasPrefix("append") { #expect(line.contains("append"), "\(effect) \(line)") }
      if effect.words.hasPrefix("save") { #expect(line.contains("save"), "\(effect) \(line)") }
      if effect.words.hasPrefix("write") { #expect(line.contains("write"), "\(effect) \(line)") }
    }
  }

  /// A report names the line if a kill only changes the output.
  @Test(arguments: [TestOptions.Kills.kept(sample: nil), .direct(sample: nil)]) func aReportNamesTheLine(
    kills: TestOptions.Kills
  ) throws {
    var options = TestOptions(seed: 1)
    options.kills = kills
    let verdict = try #require(
      try helper.verdicts(
        """
        on restore as past: print "again"
        print "a"
        print "b"
        test "the output is the same"
          start recipe as r
          wait until r.finished within 1min
          expect r.printed is ["a", "b"]
        end

        """, options
      ).first)
    let circumstance = try #require(verdict.circumstance)
    #expect(circumstance.contains("(line ") && circumstance.contains("a.ble)"), "\(circumstance)")
  }

  /// Under random faults, each report says where each recipe was.
  @Test func aReportOfChaosNamesTheLine() throws {
    var options = TestOptions(seed: 1)
    options.chaos = 60
    let other = try #require(
      try helper.verdicts(
        """
        scan for lamp_service within 10min
        connect when it appears
        reconnect forever
        test "one link only"
          simulate lamp
          start recipe as r
          wait until lamp.connected within 10min
          try within 20min: wait until not lamp.connected otherwise stop
          fail "the link was lost"
        end

        """, options
      ).first)
    let found = try #require(other.failure?.failure)
    #expect(found.notes.contains { $0.contains("a.ble is at line ") || $0.contains("a.ble waits in its handlers") }, "\(found)")
  }
}
