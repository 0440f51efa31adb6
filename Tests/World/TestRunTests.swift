import Linux
import Recipe
import Runner
import Session
import Testing
import Vocabulary
import World

/// `tooth test`: what a test may do and observe, and what its failures report.
@Suite struct TestRunTests {
  private let playground = Playground()

  static let lamp = """
    let lamp_service = 5c1d0001-7e40-4f6e-9a0b-3d2f11aa0001
    let lamp_state   = 5c1d0002-7e40-4f6e-9a0b-3d2f11aa0001
    peripheral lamp named "Lamp"
      let writes_seen = 0
      advertise lamp_service every 100ms
      service lamp_service
        characteristic lamp_state can read, write, notify starts as u8(7)
      end
      on write lamp_state as asked
        set writes_seen to writes_seen + 1
        update lamp_state to asked
        notify lamp_state with asked
      end
    end

    """

  func file(_ text: String) throws -> TestFile {
    let path = "\(playground.path)/a.ble"
    try saveFile(path, Array((Self.lamp + text).utf8))
    return try TestFile(path: path)
  }

  func verdicts(_ text: String, _ options: TestOptions = TestOptions(seed: 1)) throws -> [TestVerdict] {
    let file = try file(text)
    return try file.tests.map { try TestSweep($0, of: file, options).run() }
  }

