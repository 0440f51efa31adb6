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

  /// No line that a name from the air contains begins where a prompt begins.
  @Test func aNameCannotLookLikeAPrompt() throws {
    folder.file("evil.ble", "peripheral evil named \"A\\nforged > \"\n  advertise heart_rate\nend\n")
    let session = try TerminalSession(
      ["repl", "--adapter", "sim:evil.ble", "--fresh"], environment: environment, directory: folder.path)
    session.type("scan for \"A*\"\ndevice.name\nquit\n")
    #expect(session.wait() == 0)
    #expect(session.text.contains("device = A\\x0aforged >"), "\(session.text)")
    #expect(session.text.contains("\n  forged > "), "\(session.text)")
    #expect(!session.text.contains("\nforged") && !session.text.contains("\rforged"), "\(session.text)")
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
    for last in ["", "quit\n", "stop\n"] {
      #expect(repl("fail \"no\" with code 44\n\(last)", "--keep-going", "--fresh").code == 44, "\(last)")
    }
    #expect(repl("if true\n  1\n").code == 3)
  }

  /// `sh` writes the bytes, because a Swift string holds only text.
  private func repl(bytes: String, _ more: String...) -> Tooth.Result {
    let line = "printf '\(bytes)' | exec \(Tooth.path) repl --adapter sim:demo --fresh \(more.joined(separator: " "))"
    return Tooth.start(["-c", line], program: "/bin/sh", environment: environment, directory: folder.path).wait()
  }

  @Test func entriesThatAreNotTextAreRefused() {
    let result = repl(bytes: #"print "a\377b"\nif true\n  print "\303"\nend\nprint 3\n"#, "--keep-going")
    #expect(result.code == 3 && result.output == "3\n", "\(result)")
    #expect(result.errors.contains("not UTF-8 text: see its line 1") && result.errors.contains("not UTF-8 text: see its line 2"))
    let object = repl(bytes: #"quit\377\n"#, "--output", "json")
    #expect(object.code == 3 && object.output.contains(#""state":"refused","failure":{"kind":"recipe","code":"T001""#), "\(object)")
    // The session ends with its input, which has no final line end.
    #expect(repl(bytes: #"print 1\377"#).code == 3)
  }

  @Test func aMisspeltWordIsNotAValue() {
    func errors(_ text: String) -> String { repl(text, "--keep-going", "--fresh").errors }
    #expect(errors("conect\n").contains("did you mean `connect`?"))
    #expect(errors("disconect\n").contains("did you mean `disconnect`?"))
    #expect(errors("quiit\n").contains("did you mean `quit`?"))
    #expect(errors("Quit\n").contains("words are written in lowercase: `quit`"))
    #expect(errors("READ battery_level\n").contains("lowercase: `read battery_level`"))
    #expect(errors("quit now\n").contains("`quit` alone exits"))
    #expect(errors("events\n").contains("the form is `events on|off`"))
    // Words of other prompts, also in a file.
    for (word, meant) in [("exit", "`quit` exits"), ("ls", "`devices` lists devices"), ("scan on", "`scan for")] {
      let said = repl("1\n\(word)\n", "--fresh")
      #expect(said.code == 3 && said.errors.contains("entry 2: there is no `\(word)`") && said.errors.contains(meant), "\(said)")
    }
    // A name takes precedence, and a word close to no keyword is a name.
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

  @Test func runsShowReportsHowASessionEnded() {
    func runs(_ words: String...) -> String { Tooth.start(["runs"] + words, environment: environment).wait().output }
    #expect(repl("1\n", "--as", "q").code == 0)
    #expect(runs("show", "q").contains("finished (0)"))
    #expect(runs("show", "q").contains("tooth repl --as q  (starts another session"))
    _ = repl("1\nrun shell \"kill -9 $PPID\"\n", "--as", "k", "--allow", "run")
    #expect(runs("show", "k").contains("tooth repl --as k  (continues the session"))
    // An ended session does not wait.
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
    // The session keeps the text that it started with.
    let killed = repl("let a = scaled(2)\nrun shell \"kill -9 $PPID\"\n", "base.ble", "--as", "b", "--allow", "run")
    #expect(killed.code == 128 + SIGKILL, "\(killed)")
    folder.file("base.ble", Self.base.replacing("x * factor", with: "x * 1000"))
    let next = repl("a\nscaled(3)\n", "base.ble", "--as", "b", "--allow", "run", "--keep-going")
    #expect(next.errors.contains("continues with the old text") && next.output.hasSuffix("8\n12\n"), "\(next)")
  }

  /// The locale controls how text is shown, not what can be typed.
  @Test(arguments: ["LC_ALL", "LC_CTYPE", "LANG"], ["C", "xx_XX.UTF-8"])
  func keysAreUTF8InEveryLocale(variable: String, locale: String) throws {
    var environment = environment
    environment["LANG"] = ""
    environment[variable] = locale
    let session = try TerminalSession(["repl", "--adapter", "sim:demo"], environment: environment, directory: folder.path)
    try #require(session.read { $0.contains("tooth sim:demo > ") }, "\(session.text)")
    session.type("\"é温\".bytes().hex()\n")
    #expect(session.read { $0.contains("c3a9e6b8a9") }, "\(session.text)")
    session.type("\"ü\u{7F}öx\u{7F}\".bytes().hex()\n")
    #expect(session.read { $0.contains("  c3b6 ") }, "\(session.text)")
    session.type("quit\n")
    #expect(session.wait() == 0, "\(session.text)")
  }

  /// The line of progress is erased before the prompt is drawn.
  @Test func aPromptBeginsOnALineOfItsOwn() throws {
    folder.file("r.ble", "scan for heart_rate\nconnect\n")
    let arguments = ["run", "r.ble", "--repl-at-end", "--adapter", "sim:demo"]
    let session = try TerminalSession(arguments, environment: environment, directory: folder.path)
    #expect(session.read { $0.contains("Strap 7● > ") }, "\(session.text)")
    let text = session.text.replacing("\u{1B}[0m", with: "")
    #expect(text.contains("is ready") && !text.contains("is readytooth"), "\(text)")
    session.type("quit\n")
    #expect(session.wait() == 0, "\(session.text)")
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
    // Without the prompt, no user could end it.
    let refused = Tooth.start(
      ["run", "r.ble", "--adapter", "sim:demo"], environment: environment, directory: folder.path
    ).wait()
    #expect(refused.code == 11 && refused.errors.contains("waits at its prompt"), "\(refused)")
    let again = try TerminalSession(arguments, environment: environment, directory: folder.path)
    #expect(again.read { $0.contains("continues after 1 entry") }, "\(again.text)")
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
        session.read { $0.contains("retry repeats this statement") && $0.contains("tooth sim:demo > ") }, "\(session.text)")
      session.type(last)
      #expect(session.wait() == Int32(code), "\(session.text)")
      #expect(session.text.contains("n 5") == (code == 0), "\(session.text)")
    }
    // A run that is left there has failed, and can be resumed at its failed statement.
    let shown = Tooth.start(["runs", "show"], environment: environment).wait()
    #expect(shown.output.contains("failed (4)") && shown.output.contains("expect n is 5"), "\(shown)")
    let resumed = Tooth.start(["resume", "r.ble", "--adapter", "sim:demo"], environment: environment, directory: folder.path).wait()
    #expect(resumed.code == 4 && resumed.errors.contains("continues at line 2"), "\(resumed)")
    let piped = Tooth.start(arguments, environment: environment, directory: folder.path).wait()
    #expect(piped.code == 4 && piped.errors.contains("--repl-on-failure is ignored"), "\(piped)")
  }

  /// Without drawing, an entry that takes long gets a line.
  @Test func aLongEntryIsReportedInPlainLines() throws {
    let session = try typed("--plain", "--fresh")
    session.type("wait 7s\n")
    #expect(session.read { $0.contains("entry 1: wait 7s, 5s") && $0.contains("Ctrl-C cancels") }, "\(session.text)")
    session.type("quit\n")
    #expect(session.wait() == 0 && !session.text.contains("\u{1B}"), "\(session.text)")
  }

  /// An unfinished block takes every line, so it is said how to leave it.
  @Test func anUnfinishedBlockSaysHowToLeaveIt() throws {
    let session = try typed("--plain", "--fresh")
    session.type("test \"x\"\n")
    #expect(session.read { $0.contains("a test belongs in a recipe") && $0.contains("`end` ends it, Ctrl-C drops it") })
    session.type("devices\n")
    #expect(session.read { $0.contains("`devices` is part of the entry above: `end` ends it") }, "\(session.text)")
    session.type("end\nquit\n")
    #expect(session.wait() == 0, "\(session.text)")
    let other = try typed("--plain", "--fresh")
    other.type("let a = [1,\nquit\n")
    #expect(other.read { $0.contains("`quit` is part of the entry above: Ctrl-C drops it") }, "\(other.text)")
    other.type("2]\nquit\n")
    _ = other.wait()
  }

  /// A session that continues says how many names it has, if it does not show all.
  @Test func aContinuedSessionCountsItsNames() throws {
    let session = try typed("--plain", "--fresh")
    session.type("let a = 1\nlet b = 2\nlet c = 3\nlet d = 4\nprint \"whole\"\n")
    try #require(session.read { $0.contains("> whole") }, "\(session.text)")
    kill(session.pid, SIGKILL)
    session.wait()
    let again = try typed("--plain")
    #expect(again.text.contains("b = 2 · c = 3 · d = 4 · 4 names in all"), "\(again.text)")
    again.type("quit\n")
    _ = again.wait()
  }

  /// `tooth` with only options opens the prompt. A second one at the same time gets its own
  /// session.
  @Test func twoPromptsAreTwoSessions() throws {
    let first = try TerminalSession(["--adapter", "sim:demo"], environment: environment, directory: folder.path)
    try #require(first.read { $0.contains("tooth sim:demo > ") }, "\(first.text)")
    first.type("let a = 41\n")
    let second = try TerminalSession(
      ["repl", "--adapter", "sim:demo", "--plain"], environment: environment, directory: folder.path)
    try #require(second.read { $0.contains("tooth sim:demo > ") }, "\(second.text)")
    second.type("let a = 42\na\n")
    #expect(second.read { $0.contains("42") && $0.contains("a number") }, "\(second.text)")
    #expect(!second.text.contains("\u{1B}"), "\(second.text)")
    first.type("a + 1\n")
    #expect(first.read { $0.contains("  42 ") }, "\(first.text)")
    second.type("quit\n")
    let runs = Tooth.start(["runs"], environment: environment).wait().output
    #expect(runs.contains("prompt-2-"), "\(runs)")
  }

  // MARK: Words

  /// The advice gives the inputs of the session again, and can be typed unchanged.
  @Test func aSavedSessionNamesItsInputs() {
    folder.file("with.ble", "input k: number\ninput word: text = \"a\"\ninput pin: secret\nprint 1\n")
    let saved = repl(
      "print \"{k} {word}\"\nsave recipe out.ble\n", "with.ble", "--k", "7", "--word", "-b c", "--secret", "pin=1")
    #expect(saved.errors.contains("tooth run out.ble --k=7 '--word=-b c' --secret pin=…\n"), "\(saved)")
    let run = Tooth.start(
      ["run", "out.ble", "--k=7", "--word=-b c", "--secret", "pin=1"], environment: environment,
      directory: folder.path
    ).wait()
    #expect(run.code == 0 && run.output == "7 -b c\n", "\(run)")
  }

  @Test func aSessionIsSavedAsARecipe() {
    let saved = repl("scan for heart_rate\nconnect\nread battery_level as level\nlevel\nprint level\nsave recipe out.ble\n")
    #expect(saved.code == 0 && saved.output == "Strap 7\n97\n97\n97\n", "\(saved)")
    let run = Tooth.start(["run", "out.ble", "--adapter", "sim:demo"], environment: environment, directory: folder.path).wait()
    #expect(run.code == 0 && run.output == "97\n", "\(run)")
    let twice = "procedure f(): print 1\nf()\nprocedure f(): print 2\nf()\nsave recipe twice.ble\n"
    #expect(!repl(twice, "--fresh").errors.contains("again"))
    let both = Tooth.start(["run", "twice.ble", "--adapter", "sim:demo"], environment: environment, directory: folder.path).wait()
    #expect(both.code == 0 && both.output == "1\n2\n", "\(both) \(folder.content("twice.ble") ?? "")")
    let handled = "procedure f(): print 1\non stop: f()\nlet g = 1\nprocedure f(): print 2\nsave recipe handled.ble\n"
    let told = repl(handled, "--fresh").errors
    #expect(told.contains("entry 4 declared f again: in the recipe, entry 2 uses the newest f from the start"), "\(told)")
    // Every new name is reported.
    let names =
      "scan for heart_rate\nconnect\nlet x = 0x2a38\nread x\nlet x = 0x2a19\nread x\nlet x = 0x2a29\nread x\nprint it\nsave recipe names.ble\n"
    let named = repl(names, "--fresh").errors
    #expect(named.contains("entry 5 gives x is called x_2") && named.contains("entry 7 gives x is called x_3"), "\(named)")
    // Only the errors that remain after renaming are reported.
    let left =
      "scan for heart_rate\nconnect\nlet x = 0x2a37\non notify x as v: print v\nlet x = 0x2a19\nread x\nsave recipe left.ble\n"
    let unsaved = repl(left, "--fresh", "--keep-going")
    #expect(
      unsaved.errors.contains("entry 4 is left out: in the recipe, nothing subscribes to x") && !unsaved.errors.contains("T206"),
      "\(unsaved)")
    let fenced = repl("1\nlet a = 1\nsave recipe /tmp/tooth-no/out.ble\n")
    #expect(fenced.code == 3 && fenced.errors.contains("allow it with --allow write-files=/tmp/tooth-no"), "\(fenced)")
  }

  /// States of a prompt at its kill: the keys that lead there, what the screen shows then, and the
  /// keys for the next prompt, which must show it.
  struct State: CustomStringConvertible, Sendable {
    var name: String
    var keys = ""
    var seen = ""
    var next = ""
    var shown = ""
    /// An entry is running. The next process continues it until the user ends it.
    var isUnderWay = false
    /// It asks a question instead of waiting for a line.
    var asks = false

    var description: String { name }

    static let connected = "scan for \"Strap 7\"\nconnect\n"
    static let all = [
      State(name: "idle"),
      State(name: "typing", keys: "let b = ", seen: "let b"),
      State(name: "in a block", keys: "if true\n", seen: "... > "),
      State(name: "a statement waits", keys: "wait 1h\n", seen: "wait 1h\n", isUnderWay: true),
      State(name: "a statement scans", keys: "scan for \"Nobody\"\n", seen: "scanning", isUnderWay: true),
      State(name: "a statement computes", keys: "repeat 100000000 times: set a to a\n", seen: "set a to a\n", isUnderWay: true),
      State(name: "connected", keys: connected, seen: "Strap 7● > ", next: "read battery_level\n", shown: "it = 97"),
      State(
        name: "values come", keys: connected + "subscribe to heart_rate_measurement\n", seen: "Strap 7: heart_rate_measurement",
        next: "read battery_level\n", shown: "it = 97"),
      State(name: "in a handler", keys: "after 1ms\nprint \"in\"\nwait 2s\nprint \"out\"\nend\n", seen: "in\n", shown: "out\n"),
      State(name: "a handler prints", keys: "every 1ms: print \"x\"\n", seen: "x\n"),
      State(
        name: "asking", keys: "ask \"who is it?\" as who\n", seen: "who is it? ", next: "Bob\nwho\n", shown: "  Bob ", asks: true),
    ]
  }

  /// Thirty kills in each state with `FULL=1`, otherwise two. The next prompt resumes.
  @Test(arguments: State.all) func aKilledPromptContinuesInEveryState(state: State) throws {
    for number in 0..<(getenv("FULL") != nil ? 30 : 2) {
      let first = try typed("--as", "k\(number)")
      first.type("let a = 4\(number)\n")
      first.type("a\n")
      try #require(first.read { $0.contains("  4\(number) ") }, "\(first.text)")
      first.type(state.keys)
      let begun = first.bytes.count
      if !state.seen.isEmpty {
        try #require(
          first.read { _ in String(decoding: first.bytes[(begun - min(begun, 40))...], as: UTF8.self).contains(state.seen) },
          "\(state): \(first.text)")
      }
      kill(first.pid, SIGKILL)
      #expect(first.wait() == 128 + SIGKILL)
      let second = try TerminalSession(
        ["repl", "--adapter", "sim:demo", "--as", "k\(number)"], environment: environment, directory: folder.path)
      try #require(second.read { $0.contains("continues after") }, "\(state): \(second.text)")
      // If the process was killed before the entry was stored, the next one does not know it.
      if state.isUnderWay, second.text.contains("in progress") {
        // From then on the terminal turns Ctrl-C into a signal.
        try #require(second.read { $0.contains("\u{1B}[?2004h") }, "\(state): \(second.text)")
        second.type("\u{3}")
        try #require(second.read { $0.contains("cancelled") }, "\(state): \(second.text)")
      }
      if state.asks { try #require(second.read { $0.contains(state.seen) }, "\(state): \(second.text)") }
      second.type(state.next)
      if !state.shown.isEmpty { try #require(second.read { $0.contains(state.shown) }, "\(state): \(second.text)") }
      try #require(second.read { $0.contains("> ") }, "\(state): \(second.text)")
      second.type("\"a is {a}\"\n")
      #expect(second.read { $0.contains("a is 4\(number)") && $0.contains("a text") }, "\(state): \(second.text)")
      second.type("quit\n")
      #expect(second.wait() == 0, "\(state): \(second.text)")
    }
  }

  // MARK: Hostile keys

  /// Keys of every kind in any order, including signals. Afterwards the session answers, and the
  /// terminal has its old settings.
  @Test(arguments: 1...6) func anyKeysLeaveTheTerminalAsItWas(seed: UInt64) throws {
    let session = try TerminalSession(
      ["repl", "--adapter", "sim:demo", "--as", "f\(seed)"], environment: environment, directory: folder.path)
    try #require(session.read { $0.contains("tooth sim:demo > ") }, "\(session.text)")
    var random = SplitMix(seed: seed)
    let pieces: [[UInt8]] = [
      [0x1B], Array("\u{1B}[A".utf8), Array("\u{1B}[B".utf8), Array("\u{1B}[200~".utf8), Array("\u{1B}[201~".utf8),
      Array("\u{1B}[3~".utf8), Array("\u{1B}OP".utf8), Array("\u{1B}]0;x\u{7}".utf8), Array("\u{1B}[6n".utf8), [0x12], [0x13],
      [0x11], [0x16], [0x18, 0x05], [0x18, 0x15], [0x0F], [0x14], [0x19], [0x1F], [0x09], [0x09, 0x09], [0x0D], [0x0A], [0x7F],
      [0xC3], [0xE6, 0xB8], [0xFF], Array("\u{202E}".utf8), Array("e\u{301}\u{301}".utf8), Array("温度".utf8), Array("let x = ".utf8),
      Array("read \"".utf8), Array("if true\n".utf8), Array("end\n".utf8), Array("wait 1ms\n".utf8), [0x03], [0x1B, 0x31, 0x31],
    ]
    for _ in 0..<40 {
      var octets: [UInt8] = []
      for _ in 0..<20 {
        octets +=
          random.next() % 4 == 0
          ? [UInt8(truncatingIfNeeded: random.next() % 256)] : pieces[Int(random.next() % UInt64(pieces.count))]
      }
      // Keys that end or stop the session come last.
      session.pour(octets.filter { $0 != 0x04 && $0 != 0x1A && $0 != 0x1C })
    }
    // Leaves whatever state the keys have led to: a paste, a search, a block.
    session.type("\u{1B}[201~\u{7}")
    for _ in 0..<3 {
      let count = session.text.ranges(of: "> ").count
      session.type("\u{3}")
      try #require(
        session.read { $0.ranges(of: "> ").count > count },
        "\(session.isClosed ? "ended with \(session.wait())" : "no prompt"): \(session.text.suffix(500))")
    }
    session.type("\"still {1 + 1}\"\n")
    #expect(session.read { $0.contains("still 2") }, "\(session.text.suffix(1000).debugDescription)")
    session.type("\u{3}\u{3}quit\n")
    #expect(session.wait() == 0, "\(session.text.suffix(500))")
    #expect(session.mode == session.firstMode && session.text.hasSuffix("\u{1B}[?2004l"))
  }

  /// An escape ends a search, alone and as the start of a key sequence, whatever the key means; so
  /// does Ctrl-X.
  @Test(arguments: [
    "\u{13}\u{1B}];x\u{7}\u{19}\u{1B}[", "\u{12}\u{1B}]", "\u{12}\u{1B}\u{7}", "\u{12}a\u{1B}", "\u{13}let\u{1B}[A",
    "\u{12}\u{1B}\u{1B}]", "\u{12}\u{18}\u{5}", "\u{12}a\u{18}\u{18}?", "\u{12}\u{1B}[200~wait 1ms\u{1B}[201~",
    "\u{12}\u{1B}1\u{1B}]",
  ]) func anEscapeEndsASearch(_ keys: String) throws {
    let session = try typed()
    session.type("let a = 41\n")
    try #require(session.read { $0.ranges(of: "tooth sim:demo > ").count > 1 }, "\(session.text)")
    session.type(keys)
    // Ctrl-C discards pending input of the terminal, so earlier keys are given time.
    for turn in 0..<60 where !session.text.contains("a is 41") {
      session.type((turn == 0 ? "" : "\u{3}") + "\"a is {a}\"\n")
      session.read(within: .milliseconds(900)) { $0.contains("a is 41") }
    }
    #expect(session.text.contains("a is 41"), "\(session.text.debugDescription)")
    for _ in 0..<60 where !session.isClosed {
      session.type("\u{3}quit\n")
      session.read(within: .milliseconds(900))
    }
    #expect(session.wait() == 0, "\(session.text)")
  }

  /// Timers run while a character is half typed, in a line and in a search, where readline would
  /// block. The other bytes complete it.
  @Test(arguments: [("\"", "tooth sim:demo > \""), ("\u{12}", "i-search)")])
  func anIncompleteCharacterDoesNotStopTimers(_ key: String, _ shown: String) throws {
    let session = try typed()
    session.type("every 300ms: print \"tick\"\n")
    try #require(session.read { $0.contains("tick\n") }, "\(session.text)")
    session.type(key)
    try #require(session.read { $0.contains(shown) }, "\(session.text)")
    session.pour([0xE6, 0xB8])
    let ticks = session.text.ranges(of: "tick\n").count
    #expect(session.read(within: .seconds(20)) { $0.ranges(of: "tick\n").count > ticks + 3 }, "\(session.text)")
    session.pour([0xA9])
    #expect(session.read { $0.contains("\u{6E29}") }, "\(session.text.debugDescription)")
    for _ in 0..<60 where !session.isClosed {
      session.type("\u{3}quit\n")
      session.read(within: .milliseconds(900))
    }
    #expect(session.wait() == 0, "\(session.text)")
  }

  /// Ctrl-C cancels the argument of a command, too.
  @Test func anArgumentIsForgotten() throws {
    let session = try typed()
    session.type("\u{1B}6")
    try #require(session.read { $0.contains("(arg: 6)") }, "\(session.text)")
    session.type("\u{3}")
    try #require(
      session.read { $0.contains("Ctrl-D leaves") && $0.hasSuffix("tooth sim:demo > ") }, "\(session.text.debugDescription)")
    session.type("x")
    session.type("\u{1}\"\u{5} {1 + 1}\"\n")
    #expect(session.read { $0.contains("  x 2  ") }, "\(session.text.debugDescription)")
    session.type("quit\n")
    #expect(session.wait() == 0, "\(session.text)")
  }

  @Test func thePromptSurvivesManyControlKeys() throws {
    let session = try typed()
    let before = session.mode
    session.type("let a = 41\na\n")
    try #require(session.read { $0.contains("  41 ") }, "\(session.text)")
    for _ in 0..<50 {
      session.type("wait 1h\n")
      session.type("\u{3}\u{3}")
    }
    for _ in 0..<20 {
      session.type("\u{1A}")
      kill(session.pid, SIGCONT)
    }
    // A process that was stopped last must be continued once more.
    session.type("\"a is {a}\"\n")
    let end = SystemClock.now().moment + .seconds(30)
    while SystemClock.now().moment < end {
      kill(session.pid, SIGCONT)
      if session.read(within: .milliseconds(200), until: { $0.contains("a is 41") && $0.contains("a text") }) { break }
      // Keys for a process that has stopped again have to wait.
      session.pour(Array("\u{3}\"a is {a}\"\n".utf8), within: .milliseconds(200))
    }
    #expect(session.text.contains("a is 41"), "\(session.text.suffix(1000))")
    while session.mode != before, SystemClock.now().moment < end + .minutes(1) { session.read(within: .milliseconds(50)) }
    #expect(session.mode == before)
    // While a statement runs the terminal handles Ctrl-D, and the program does not see it.
    while !session.isClosed, SystemClock.now().moment < end + .minutes(2) {
      session.type("\u{3}\u{4}")
      kill(session.pid, SIGCONT)
      session.read(within: .milliseconds(200))
    }
    #expect(session.wait() == 0, "\(session.text.suffix(500))")
  }

  /// What a prompt does is shown elsewhere by its entries.
  @Test func anotherTerminalShowsTheEntry() throws {
    let session = try typed("--as", "busy")
    session.type("every 1h: print 1\n")
    session.type("wait 1h\n")
    try #require(session.read { $0.contains("wait 1h\n") }, "\(session.text)")
    let end = SystemClock.now().moment + .seconds(30)
    var shown = ""
    while !shown.contains("entry 2: wait 1h"), SystemClock.now().moment < end {
      shown = Tooth.start(["runs", "show", "busy"], environment: environment).wait().output
    }
    #expect(shown.contains("entry 2: wait 1h") && !shown.contains("a place that"), "\(shown)")
    session.type("\u{3}quit\n")
    #expect(session.wait() == 0, "\(session.text)")
  }

  /// Where no shell could continue the process, as in `ssh -t HOST tooth`, Ctrl-Z does not stop it.
  @Test func aStopThatNobodyCanUndoIsIgnored() throws {
    let session = try typed()
    session.type("\u{1A}")
    session.type("\"sum {40 + 2}\"\n")
    #expect(session.read { $0.contains("sum 42") }, "\(session.text)")
    session.type("quit\n")
    #expect(session.wait() == 0, "\(session.text)")
  }

  @Test func aShellStopsAndContinuesThePrompt() throws {
    let shell = try TerminalSession(
      ["--norc", "--noprofile", "-i"], program: "/bin/bash", environment: environment, directory: folder.path)
    shell.type("'\(Tooth.path)' repl --adapter sim:demo\n")
    try #require(shell.read { $0.contains("tooth sim:demo > ") }, "\(shell.text)")
    shell.type("\u{1A}")
    try #require(shell.read { $0.contains("Stopped") }, "\(shell.text)")
    shell.type("fg\n")
    shell.type("\"sum {40 + 2}\"\n")
    #expect(shell.read { $0.contains("sum 42") }, "\(shell.text)")
    shell.type("quit\nexit\n")
    #expect(shell.wait() == 0, "\(shell.text)")
  }

  /// A prompt takes the declarations and handlers of every recipe that `tooth check` accepts.
  @Test(arguments: Files.names(in: "\(Tooth.package)/recipes").filter { $0.hasSuffix(".ble") && !$0.hasSuffix("_test.ble") })
  func everyRecipeOpensAtAPrompt(_ name: String) {
    let result = Tooth.start(
      ["repl", "\(Tooth.package)/recipes/\(name)", "--adapter", "sim:demo"], input: "wait 2s\n\"here\"\n",
      environment: environment, directory: folder.path
    ).wait()
    // One without a required input says so.
    let lacks = result.code == 2 && result.errors.contains("is missing")
    #expect(lacks || result.code == 0 && result.output.hasSuffix("here\n"), "\(result)")
    #expect(lacks || !result.errors.contains("error["), "\(result.errors)")
  }

  /// A `let` that reads the clock is computed at the start, because handlers change it.
  @Test func handlersOfAFileFindTheirNames() {
    folder.file(
      "r.ble",
      """
      let n = now()
      let count_of = 0
      every 100ms
        set count_of to count_of + 1
        set n to now()
      end
      wait 3s
      print n

      """)
    let result = Tooth.start(
      ["repl", "r.ble", "--adapter", "sim:demo"], input: "wait until count_of > 1 within 20s\n\"fine\"\n",
      environment: environment, directory: folder.path
    ).wait()
    #expect(result.code == 0 && result.output.hasSuffix("fine\n"), "\(result)")
  }

  /// Whoever kills the prompt while it asks for a secret shows neither that one nor a later one.
  @Test func aSecretStaysHiddenAfterAKill() throws {
    let first = try typed("--as", "secrets")
    first.type("ask secret \"one? \" as a\n")
    // The echo of the line contains the question, too.
    func asks(_ question: String, _ text: String) -> Bool {
      guard let echo = text.ranges(of: "\" as ").last else { return false }
      return text[echo.upperBound...].contains(question)
    }
    try #require(first.read { asks("one? ", $0) }, "\(first.text)")
    kill(first.pid, SIGKILL)
    #expect(first.wait() == 128 + SIGKILL)
    let second = try TerminalSession(
      ["repl", "--adapter", "sim:demo", "--as", "secrets"], environment: environment, directory: folder.path)
    try #require(second.read { $0.contains("one? ") && $0.contains("\u{1B}[?2004h") }, "\(second.text)")
    second.type("hush-one\n")
    try #require(second.read { $0.contains("tooth sim:demo > ") }, "\(second.text)")
    second.type("ask secret \"two? \" as b\n")
    try #require(second.read { asks("two? ", $0) }, "\(second.text)")
    second.type("hush-two\n")
    second.type("\"sum {40 + 2}\"\n")
    try #require(second.read { $0.contains("sum 42") }, "\(second.text)")
    #expect(!second.text.contains("hush"), "\(second.text)")
    second.type("quit\n")
    #expect(second.wait() == 0, "\(second.text)")
  }

  /// A paste is one entry, however long and slow, and the session stays live meanwhile.
  @Test func aPasteIsOneEntry() throws {
    let session = try typed()
    session.type("every 300ms: print \"tick\"\n")
    #expect(session.read { $0.contains("tick\n") }, "\(session.text)")
    session.type("\u{1B}[200~let a = 1\nlet b = ")
    let ticks = session.text.ranges(of: "tick\n").count
    #expect(session.read { $0.ranges(of: "tick\n").count > ticks + 3 }, "\(session.text)")
    session.type("2\nlet c = a + b\u{1B}[201~")
    session.type("\n\"c is {c}\"\n")
    #expect(session.read { $0.contains("c is 3") }, "\(session.text.suffix(1000))")
    let lines = "undo 1\n" + "repeat 2 times\n" + String(repeating: "  set a to a + 1\n", count: 3500) + "end"
    session.pour(Array("undo 1\n".utf8))
    session.pour(Array("\u{1B}[200~\(lines.dropFirst(7))\u{1B}[201~\n".utf8))
    session.type("\"a is {a}\"\n")
    #expect(session.read { $0.contains("a is 7001") }, "\(session.text.suffix(1000))")
    // 10,000 lines exceed the limit of an entry.
    for count in [10_000, 20_000] {
      let before = session.bytes.count
      session.pour(Array("\u{1B}[200~\(String(repeating: "set a to a + 1\n", count: count))\u{1B}[201~\n".utf8))
      #expect(
        session.read { _ in
          String(decoding: session.bytes[before...], as: UTF8.self).contains("more than 65536 bytes and is ignored")
        },
        "\(session.text.suffix(1000))")
    }
    session.type("\u{3}\"still {a}\"\n")
    #expect(session.read { $0.contains("still 7001") }, "\(session.text.suffix(1000))")
    session.type("quit\n")
    #expect(session.wait() == 0)
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

  @Test func aNamedSessionContinuesAfterAKill() {
    #expect(repl("let a = 5\nquit\n", "--as", "x").code == 0)
    let killed = repl("let a = 5\nrun shell \"kill -9 $PPID\"\n", "--as", "y", "--allow", "run")
    #expect(killed.code != 0)
    let next = repl("a\n", "--as", "y", "--allow", "run")
    #expect(next.errors.contains("continues after 2 entries"), "\(next.errors)")
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
    // Discovered attributes are completed.
    session.type("read battery_le\t\n")
    #expect(session.read { $0.ranges(of: "it = 97").count == 2 }, "\(session.text)")
    session.type("quit\n")
    #expect(session.wait() == 0, "\(session.text)")
    #expect(folder.content("state/prompt_history")?.hasPrefix("1 + 2\n") == true)
  }

  /// Only a prompt loads readline.
  @Test func onlyAPromptLoadsReadline() throws {
    func maps(_ pid: pid_t) -> String {
      (try? readFile("/proc/\(pid)/maps", limit: 1 << 22)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
    let session = try typed()
    #expect(maps(session.pid).contains("libreadline"))
    folder.file("r.ble", "print \"here\"\nwait 1h\n")
    for arguments in [["run", "r.ble"], ["repl"]] {
      let input = arguments == ["repl"] ? "print \"here\"\nwait 1h\n" : ""
      let process = Tooth.start(
        arguments + ["--adapter", "sim:demo"], input: input, environment: environment, directory: folder.path)
      #expect(process.read { $0.text.contains("here") }, "\(process.complaint)")
      let text = maps(process.pid)
      #expect(text.contains("/tooth") && !text.contains("readline"))
    }
  }

  @Test func bytesAreShownWithTheirNumber() throws {
    let session = try typed()
    session.type("hex \"16 3d 40 03\"\nhex \"05\"\nquit\n")
    #expect(session.wait() == 0, "\(session.text)")
    #expect(session.text.contains("16 3d 40 03") && session.text.contains("  4 bytes · \".=@.\""), "\(session.text)")
    #expect(session.text.contains("  1 byte\n") || session.text.contains("  1 byte\r\n"), "\(session.text)")
  }

  @Test func tabTakesAFix() throws {
    let session = try typed()
    session.type("sleep 5\n")
    #expect(session.read { $0.contains("Tab applies the fix") }, "\(session.text)")
    session.type("\t")
    #expect(session.read { $0.contains("> wait 5s") }, "\(session.text)")
    session.type("\u{15}let lamp = 7\n")
    session.type("lmap\n")
    #expect(session.read { $0.contains("did you mean `lamp`?") }, "\(session.text)")
    session.type("\t\n")
    #expect(session.read { $0.contains("  7 ") && $0.contains("a number") }, "\(session.text)")
    // Statements that were undone or are not in the last entry are not offered.
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

  /// Names from a scan are offered before anything is typed; a name that no text can contain as it
  /// is stays out.
  @Test func devicesThatWereHeardAreCompleted() throws {
    let state = try StateDirectory.choose(option: "\(folder.path)/state", environment: { _ in nil })
    try state.make()
    try SharedStore(in: state).hear(
      [("C0:00:00:00:00:02/random", "Lamp_2"), ("C0:00:00:00:00:03/random", "Zx\u{1B}[2J"), ("C0:00:00:00:00:04/random", "Zy\"q")],
      at: SystemClock.now().wall)
    let session = try typed()
    session.type("scan for \"La\twithin 1ms\n")
    #expect(session.read { $0.contains("none matches \"Lamp_2\"") || $0.contains("Lamp_2\" within 1ms") }, "\(session.text)")
    session.type("scan for \"Z\t\t\u{15}connect to C0:00:00:00:00:02\t\u{15}quit\n")
    #expect(session.wait() == 0 && !session.text.contains("Zy") && !session.text.contains("\u{1B}[2J"), "\(session.text)")
  }

  /// Tab lists addresses with names and signals, and attributes with their properties. It omits
  /// attributes that do not permit the typed statement.
  @Test func tabSaysWhatTheWordsAre() throws {
    let session = try typed()
    session.type("scan for \"Strap 7\"\nconnect\ndiscover everything\n\"all is {1 + 1}\"\n")
    try #require(session.read { $0.contains("all is 2") }, "\(session.text)")
    // If only one device has been found, Tab completes it without a list.
    for _ in 0..<200 where !session.text.contains("Room 3\"") {
      session.type("\u{15}scan for \"\t\t")
      session.read(within: .milliseconds(300)) { $0.contains("Room 3\"") }
    }
    session.type("\u{15}connect to \t\t")
    #expect(session.read { $0.contains("EC:AD:84:E6:82:49  Strap 7") && $0.contains("● connected") }, "\(session.text)")
    session.type("\u{15}read \t\t")
    #expect(session.read { $0.contains("battery_level              read                  battery_service") }, "\(session.text)")
    #expect(!session.text.contains("heart_rate_measurement"), "\(session.text)")
    session.type("\u{15}subscribe to \t\t")
    #expect(
      session.read { $0.contains("notify                heart_rate\n") || $0.contains("notify                heart_rate\r\n") },
      "\(session.text)")
    session.type("\u{15}1 + 1\nquit\n")
    #expect(session.wait() == 0 && session.text.contains("  2 "), "\(session.text)")
  }

  /// 200 sizes as fast as they can come: the session lives, and the last line is the prompt once.
  @Test func manyResizesLeaveOnePrompt() throws {
    let session = try typed()
    session.type("let name = 5")
    for step in 0..<200 { session.resize(columns: UInt16(20 + step * 37 % 120), lines: UInt16(5 + step * 7 % 40)) }
    session.resize(columns: 80, lines: 24)
    session.type("\nname + 1\n")
    #expect(session.read { $0.contains("  6 ") }, "\(session.text.suffix(2000))")
    session.type("quit\n")
    #expect(session.wait() == 0)
    // Only sequences that readline and we write.
    #expect(!session.text.contains("\u{1B}]") && !session.text.contains("\u{1B}P"))
  }

  /// The line about a long entry begins at the first column, so it must not erase a printed line
  /// that has no end yet.
  @Test func aLongEntryErasesNoUnfinishedLine() throws {
    let session = try typed()
    session.type("print \"half\" ending \"\"; wait 3s; print \" done\"\n")
    #expect(session.read { $0.contains("half done") }, "\(session.text)")
    #expect(!session.text.contains("Ctrl-C cancels"), "\(session.text)")
    session.type("wait 3s\n")
    #expect(session.read { $0.contains("Ctrl-C cancels") }, "\(session.text)")
  }

  /// The line about a long entry is also erased at its end if the process was stopped in between.
  @Test func aLineDrawnAfterAStopIsErased() throws {
    let session = try typed()
    session.type("wait 5s\n")
    #expect(session.read { $0.contains("Ctrl-C cancels") }, "\(session.text)")
    kill(session.pid, SIGCONT)
    session.type("\"over\"\n")
    #expect(session.read { $0.contains("a text") }, "\(session.text)")
    let last = try #require(session.text.ranges(of: "Ctrl-C cancels").last)
    let rest = session.text[last.upperBound...]
    let erased = try #require(rest.firstRange(of: "\r\u{1B}[K"))
    #expect(rest.firstRange(of: "tooth sim:demo").map { erased.upperBound <= $0.lowerBound } == true, "\(session.text)")
  }

  @Test func ctrlCCancelsTheEntryAndNotTheSession() throws {
    let session = try typed()
    session.type("wait 1h\n")
    // An interrupt drops keys that were not read yet.
    #expect(session.read { $0.contains("wait 1h\n") || $0.contains("wait 1h\r\n") }, "\(session.text)")
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

  @Test(arguments: ["xterm", "dumb"]) func ctrlCWorksWithAVirtualClock(terminal: String) throws {
    var variables = environment
    variables["TERM"] = terminal
    let session = try TerminalSession(
      ["repl", "--adapter", "sim:demo", "--clock", "virtual", "--time-limit", "1h"], environment: variables, directory: folder.path)
    try #require(session.read { $0.contains("tooth sim:demo >") }, "\(session.text)")
    // Without readline the terminal of these tests makes no signal of Ctrl-C.
    kill(session.pid, SIGINT)
    #expect(session.read { $0.contains("Ctrl-D leaves") }, "\(session.text)")
    session.type("1 + 2\nquit\n")
    #expect(session.wait() == 0 && session.text.contains("  3 "), "\(session.text)")
  }

  /// Ctrl-C cancels anything begun at a line: a search, a key sequence, a paste.
  @Test(arguments: ["\u{12}41", "\u{1B}", "\u{18}", "\u{16}", "\u{1B}[200~let b"])
  func ctrlCCancelsUnfinishedInput(keys: String) throws {
    let session = try typed()
    session.type("let a = 41\na\n")
    try #require(session.read { $0.contains("  41 ") }, "\(session.text)")
    let count = session.bytes.count
    session.type("x\(keys)")
    try #require(session.read { _ in session.bytes.count > count }, "\(session.text)")
    let prompts = session.text.ranges(of: "tooth sim:demo > ").count
    session.type("\u{3}")
    #expect(session.read { $0.ranges(of: "tooth sim:demo > ").count > prompts }, "\(session.text.debugDescription)")
    session.type("\"a is {a}\"\n")
    #expect(session.read { $0.contains("a is 41") && $0.contains("a text") }, "\(session.text.debugDescription)")
    session.type("quit\n")
    #expect(session.wait() == 0)
  }

  /// Ctrl-C leaves vi's command mode, whether `.inputrc` or Alt-Enter has selected vi.
  @Test(arguments: ["", "\u{1B}\r"]) func ctrlCLeavesTheCommandModeOfVi(keys: String) throws {
    mkdir("\(folder.path)/home", 0o755)
    if keys.isEmpty { folder.file("home/.inputrc", "set editing-mode vi\n") }
    let session = try typed()
    session.type("let a = 41\na\n")
    try #require(session.read { $0.contains("  41 ") }, "\(session.text)")
    let count = session.bytes.count
    session.type("\(keys)xyz\u{1B}")
    // The cursor moves back by one column.
    try #require(
      session.read { _ in String(decoding: session.bytes[count...], as: UTF8.self).contains("\u{8}") }, "\(session.text)")
    let prompts = session.text.ranges(of: "tooth sim:demo > ").count
    session.type("\u{3}")
    #expect(session.read { $0.ranges(of: "tooth sim:demo > ").count > prompts }, "\(session.text.debugDescription)")
    session.type("\"a is {a}\"\n")
    #expect(session.read { $0.contains("a is 41") && $0.contains("a text") }, "\(session.text.debugDescription)")
    session.type("quit\n")
    #expect(session.wait() == 0)
  }

  @Test func aTextOfSeveralLinesGoesOn() throws {
    let session = try typed()
    session.type("let a = \"\"\"\n")
    try #require(session.read { $0.hasSuffix("... > ") }, "\(session.text.debugDescription)")
    session.type("quit\n  \"two\"\n")
    session.type("  \"\"\"\nprint \"<{a}>\"\n")
    #expect(session.read { $0.contains(">\n") || $0.contains(">\r\n") }, "\(session.text.debugDescription)")
    session.type("quit\n")
    #expect(
      session.wait() == 0 && !session.text.contains("T005") && session.text.contains("\"two\""), "\(session.text.debugDescription)")
    let result = repl("if true\n  print \"\"\"\n    one\n    two\"\"\"\nend\n", "--fresh")
    #expect(result.code == 0 && result.output.contains("one\n") && result.output.contains("two\n"), "\(result)")
    #expect(repl("print \"\"\"\n  one\n", "--fresh").errors.contains("this text is never closed"))
    // An error before the open text ends the entry at once.
    #expect(repl("if tru\n  print \"\"\"\n", "--fresh").errors.contains("entry 1:1"))
  }

  /// After Ctrl-C, undo does not restore the dropped line, and the history continues at its end.
  @Test func ctrlCBeginsAtTheEndOfTheHistory() throws {
    let session = try typed()
    session.type("let a = 41\nlet b = 42\na\n")
    try #require(session.read { $0.contains("  41 ") }, "\(session.text)")
    session.type("\u{1B}[A\u{1B}[A")
    try #require(session.read { $0.ranges(of: "let b = 42").count > 1 }, "\(session.text.debugDescription)")
    let prompts = session.text.ranges(of: "tooth sim:demo > ").count
    session.type("\u{3}")
    #expect(session.read { $0.ranges(of: "tooth sim:demo > ").count > prompts }, "\(session.text.debugDescription)")
    session.type("7\u{1F}\u{1F}\u{1B}[A + 1\n")
    #expect(session.read { $0.contains("  42 ") }, "\(session.text.debugDescription)")
    session.type("quit\n")
    #expect(session.wait() == 0)
  }

  @Test func aKilledPromptContinues() throws {
    let first = try typed()
    first.type("let a = 41\n")
    first.type("a + 1\n")
    #expect(first.read { $0.contains("  42 ") }, "\(first.text)")
    kill(first.pid, SIGKILL)
    #expect(first.wait() == 128 + SIGKILL)
    let second = try typed()
    #expect(second.text.contains("continues after 2 entries"), "\(second.text)")
    #expect(second.text.contains("\n  a = 41\n"), "\(second.text)")
    second.type("a + 2\n")
    #expect(second.read { $0.contains("  43 ") }, "\(second.text)")
    // Losing the terminal leaves the session as it is.
    kill(second.pid, SIGHUP)
    second.wait()
    let third = try typed()
    #expect(third.text.contains("continues after 3 entries"), "\(third.text)")
    third.type("names\nquit\n")
    #expect(third.wait() == 0 && third.text.contains("41"), "\(third.text)")
  }

  /// A secret does not outlive its process, so the next one does not list its name.
  @Test func aKilledPromptListsNoLostSecret() throws {
    let first = try typed()
    first.type("ask secret \"code \" as pin\n")
    #expect(first.read { $0.contains("code ") }, "\(first.text)")
    first.type("1234\n")
    first.type("let a = 41\na + 1\n")
    #expect(first.read { $0.contains("  42 ") }, "\(first.text)")
    kill(first.pid, SIGKILL)
    first.wait()
    let second = try typed()
    #expect(second.text.contains("\n  a = 41\n"), "\(second.text)")
    second.type("names\n")
    #expect(second.read { $0.contains("41  ") }, "\(second.text)")
    #expect(!second.text.contains("pin"), "\(second.text)")
    second.type("quit\n")
    second.wait()
  }

  @Test func aClosedTerminalKeepsTheSession() throws {
    let first = try typed()
    first.type("on stop: print \"left\"\nlet a = 41\n")
    first.type("a + 1\n")
    #expect(first.read { $0.contains("  42 ") }, "\(first.text)")
    first.vanish()
    #expect(first.wait() != 0)
    let second = try typed()
    #expect(second.text.contains("continues after 3 entries"), "\(second.text)")
    second.type("a + 2\nquit\n")
    #expect(second.wait() == 0 && second.text.contains("  43 "), "\(second.text)")
  }

  @Test func wordsOfOtherPromptsLeadToOurs() throws {
    let session = try typed("--no-listen")
    for (typed, shown) in [
      ("exit", "`quit` exits"), ("?", "`help` lists"), ("ls", "`devices` lists devices"), ("scan on", "`scan for \"NAME\"`"),
      ("clear", "Ctrl-L"),
    ] {
      session.type(typed + "\n")
      #expect(session.read { $0.contains(shown) }, "\(session.text)")
    }
    // A name takes precedence.
    session.type("let exit = 41\nexit\n")
    #expect(session.read { $0.contains("  41 ") }, "\(session.text)")
    session.type("scan for \"Strap 7\"\nconnect\ndisconnect\nread battery_level\n")
    #expect(session.read { $0.contains("the link has ended since then; `connect` again") }, "\(session.text)")
    session.type("quit\n")
    #expect(session.wait() == 0, "\(session.text)")
  }

  @Test func promptWordsWork() throws {
    let session = try typed()
    session.type("help\n")
    #expect(session.read { $0.contains("devices of this session") }, "\(session.text)")
    session.type("help read\n")
    #expect(session.read { $0.contains("read [raw] ATTRIBUTE") }, "\(session.text)")
    session.type("help formats\n")
    #expect(session.read { $0.contains("heart_rate_measurement") && $0.contains("declares your own") }, "\(session.text)")
    session.type("every 1h: print 1\n")
    session.type("handlers\n")
    #expect(session.read { $0.contains("line 1 of entry 1") }, "\(session.text)")
    session.type("status\nhistory\nquit\n")
    #expect(session.wait() == 0, "\(session.text)")
    #expect(session.text.contains("1 entry · 1 handler"), "\(session.text)")
  }
}
