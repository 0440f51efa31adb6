import Linux
import Runner
import Session
import Testing
import Vocabulary
import World

/// An attribute requires authentication over a link that an unauthenticated bond encrypts. The
/// devices pair again so that the peer authenticates itself, and the request is repeated.
@Suite struct RaiseTests {
  private static let lock = """
    use pairing automatic
    peripheral lock named "Lock"
      passkey "042137"
      advertise 0xFFF0 every 100ms
      service 0xFFF0
        characteristic 0xFFF1 can read, write, notify needs authentication starts as "secret light"
        characteristic 0xFFF2 can read needs encryption starts as "plain light"
      end
      on write 0xFFF1 as v: notify 0xFFF1 with v
    end

    """

  /// Without a handler, pairing uses what the device has; later there is a handler.
  private static let unproven = """
    scan for "Lock" as lock
    connect
    read 0xFFF2 as value
    print value.text()

    """

  private func verdict(_ text: String, _ kills: TestOptions.Kills = .none) throws -> TestVerdict {
    let playground = Playground()
    let path = "\(playground.path)/raise.ble"
    try saveFile(path, Array(text.utf8))
    let file = try TestFile(path: path)
    var options = TestOptions(seed: 1)
    options.kills = kills
    let verdict = try TestSweep(file.tests[0], of: file, options).run()
    #expect(
      verdict.passed,
      "\(verdict.circumstance ?? "") \(String(describing: verdict.failure?.failure)) \(verdict.failure?.logs ?? [])")
    return verdict
  }

  private static let sweeps: [TestOptions.Kills] = .swept(40)

  @Test(arguments: sweeps) func aReadIsAskedForAgain(kills: TestOptions.Kills) throws {
    _ = try verdict(
      Self.lock + Self.unproven + """
        disconnect
        wait 1s
        repeat 1 times
          on passkey request: answer "042137"
          connect to lock
          read 0xFFF1 as value
          print "{value.text()} {lock.encrypted}"
          read 0xFFF2 as value
          disconnect
          wait 1s
          connect to lock
          read 0xFFF1 as value
          print "again {value.text()}"
        end

        test "a proof"
          simulate lock
          start recipe as r
          wait until r.finished within 10min
          expect r.exit_code is 0
          expect "secret light true" in r.printed
          expect "again secret light" in r.printed
          expect lock.bonds is 1
        end

        """, kills)
  }

  /// A write and a subscription are repeated, too, and each arrives once.
  @Test(arguments: [TestOptions.Kills.none, .kept(sample: 30)]) func aWriteAndASubscription(kills: TestOptions.Kills) throws {
    _ = try verdict(
      Self.lock + Self.unproven + """
        disconnect
        wait 1s
        repeat 1 times
          on passkey request: answer "042137"
          connect to lock
          subscribe to 0xFFF1
          write "x" to 0xFFF1
          wait for notify 0xFFF1 within 1min as v
          print "heard {v.text()}"
        end

        test "a proof"
          simulate lock
          start recipe as r
          wait until r.finished within 10min
          expect r.exit_code is 0
          expect "heard x" in r.printed
        end

        """, kills)
  }

  /// `use pairing strict` uses no unauthenticated bond, unless the recipe makes a better one.
  @Test(arguments: [false, true]) func strictDoesNotUseAnUnprovenBond(pairs: Bool) throws {
    let strict = """
      use pairing strict
      on passkey request: answer "042137"
      scan for "Lock" as lock
      connect to lock
      \(pairs ? "pair" : "print \"connected\"")
      read 0xFFF2 as value
      print value.text()

      """
    let playground = Playground()
    try saveFile("\(playground.path)/strict.ble", Array(strict.utf8))
    try saveFile("\(playground.path)/plain.ble", Array(("use pairing automatic\n" + Self.unproven).utf8))
    let path = "\(playground.path)/raise_test.ble"
    try saveFile(
      path,
      Array(
        (Self.lock.replacing("use pairing automatic\n", with: "") + """
          test "an old bond"
            simulate lock
            start recipe "plain.ble" as first
            wait until first.finished within 1min
            start recipe "strict.ble" as r
            wait until r.finished within 1min
            expect r.exit_code is \(pairs ? 0 : 7), r.errors
            expect count(r.printed) is \(pairs ? 1 : 0), r.printed
            expect r.errors contains "\(pairs ? "" : "tooth forget")", r.errors
            expect lock.bonds is 1
          end

          """).utf8))
    let file = try TestFile(path: path)
    let verdict = try TestSweep(file.tests[0], of: file, TestOptions(seed: 1)).run()
    #expect(verdict.passed, "\(String(describing: verdict.failure?.failure)) \(verdict.failure?.logs ?? [])")
  }

  /// The device cannot authenticate itself: this is reported once, and the link and its bond stay.
  @Test func anIncapableDeviceIsNotPairedAgain() throws {
    let plain = Self.lock.replacing("  passkey \"042137\"\n", with: "")
    _ = try verdict(
      plain + Self.unproven + """
        disconnect
        wait 1s
        repeat 1 times
          on passkey request: answer "042137"
          connect to lock
          try
            read 0xFFF1 as value
          otherwise as problem
            print "{problem.kind}: {problem.message}"
          end
          read 0xFFF2 as value
          print "still {value.text()}"
        end

        test "no proof"
          simulate lock
          start recipe as r
          wait until r.finished within 10min
          expect r.exit_code is 0
          expect count(r.printed) is 3
          expect r.printed[1] contains "cannot prove who it is"
          expect r.printed[2] is "still plain light"
          expect lock.bonds is 1
        end

        """)
  }

  /// A wrong code leaves the old bond as it was.
  @Test func aWrongPasskeyKeepsTheOldBond() throws {
    _ = try verdict(
      Self.lock + Self.unproven + """
        disconnect
        wait 1s
        repeat 1 times
          on passkey request: answer "111111"
          connect to lock
          read 0xFFF1 as value otherwise print "wrong"
          disconnect
          wait 10s
          connect to lock
          read 0xFFF2 as value
          print "still {value.text()}"
        end

        test "a wrong code"
          simulate lock
          start recipe as r
          wait until r.finished within 10min
          expect r.exit_code is 0
          expect "wrong" in r.printed
          expect "still plain light" in r.printed
          expect lock.bonds is 1
        end

        """)
  }
}