  func passes(_ text: String, _ options: TestOptions = TestOptions(seed: 1)) throws {
    for verdict in try verdicts(text, options) {
      #expect(
        verdict.passed,
        "\(verdict.circumstance ?? "") \(String(describing: verdict.failure?.failure)) \(verdict.failure?.logs ?? [])")
    }
  }

  func failure(_ text: String, beside other: String? = nil) throws -> Diagnostic {
    if let other { try saveFile("\(playground.path)/b.ble", Array(other.utf8)) }
    return try #require(try verdicts(text).first?.failure?.failure)
  }

  static let client = """
    scan for lamp_service
    connect
    write u8(1) to lamp_state
    read lamp_state as state
    print "state {state.u8(0)}"
    log "done"

    """

  /// `resume` continues a run however long it was dead.
  @Test func aRunIsResumedAfterALongTime() throws {
    try passes(
      """
      let n = 0
      every 36h at "06:00"
        set n to n + 1
        print n
      end
      wait forever
      test "t"
        start recipe as r
        wait 7h
        kill r
        wait 25h
        resume r
        wait 36h
        expect r.resumed and r.printed is ["1", "2"], "{r.printed}"
      end
      """)
  }

  /// What the host answers at once needs no event of the air: `forget` without a bond.
  @Test func anAnswerAtOnceEndsAStatementOfATest() throws {
    try passes(
      """
      test "forget"
        simulate lamp
        scan for lamp_service
        connect
        let before = now()
        forget device
        expect now() - before < 1s
        expect not device.bonded
      end
      """)
  }

  @Test func aTestSeesWhatARunDid() throws {
    try passes(
      Self.client + """
        test "it tells"
          simulate lamp
          expect lamp.address is not nothing and lamp.requests is 0
          start recipe as r
          expect not r.finished and r.exit_code is nothing
          wait until r.finished within 1min
          expect r.exit_code is 0 and r.printed is ["state 1"] and r.errors contains "done"
          expect lamp.writes_seen is 1 and lamp.writes is 1 and lamp.requests >= 3 and lamp.repeated_requests is 0
          expect not r.resumed and not lamp.connected
          expect count(lamp.subscribers) is 0
        end

        """)
  }

  /// Whichever way the recipe names the attribute.
  @Test func aFormatOfOnesOwnAppliesToAttributesGivenAsValues() throws {
    try passes(
      """
      format rep for characteristic a0b40001-926d-4d61-98df-8c5c62ee53b3
        v is u8
        w is u8
      end
      peripheral box named "Box"
        let written = hex ""
        advertise 0xFFF0 every 100ms
        service 0xFFF0
          characteristic a0b40001-926d-4d61-98df-8c5c62ee53b3 can read, write, notify starts as hex "05 06"
        end
        on write a0b40001-926d-4d61-98df-8c5c62ee53b3 as asked
          update a0b40001-926d-4d61-98df-8c5c62ee53b3 to asked
          notify a0b40001-926d-4d61-98df-8c5c62ee53b3 with asked
        end
      end
      procedure get(c)
        read (c) as found
        return found
      end
      test "values"
        simulate box
        scan for "Box"
        connect
        let c = a0b40001-926d-4d61-98df-8c5c62ee53b3
        read (c) as first
        expect first is {v: 5, w: 6}
        let again = get(c)
        expect again.w is 6
        subscribe to (c)
        write {v: 1, w: 2} to (c)
        wait for notify (c) within 1s as told
        expect told.v is 1 and told.w is 2
        expect count(box.centrals) is 1 and box.centrals is box.subscribers
      end

      """)
  }

  @Test func aPeripheralIsGivenItsValuesAndChanged() throws {
    try passes(
      """
      test "values"
        simulate lamp as left with {writes_seen: 40, name: "Left", address: C4:7C:8D:6A:12:0F}
        simulate lamp as right
        expect left.writes_seen is 40 and right.writes_seen is 0
        expect left.address is C4:7C:8D:6A:12:0F
        set right.writes_seen to 5
        wait 1s
        expect right.writes_seen is 5
      end

      """)
  }

  @Test func aClockBeginsAndJumps() throws {
    try passes(
      """
      test "a day is nothing"
        expect now().year is 2026 and now().unix is 1767225600
        let ticks = 0
        every 1h: set ticks to ticks + 1
        wait 1d
        expect now().day is 2 and ticks >= 23
      end

      """)
  }

  static let patient = """
    on notify lamp_state as state: print state
    connect to lamp_address when it appears
    subscribe to lamp_state
    reconnect forever

    """

  /// `reconnect N times` counts the failed attempts of one loss, however quiet the links were.
  @Test(arguments: [(3, "lost 3 times"), (1, "lost 3 times")]) func aLossIsNoFailedAttempt(times: Int, printed: String) throws {
    try passes(
      """
      let losses = 0
      scan for lamp_service
      connect
      subscribe to lamp_state
      on disconnect: set losses to losses + 1
      after 1min: print "lost {losses} times"
      reconnect \(times) times otherwise print "given up"
      test "short losses"
        simulate lamp
        start recipe as r
        repeat 3 times
          wait 15s
          make lamp drop
        end
        wait 30s
        expect r.printed is ["\(printed)"]
      end
      test "an attempt that fails counts"
        simulate lamp
        start recipe as r
        wait 5s
        make lamp vanish
        wait 5min
        expect "given up" in r.printed
      end
      """)
  }

  @Test func linesAreReadAtOnce() throws {
    try passes(
      """
      wait for line within 1s as first
      wait for line within 1s as second
      print first + second
      test "lines"
        start recipe with {lines: ["a", "b"]} as r
        wait until r.finished within 1min
        expect r.printed is ["ab"]
      end
      """)
  }

  @Test func aRunIsKilledAndResumed() throws {
    try passes(
      "input lamp_address: address\n" + Self.patient + """
        test "kept"
          simulate lamp
          start recipe with {lamp_address: lamp.address} as r
          wait until r.idle within 1min
          wait 5s
          expect lamp.connected and count(lamp.subscribers) is 1
          let before = lamp.requests
          kill r
          wait 5s
          expect lamp.connected and not r.idle
          resume r
          wait until r.idle within 1min
          expect r.resumed and lamp.requests is before
        end

        test "the adapter is taken out"
          simulate lamp
          start recipe with {lamp_address: lamp.address} as r
          wait until r.idle within 1min
          make adapter reboot
          wait 500ms
          expect not r.idle
          wait until r.idle within 1min
        end

        test "it vanishes and comes back"
          simulate lamp
          start recipe with {lamp_address: lamp.address} as r
          wait until r.idle within 1min
          make lamp vanish
          wait 20s
          expect not lamp.connected
          make lamp appear
          wait until r.idle within 2min
          make lamp drop
          wait 20s
          wait until r.idle within 2min
          make lamp reboot
          wait 20s
          wait until lamp.connected within 2min
        end

        """)
  }

  @Test func aRemovedAdapterIsGoneUntilItReturns() throws {
    try passes(
      """
      on adapter as state: print state
      wait forever
      test "it is told"
        start recipe as r
        wait 1s
        make adapter vanish
        wait 5s
        expect r.printed is ["gone"]
        make adapter appear
        wait 5s
        expect r.printed is ["gone", "on"]
      end

      """)
  }

  @Test func anAdapterReturnedAtTheSameInstantWorks() throws {
    try passes(
      """
      on adapter as state: print state
      wait forever
      test "it is told"
        start recipe as r
        wait 1s
        make adapter vanish
        make adapter appear
        wait 5s
        expect r.printed is ["gone", "on"]
      end

      """)
  }

  @Test func anAdapterThatDropsItsLinksGetsThemBack() throws {
    try passes(
      "input lamp_address: address\non disconnect: print \"lost\"\non adapter as state: print state\n" + Self.patient + """
        test "dropped"
          simulate lamp
          start recipe with {lamp_address: lamp.address} as r
          wait until r.idle within 1min
          make adapter drop
          wait 20s
          wait until r.idle within 1min
          expect r.printed is ["lost"] and lamp.connected
        end

        """)
  }

  @Test func aSlowAdapterIsSlow() throws {
    try passes(
      Self.client + """
        test "slow"
          simulate lamp
          make adapter slow by 500ms
          start recipe as r
          let began = now()
          wait until r.finished within 5min
          expect r.exit_code is 0 and now() - began > 3s
        end

        """)
  }

  /// Nothing in a test leaves its world.
  @Test func theAdapterOfARecipeIsIgnored() throws {
    let recipe = "use adapter \"hci7\"\nscan for \"Lamp\" within 5s\nprint \"found\"\n"
    try saveFile("\(playground.path)/b.ble", Array(recipe.utf8))
    try passes(
      "test \"it is found\"\n  simulate lamp\n  start recipe \"b.ble\" as r\n  wait until r.finished within 1min\n"
        + "  expect r.printed is [\"found\"], r.errors\nend\n")
  }

  /// Features that the device lacks are not requested from it.
  @Test(arguments: [
    ("write u8(1) to lamp_state", "can read, notify; it cannot be written"),
    ("write u8(1) to lamp_state without response", "can read, notify; it cannot be written"),
    ("subscribe to lamp_control", "can write; it cannot be subscribed to"),
  ])
  func requestsAgainstThePropertiesAreNotSent(statement: String, says: String) throws {
    let recipe = """
      let lamp_service = 5c1d0011-7e40-4f6e-9a0b-3d2f11aa0001
      let lamp_state   = 5c1d0012-7e40-4f6e-9a0b-3d2f11aa0001
      let lamp_control = 5c1d0013-7e40-4f6e-9a0b-3d2f11aa0001
      scan for lamp_service
      connect
      \(statement)

      """
    try saveFile("\(playground.path)/b.ble", Array(recipe.utf8))
    let other = statement.hasPrefix("write") ? "lamp_control" : "lamp_state"
    try passes(
      """
      let fixed_service = 5c1d0011-7e40-4f6e-9a0b-3d2f11aa0001
      let fixed_state   = 5c1d0012-7e40-4f6e-9a0b-3d2f11aa0001
      let fixed_control = 5c1d0013-7e40-4f6e-9a0b-3d2f11aa0001
      peripheral fixed
        advertise fixed_service every 100ms
        service fixed_service
          characteristic fixed_state can read, notify starts as u8(1)
          characteristic fixed_control can write
        end
      end
      test "it is said, and nothing is written"
        simulate fixed
        start recipe "b.ble" as r
        wait until r.finished within 1min
        expect r.exit_code is 7 and fixed.writes is 0
        expect r.errors contains "\(says)", r.errors
        expect r.errors contains "the same service has \(other), which can", r.errors
      end

      """)
  }

  // MARK: Handlers that fail

  static let failing = [
    "every 1s: fail \"no\"", "after 1s: fail \"no\"", "on line as typed: fail \"no\"",
    "on failure: log \"handled\"\nevery 1s: fail \"no\"", "use strict\nevery 1s: fail \"no\"",
    "every 1s\n  for each x in [1] at once: fail \"no\"\nend",
  ]

  /// Whatever the test expects, and whether or not the run ends with it.
  @Test(arguments: failing) func aHandlerOfARecipeThatFailsFailsTheTest(handler: String) throws {
    let found = try failure(
      "test \"x\"\n  start recipe \"b.ble\" with {lines: [\"a\"]} as r\n  wait 1min\nend\n", beside: handler + "\nwait 10s\n")
    #expect(found.message == "no" && found.notes.contains { $0.contains("b.ble") }, "\(found)")
  }

  @Test func aHandlerOfAPeripheralThatFailsFailsTheTest() throws {
    let found = try failure(
      """
      peripheral bulb
        advertise lamp_service every 100ms
        after 1s: fail "burnt"
      end
      test "x"
        simulate bulb
        wait 1min
      end

      """)
    #expect(found.message == "burnt" && found.notes.contains { $0.contains("bulb") }, "\(found)")
  }

  /// A handled failure is not a defect, and the test judges what ends the body.
  @Test func onlyUnhandledFailuresFailTheTest() throws {
    try passes(
      """
      every 1s
        try: fail "no" otherwise log "handled"
      end
      wait 3s
      fail "the body"
      test "x"
        start recipe as r
        wait until r.finished within 1min
        expect r.exit_code is 1
      end

      """)
  }

  @Test func faultsReachTheRecipe() throws {
    try passes(
      Self.client + """
        test "refused"
          simulate lamp
          make lamp refuse next write with 0x81
          start recipe as r
          wait until r.finished within 1min
          expect r.exit_code is 7 and lamp.writes_seen is 0
        end

        test "a read is refused"
          simulate lamp
          make lamp refuse next read with 0x81
          start recipe as r
          wait until r.finished within 1min
          expect r.exit_code is 7 and lamp.writes_seen is 1
        end

        test "an answer is lost"
          simulate lamp
          start recipe as r
          wait until lamp.connected within 1min
          make lamp lose next reply
          wait until r.finished within 2min
          expect r.exit_code is not 0
        end

        test "slow"
          simulate lamp
          make lamp slow by 500ms
          start recipe as r
          let began = now()
          wait until r.finished within 5min
          expect r.exit_code is 0 and now() - began > 3s
        end

        """)
  }

  @Test func servicesChange() throws {
    try passes(
      """
      scan for lamp_service
      connect
      write u8(1) to lamp_state
      wait 10s
      write u8(2) to lamp_state
      print "both"
      test "the attributes move"
        simulate lamp
        start recipe as r
        wait until lamp.writes_seen is 1 within 1min
        wait 2s
        make lamp change services
        wait until r.finished within 2min
        expect r.errors is "" or r.exit_code is 0
        expect lamp.writes_seen is 2
      end

      """)
  }

  /// An address is used on the air as given, or refused.
  @Test(arguments: ["54:48:E6:8F:80:A5/public", "C4:7C:8D:6A:12:0F/public", "54:48:E6:8F:80:A5"])
  func anAddressThatNoSimulatedDeviceHas(_ address: String) throws {
    let found = try failure("test \"x\"\n  simulate lamp with {address: \(address)}\nend\n")
    #expect(found.message.contains("not a static random address"), "\(found)")
  }

  @Test func bothSidesOfAComparisonAreShown() throws {
    let found = try failure("test \"x\"\n  let a = \"one\"\n  expect 1 < 2 and a is \"two\"\nend\n")
    #expect(found.code == "T330" && found.facts.map(\.text) == ["left   \"one\"", "right  \"two\""])
  }

  @Test func limitsEndATest() throws {
    #expect(try failure("test \"x\"\n  wait 31d\nend\n").message.contains("30 virtual days"))
    #expect(try failure("test \"x\"\n  wait forever\nend\n").code == "T331")
    #expect(try failure("test \"x\"\n  every 1s: fail \"no\"\n  wait 1min\nend\n").message == "no")
    let misuse = try failure("test \"x\"\n  simulate lamp\n  let seen = lamp\n  expect seen.colour is 1\nend\n")
    #expect(misuse.message.contains("no `colour`"))
    #expect(
      try failure("print 1\ntest \"x\"\n  let w = json('{\"nothing_such\": 1}')\n  start recipe with w as r\nend\n").message
        .contains("no input"))
  }

  // MARK: Kills

  /// After a restart it writes again what it had written.
  @Test func aDoubledWriteIsFound() throws {
    var options = TestOptions(seed: 1)
    options.kills = .kept(sample: nil)
    let text = """
      on restore as past: restart
      wait 1s
      scan for lamp_service
      connect
      write u8(1) to lamp_state
      print "written"
      test "it is written once"
        simulate lamp
        start recipe as r
        wait until r.finished within 1min
        expect lamp.writes_seen is 1
      end

      """
    let verdict = try #require(try verdicts(text, options).first)
    let circumstance = try #require(verdict.circumstance)
    #expect(circumstance.contains("killed") && circumstance.contains("line 1"), "\(circumstance)")
    #expect(verdict.failure?.failure?.facts.map(\.text) == ["left   2", "right  1"])
    #expect(verdict.repeating == ["--kill", "--seed", "1"])
    // Without the restart it is not.
    try passes(String(text.dropFirst("on restore as past: restart\n".count)), options)
  }

  /// Without a keeper the notifications during the process's absence are lost.
  @Test func aLostValueIsFoundWithoutAKeeper() throws {
    let text = """
      let heard = 0
      on notify lamp_state as state: set heard to heard + 1
      scan for lamp_service
      connect
      subscribe to lamp_state
      write u8(1) to lamp_state when unsure skip
      wait until heard is 1 within 5s
      print "heard"
      test "the answer is heard"
        simulate lamp
        start recipe as r
        wait until r.finished within 1min
        expect r.exit_code is 0 and r.printed is ["heard"]
      end

      """
    var options = TestOptions(seed: 1)
    options.kills = .kept(sample: nil)
    try passes(text, options)
    options.kills = .direct(sample: nil)
    let verdict = try #require(try verdicts(text, options).first)
    let circumstance = try #require(verdict.circumstance)
    #expect(circumstance.contains("its links lost") && circumstance.contains("line"), "\(circumstance)")
  }

  /// A `let` belongs to the set-up. A procedure that waits ends it, because its reply may arrive
  /// only then.
  @Test func aWaitingLetEndsTheSetUp() throws {
    try passes(
      """
      let beats = 0
      procedure command(request)
        write request to lamp_state
        wait for notify lamp_state within 5s as reply
        return reply
      end
      procedure plain(n)
        return n + 1
      end
      on connect: print "ready"
      on notify lamp_state: set beats to beats + 1
      scan for lamp_service
      connect
      let one = plain(0)
      subscribe to lamp_state
      let answer = command(u8(3))
      print answer, one, beats
      test "the reply is heard"
        simulate lamp
        start recipe as r
        wait until r.finished within 1min
        expect r.exit_code is 0
        expect r.printed is ["ready", "03 1 1"]
      end

      """)
  }

  @Test func aServiceOfDataMayBeANumber() throws {
    try passes(
      """
      peripheral meter
        advertise 0x181A every 100ms with {service_data: {service: 0x181A, data: hex "01 02"}}
      end
      wait for advertisement of environmental_sensing within 1min as a
      print a.service_data.data
      test "its data is heard"
        simulate meter
        start recipe as r
        wait until r.finished within 2min
        expect r.printed is ["0102"]
      end

      """)
  }

  /// Work that `restart` abandoned ends while the next attempt is running.
  @Test func aRestartOverAKeptLinkConnectsAgain() throws {
    var options = TestOptions(seed: 1)
    options.kills = .kept(sample: nil)
    try passes(
      """
      on restore as past: restart
      scan for lamp_service
      connect
      read lamp_state as state
      print "read"
      test "it is read"
        simulate lamp
        start recipe as r
        wait until r.finished within 1min
        expect r.exit_code is 0 and "read" in r.printed
      end

      """, options)
  }

  /// The type of the address is learned on the air.
  @Test(arguments: [TestOptions.Kills.kept(sample: nil), .direct(sample: nil)])
  func aConnectionByAddressSurvivesEveryKill(kills: TestOptions.Kills) throws {
    var options = TestOptions(seed: 1)
    options.kills = kills
    try passes(
      """
      input address: address
      connect to address within 10s
      read lamp_state as state
      wait 1s
      print "read"
      test "it is read"
        simulate lamp
        start recipe with {address: lamp.address} as r
        wait until r.finished within 1min
        expect r.exit_code is 0 and r.printed is ["read"]
      end

      """, options)
  }

  @Test func aRepeatedLastLineCountsOnce() throws {
    var options = TestOptions(seed: 1)
    options.kills = .kept(sample: nil)
    try passes(
      """
      print "a"
      print "a"
      wait 1s
      print "b"
      test "three lines"
        start recipe as r
        wait until r.finished within 1min
        expect r.printed is ["a", "a", "b"]
      end

      """, options)
  }

  // MARK: Chaos

  /// It waits forever for an answer that was lost with the link.
  @Test func aHangIsFound() throws {
    var options = TestOptions(seed: 1)
    options.chaos = 60
    let text = """
      input lamp_address: address
      connect to lamp_address when it appears
      subscribe to lamp_state
      wait 2s
      write u8(1) to lamp_state when unsure skip
      wait for notify lamp_state as answer
      print answer
      test "it answers"
        simulate lamp
        start recipe with {lamp_address: lamp.address} as r
        wait until r.finished within 5min
        expect r.exit_code is 0
      end

      """
    let verdict = try #require(try verdicts(text, options).first)
    let found = try #require(verdict.failure?.failure)
    #expect(found.notes.contains { $0.contains("hangs") && $0.contains("line") }, "\(found)")
    // The seed repeats it.
    let seed = try #require(verdict.repeating.last.flatMap { UInt64($0) })
    var again = TestOptions(seed: seed)
    again.chaos = 1
    #expect(try verdicts(text, again).first?.failure?.failure == found)
  }
}

