import Glibc
import Linux
import Testing
import Vocabulary
import World

/// What a first-time user of tooth meets.
@Suite struct NewUserTests {
  let folder = Folder()

  private func run(_ arguments: String..., environment: [String: String] = [:]) -> Tooth.Result {
    Tooth.start(
      arguments, environment: ["TOOTH_STATE": "\(folder.path)/state"].merging(environment) { $1 }, directory: folder.path
    ).wait()
  }

  private static let virtual = ["--adapter", "sim:demo", "--clock", "virtual", "--seed", "1"]

  private func simulated(_ arguments: [String], limit: String = "1min") -> Tooth.Result {
    Tooth.start(
      arguments + Self.virtual + ["--time-limit", limit], environment: ["TOOTH_STATE": "\(folder.path)/state"],
      directory: folder.path
    ).wait()
  }

  @Test func theBuiltInDemoEqualsItsFile() throws {
    #expect(DemoAir.text == (try projectFile("recipes/devices/demo.ble")))
  }

  @Test func checkReportsACorrectFile() {
    folder.file("first.ble", "# one\nwait 1s\nprint 2")
    folder.file("one.ble", "wait 1s\n")
    folder.file("warned.ble", "wait forever\nprint 1\n")
    #expect(run("check", "first.ble", "one.ble").errors == "first.ble: no problems (3 lines)\none.ble: no problems (1 line)\n")
    #expect(run("check", "-q", "first.ble").errors == "")
    #expect(run("check", "--diagnostics", "json", "first.ble").errors == "")
    #expect(!run("check", "warned.ble").errors.contains("no problems"))
  }

  /// File names are relative to the directory in which a run was started, wherever it is resumed.
  @Test func theFilesOfARecipeAreShown() {
    folder.file(
      "files.ble",
      """
      let log = "log.csv"
      every 1s
        append {a: 1} to log
        append {a: 2} to "log.csv"
        save 1 to "{now().date}.json"
      end
      print count(file("limits.json"))
      wait forever
      test "x"
        save 1 to "other.json"
      end

      """)
    let here = realPath(folder.path) ?? folder.path
    let listed = """
      files.ble: no problems (11 lines)
      files.ble: file names are relative to \(here) in a run that is first started here
        line 3: append to log.csv
        line 5: save to "{now().date}.json"
        line 7: read limits.json

      """
    #expect(run("check", "files.ble").errors == listed)
    #expect(run("check", "-q", "files.ble").errors == "" && run("check", "--diagnostics", "json", "files.ble").errors == "")
    folder.file("wrong.ble", "append 1 to \"x\"\nconect\n")
    #expect(!run("check", "wrong.ble").errors.contains("relative to"))
  }

  /// Command names of other tools lead to ours.
  @Test(arguments: [
    (["services", "Strap 7"], "tooth info: "), (["find", "Strap 7"], "tooth scan: "), (["log"], "tooth runs: "),
    (["connect", "Strap 7"], "tooth repl: "), (["subscribe", "x"], "tooth watch: "), (["get"], "tooth read: "),
    (["name", "strap", "Strap 7"], "tooth alias: "), (["unpair"], "tooth forget: "), (["servce"], "did you mean serve?"),
  ])
  func wordsOfOtherToolsLeadToACommand(words: [String], hint: String) {
    let result = Tooth.start(words, directory: folder.path).wait()
    #expect(result.code == 2 && result.output.isEmpty && result.errors.contains(hint), "\(result)")
  }

  @Test func scanFindsADeviceByName() {
    for (what, lines) in [("Strap 7", 1), ("heart_rate", 1), ("0x180D", 1), ("*", 2), ("EC:AD:84:E6:82:49", 1), ("?trap*", 1)] {
      let found = simulated(["scan", what], limit: "3s")
      #expect(found.code == 0 && found.output.split(separator: "\n").count == lines, "\(what): \(found)")
    }
    #expect(run("alias", "mine", "Strap 7").code == 0)
    #expect(simulated(["scan", "mine"], limit: "3s").output.contains("Strap 7"))
    let none = simulated(["scan", "Strap"], limit: "3s")
    #expect(none.code == 5 && none.output.isEmpty && none.errors.contains("no device was heard that matches Strap"), "\(none)")
    #expect(simulated(["scan", "Strap", "7"], limit: "3s").code == 2)
  }

