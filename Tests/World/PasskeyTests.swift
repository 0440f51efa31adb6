import Linux
import Recipe
import Runner
import Session
import Testing
import Vocabulary
@testable import World

/// Pairing codes on the simulated air: displayed, typed and compared, by recipes and by
/// peripherals.
@Suite struct PasskeyTests {
  private static let sweeps: [TestOptions.Kills] = .swept(40)

  private static let labelled = """
    peripheral lock named "Lock"
      passkey "042137"
      advertise 0xFFF0 every 100ms
      service 0xFFF0
        characteristic 0xFFF1 can read needs authentication starts as "secret light"
      end
    end

    """

  private static let reading = """
    scan for "Lock" as lock
    connect
    pair
    read 0xFFF1 as value
    print "{value.text()} {device.encrypted}"

    """

  /// The code on a label, as a secret input; the attribute requires authentication.
  @Test(arguments: sweeps) func aCodeOnALabelIsEntered(kills: TestOptions.Kills) throws {
    try passes(
      Self.labelled + "input pin: secret\non passkey request: answer pin\n" + Self.reading + """
        test "the code fits"
          simulate lock
          start recipe with {pin: "042137"} as r
          wait until r.finished within 5min
          expect r.exit_code is 0
          expect "secret light true" in r.printed
          expect lock.bonds is 1
        end

        """, kills)
  }