/// stdin, answers and programs in a test; and how a report describes a kill.
@Suite struct ScriptedTests {
  private let helper = TestRunTests()

  static let kills: [TestOptions.Kills] = [.none, .kept(sample: nil), .direct(sample: nil)]

  private func options(_ kills: TestOptions.Kills) -> TestOptions {
    var options = TestOptions(seed: 1)
    options.kills = kills
    return options
  }

  @Test(arguments: kills) func linesAreRead(kills: TestOptions.Kills) throws {
    try helper.passes(
      """
      let isOver = false
      on line as typed
        if typed is nothing
          set isOver to true
          return
        end
        append typed to "out.txt"
      end
      wait for line as first
      append "first {first}" to "first.txt"
      wait until isOver
      test "each line once"
        start recipe with {lines: ["a", "b", 3]} as r
        wait until r.finished within 1min
        expect r.exit_code is 0, r.errors
        expect file("out.txt").text() is "a\\nb\\n3\\n" and file("first.txt").text() is "first a\\n"
      end

      """, options(kills))
  }

  @Test(arguments: kills) func questionsAreAnswered(kills: TestOptions.Kills) throws {
    try helper.passes(
      """
      ask "name?" as name
      append name to "out.txt"
      ask secret "pin?" as pin
      append "{count(pin)}" to "out.txt"
      ask "more?" as more otherwise append "{it.kind}" to "out.txt"
      test "they are"
        start recipe with {answers: ["Ada", "123456"]} as r
        wait until r.finished within 1min
        expect r.exit_code is 0, r.errors
        expect file("out.txt").text() is "Ada\\n6\\nuser\\n"
      end

      """, options(kills))
  }

