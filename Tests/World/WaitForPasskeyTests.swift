import Linux
import Recipe
import Runner
import Session
import Testing
import Vocabulary
@testable import World

/// `wait for passkey`: one fiber waits for the questions of a pairing that another fiber runs.
@Suite struct WaitForPasskeyTests {
  private static let sweeps: [TestOptions.Kills] = .swept(60)

  private static func labelled(_ name: String, _ code: String) -> String {
    """
    peripheral \(name) named "\(name)"
      passkey "\(code)"
      advertise 0xFFF0 every 100ms
      service 0xFFF0
        characteristic 0xFFF1 can read needs authentication starts as "light of \(name)"
      end
    end

    """
  }

  private static let shown = """
    peripheral lock named "lock"
      let shown = ""
      advertise 0xFFF0 every 100ms
      service 0xFFF0
        characteristic 0xFFF1 can read needs authentication starts as "light of lock"
      end
      on passkey confirm as code
        set shown to code
        answer true
      end
    end

    """

  private static func pairing(_ answering: String) -> String {
    """
    scan for "lock" as lock
    connect to lock
    for each part in ["pair", "answer"] at once
      if part is "pair"
        pair with lock
      else
    \(answering)
      end
    end
    read 0xFFF1 of lock as value
    print value.text()

    """
  }

  private static func test(_ expectations: String) -> String {
    """
    test "it pairs"
      simulate lock
      start recipe as r
      wait until r.finished within 10min
      expect r.exit_code is 0
      expect "light of lock" in r.printed
      expect lock.bonds is 1
    \(expectations)
    end

    """
  }

  @Test(arguments: sweeps) func aCodeIsEntered(kills: TestOptions.Kills) throws {
    try passes(
      Self.labelled("lock", "042137")
        + Self.pairing(
          """
              wait for passkey request within 1min as asked
              print "{asked.name} asks"
              answer "042137"
              print "answered"
          """) + Self.test("  expect \"lock asks\" in r.printed and \"answered\" in r.printed"), kills)
  }

  /// The digits of a link that was lost in a kill are not those of the next; the fiber sees the new
  /// ones.
  @Test(arguments: sweeps) func digitsAreCompared(kills: TestOptions.Kills) throws {
    try passes(
      Self.shown
        + Self.pairing(
          """
              wait for passkey confirm as code
              print code
              answer count(code) is 6
          """) + Self.test("  expect lock.shown in r.printed"), kills)
  }

  /// A loop takes the questions in turn.
  @Test(arguments: sweeps) func aTimerTakesEveryQuestion(kills: TestOptions.Kills) throws {
    try passes(
      Self.shown + """
        after 1ms
          repeat forever
            wait for passkey confirm where count(it) is 6
            print it
            answer true
          end
        end
        scan for "lock" as lock
        connect to lock
        pair
        read 0xFFF1 as value
        print value.text()

        """ + Self.test("  expect lock.shown in r.printed"), kills)
  }

  @Test(arguments: [TestOptions.Kills.none, .kept(sample: nil)]) func aCodeIsShown(kills: TestOptions.Kills) throws {
    try passes(
      """
      peripheral lock named "lock"
        let typed = ""
        advertise 0xFFF0 every 100ms
        service 0xFFF0
          characteristic 0xFFF1 can read needs authentication starts as "light of lock"
        end
        on passkey request
          set typed to ""
          wait until typed is not ""
          answer typed
        end
      end

      """
        + Self.pairing(
          """
              wait for passkey display as code
              print code
          """) + """
          test "shown and typed"
            simulate lock
            start recipe as r
            let read = ""
            repeat while not r.finished
              wait 100ms
              let shown = r.printed[count(r.printed) - 1] if count(r.printed) > 0 else ""
              if shown is not read and lock.typed is ""
                set read to shown
                set lock.typed to shown
              end
            end
            expect r.exit_code is 0
            expect "light of lock" in r.printed
            expect not r.errors contains "the code for"
          end

          """, kills)
  }

