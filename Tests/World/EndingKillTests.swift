import Glibc
import Linux
import Recipe
import Runner
import Session
import Testing
import Vocabulary
import World

/// A run that is killed while it ends continues to end where it was: nothing is repeated or left
/// out.
@Suite struct EndingKillTests {
  private let playground = Playground()

  enum Ending: String, CaseIterable, Sendable {
    case finished, stopped, failed, waiting

    /// How the body ends, with which code, and what `on stop` sees.
    var text: (body: String, code: Int, why: String) {
      switch self {
      case .finished: ("", 0, "finished")
      case .stopped: ("stop with code 30", 30, "stopped")
      case .failed: ("fail \"broken\" with code 31", 31, "failed")
      case .waiting: ("after 5s: stop with code 32\nwait forever", 32, "stopped")
      }
    }
  }

  static let links: [TestOptions.Kills] = {
    let sample = getenv("FULL") == nil ? 16 : nil
    return [.kept(sample: sample), .direct(sample: sample)]
  }()

  /// The failure of each test; empty for one that passes.
  private func failures(_ text: String) throws -> [String] {
    let path = "\(playground.path)/a.ble"
    try saveFile(path, Array((TestRunTests.lamp + text).utf8))
    let file = try TestFile(path: path)
    return try file.tests.map { try TestSweep($0, of: file, TestOptions(seed: 1)).run().failure?.failure?.message ?? "" }
  }