  /// The samples of the language: a meter that only talks to paired phones, and its recipe. A run
  /// that fails has said why, whenever it is killed.
  @Test(arguments: [TestOptions.Kills.none, .kept(sample: 40)]) func theGlucoseMeterOfTheSamples(
    kills: TestOptions.Kills
  ) throws {
    let samples = "\(#filePath)".split(separator: "/").dropLast(2).joined(separator: "/")
    func sample(_ name: String) throws -> String {
      String(decoding: try readFile("/\(samples)/Golden/samples/\(name)", limit: 1 << 16), as: UTF8.self)
    }
    let playground = Playground()
    try saveFile("\(playground.path)/08-glucose.ble", Array(try sample("08-glucose.ble").utf8))
    let meter = try sample("09-sim.ble")
    let path = "\(playground.path)/09-sim_test.ble"
    try saveFile(path, Array(meter.utf8))
    let file = try TestFile(path: path)
    #expect(file.tests.count == 3)
    var options = TestOptions(seed: 1)
    options.kills = kills
    for test in file.tests {
      let verdict = try TestSweep(test, of: file, options).run()
      #expect(
        verdict.passed,
        "\(verdict.circumstance ?? "") \(String(describing: verdict.failure?.failure)) \(verdict.failure?.logs ?? [])")
    }
  }

  @Test func aWrongCodeIsExplained() throws {
    try passes(
      Self.labelled + "input pin: secret\non passkey request: answer pin\n" + Self.reading + """
        test "another code"
          simulate lock
          start recipe with {pin: "042138"} as r
          wait until r.finished within 5min
          expect r.exit_code is 7
          expect r.errors contains "the passkey was wrong"
          expect lock.bonds is 0
        end

        """)
  }

  /// The bond encrypts the next link without a question.
  @Test func thePasskeyIsRequestedOnce() throws {
    try passes(
      Self.labelled + """
        on passkey request
          print "asked"
          answer 42137
        end
        scan for "Lock" as lock
        connect to lock
        pair
        disconnect
        wait 5s
        connect to lock
        read 0xFFF1 as value
        print value.text()

        test "twice connected"
          simulate lock
          start recipe as r
          wait until r.finished within 5min
          expect r.printed is ["asked", "secret light"]
        end

        """)
  }

  /// The recipe displays a code, which is typed at the device.
  @Test(arguments: [TestOptions.Kills.none, .kept(sample: nil)]) func aCodeThatIsShownIsTypedAtTheDevice(kills: TestOptions.Kills)
    throws
  {
    try passes(
      """
      peripheral lock named "Lock"
        let typed = ""
        advertise 0xFFF0 every 100ms
        service 0xFFF0
          characteristic 0xFFF1 can read needs authentication starts as "secret light"
        end
        on passkey request
          set typed to ""
          wait until typed is not ""
          answer typed
        end
      end
      on passkey display as code: print code

      """ + Self.reading + """
        test "shown and typed"
          simulate lock
          start recipe as r
          let read = ""
          repeat while not r.finished
            wait 100ms
            let shown = r.printed[count(r.printed) - 1] if count(r.printed) > 0 else ""
            if shown is not read and lock.typed is ""      # after a kill it may be another code
              set read to shown
              set lock.typed to shown
            end
          end
          expect r.exit_code is 0
          expect "secret light true" in r.printed
        end

        """, kills)
  }

  /// Both display the same six digits.
  @Test(arguments: sweeps) func aComparisonIsAnsweredAtBothEnds(kills: TestOptions.Kills) throws {
    try passes(
      """
      peripheral lock named "Lock"
        let shown = ""
        advertise 0xFFF0 every 100ms
        service 0xFFF0
          characteristic 0xFFF1 can read needs authentication starts as "secret light"
        end
        on passkey confirm as code
          set shown to code
          answer true
        end
      end
      on passkey confirm as code
        print code
        answer count(code) is 6
      end

      """ + Self.reading + """
        test "compared"
          simulate lock
          start recipe as r
          wait until r.finished within 5min
          expect r.exit_code is 0
          expect "secret light true" in r.printed
          expect lock.shown in r.printed
        end

        """, kills)
  }

  /// Numbers that differ, or a device that cannot authenticate: a handler may say no.
  @Test(arguments: ["answer false", "refuse", "answer 12 otherwise log it", "log code"]) func aHandlerCanRefuseAPairing(
    statement: String
  ) throws {
    for peripheral in ["on passkey confirm: answer true", ""] {
      try passes(
        """
        peripheral lock named "Lock"
          advertise 0xFFF0 every 100ms
          service 0xFFF0
            characteristic 0xFFF1 can read starts as "light"
          end
          \(peripheral)
        end
        on passkey confirm as code
          \(statement)
        end

        """ + Self.reading + """
          test "refused"
            simulate lock
            start recipe as r
            wait until r.finished within 5min
            expect r.exit_code is 7
            expect lock.bonds is 0
          end

          """)
    }
  }

  /// A device that cannot authenticate, with consent: the question is `nothing`.
  @Test func unauthenticatedPairingAsksForConsent() throws {
    try passes(
      """
      peripheral lock named "Lock"
        advertise 0xFFF0 every 100ms
        service 0xFFF0
          characteristic 0xFFF1 can read needs encryption starts as "secret light"
        end
      end
      on passkey confirm as code
        print "asked {code}"
        answer code is nothing
      end

      """ + Self.reading + """
        test "consent"
          simulate lock
          start recipe as r
          wait until r.finished within 5min
          expect r.printed is ["asked nothing", "secret light true"]
        end

        """)
  }

  /// A keyboard-only device pairs with no unauthenticated peer.
  @Test func aDeviceWithoutAPasskeyIsRefusedIfRequired() throws {
    try passes(
      """
      peripheral lock named "Lock"
        advertise 0xFFF0 every 100ms
      end
      on passkey request: answer "000000"
      scan for "Lock"
      connect
      pair

      test "no proof"
        simulate lock
        start recipe as r
        wait until r.finished within 5min
        expect r.exit_code is 7
        expect r.errors contains "cannot prove who it is"
      end

      """)
  }

  @Test func strictPairsWithACode() throws {
    try passes(
      "use pairing strict\n" + Self.labelled + "on passkey request: answer \"042137\"\n" + Self.reading + """
        test "strict"
          simulate lock
          start recipe as r
          wait until r.finished within 5min
          expect r.exit_code is 0
        end

        """)
  }

  /// An attribute that requires authentication starts a pairing, and the handler is asked.
  @Test(arguments: sweeps) func onDemandTheCodeIsAskedFor(kills: TestOptions.Kills) throws {
    try passes(
      "use pairing automatic\n" + Self.labelled + """
        on passkey request: answer "042137"
        scan for "Lock" as lock
        connect
        read 0xFFF1 as value
        print value.text()

        test "automatic"
          simulate lock
          start recipe as r
          wait until r.finished within 5min
          expect r.exit_code is 0
          expect "secret light" in r.printed
        end

        """, kills)
  }

  /// A user needs longer than an attribute request may take; a `within` of the recipe applies.
  @Test(arguments: [("read 0xFFF1 as value", 0), ("subscribe to 0xFFF1", 0), ("read 0xFFF1 within 10s as value", 8)])
  func onDemandAPersonHasTime(statement: String, code: Int) throws {
    try passes(
      "use pairing automatic\n" + Self.labelled.replacing("can read", with: "can read, notify") + """
        on passkey request
          wait 25s
          answer "042137"
        end
        scan for "Lock" as lock
        connect
        \(statement)

        test "a slow person"
          simulate lock
          start recipe as r
          wait until r.finished within 5min
          expect r.exit_code is \(code), r.errors
        end

        """)
  }

  /// Without an answer the pairing fails after 28 s, and the handler ends.
  @Test func aQuestionEndsAfter28Seconds() throws {
    try passes(
      Self.labelled + """
        on passkey request
          print "asked"
          wait 10min
          print "too late"
          answer "042137"
        end
        scan for "Lock" as lock
        connect
        try
          pair
        otherwise as problem
          print problem.message
        end
        wait 11min

        test "late"
          simulate lock
          start recipe as r
          wait until r.finished within 30min
          expect r.printed[0] is "asked"
          expect r.printed[1] contains "no passkey was given"
          expect count(r.printed) is 2
        end

        """)
  }

  /// The recipe needs the device, and a kill happens in the middle of an answer: the run pairs
  /// again.
  @Test(arguments: sweeps, ["connect", "connect when it appears"])
  func aKillInterruptsAnAnswer(kills: TestOptions.Kills, connect: String) throws {
    try passes(
      Self.labelled + """
        on passkey request
          wait 1s
          answer "042137"
        end
        scan for "Lock" as lock
        \(connect)
        pair
        read 0xFFF1 as value
        print value.text()

        test "interrupted"
          simulate lock
          start recipe as r
          wait until r.finished within 5min
          expect r.exit_code is 0, r.errors
          expect "secret light" in r.printed
        end

        """, kills)
  }

  /// `--passkey` and `--confirm` take precedence over handlers.
  @Test(arguments: [true, false]) func optionsAnswer(isRight: Bool) throws {
    let fixture = try Fixture(recipe: Self.reading, devices: Self.labelled)
    var plan = fixture.plan()
    plan.options.codes = PairingCodes(passkey: isRight ? 42_137 : 1)
    try fixture.start(plan)
    #expect(fixture.world.run(for: .minutes(2)) == .ended)
    #expect(fixture.output == (isRight ? "secret light true\n" : ""), "\(fixture.errors)")
    #expect(fixture.world.session?.exitStatus.code == (isRight ? 0 : 7))
  }

  /// The same, dropped before and after any effect.
  @Test func answersOfOptionsSurviveKills() throws {
    func make() throws -> (Fixture, RunPlan) {
      let fixture = try Fixture(recipe: Self.reading, devices: Self.labelled)
      var plan = fixture.plan()
      plan.options.codes = PairingCodes(passkey: 42_137)
      return (fixture, plan)
    }
    let (whole, plan) = try make()
    try whole.start(plan)
    _ = whole.world.run(for: .minutes(2))
    let count = whole.world.session?.effectCount ?? 0
    #expect(count > 4)
    for number in 1...max(count, 1) {
      for side in [EffectPoint.Side.before, .after] {
        let (fixture, plan) = try make()
        try fixture.start(plan, hook: { $0.number == number && $0.side == side ? .kill : .goOn })
        _ = fixture.world.run(for: .minutes(2))
        fixture.world.wait(.seconds(2))
        try fixture.start(plan)
        #expect(fixture.world.run(for: .minutes(2)) == .ended, "effect \(number) \(side): \(fixture.errors)")
        #expect(fixture.output.hasSuffix("secret light true\n"), "effect \(number) \(side): \(fixture.errors)")
      }
    }
  }
}