  @Test(arguments: kills) func programsAreReplacedByStandIns(kills: TestOptions.Kills) throws {
    try helper.passes(
      """
      let n = 4
      run "notify-send 'it is {n}'" as told when unsure repeat
      append told.out to "out.txt"
      run "date +%s" as r when unsure repeat
      append r.out to "out.txt"
      run "false -x" when unsure repeat otherwise append "{it.code} {it.err}" to "out.txt"
      run shell 'exit $n' when unsure repeat
      test "they are recorded"
        start recipe with {commands: {notify_send: "told", date: "12", false: {code: 3, err: "no"}}} as r
        wait until r.finished within 1min
        expect r.exit_code is 0, r.errors
        expect file("out.txt").text() is "told\\n12\\n3 no\\n"
        expect "notify-send it is 4" in r.commands and r.commands.first is "notify-send it is 4"
        expect r.commands.last is "exit $n" and "date +%s" in r.commands
      end

      """,
      options(kills))
  }

  @Test func wrongStandInsAreRefused() throws {
    for (with, text) in [
      ("{lines: 5}", "a list of texts"), ("{commands: [1]}", "a record of programs"), ("{commands: {x: {cod: 1}}}", "no `cod`"),
      ("{commands: {x: 300}}", "0 to 255"),
    ] {
      let found = try helper.failure("print 1\ntest \"x\"\n  start recipe with \(with) as r\nend\n")
      #expect(found.message.contains(text), "\(found.message)")
    }
  }