  private func passes(_ text: String, _ kills: TestOptions.Kills, _ comment: String) throws {
    let path = "\(playground.path)/a.ble"
    try saveFile(path, Array((TestRunTests.lamp + text).utf8))
    let file = try TestFile(path: path)
    var options = TestOptions(seed: 1)
    options.kills = kills
    for test in file.tests {
      let verdict = try TestSweep(test, of: file, options).run()
      #expect(
        verdict.passed,
        """
        \(comment): \(verdict.circumstance ?? "uninterrupted") \(String(describing: verdict.failure?.failure?.message)) \
        \(verdict.failure?.failure?.facts.map(\.text) ?? []) \(verdict.failure?.logs ?? [])
        """)
    }
  }

  @Test(arguments: Ending.allCases, links)
  func onStopContinuesAfterAKill(ending: Ending, kills: TestOptions.Kills) throws {
    for connect in ["connect", "connect when it appears"] {
      try passes(
        """
        on stop as why
          append "stop {why}" to "log.txt"
          write u8(2) to lamp_state when unsure verify
          append "written" to "log.txt"
          wait 1s
          read raw lamp_state as state
          append "{state:hex}" to "log.txt"
          print "ended"
        end
        append "body" to "log.txt"
        scan for lamp_service
        \(connect)
        write u8(1) to lamp_state when unsure verify
        \(ending.text.body)
        test "it ends once"
          simulate lamp
          start recipe as r
          wait until r.finished within 1min
          expect r.exit_code is \(ending.text.code), r.errors
          expect file("log.txt").text() is "body\\nstop \(ending.text.why)\\nwritten\\n02\\n", r.errors
          expect r.printed is ["ended"]
        end

        """, kills, "\(ending) \(connect)")
    }
  }

  /// A run that is killed after it has failed, but before it could say so, says why when it is
  /// resumed.
  @Test(
    arguments: links,
    [
      "fail why", "expect 1 is 2, why", "read 0xABCD", "wait until 1 is 2 within 5s", "subscribe to lamp_state, 0xABCD",
      "try 2 times every 1s: scan for \"nobody\" within 2s",
    ])
  func theReasonIsToldThoughKilled(kills: TestOptions.Kills, failing: String) throws {
    try passes(
      """
      let why = "bro" + "ken"
      scan for lamp_service
      connect
      \(failing)
      test "it says why"
        simulate lamp
        start recipe as r
        wait until r.finished within 5min
        expect r.errors contains "error[T3", r.errors
        expect r.exit_code is not 0
      end

      """, kills, failing)
  }

  /// A write that must not be repeated is made once, or its statement fails.
  @Test(arguments: links)
  func aWriteInOnStopIsMadeOnceOrIsUnsure(kills: TestOptions.Kills) throws {
    try passes(
      """
      on stop
        try
          write u8(2) to lamp_state
        otherwise if unsure
          append "unsure" to "log.txt"
        end
        append "end" to "log.txt"
      end
      scan for lamp_service
      connect
      read lamp_state
      test "it is written once"
        simulate lamp
        start recipe as r
        wait until r.finished within 1min
        expect r.exit_code is 0, r.errors
        let log = file("log.txt").text()
        expect log is "end\\n" and lamp.writes_seen is 1 or log is "unsure\\nend\\n" and lamp.writes_seen <= 1, r.errors
      end

      """, kills, "")
  }

  /// Handlers that run when the body ends have five seconds, before and after a kill.
  @Test(arguments: links)
  func aRunThatFinishesWithARunningHandlerGoesOn(kills: TestOptions.Kills) throws {
    try passes(
      """
      let heard = 0
      on notify lamp_state where it.u8(0) is 1 as state
        append "heard" to "log.txt"
        set heard to 1
        wait 1s
        write u8(9) to lamp_state when unsure verify
        append "answered" to "log.txt"
      end
      on stop
        append "stop" to "log.txt"
        for each x in [1, 2] at once
          wait x * 100ms
          append "branch" to "log{x}.txt"
        end
      end
      scan for lamp_service
      connect
      subscribe to lamp_state
      write u8(1) to lamp_state when unsure verify
      wait until heard is 1 within 2s otherwise debug "not heard"
      test "it ends once"
        simulate lamp
        start recipe as r
        wait until r.finished within 1min
        let log = file("log.txt").text()
        expect log.ends_with("stop\\n") and count(log.split("stop")) is 2, r.errors
        expect file("log1.txt").text() is "branch\\n" and file("log2.txt").text() is "branch\\n"
        expect count(log.split("heard")) is count(log.split("answered")), r.errors
      end

      """, kills, "")
  }

  /// What is no longer possible fails with its reason.
  @Test func aStatementInterruptedByTheEndFails() throws {
    let found = try failures(
      """
      input how: number = 0
      on stop
        if how is 0: wait 1min
        if how is 1: read lamp_state
        if how is 2: read lamp_state
        append "never" to "log.txt"
      end
      scan for lamp_service
      connect when it appears
      read lamp_state
      wait 1s
      test "too long"
        simulate lamp
        start recipe as r
        wait until r.finished within 1min
      end
      test "it does not come back"
        simulate lamp
        start recipe with {how: 1} as r
        wait until lamp.connected within 1min
        wait 500ms
        make lamp vanish
        wait until r.finished within 1min
      end
      test "it does not answer"
        simulate lamp
        start recipe with {how: 2} as r
        wait until lamp.connected within 1min
        wait 500ms
        make lamp lose next reply
        wait until r.finished within 1min
      end

      """)
    #expect(found.count == 3 && found[0].contains("`on stop` may take 5s"), "\(found)")
    #expect(found.allSatisfy { !$0.isEmpty }, "\(found)")
  }

  /// A device that is out of range does not answer the disconnection, so Ctrl-C ends the run with
  /// the supervision timeout of the link, which is 5 s.
  @Test(arguments: [true, false]) func anAbsentDeviceDoesNotDelayTheEnd(isAway: Bool) throws {
    let devices = """
      peripheral lamp named "Lamp"
        advertise 0xFFF0 every 100ms
        service 0xFFF0
          characteristic 0xFFF1 can read starts as u8(1)
        end
      end

      """
    let fixture = try Fixture(recipe: "scan for \"Lamp\"\nconnect\nwait forever\n", devices: devices)
    try fixture.start()
    _ = fixture.world.run(for: .seconds(10))
    let lamp = try #require(fixture.world.air.controller(of: "lamp"))
    let asked = fixture.world.now.moment
    if isAway { fixture.world.air.make { $0.vanish(lamp, at: asked) } }
    let session = try #require(fixture.world.session)
    session.stop(.interrupted, at: fixture.world.now)
    while !session.isOver, fixture.world.now.moment < asked + .minutes(1) { _ = fixture.world.run(for: .milliseconds(100)) }
    let span = fixture.world.now.moment - asked
    #expect(session.isOver && span <= (isAway ? .milliseconds(5500) : .seconds(1)), "\(span)")
    #expect(session.exitStatus.code == 130)
  }
}