  @Test func misplacedFieldsAreExplained() {
    let plotted = simulated(["watch", "Strap 7", "heart_rate_measurement", "--plot", "bpm", "--count", "2"])
    #expect(plotted.code == 2 && plotted.errors.contains("--plot --field bpm"), "\(plotted)")
    let pointed = simulated(["watch", "Strap 7", "heart_rate_measurement.bpm"])
    #expect(pointed.code == 2 && pointed.errors.contains("bpm is part of its value"), "\(pointed)")
    // Two attributes stay two attributes.
    let two = simulated(["read", "Strap 7", "battery_level", "body_sensor_location"])
    #expect(two.code == 0, "\(two)")
  }

  @Test func smallMistakesAreExplained() {
    #expect(run("alias", "Strap 7", "strap").errors.contains("the alias comes first: tooth alias strap 'Strap 7'"))
    #expect(run("bonds").errors.contains("no device is paired"))
    #expect(run("runs", "show").code == 2)
    folder.file("a.ble", "print 1\n")
    folder.file("b.ble", "wait 1ms\nfail \"late\"\n")
    _ = run("run", "a.ble")
    _ = run("run", "b.ble")
    // The newest run.
    #expect(run("runs", "show").output.contains("late"))
    let saved = Tooth.start(
      ["repl", "--adapter", "sim:demo"], input: "1 + 1\nlet a = 5\nsave recipe s.ble\n",
      environment: ["TOOTH_STATE": "\(folder.path)/state"], directory: folder.path
    ).wait()
    #expect(saved.errors.contains("a recipe shows only what it prints"), "\(saved)")
  }

  @Test func onlyValuesGoToStandardOutput() {
    folder.file(
      "r.ble", "scan for heart_rate\nconnect\nprint 1\nread battery_level as b\nprint b\ndisconnect\nfail \"late\"\n")
    for options in [[], ["-q"], ["-v"]] {
      let result = simulated(["run", "r.ble", "--fresh", "--output", "json"] + options)
      let lines = result.output.split(separator: "\n")
      #expect(lines.count == 2 && lines.allSatisfy { $0.contains("\"value\":") && !$0.contains("\"event\":") }, "\(result)")
    }
    let told = simulated(["run", "r.ble", "--fresh", "--output", "json", "--events"])
    #expect(told.output.contains("\"event\":\"failure\""), "\(told)")
    #expect(simulated(["run", "r.ble", "--events"]).errors.contains("--events needs --output json"))
  }

  @Test func anInterruptedRunReportsItsLine() {
    folder.file("r.ble", "print \"ready\"\nwait 1h # long\nprint 2\n")
    let limited = simulated(["run", "r.ble"], limit: "10s")
    #expect(limited.code == 8)
    #expect(
      limited.errors == "the time limit was reached at line 2: wait 1h; continue with: "
        + "tooth resume r.ble --adapter sim:demo --clock virtual --seed 1 --time-limit 10s\n",
      "\(limited)")
    #expect(simulated(["run", "r.ble", "-q"], limit: "10s").errors == "")
    let unnamed = simulated(["run", "-e", "wait 1h"], limit: "10s")
    #expect(unnamed.errors.contains("line 1: wait 1h; a recipe from -e keeps no checkpoint"), "\(unnamed)")
    // By ID where the path does not name one run.
    let named = simulated(["run", "r.ble", "--as", "it's"], limit: "10s")
    #expect(named.errors.contains("; continue with: tooth resume it-s-"), "\(named)")

