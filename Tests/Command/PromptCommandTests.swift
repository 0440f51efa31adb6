import Glibc
import Journal
import Linux
import Testing
import Vocabulary

/// `tooth repl` as programs and people use it.
@Suite struct PromptCommandTests {
  private let folder = Folder()

  private var environment: [String: String] { ["TOOTH_STATE": "\(folder.path)/state"] }

  private func repl(_ input: String, _ more: String...) -> Tooth.Result {
    Tooth.start(
      ["repl", "--adapter", "sim:demo"] + more, input: input, environment: environment, directory: folder.path
    ).wait()
  }

  private func typed(_ more: String...) throws -> TerminalSession {
    let session = try TerminalSession(
      ["repl", "--adapter", "sim:demo"] + more, environment: environment, directory: folder.path)
    try #require(session.read { $0.contains("tooth sim:demo > ") }, "\(session.text)")
    return session
  }

  @Test func aProgramDrivesIt() {
    let result = repl("scan for \"Strap 7\"\nconnect\nread battery_level\nit / 2\n")
    #expect(result.code == 0 && result.output == "Strap 7\n97\n48.5\n", "\(result.errors)")
    let objects = repl("1 + 1\nfail \"no\" with code 44\n2\n", "--output", "json")
    #expect(objects.code == 44)
    #expect(
      objects.output
        == "{\"entry\":1,\"state\":\"done\",\"value\":2}\n{\"entry\":2,\"state\":\"failed\",\"failure\":{\"kind\":\"user\",\"message\":\"no\"}}\n"
    )
    #expect(repl("fail \"no\" with code 44\n2\n", "--keep-going").output == "2\n")
    #expect(repl("if true\n  1\n").code == 3)
  }

  /// `sh` writes the bytes, because a Swift string holds only text.
  private func repl(bytes: String, _ more: String...) -> Tooth.Result {
    let line = "printf '\(bytes)' | exec \(Tooth.path) repl --adapter sim:demo --fresh \(more.joined(separator: " "))"
    return Tooth.start(["-c", line], program: "/bin/sh", environment: environment, directory: folder.path).wait()
  }

  @Test func whatIsNoTextIsRefused() {
    let result = repl(bytes: #"print "a\377b"\nif true\n  print "\303"\nend\nprint 3\n"#, "--keep-going")
    #expect(result.code == 3 && result.output == "3\n", "\(result)")
    #expect(result.errors.contains("not UTF-8 text, in line 1") && result.errors.contains("not UTF-8 text, in line 2"))
    let object = repl(bytes: #"quit\377\n"#, "--output", "json")
    #expect(object.code == 3 && object.output.contains(#""state":"refused","failure":{"kind":"recipe","code":"T001""#), "\(object)")
    // It ends with the input, and has no line end.
    #expect(repl(bytes: #"print 1\377"#).code == 3)
  }

  @Test func aMisspeltWordIsNoValue() {
    func errors(_ text: String) -> String { repl(text, "--keep-going", "--fresh").errors }
    #expect(errors("conect\n").contains("did you mean `connect`?"))
    #expect(errors("disconect\n").contains("did you mean `disconnect`?"))
    #expect(errors("quiit\n").contains("did you mean `quit`?"))
    // A name goes before, and what is near to nothing is a name.
    let named = repl("let conect = 5\nconect\nconct\nqwertz\n", "--keep-going", "--fresh")
    #expect(named.output == "5\n" && named.errors.contains("did you mean `conect`?"), "\(named)")
    #expect(named.errors.contains("nothing gives it a value: `let qwertz = …`"))
    // In parentheses it is a value.
    #expect(errors("(conect)\n").contains("nothing gives it a value"))
  }

  @Test func aHandlerMayComeBeforeItsSubscription() {
    let result = repl(
      "on notify heart_rate_measurement as beat: print \"beat\"\nscan for heart_rate\nconnect\nsubscribe to heart_rate_measurement\nwait 1500ms\n",
      "--clock", "virtual", "--time-limit", "1h", "--fresh")
    #expect(result.code == 0 && result.output.contains("beat"), "\(result)")
    #expect(!result.errors.contains("never run") && result.errors.contains("nothing subscribes to heart_rate_measurement yet"))
    let waits = repl("scan for heart_rate\nconnect\nwait for notify heart_rate_measurement within 1s\n", "--fresh")
    #expect(waits.errors.contains("so this would wait forever"), "\(waits.errors)")
  }

  @Test func whatEndedASessionIsTold() {
    func runs(_ words: String...) -> String { Tooth.start(["runs"] + words, environment: environment).wait().output }
    #expect(repl("1\n", "--as", "q").code == 0)
    #expect(runs("show", "q").contains("finished (0)"))
    #expect(runs("show", "q").contains("tooth repl --as q  (begins another session"))
    _ = repl("1\nrun shell \"kill -9 $PPID\"\n", "--as", "k", "--allow", "run")
    #expect(runs("show", "k").contains("tooth repl --as k  (goes on with the session"))
    // An ended session waits for nothing.
    _ = repl("fail \"x\"\n", "--as", "f")
    let status = Tooth.start(["status"], environment: environment).wait().output
    #expect(status.contains("killed") && !status.contains("failed") && !status.contains("finished"), "\(status)")
  }

  // MARK: With a recipe

  private static let base = """
    input limit: number = 3
    let factor = 4
    procedure scaled(x): return x * factor
    on notify heart_rate_measurement as beat: print "beat"
    scan for "Nobody"
    print "the body"

    """

  @Test func aRecipeGivesItsDeclarations() {
    folder.file("base.ble", Self.base)
    let result = repl(
      "scaled(limit)\nscan for heart_rate\nconnect\nsubscribe to heart_rate_measurement\nwait 1500ms\n", "base.ble", "--limit", "7",
      "--clock",
      "virtual", "--time-limit", "1h")
    #expect(result.code == 0 && result.output.hasPrefix("28\nStrap 7\nbeat\n"), "\(result)")
    #expect(!result.output.contains("the body"))
    #expect(repl("1\n", "none.ble").code == 2)
    folder.file("wrong.ble", "let a =\n")
    #expect(repl("1\n", "wrong.ble").code == 3)
    // The session keeps the text with which it began.
    let killed = repl("let a = scaled(2)\nrun shell \"kill -9 $PPID\"\n", "base.ble", "--as", "b", "--allow", "run")
    #expect(killed.code == 128 + SIGKILL, "\(killed)")
    folder.file("base.ble", Self.base.replacing("x * factor", with: "x * 1000"))
    let next = repl("a\nscaled(3)\n", "base.ble", "--as", "b", "--allow", "run", "--keep-going")
    #expect(next.errors.contains("goes on with the old text") && next.output.hasSuffix("8\n12\n"), "\(next)")
  }

  @Test func aPromptOpensAtTheEndOfARecipe() throws {
    folder.file("r.ble", "let n = 20\nscan for heart_rate\nconnect\nprint \"done\"\n")
    let arguments = ["run", "r.ble", "--repl-at-end", "--adapter", "sim:demo"]
    let session = try TerminalSession(arguments, environment: environment, directory: folder.path)
    #expect(session.read { $0.contains("done") && $0.contains("Strap 7● > ") }, "\(session.text)")
    session.type("n + 1\n")
    #expect(session.read { $0.contains("  21 ") }, "\(session.text)")
    kill(session.pid, SIGKILL)
    session.wait()
    // Without its prompt nobody could end it.
    let refused = Tooth.start(
      ["run", "r.ble", "--adapter", "sim:demo"], environment: environment, directory: folder.path
    ).wait()
    #expect(refused.code == 11 && refused.errors.contains("waits at its prompt"), "\(refused)")
    let again = try TerminalSession(arguments, environment: environment, directory: folder.path)
    #expect(again.read { $0.contains("goes on after 1 entry") }, "\(again.text)")
    again.type("n + 2\n")
    #expect(again.read { $0.contains("  22 ") }, "\(again.text)")
    again.type("quit\n")
    #expect(again.wait() == 0, "\(again.text)")
    let piped = Tooth.start(arguments, environment: environment, directory: folder.path).wait()
    #expect(piped.code == 0 && piped.errors.contains("--repl-at-end is ignored") && piped.output == "done\n", "\(piped)")
  }

  @Test func aPromptOpensWhereARecipeFails() throws {
    folder.file("r.ble", "let n = 0\nexpect n is 5\nprint \"n {n}\"\n")
    let arguments = ["run", "r.ble", "--repl-on-failure", "--adapter", "sim:demo"]
    for (last, code) in [("set n to 5\nretry\n", 0), ("quit\n", 4)] {
      let session = try TerminalSession(arguments, environment: environment, directory: folder.path)
      #expect(
        session.read { $0.contains("retry does this statement again") && $0.contains("tooth sim:demo > ") }, "\(session.text)")
      session.type(last)
      #expect(session.wait() == Int32(code), "\(session.text)")
      #expect(session.text.contains("n 5") == (code == 0), "\(session.text)")
    }
    let piped = Tooth.start(arguments, environment: environment, directory: folder.path).wait()
    #expect(piped.code == 4 && piped.errors.contains("--repl-on-failure is ignored"), "\(piped)")
  }

  // MARK: Words

  @Test func aSessionIsSavedAsARecipe() {
    let saved = repl("scan for heart_rate\nconnect\nread battery_level as level\nlevel\nprint level\nsave recipe out.ble\n")
    #expect(saved.code == 0 && saved.output == "Strap 7\n97\n97\n97\n", "\(saved)")
    let run = Tooth.start(["run", "out.ble", "--adapter", "sim:demo"], environment: environment, directory: folder.path).wait()
    #expect(run.code == 0 && run.output == "97\n", "\(run)")
    #expect(repl("1\nlet a = 1\nsave recipe /tmp/tooth-no/out.ble\n").code == 3)
  }

  /// A prompt in several states, each killed a few times: the next one goes on.
  @Test(arguments: [
    ("nothing", ""), ("a line begun", "let b = "), ("an open block", "if true\n"), ("a wait", "wait 1h\n"),
    ("a scan", "scan for \"Nobody\"\n"), ("output", "every 1ms: print \"x\"\n"),
  ])
  func aPromptThatIsKilledGoesOn(state: String, keys: String) throws {
    for number in 0..<5 {
      let first = try typed("--as", "k\(number)")
      first.type("let a = 4\(number)\n")
      first.type("a\n")
      #expect(first.read { $0.contains("  4\(number) ") }, "\(first.text)")
      first.type(keys)
      if !keys.isEmpty {
        #expect(first.read { $0.contains(keys.hasPrefix("every") ? "x\n" : String(keys.prefix(6))) }, "\(state): \(first.text)")
      }
      kill(first.pid, SIGKILL)
      #expect(first.wait() == 128 + SIGKILL)
      let second = try TerminalSession(
        ["repl", "--adapter", "sim:demo", "--as", "k\(number)"], environment: environment, directory: folder.path)
      #expect(second.read { $0.contains("goes on after") }, "\(state): \(second.text)")
      if second.text.contains("under way"), !keys.hasPrefix("every") {
        // From then on the terminal turns Ctrl-C into a signal.
        #expect(second.read { $0.contains("\u{1B}[?2004h") }, "\(state): \(second.text)")
        second.type("\u{3}")
      }
      #expect(second.read { $0.contains("tooth sim:demo > ") }, "\(state): \(second.text)")
      second.type("\"a is {a}\"\n")
      #expect(second.read { $0.contains("a is 4\(number)") && $0.contains("a text") }, "\(state): \(second.text)")
      second.type("quit\n")
      #expect(second.wait() == 0, "\(state): \(second.text)")
    }
  }

  @Test func aPlainPromptComesAgainAfterALine() throws {
    var variables = environment
    variables["TERM"] = "dumb"
    let session = try TerminalSession(["repl", "--adapter", "sim:demo"], environment: variables, directory: folder.path)
    try #require(session.read { $0.contains("tooth sim:demo >") }, "\(session.text)")
    session.type("every 500ms: print \"tick\"\n")
    #expect(session.read { $0.ranges(of: "tick").count > 2 }, "\(session.text)")
    #expect(
      session.text.ranges(of: "tooth sim:demo > \r\ntick").count > 1 || session.text.ranges(of: "tooth sim:demo > \ntick").count > 1
    )
    #expect(!session.text.contains("\u{1B}"))
    session.type("quit\n")
    #expect(session.wait() == 0)
  }

  @Test func aNamedSessionGoesOnAfterAKill() {
    #expect(repl("let a = 5\nquit\n", "--as", "x").code == 0)
    let killed = repl("let a = 5\nrun shell \"kill -9 $PPID\"\n", "--as", "y", "--allow", "run")
    #expect(killed.code != 0)
    let next = repl("a\n", "--as", "y", "--allow", "run")
    #expect(next.errors.contains("goes on after 2 entries"), "\(next.errors)")
  }

  @Test func linesAreEditedAtATerminal() throws {
    let session = try typed()
    session.type("1 + 22")
    // Backspace.
    session.type("\u{7F}\n")
    #expect(session.read { $0.contains("  3 ") && $0.contains("a number") }, "\(session.text)")
    session.type("scan for \"Strap 7\"\nconnect\n")
    #expect(session.read { $0.contains("Strap 7● > ") }, "\(session.text)")
    session.type("read battery_level\n")
    #expect(session.read { $0.contains("it = 97") }, "\(session.text)")
    // What is discovered is completed.
    session.type("read battery_le\t\n")
    #expect(session.read { $0.ranges(of: "it = 97").count == 2 }, "\(session.text)")
    session.type("quit\n")
    #expect(session.wait() == 0, "\(session.text)")
    #expect(folder.content("state/prompt_history")?.hasPrefix("1 + 2\n") == true)
  }

  @Test func tabTakesAFix() throws {
    let session = try typed()
    session.type("sleep 5\n")
    #expect(session.read { $0.contains("Tab takes the fix") }, "\(session.text)")
    session.type("\t")
    #expect(session.read { $0.contains("> wait 5s") }, "\(session.text)")
    session.type("\u{15}let lamp = 7\n")
    session.type("lmap\n")
    #expect(session.read { $0.contains("did you mean `lamp`?") }, "\(session.text)")
    session.type("\t\n")
    #expect(session.read { $0.contains("  7 ") && $0.contains("a number") }, "\(session.text)")
    // What was taken, or is no longer of the last entry, is not offered.
    // It is of the last entry only.
    session.type("1 + 1\n")
    #expect(session.read { $0.contains("  2 ") }, "\(session.text)")
    session.type("\t9 * 9\nquit\n")
    #expect(session.wait() == 0 && session.text.contains("  81 "), "\(session.text)")
  }

  @Test func fieldsAndFilesAreCompleted() throws {
    folder.file("values-of-may.csv", "")
    mkdir("\(folder.path)/notes", 0o755)
    folder.file("notes/first.txt", "12")
    let session = try typed()
    session.type("let beat = {bpm_of_heart: 61, parts: {inner_part: 5}}\n")
    session.type("beat.bp\t\n")
    #expect(session.read { $0.contains("  61 ") }, "\(session.text)")
    session.type("beat.parts.in\t\n")
    #expect(session.read { $0.contains("  5 ") }, "\(session.text)")
    session.type("scan for \"Strap 7\"\nconnect\nsubscribe to heart_rate_measurement\n")
    session.type("wait for notify heart_rate_measurement\n")
    #expect(session.read { $0.contains(".bpm") }, "\(session.text)")
    session.type("it.bp\t* 0 + 77\n")
    #expect(session.read { $0.contains("  77 ") }, "\(session.text)")
    session.type("count(file(\"no\tfi\t))\n")
    #expect(session.read { $0.contains("  2 ") }, "\(session.text)")
    session.type("append \"x\" to \"val\t\n")
    session.type("count(file(\"values\t))\nquit\n")
    #expect(session.wait() == 0 && folder.content("values-of-may.csv") == "x\n", "\(session.text)")
  }

  /// What a scan has heard is on offer before anything is typed; a name that no text can hold as it
  /// is stays out.
  @Test func devicesThatWereHeardAreCompleted() throws {
    let state = try StateDirectory.choose(option: "\(folder.path)/state", environment: { _ in nil })
    try state.make()
    try SharedStore(in: state).hear(
      [("C0:00:00:00:00:02/random", "Lamp_2"), ("C0:00:00:00:00:03/random", "Zx\u{1B}[2J"), ("C0:00:00:00:00:04/random", "Zy\"q")],
      at: SystemClock.now().wall)
    let session = try typed()
    session.type("scan for \"La\twithin 1ms\n")
    #expect(session.read { $0.contains("none is \"Lamp_2\"") || $0.contains("Lamp_2\" within 1ms") }, "\(session.text)")
    session.type("scan for \"Z\t\t\u{15}connect to C0:00:00:00:00:02\t\u{15}quit\n")
    #expect(session.wait() == 0 && !session.text.contains("Zy") && !session.text.contains("\u{1B}[2J"), "\(session.text)")
  }

  /// 200 sizes as fast as they can come: the session lives, and the last line is the prompt once.
  @Test func aStormOfSizesLeavesOnePrompt() throws {
    let session = try typed()
    session.type("let name = 5")
    for step in 0..<200 { session.resize(columns: UInt16(20 + step * 37 % 120), lines: UInt16(5 + step * 7 % 40)) }
    session.resize(columns: 80, lines: 24)
    session.type("\nname + 1\n")
    #expect(session.read { $0.contains("  6 ") }, "\(session.text.suffix(2000))")
    session.type("quit\n")
    #expect(session.wait() == 0)
    // Nothing but what readline and we write: no sequence of another kind.
    #expect(!session.text.contains("\u{1B}]") && !session.text.contains("\u{1B}P"))
  }

  @Test func ctrlCCancelsTheEntryAndNotTheSession() throws {
    let session = try typed()
    session.type("wait 1h\n")
    // An interrupt drops keys that were not read yet.
    #expect(session.read { $0.contains("wait 1h") }, "\(session.text)")
    session.type("\u{3}")
    #expect(session.read { $0.contains("cancelled") }, "\(session.text)")
    session.type("if true\n")
    #expect(session.read { $0.contains("... > ") }, "\(session.text)")
    let prompts = session.text.ranges(of: "tooth sim:demo > ").count
    session.type("\u{3}")
    #expect(session.read { $0.ranges(of: "tooth sim:demo > ").count > prompts }, "\(session.text)")
    session.type("\"still here\"\n")
    #expect(session.read { $0.contains("still here") && $0.contains("a text") }, "\(session.text)")
    session.type("\u{4}")
    #expect(session.wait() == 0, "\(session.text)")
  }

  @Test func aKilledPromptGoesOn() throws {
    let first = try typed()
    first.type("let a = 41\n")
    first.type("a + 1\n")
    #expect(first.read { $0.contains("  42 ") }, "\(first.text)")
    kill(first.pid, SIGKILL)
    #expect(first.wait() == 128 + SIGKILL)
    let second = try typed()
    #expect(second.text.contains("goes on after 2 entries"), "\(second.text)")
    second.type("a + 2\n")
    #expect(second.read { $0.contains("  43 ") }, "\(second.text)")
    // A terminal that is lost leaves the session as it is.
    kill(second.pid, SIGHUP)
    second.wait()
    let third = try typed()
    #expect(third.text.contains("goes on after 3 entries"), "\(third.text)")
    third.type("names\nquit\n")
    #expect(third.wait() == 0 && third.text.contains("41"), "\(third.text)")
  }

  @Test func aTerminalThatIsGoneLeavesTheSession() throws {
    let first = try typed()
    first.type("on stop: print \"left\"\nlet a = 41\n")
    first.type("a + 1\n")
    #expect(first.read { $0.contains("  42 ") }, "\(first.text)")
    first.vanish()
    #expect(first.wait() != 0)
    let second = try typed()
    #expect(second.text.contains("goes on after 3 entries"), "\(second.text)")
    second.type("a + 2\nquit\n")
    #expect(second.wait() == 0 && second.text.contains("  43 "), "\(second.text)")
  }

  @Test func wordsOfThePromptAreObeyed() throws {
    let session = try typed()
    session.type("help\n")
    #expect(session.read { $0.contains("devices of this session") }, "\(session.text)")
    session.type("help read\n")
    #expect(session.read { $0.contains("read [raw] ATTRIBUTE") }, "\(session.text)")
    session.type("every 1h: print 1\n")
    session.type("handlers\n")
    #expect(session.read { $0.contains("line 1 of entry 1") }, "\(session.text)")
    session.type("status\nhistory\nquit\n")
    #expect(session.wait() == 0, "\(session.text)")
    #expect(session.text.contains("1 entry · 1 handler"), "\(session.text)")
  }
}