  @Test func programsRunIfAllowed() throws {
    var options = TestOptions(seed: 1)
    options.startsPrograms = true
    try helper.passes(
      """
      run "printf %s 12" as r
      append r.out to "out.txt"
      test "really"
        start recipe as r
        wait until r.finished within 1min
        expect r.exit_code is 0 and file("out.txt").text() is "12\\n" and r.commands is ["printf %s 12"], r.errors
      end

      """, options)
  }

  /// The body waits at its end: the handler's effects are attributed to the handler.
  @Test func aKillInAHandlerNamesItsLine() throws {
    let text = """
      on notify lamp_state as state
        append "x" to "out.txt"
      end
      on restore as past: append "again" to "out.txt"
      scan for lamp_service
      connect
      subscribe to lamp_state
      write u8(1) to lamp_state
      wait 5s
      test "it is not killed there"
        simulate lamp
        start recipe as r
        wait until r.finished within 1min
        expect r.resumed is false or not (file("out.txt").text() contains "x\\nagain")
      end

      """
    let verdicts = try helper.verdicts(text, options(.kept(sample: nil)))
    let circumstance = try #require(verdicts.first?.circumstance)
    let line = TestRunTests.lamp.split(separator: "\n", omittingEmptySubsequences: false).count + 1
    #expect(circumstance.contains("(line \(line) of "), "\(circumstance)")
  }

  @Test func theLineOfAKilledRunIsWhereItWas() throws {
    try helper.passes(
      """
      print 1
      wait 1h
      test "line"
        start recipe as r
        wait until r.idle within 1min
        let before = r.line
        expect before > 0
        kill r
        wait 1s
        expect r.line is before
      end

      """)
  }
}