    let process = Tooth.start(
      ["run", "r.ble", "--adapter", "sim:demo", "--fresh"], environment: ["TOOTH_STATE": "\(folder.path)/state"],
      directory: folder.path)
    #expect(process.read { $0.text == "ready\n" })
    process.signal(SIGINT)
    let result = process.wait()
    #expect(result.code == 130)
    #expect(result.errors == "interrupted at line 2: wait 1h; continue with: tooth resume r.ble --adapter sim:demo\n", "\(result)")
  }

  @Test func theLastValueOfALineIsPrinted() {
    let lines = ["run", "-e", "scan for heart_rate", "-e", "connect"]
    #expect(simulated(lines + ["-e", "read battery_level"]).output == "97\n")
    #expect(simulated(lines + ["-e", "read raw battery_level"]).output == "61\n")
    #expect(simulated(lines + ["-e", "read battery_level as level"]).output == "")
    #expect(simulated(lines + ["-e", "read battery_level; print 1"]).output == "1\n")
    #expect(
      simulated(lines + ["-e", "subscribe to heart_rate_measurement; wait for notify heart_rate_measurement"]).output.hasPrefix(
        "bpm="))
  }

  /// Every statement that gives a value, as text and as JSON, and statements without a value or
  /// name.
  @Test(arguments: LastValue.all) func theLastStatementPrintsItsValue(_ it: LastValue) {
    var lines = ["run"]
    for line in it.before + [it.line] { lines += ["-e", line] }
    let text = simulated(lines)
    #expect(text.code == it.code && (it.isPrefix ? text.output.hasPrefix(it.text) : text.output == it.text), "\(it): \(text)")
    let json = simulated(lines + ["--output", "json"])
    let printed = json.output.split(separator: "\n")
    if it.text.isEmpty {
      #expect(printed.isEmpty, "\(it): \(json)")
    } else {
      #expect(printed.count == 1 && printed.first?.contains("\"value\":\(it.json)") == true, "\(it): \(json)")
    }
    if let said = it.said { #expect(text.errors.contains(said), "\(it): \(text)") }
  }

  struct LastValue: Sendable, CustomStringConvertible {
    var line: String
    var text: String
    var json: String
    var before: [String] = []
    var code: Int32 = 0
    var isPrefix = false
    var said: String?
    var description: String { line }

    init(
      _ line: String, _ text: String, json: String = "", after before: [String] = [], code: Int32 = 0, isPrefix: Bool = false,
      said: String? = nil
    ) {
      (self.line, self.text, self.json, self.before, self.code, self.isPrefix, self.said) =
        (line, text, json, before, code, isPrefix, said)
    }

    static let connected = ["scan for heart_rate", "connect"]
    static let procedures = [
      "procedure double(x)", "  return x * 2", "end", "procedure say(x): log x", "procedure level()", "  read battery_level as b",
      "  return b", "end", "procedure maybe(x)", "  if x > 1", "    return \"more\"", "  end", "end",
    ]

    static let all: [LastValue] = [
      LastValue("read battery_level", "97\n", json: "97", after: connected),
      LastValue("read battery_level # how full?", "97\n", json: "97", after: connected),
      LastValue("read battery_level; ", "97\n", json: "97", after: connected),
      LastValue("read battery_level otherwise log \"none\"", "97\n", json: "97", after: connected),
      LastValue("read 0xFFAB otherwise log \"none\"", "", after: connected, said: "none"),
      LastValue("try 2 times: read battery_level", "97\n", json: "97", after: connected),
      LastValue("try: read 0xFFAB otherwise log \"none\"", "", after: connected, said: "none"),
      LastValue("end", "97\n", json: "97", after: connected + ["try 2 times", "  read battery_level"]),
      LastValue("end", "97\n", json: "97", after: connected + ["let d = device", "with d", "  read battery_level"]),
      LastValue("on disconnect: log \"gone\"", "97\n", json: "97", after: connected + ["read battery_level"]),
      LastValue("wait for disconnect", "asked\n", json: "\"asked\"", after: connected + ["after 1s: disconnect"]),
      LastValue("scan for heart_rate", "Strap 7\n", json: "\"Strap 7\""),
      LastValue("scan for strongest heart_rate within 5s", "Strap 7\n", json: "\"Strap 7\""),
      LastValue("scan for all heart_rate within 5s", "[\"Strap 7\"]\n", json: "[\"Strap 7\"]"),
      LastValue("scan for heart_rate as d", ""), LastValue("scan for 0xFFAA within 2s", "", code: 5),
      LastValue("scan for heart_rate otherwise stop", "Strap 7\n", json: "\"Strap 7\""),
      LastValue("double(21)", "42\n", json: "42", after: procedures), LastValue("say(1)", "", after: procedures),
      LastValue("maybe(2)", "more\n", json: "\"more\"", after: procedures),
      LastValue("level()", "97\n", json: "97", after: procedures + connected),
      LastValue("try 3 times: level()", "97\n", json: "97", after: procedures + connected),
      LastValue("discover", "", after: connected),
      LastValue("discover everything", "[\"generic_access\",", json: "[\"generic_access\",", after: connected, isPrefix: true),
      LastValue("count(\"abc\")", "3\n", json: "3"),
      LastValue("let last_value = 4; read battery_level", "97\n", json: "97", after: connected),
      LastValue("disconnect", "", after: connected), LastValue("let a = 1; set a to 2", ""), LastValue("log 1", "", said: "1"),
    ]
  }

  @Test func verboseOutputDescribesOperations() {
    folder.file(
      "r.ble", "scan for heart_rate\nconnect\nread battery_level as b\nsubscribe to heart_rate_measurement\nwait 2s\ndisconnect\n")
    let words = simulated(["run", "r.ble", "-v"]).errors
    for line in [
      " debug linked with ", " debug ATT read battery_level → 61\n", " debug ATT subscribe heart_rate_measurement → notify\n",
      " debug ATT notify heart_rate_measurement → ",
    ] { #expect(words.contains(line), "\(words)") }
    #expect(!words.contains(" debug > ") && !words.contains(" debug < "), "\(words)")
    for loud in [["-vv"], ["-v", "-v"], ["--verbose", "--verbose"]] {
      let packets = simulated(["run", "r.ble", "--fresh"] + loud).errors
      #expect(packets.contains(" debug > 01 03 0c 00\n") && packets.contains("ATT read battery_level → 61"), "\(packets)")
    }
    #expect(
      run("scan", "--adapter", "sim:demo", "--time-limit", "500ms", environment: ["TOOTH_VERBOSE": "2"]).errors.contains(
        " debug > 01"))
    #expect(!simulated(["run", "r.ble", "--fresh"]).errors.contains("debug"))
  }

  @Test func aFileOfPeripheralsIsForAnAir() {
    folder.file("devices.ble", DemoAir.text)
    let result = simulated(["run", "devices.ble"])
    #expect(result.code == 2)
    #expect(
      result.errors.contains("only peripherals and nothing to run") && result.errors.contains("tooth air devices.ble"), "\(result)")
  }

  @Test func aForgottenValueIsAskedFor() {
    folder.file("r.ble", "input limit: number = 3\nprint limit\n")
    for arguments in [
      ["--limit", "--adapter", "sim:demo"], ["--limit", "-v"], ["--time-limit", "--limit", "3"], ["--state", "-q"],
    ] {
      let result = Tooth.start(["run", "r.ble"] + arguments, directory: folder.path).wait()
      #expect(result.code == 2 && result.errors.contains("\(arguments[0]) needs a value"), "\(arguments): \(result)")
    }
    #expect(simulated(["run", "r.ble", "--limit", "-5"]).output == "-5\n")
    #expect(simulated(["run", "r.ble", "--limit=-5"]).output == "-5\n")
  }

  @Test func anOutputErrorFailsTheCommand() {
    folder.file("r.ble", "input limit: number = 3\nprint limit\nwait 1h\n")
    _ = simulated(["run", "r.ble"], limit: "1s")
    let id = run("runs").output.newestRun
    folder.file("devices.ble", DemoAir.text)
    for arguments in [
      ["scan"] + Self.virtual + ["--time-limit", "3s"], ["runs"], ["runs", "show", id], ["help"], ["help", "run"],
      ["help", "r.ble"],
      ["version"], ["--version"], ["--help"], ["run", "--help"], ["completions", "bash"], ["help", "--man"],
      ["run", "-e", "print 1"] + Self.virtual + ["--time-limit", "3s"], ["doctor"],
      ["service", "install", "r.ble", "--user", "--print"],
    ] {
      let full = Tooth.start(
        ["-c", "exec \"$0\" \"$@\" >/dev/full", Tooth.path] + arguments, program: "/bin/sh",
        environment: ["TOOTH_STATE": "\(folder.path)/state"], directory: folder.path
      ).wait()
      #expect(full.code != 0 && full.errors.contains("No space left on device"), "\(arguments): \(full)")
      // A reader that stops early is not a failure.
      let closed = Tooth.start(
        ["-c", "\"$0\" \"$@\" | :; exit ${PIPESTATUS[0]}", Tooth.path] + arguments, program: "/bin/bash",
        environment: ["TOOTH_STATE": "\(folder.path)/state"], directory: folder.path
      ).wait()
      if arguments[0] != "doctor" { #expect(closed.code == 0, "\(arguments): \(closed)") }
    }
  }

  /// The next morning, the reason is there.
  @Test func aRunWhoseOutputCannotBeWrittenKeepsTheReason() {
    folder.file("r.ble", "repeat 3 times\n  print 1\n  wait 1s\nend\n")
    let full = Tooth.start(
      ["-c", "exec \"$0\" run r.ble >/dev/full", Tooth.path], program: "/bin/sh",
      environment: ["TOOTH_STATE": "\(folder.path)/state"], directory: folder.path
    ).wait()
    #expect(full.code == 1, "\(full)")
    let shown = run("runs", "show")
    #expect(shown.output.contains("No space left on device"), "\(shown)")
  }

  /// What is shown can be typed.
  @Test func inputsAreShownAsTheyAreTyped() {
    folder.file("r.ble", "input names: texts\nprint names\n")
    #expect(run("run", "r.ble", "--names", "a b", "--names", "c").code == 0)
    #expect(run("runs").output.contains("r.ble --names 'a b' --names c"), "\(run("runs"))")
  }

  @Test(.enabled(if: RunTests.hasNoAdapter)) func theHintForAMissingAdapterWorksInAnyFolder() throws {
    folder.file("r.ble", "scan for heart_rate as d\nprint d.name\n")
    let result = run("run", "r.ble")
    #expect(result.code == 9)
    let hint = try #require(result.errors.firstRange(of: "--adapter sim:")).lowerBound
    let words = result.errors[hint...].prefix { $0 != "\n" }.split(separator: " ").map(String.init)
    #expect(run("run", "r.ble", words[0], words[1]).output == "Strap 7\n")
  }

  /// `make install` with DESTDIR, of the files that need no build.
  @Test func theExamplesAreInstalled() throws {
    let makefile = try projectFile("Makefile")
    #expect(makefile.contains("$(share)/doc/tooth/$$recipe"))
    #expect((try projectFile("man/tooth.1")).contains("share/doc/tooth/recipes"))
  }

  /// No adapter is opened for a recipe that uses no device, not even one that was named.
  @Test func recipesWithoutDevicesNeedNoAdapter() {
    let none = "unix:\(folder.path)/nobody"
    for options in [[], ["--adapter", none], ["--adapter", "hci65000"], ["--adapter", none, "--keeper"]] {
      let sum = Tooth.start(["run", "-e", "print 1 + 1"] + options, environment: ["TOOTH_STATE": "\(folder.path)/state"]).wait()
      #expect(sum == Tooth.Result(code: 0, output: "2\n", errors: ""), "\(options)")
    }
    folder.file(
      "busy.ble",
      "remember n = 0\nset n to n + 1\nprint n\non stop as why: print \"{why}\"\nevery 10ms: print \"tick\"\nwait 25ms\nappend {n: n} to \"n.csv\"\n"
    )
    let first = run("run", "busy.ble", "--adapter", none)
    #expect(first.code == 0 && first.output.hasPrefix("1\ntick\n") && first.errors == "", "\(first)")
    #expect(run("run", "busy.ble", "--adapter", none).output.hasPrefix("2\n"))
    #expect(folder.content("n.csv") == "n\n1\n2\n")
    // One statement that may need the adapter is enough.
    for recipe in [
      "if false: scan for heart_rate\n", "procedure p(): connect to C4:7C:8D:6A:12:0F\nif false: p()\n",
      "on stop: disconnect\nwait 1ms\n",
    ] {
      folder.file("needs.ble", recipe)
      let refused = run("run", "needs.ble", "--adapter", none)
      if refused.code == 3 { continue }
      #expect(refused.code == 9, "\(recipe) \(refused)")
    }
    #expect(run("run", "busy.ble", "--adapter", "usb:0").code == 9)
  }

  @Test func aKilledRunContinuesWithoutAnAdapter() {
    folder.file("r.ble", "print \"ready\"\nwait 300ms\nprint \"done\"\n")
    let process = Tooth.start(
      ["run", "r.ble", "--adapter", "unix:nobody"], environment: ["TOOTH_STATE": "\(folder.path)/state"], directory: folder.path)
    #expect(process.read { $0.text == "ready\n" }, "\(process.complaint)")
    process.signal(SIGKILL)
    _ = process.wait()
    let again = run("run", "r.ble", "--adapter", "unix:nobody")
    #expect(again.code == 0 && again.output.hasSuffix("done\n") && again.errors.contains("continues at line 2"), "\(again)")
  }

  // MARK: Services

  private func install(_ arguments: String...) -> Tooth.Result {
    Tooth.start(
      ["service", "install"] + arguments, environment: ["HOME": folder.path, "PATH": "/usr/bin:/bin"], directory: folder.path
    ).wait()
  }

  @Test(.enabled(if: getuid() == 0)) func serviceInstallWarnsOfUnreachableFiles() {
    folder.file("r.ble", "input pin: secret\ninput image: file\nprint count(image)\nprint pin\n")
    folder.file("image", "abc")
    let shown = install("r.ble", "--print", "--", "--image", "\(folder.path)/image")
    #expect(shown.code == 0, "\(shown)")
    #expect(shown.errors.contains("warning: \(folder.path)/r.ble is out of reach"), "\(shown)")
    #expect(shown.errors.contains("warning: \(folder.path)/image is out of reach"), "\(shown)")
    #expect(shown.errors.contains("LoadCredential=pin:/etc/tooth/r.pin"), "\(shown)")
    #expect(shown.output.contains("\n#LoadCredential=pin:/etc/tooth/r.pin\n"), "\(shown)")
  }

  /// A refusal is reported once, without an earlier warning.
  @Test(.enabled(if: getuid() == 0)) func anUnreachableServiceIsRefusedWithoutAWarning() {
    let path = folder.file("r.ble", "input pin: secret\nprint count(pin)\n")
    let refused = install("r.ble")
    #expect(refused.code == 2 && refused.output.isEmpty, "\(refused)")
    #expect(refused.errors.hasPrefix("error: \(realPath(path) ?? path) is out of reach for a service"), "\(refused)")
    #expect(!refused.errors.contains("warning"), "\(refused)")
    #expect(realPath("/etc/systemd/system/tooth-r.service") == nil)
  }

  @Test func serviceInstallShowsWhereFilesGo() {
    folder.file("r.ble", "input pin: secret\nprint pin\n")
    let made = install("r.ble", "--user", "--no-start")
    #expect(made.code == 0)
    let place = realPath(folder.path) ?? ""
    #expect(
      made.errors.contains("file names in the recipe are relative to \(place); its checkpoint is in ~/.local/state/tooth"),
      "\(made)")
    #expect(
      made.errors.contains("needs the secret pin") && made.errors.contains("LoadCredential=pin:%h/.config/tooth/r.pin"), "\(made)")
    #expect(!made.errors.contains("out of reach"), "\(made)")
  }

  /// `tooth air` serves every shipped device and a file with constants, and `tooth run` points to
  /// it.
  @Test func filesOfPeripheralsAreNotRunSilently() {
    for name in Files.names(in: "\(Tooth.package)/recipes/devices") where name.hasSuffix(".ble") {
      let result = Tooth.run("run", "\(Tooth.package)/recipes/devices/\(name)")
      #expect(result.code == 2 && result.errors.contains("only peripherals and nothing to run"), "\(name): \(result)")
    }
  }

  @Test func quietHidesWarnings() {
    folder.file("q.ble", "let unused = 1\nprint 2\n")
    #expect(Tooth.run("check", "-q", "\(folder.path)/q.ble") == Tooth.Result(code: 0, output: "", errors: ""))
    #expect(Tooth.run("run", "-q", "\(folder.path)/q.ble") == Tooth.Result(code: 0, output: "2\n", errors: ""))
    #expect(Tooth.run("check", "\(folder.path)/q.ble").errors.contains("warning[T242]"))
    #expect(Tooth.run("check", "-q", "--strict", "\(folder.path)/q.ble").code == 3)
  }

  /// Handlers of a descriptor answer like those of a characteristic.
  @Test func handlersOfADescriptorAnswer() {
    let air = folder.file(
      "d.ble",
      """
      peripheral d named "D"
        advertise heart_rate
        service heart_rate
          characteristic body_sensor_location can read starts as "chest"
          descriptor characteristic_user_description can read, write starts as "stored"
        end
        on read body_sensor_location/characteristic_user_description: answer "now"
        on write body_sensor_location/characteristic_user_description as text
          if count(text) > 3: refuse with 0x80
        end
      end

      """)
    let recipe = folder.file(
      "r.ble",
      """
      scan for heart_rate
      connect
      read raw body_sensor_location/characteristic_user_description as text
      print text.text()
      write "yes" to body_sensor_location/characteristic_user_description
      write "too long" to body_sensor_location/characteristic_user_description otherwise print it.kind, it.code

      """)
    let result = Tooth.run(
      "run", recipe, "--adapter", "sim:\(air)", "--clock", "virtual", "--time-limit", "1h", "--seed", "1",
      environment: ["TOOTH_STATE": "\(folder.path)/s"])
    #expect(result.output == "now\nrefused 128\n", "\(result)")
  }
}