  /// A peripheral waits in the handler of a link.
  @Test(arguments: [TestOptions.Kills.none, .kept(sample: nil)]) func aPeripheralCanWaitForAPasskey(kills: TestOptions.Kills) throws
  {
    try passes(
      """
      peripheral lock named "lock"
        let shown = ""
        advertise 0xFFF0 every 100ms
        service 0xFFF0
          characteristic 0xFFF1 can read needs authentication starts as "light of lock"
        end
        on connect
          wait for passkey confirm as code
          set shown to code
          answer true
          set shown to "{shown}!"
        end
      end
      on passkey confirm as code
        print code
        answer true
      end
      scan for "lock" as lock
      connect to lock
      pair
      read 0xFFF1 as value
      print value.text()

      """ + Self.test("  expect lock.shown is \"{r.printed[count(r.printed) - 2]}!\""), kills)
  }

  /// Two devices at once: each fiber takes the question of its device.
  @Test(arguments: sweeps) func eachDeviceHasItsOwnQuestion(kills: TestOptions.Kills) throws {
    try passes(
      Self.labelled("lock", "042137") + Self.labelled("other", "731240") + """
        scan for "lock" as lock
        scan for "other" as other
        connect to lock
        connect to other
        for each part in ["other code", "pair lock", "pair other", "lock code"] at once
          if part is "pair lock": pair with lock
          if part is "pair other": pair with other
          if part is "lock code"
            with lock
              wait for passkey request as asked
              expect asked.name is "lock"
              answer "042137"
            end
          end
          if part is "other code"
            with other
              wait for passkey request as asked
              expect asked.name is "other"
              answer "731240"
            end
          end
        end
        read 0xFFF1 of lock as value
        print value.text()
        read 0xFFF1 of other as value
        print value.text()

        test "both"
          simulate lock
          simulate other
          start recipe as r
          wait until r.finished within 10min
          expect r.exit_code is 0
          expect "light of lock" in r.printed and "light of other" in r.printed
        end

        """, kills)
  }

  /// Without an answer: the message and its consequences.
  @Test(arguments: [
    ("refuse", "pairing was refused"), ("answer false", "pairing was refused"), ("print code", "pairing was refused"),
    ("wait 40s; answer true", "the pairing had ended before this"),
  ]) func withoutAnAnswerNoBondIsMade(statements: String, message: String) throws {
    try passes(
      Self.shown
        + Self.pairing(
          """
              wait for passkey confirm as code
              \(statements)
          """) + """
          test "refused"
            simulate lock
            start recipe as r
            wait until r.finished within 10min
            expect r.exit_code is not 0
            expect lock.bonds is 0
          end

          """)
  }

  @Test func thePasskeyWaitIsLimited() throws {
    try passes(
      """
      try
        wait for passkey request within 5s
      otherwise if timeout
        print "none"
      end
      test "none"
        start recipe as r
        wait until r.finished within 1min
        expect r.printed is ["none"]
      end

      """)
  }

  /// `answer` and `refuse` belong to a question, and later statements continue.
  @Test(
    arguments: [
      ("wait for passkey request\nanswer 1\nprint 2\n", []), ("answer 1\n", ["T224"]), ("refuse\n", ["T224"]),
      ("wait for passkey display\nanswer 1\n", ["T224"]),
      ("repeat forever\n  if now().hour is 3: answer true\n  wait for passkey confirm\nend\n", []),
      ("procedure tell(code)\n  answer code\nend\nwait for passkey request\ntell(\"123456\")\nprint 1\n", []),
      ("procedure tell(code)\n  answer code\nend\ntell(\"123456\")\n", ["T224"]),
      ("on passkey request\n  answer \"123456\"\n  print 1\nend\nwait forever\n", ["T240"]),
      ("wait for passkey request\nevery 1s: refuse\nwait forever\n", ["T224"]),
      ("wait for passkey display\nafter 1s: wait for passkey request\nwait 1min\n", ["T259"]),
    ] as [(String, [String])]) func answerStatementsAreChecked(text: String, codes: [String]) throws
  {
    let parsed = RecipeFile.parseAndCheck(Array(text.utf8), name: "x.ble")
    #expect(parsed.diagnostics.map(\.code) == codes, "\(parsed.diagnostics)")
  }
}
