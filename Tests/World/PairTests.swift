import Glibc
import Linux
import Recipe
import Runner
import Session
import Testing
import Vocabulary
@testable import World

/// `pair` on the simulated air between two of our hosts.
@Suite struct PairTests {
  private static let lamp = """
    peripheral lamp named "Lamp"
      advertise 0xFFF0 every 100ms
      service 0xFFF0
        characteristic 0xFFF1 can read needs encryption starts as "secret light"
        characteristic 0xFFF2 can read needs authentication starts as "locked"
        characteristic 0xFFF3 can write
      end
      on write 0xFFF3: disconnect
    end

    """

  private static let reading = """
    scan for "Lamp"
    connect
    pair
    read 0xFFF1 as value
    print "{value.text()} {device.encrypted}"

    """

  private func make(_ recipe: String) throws -> Fixture { try Fixture(recipe: recipe, devices: Self.lamp) }

  /// A recipe that pairs already is not told to add `pair`.
  @Test(arguments: [true, false]) func theHintAboutPairingFitsTheRecipe(pairs: Bool) throws {
    let lock = """
      peripheral lock named "Lock"
        advertise 0xFFF0 every 100ms
        passkey "042137"
        service 0xFFF0
          characteristic 0xFFF1 can read needs authentication starts as "secret"
        end
      end

      """
    let recipe = "scan for \"Lock\"\nconnect\n\(pairs ? "pair\n" : "")read 0xFFF1\n"
    let fixture = try Fixture(recipe: recipe, devices: lock)
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(2)) == .ended, "\(fixture.errors)")
    #expect(fixture.errors.contains("T306") && fixture.errors.contains("--passkey"), "\(fixture.errors)")
    #expect(fixture.errors.contains("add `pair`") == !pairs, "\(fixture.errors)")
  }

  /// A peripheral with an attribute that needs encryption pairs with anyone; one without pairs with
  /// no one.
  @Test(arguments: [(" needs encryption", "secret true"), (" needs authentication", "needs_pairing"), ("", "refused")])
  func servingAProtectedValueAcceptsPairing(_ needs: String, _ said: String) throws {
    let fixture = try make(
      """
      peripheral desk named "Desk"
        advertise 0xFFF0 every 100ms
        service 0xFFF0
          characteristic 0xFFF1 can read\(needs) starts as "secret"
        end
      end
      serve desk
      wait 1min

      """)
    let central = RecipeLoader.parse(
      name: "central.ble",
      Array(
        """
        scan for "Desk"
        connect
        try
          pair
          read 0xFFF1 as value
          print "{value.text()} {device.encrypted}"
        otherwise as problem
          print problem.kind
        end
        wait forever

        """.utf8))
    try fixture.world.air.add(running: #require(central.recipe), central.sources, under: "central")
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(2)) == .ended, "\(fixture.errors)")
    let printed = fixture.world.air.takeMessages()
      .filter { $0.peripheral == "central" && $0.level != .debug }.map(\.text)
    #expect(printed == [said + "\n"], "\(printed) \(fixture.errors)")
  }

  @Test func automaticPairingMakesABond() throws {
    let fixture = try make(
      "use pairing automatic\nscan for \"Lamp\"\nconnect\nprint device.bonded\nread 0xFFF1 as value\nprint device.bonded\n")
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(1)) == .ended, "\(fixture.errors)")
    #expect(fixture.output == "false\ntrue\n", "\(fixture.errors)")
  }

  @Test func aProtectedValueIsReadAfterPairing() throws {
    let fixture = try make(Self.reading)
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(2)) == .ended, "\(fixture.errors)")
    #expect(fixture.output == "secret light true\n", "\(fixture.errors)")
    #expect(fixture.world.session?.exitStatus.code == 0)
  }

  /// The same through a keeper, whose link outlives the run, and with a host of its own, killed
  /// once for each effect.
  @Test(arguments: [TestOptions.Kills.none, .kept(sample: nil), .direct(sample: nil)])
  func resultsAreTheSameThroughAKeeper(kills: TestOptions.Kills) throws {
    let playground = Playground()
    let path = "\(playground.path)/pair.ble"
    let text =
      Self.lamp + Self.reading + """
        test "a protected value"
          simulate lamp
          start recipe as r
          wait until r.finished within 5min
          expect r.exit_code is 0
          expect "secret light true" in r.printed
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

  @Test func withoutPairingItIsRefused() throws {
    let fixture = try make("scan for \"Lamp\"\nconnect\nread 0xFFF1 as value\nprint value\n")
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(2)) == .ended)
    #expect(fixture.output.isEmpty && fixture.errors.contains("T306"), "\(fixture.errors)")
  }

  /// Just Works does not authenticate.
  @Test func anAuthenticatedValueIsRefusedAfterJustWorks() throws {
    let fixture = try make("scan for \"Lamp\"\nconnect\npair\nread 0xFFF2 as value\nprint value\n")
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(2)) == .ended)
    #expect(fixture.output.isEmpty && fixture.errors.contains("T306"), "\(fixture.errors)")
  }

  /// The second link is encrypted with the bond, before the first statement and without `pair`.
  @Test func theNextLinkIsEncryptedByTheBond() throws {
    let fixture = try make(
      """
      scan for "Lamp" as lamp
      connect to lamp
      pair
      disconnect
      wait 1s
      connect to lamp
      read 0xFFF1 as value
      print "{value.text()} {device.encrypted}"

      """)
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(2)) == .ended, "\(fixture.errors)")
    #expect(fixture.output == "secret light true\n", "\(fixture.errors)")
  }

  /// A run that is dropped before or after any effect pairs again, or continues, with the same
  /// result.
  @Test func pairingSurvivesAKillAnywhere() throws {
    let whole = try make(Self.reading)
    try whole.start()
    _ = whole.world.run(for: .minutes(2))
    let count = whole.world.session?.effectCount ?? 0
    #expect(count > 4)
    for number in 1...max(count, 1) {
      for side in [EffectPoint.Side.before, .after] {
        let fixture = try make(Self.reading)
        try fixture.start(hook: { $0.number == number && $0.side == side ? .kill : .goOn })
        _ = fixture.world.run(for: .minutes(2))
        fixture.world.wait(.seconds(2))
        try fixture.start()
        #expect(fixture.world.run(for: .minutes(2)) == .ended, "effect \(number) \(side): \(fixture.errors)")
        #expect(fixture.world.session?.exitStatus.code == 0, "effect \(number) \(side): \(fixture.errors)")
        let lines = fixture.output.split(separator: "\n")
        #expect(
          (1...2).contains(lines.count) && lines.allSatisfy { $0 == "secret light true" },
          "effect \(number) \(side): \(fixture.output)")
      }
    }
  }

  // MARK: Bonds that another process adds and removes

  /// The file of the only device's bond.
  private func bondFile(_ fixture: Fixture) throws -> String {
    let root = "\(fixture.playground.path)/state/bonds"
    let folder = "\(root)/\(try #require(Files.names(in: root).first))"
    return "\(folder)/\(try #require(Files.names(in: folder).first { $0.hasSuffix(".p") || $0.hasSuffix(".r") }))"
  }

  @Test func changedBondsAreDetected() throws {
    let fixture = try make(
      """
      scan for "Lamp" as lamp
      connect to lamp
      pair
      wait 10s
      forget lamp
      repeat 2 times
        wait 20s
        connect to lamp
        try
          read 0xFFF1 as value
          print value.text()
        otherwise
          print it.kind
        end
        disconnect
      end

      """)
    try fixture.start()
    _ = fixture.world.run(for: .seconds(8))
    let file = try bondFile(fixture)
    let bond = try readFile(file, limit: 1 << 16)
    _ = fixture.world.run(for: .seconds(12))
    #expect(Files.kind(of: file) == nil)
    try saveFile(file, bond, mode: 0o600)
    _ = fixture.world.run(for: .seconds(25))
    #expect(fixture.output == "secret light\n", "\(fixture.errors)")
    #expect(unlink(file) == 0)
    #expect(fixture.world.run(for: .minutes(2)) == .ended, "\(fixture.errors)")
    #expect(fixture.output == "secret light\nneeds_pairing\n", "\(fixture.errors)")
  }

  /// A bond that appears during a link is stronger than one by Just Works, so it stays.
  @Test func justWorksDoesNotReplaceAStrongerBond() throws {
    let fixture = try Fixture(
      recipe: """
        scan for "Lock" as lock
        repeat 1 times
          on passkey request: answer "042137"
          connect to lock
          pair
          wait 10s
          forget lock
        end
        wait 20s
        connect to lock
        print "open"
        wait 30s
        pair otherwise print it.kind, it.message

        """,
      devices: """
        peripheral lock named "Lock"
          passkey "042137"
          advertise 0xFFF0 every 100ms
          service 0xFFF0
            characteristic 0xFFF1 can read starts as "open"
          end
        end

        """)
    try fixture.start()
    _ = fixture.world.run(for: .seconds(8))
    let file = try bondFile(fixture)
    let bond = try readFile(file, limit: 1 << 16)
    _ = fixture.world.run(for: .seconds(12))
    fixture.world.air.order("lock", at: fixture.world.now) { node, now in node.forgetBonds(at: now) }
    _ = fixture.world.run(for: .seconds(25))
    #expect(fixture.output == "open\n", "\(fixture.errors)")
    try saveFile(file, bond, mode: 0o600)
    #expect(fixture.world.run(for: .minutes(2)) == .ended, "\(fixture.errors)")
    #expect(fixture.output.contains("refused") && fixture.output.contains("would be weaker"), "\(fixture.output) \(fixture.errors)")
    #expect(try readFile(file, limit: 1 << 16) == bond)
  }

  // MARK: `forget`, and devices that forget their bond

  private static let forgetting = """
    scan for "Lamp" as lamp
    connect to lamp
    pair
    read 0xFFF1 as value
    print "{value.text()} {lamp.bonded}"
    forget lamp
    print lamp.connected
    connect to lamp
    print lamp.bonded
    try
      read 0xFFF1 as value
    otherwise as problem
      print problem.kind
    end

    """

  private static let forgotten = "secret light true\nfalse\nfalse\nneeds_pairing\n"

  @Test func aForgottenDeviceIsNotBonded() throws {
    let fixture = try make(Self.forgetting)
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(2)) == .ended, "\(fixture.errors)")
    #expect(fixture.output == Self.forgotten, "\(fixture.errors)")
  }

  /// Killed before and after each effect, with its links kept and lost: in the end our bond is
  /// gone, and the device has at most one.
  @Test(arguments: [TestOptions.Kills.none, .kept(sample: nil), .direct(sample: nil)])
  func forgettingSurvivesAKillAnywhere(kills: TestOptions.Kills) throws {
    let text =
      Self.lamp + Self.forgetting + """
        test "a bond comes and goes"
          simulate lamp
          start recipe as r
          wait until lamp.bonds is 1 within 1min
          wait until r.finished within 5min
          expect r.exit_code is 0
          expect "needs_pairing" in r.printed
          expect lamp.bonds is 1
        end

        """
    try passes(text, kills)
  }

  /// The bond of a device that was reset stays, and the run says what to do.
  @Test func aDeviceThatForgotItsBondIsStale() throws {
    try passes(
      Self.lamp + """
        scan for "Lamp" as lamp
        connect to lamp
        pair
        print "paired"
        disconnect
        wait 1s
        connect to lamp
        read 0xFFF1 as value

        test "the lamp forgets"
          simulate lamp
          start recipe as r
          wait until "paired" in r.printed within 1min
          make lamp forget bond
          expect lamp.bonds is 0
          wait until r.finished within 1min
          expect r.exit_code is 7
          expect r.errors contains "forgotten the bond"
        end

        """, .none)
  }

  // MARK: On demand

  /// Without `pair`: an attribute requires a bond, and is requested once more.
  @Test(arguments: [TestOptions.Kills.none, .kept(sample: nil), .direct(sample: nil)])
  func pairingOnDemandSurvivesAKillAnywhere(kills: TestOptions.Kills) throws {
    try passes(
      "use pairing automatic\n" + Self.lamp + """
        scan for "Lamp" as lamp
        connect to lamp
        read 0xFFF1 as value
        print "{value.text()} {lamp.encrypted}"

        test "nothing says pair"
          simulate lamp
          start recipe as r
          wait until r.finished within 5min
          expect r.exit_code is 0
          expect "secret light true" in r.printed
          expect lamp.bonds is 1
        end

        """, kills)
  }

  /// Just Works does not authenticate, so the second refusal is final.
  @Test func aSecondRefusalAfterJustWorksCounts() throws {
    let fixture = try make("use pairing automatic\nscan for \"Lamp\"\nconnect\nread 0xFFF2 as value\nprint value\n")
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(2)) == .ended)
    #expect(fixture.output.isEmpty && fixture.errors.contains("T306"), "\(fixture.errors)")
    #expect(
      fixture.errors.contains("on passkey request") && !fixture.errors.contains("use pairing automatic` at"), "\(fixture.errors)")
  }

  @Test func strictRefusesUnauthenticatedPairing() throws {
    let fixture = try make("use pairing strict\nscan for \"Lamp\"\nconnect\npair\nprint \"paired\"\n")
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(2)) == .ended)
    #expect(fixture.output.isEmpty && fixture.world.session?.exitStatus.code == 7, "\(fixture.errors)")
  }

  /// A pairing that replaces a lost bond asks the client that waits for the link, which has no
  /// owners yet.
  @Test(arguments: ["\"042137\"", "\"111111\""]) func aStaleBondIsReplacedWithACode(second: String) throws {
    let fixture = try Fixture(
      recipe: """
        let codes = 0
        on passkey request
          set codes to codes + 1
          answer "042137" if codes is 1 else \(second)
        end
        scan for "Lock" as lock
        connect to lock
        pair
        disconnect
        wait 30s
        connect to lock
        read 0xFFF1 as value
        print value.text()

        """,
      devices: """
        peripheral lock named "Lock"
          passkey "042137"
          advertise 0xFFF0 every 100ms
          service 0xFFF0
            characteristic 0xFFF1 can read needs authentication starts as "open"
          end
        end

        """)
    var plan = fixture.plan()
    plan.options.rebonds = true
    try fixture.start(plan)
    _ = fixture.world.run(for: .seconds(20))
    fixture.world.air.order("lock", at: fixture.world.now) { node, now in node.forgetBonds(at: now) }
    #expect(fixture.world.run(for: .minutes(2)) == .ended)
    let isRight = second == "\"042137\""
    #expect(fixture.output == (isRight ? "open\n" : ""), "\(fixture.errors)")
    #expect(fixture.world.session?.exitStatus.code == (isRight ? 0 : 7), "\(fixture.errors)")
  }

  /// With `--rebond` a device that has forgotten its bond is paired with again, on the same link.
  @Test(arguments: [false, true]) func aStaleBondIsReplacedOnlyWhenThatIsAsked(rebonds: Bool) throws {
    let fixture = try make(
      """
      scan for "Lamp" as lamp
      connect to lamp
      pair
      disconnect
      wait 30s
      connect to lamp
      read 0xFFF1 as value
      print "{value.text()} {lamp.encrypted}"

      """)
    var plan = fixture.plan()
    plan.options.rebonds = rebonds
    try fixture.start(plan)
    _ = fixture.world.run(for: .seconds(20))
    fixture.world.air.order("lamp", at: fixture.world.now) { node, now in node.forgetBonds(at: now) }
    #expect(fixture.world.run(for: .minutes(2)) == .ended)
    #expect(fixture.output == (rebonds ? "secret light true\n" : ""), "\(fixture.errors)")
    #expect(fixture.world.session?.exitStatus.code == (rebonds ? 0 : 7), "\(fixture.errors)")
  }
}
