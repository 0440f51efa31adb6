import Glibc
import Linux
import Testing

@Suite struct CommandLineTests {
  let folder = Folder()

  @Test func theVersionIsOneLine() {
    let result = Tooth.run("version")
    #expect(result.code == 0)
    #expect(result.output.hasPrefix("tooth "))
    #expect(result.output.last == "\n")
    #expect(result.errors == "")
    #expect(Tooth.run("--version") == result)
  }

  @Test(arguments: [
    (["help", "--man"], "man/tooth.1"), (["completions", "bash"], "completions/tooth.bash"),
    (["completions", "zsh"], "completions/tooth.zsh"),
    (["completions", "fish"], "completions/tooth.fish"),
  ])
  func generatedFilesAreThoseOfTheTable(arguments: [String], file: String) throws {
    let committed = String(decoding: try readFile("\(Tooth.package)/\(file)", limit: 1 << 20), as: UTF8.self)
    let fresh = Tooth.start(arguments).wait()
    #expect(fresh.output == committed, "mend it with: .build/debug/tooth \(arguments.joined(separator: " ")) > \(file)")
  }

  @Test(arguments: [
    ([], "Usage: tooth COMMAND"),
    (["rn"], "did you mean run?"),
    (["frobnicate"], "there is no command frobnicate"),
    (["heart.ble"], "tooth run heart.ble"),
    (["--adapter", "sim:x", "run"], "the command comes first"),
    (["version", "now"], "takes no now"),
    (["check"], "needs a recipe"),
    (["check", "--strct", "x"], "did you mean --strict?"),
    (["run", "--frob"], "tooth run has no option --frob"), (["resume", "--frob"], "tooth resume has no option --frob"),
    (["serve", "--frob=1"], "tooth serve has no option --frob"), (["run", "--adaptr", "sim:x"], "did you mean --adapter?"),
    (["check", "--output", "json", "x"], "--output is no option of tooth check"),
    (["check", "--diagnostics", "xml", "x"], "takes text or json, not xml"),
    (["check", "--diagnostics"], "needs a value"),
    (["check", "--strict=yes", "x"], "takes no value"),
    (["repl", "--adpter", "sim:demo"], "did you mean --adapter?"),
    (["completions", "tcsh"], "bash, zsh or fish"),
    (["help", "rnu"], "did you mean run?"),
    (["--batery", "read", "Strap 7"], "there is no option --batery"), (["--adapter=x", "run"], "the command comes first"),
    (["read", "x", "battery_level", "--json"], "use --output json"), (["scan", "--timeout", "5"], "use --time-limit 5s"),
    (["scan", "--within", "2s"], "use --time-limit 5s"), (["read", "x", "battery_level", "--timeout", "3"], "use --within 5s"),
    (["read", "--device", "x", "battery_level"], "needs no option: tooth read DEVICE ATTRIBUTE"),
    (["scan", "-i", "hci0"], "use --adapter hci0"), (["scan", "--csv"], "use --output csv"),
    (["status", "--csv"], "tooth help status"), (["char-read-hnd"], "tooth read: "), (["remove", "x"], "tooth forget: "),
    (["stop", "heart.ble"], "`kill PID` ends a run"), (["ps"], "tooth status: "), (["start", "heart.ble"], "tooth run: "),
  ])
  func aWrongCommandLineIsExplained(arguments: [String], words: String) {
    let result = Tooth.start(arguments).wait()
    #expect(result.code == 2)
    #expect(result.errors.contains(words), "\(result.errors)")
    #expect(result.output == "")
  }

  /// No option is silently ignored because of another one.
  @Test(arguments: [
    (["scan", "-q", "-v"], "--quiet and --verbose cannot be used together"),
    (["read", "x", "y", "--verbose", "--quiet"], "--quiet and --verbose cannot be used together"),
    (["run", "-e", "print 1", "--fresh", "--as-started"], "--fresh and --as-started cannot be used together"),
    (["read", "x", "y", "--direct", "--keeper"], "--direct and --keeper cannot be used together"),
    (["write", "x", "y", "1", "--without-response", "--when-unsure", "skip"], "cannot be used together"),
    (["runs", "show", "--link", "--html", "x"], "--link and --html cannot be used together"),
    (["runs", "--html", "x"], "--html is for tooth runs show"), (["runs", "--link"], "--link is for tooth runs show"),
    (["runs", "drop", "x", "--link"], "--link is for tooth runs show"),
    (["bonds", "--bluez"], "--bluez is for tooth bonds export"),
    (["bonds", "import", "/", "--bluez"], "--bluez is for tooth bonds export"),
    (["bonds", "--replace"], "--replace is for tooth bonds import and tooth bonds export"),
    (["service", "--print"], "--print is for tooth service install"),
    (["service", "status", "--no-start"], "--no-start is for tooth service install"),
    (["service", "remove", "x", "--as", "y"], "--as is for tooth service install"),
    (["keeper", "status", "--force"], "--force is for tooth keeper stop"),
    (["keeper", "stop", "--keep", "1s"], "--keep is for tooth keeper run"),
    (["read", "Strap 7", "battery_level", "--events"], "--events needs --output json"),
    (["run", "x.ble", "--csv-escape"], "--csv-escape needs --output csv"),
    (["run", "-e", "print 1", "--direct", "--keep", "1s"], "--direct and --keep cannot be used together"),
    (["read", "x", "y", "--hold", "1s", "--direct"], "--direct and --hold cannot be used together"),
    (["runs", "show", "--output", "csv"], "tooth runs show has no CSV"),
    (["write", "x", "y", "--hex", "01", "--text", "a"], "writes one value, but there are --text and --hex"),
    (["write", "x", "y", "5", "--hex", "01"], "writes one value, but there are 5 and --hex"),
    (["watch", "x", "y", "--field", "bpm"], "--field is for --plot"),
    (["status", "--output", "csv"], "tooth status has no CSV"), (["repl", "--output", "json", "--tap"], "--tap"),
  ])
  func optionsThatExcludeEachOther(arguments: [String], words: String) {
    let result = Tooth.start(arguments, input: "", environment: ["TOOTH_STATE": "\(folder.path)/state"]).wait()
    #expect(result.code == 2 && result.output.isEmpty && result.errors.contains(words), "\(result)")
  }

  /// An option on the command line overrides an environment variable that conflicts with it.
  @Test func aTypedOptionOverridesVariables() {
    let words = ["run", "-e", "debug \"deep\"", "-e", "log \"plain\"", "--adapter", "sim:demo", "--clock", "virtual"]
    func said(_ more: String..., variables: [String: String]) -> String {
      Tooth.start(words + ["--time-limit", "1s"] + more, environment: variables).wait().errors
    }
    let loud = said("-v", variables: ["TOOTH_QUIET": "1"])
    #expect(loud.contains("deep") && loud.contains("plain"), "\(loud)")
    #expect(said("-q", variables: ["TOOTH_VERBOSE": "2"]) == "")
    let status = Tooth.start(["status"], environment: ["TOOTH_OUTPUT": "csv", "TOOTH_STATE": "\(folder.path)/state"]).wait()
    #expect(status.code == 0, "\(status)")
  }

  /// `man tooth-run` for each command that `tooth help` lists. These pages are not committed; `make
  /// install` and the packages generate them.
  private static var names: [String] {
    Tooth.run("help").output.split(separator: "\n").compactMap { line in
      line.hasPrefix("  ") ? line.split(separator: " ").first.map(String.init) : nil
    }
  }

  @Test func everyCommandHasAPage() throws {
    let names = Self.names
    #expect(names.count >= 18)
    let listed = try Program.run([], program: "\(Tooth.package)/Scripts/commands").output
    #expect(listed.split(separator: "\n").map(String.init) == names)
    for name in names {
      let page = Tooth.run("help", "--man", name)
      #expect(page.code == 0)
      #expect(page.output.contains("tooth\\-\(name) \\- ") && page.output.contains(".SH DESCRIPTION"), "\(name)")
      let shown = try Program.run(
        ["-c", "man --warnings -E UTF-8 -l '\(folder.file("tooth-\(name).1", page.output))' 2>&1 >/dev/null"], program: "/bin/sh")
      #expect(shown.code == 0 && shown.output.isEmpty, "\(name): \(shown.output)")
    }
    #expect(Tooth.run("help", "--man", "rnu").code == 2)
  }

  @Test func everyCommandExplainsItself() {
    for command in Self.names {
      let result = Tooth.run("help", command)
      #expect(result.code == 0)
      #expect(result.output.contains("Usage: tooth \(command)"))
      #expect(Tooth.run(command, "--help") == result)
      #expect(Tooth.run("help").output.contains("  \(command) "))
    }
  }

  @Test func helpOfARecipeListsItsInputs() {
    let path = folder.file(
      "t.ble",
      "## Reads a thermometer.\ninput limit: number = 30.0 \"Warn above\"\ninput dry_run: flag\ninput sensor: address\nwait 1s\n")
    let result = Tooth.run("help", path)
    #expect(result.code == 0)
    for words in ["Reads a thermometer.", "--limit NUMBER", "default 30.0", "[--dry-run]", "--sensor ADDRESS"] {
      #expect(result.output.contains(words), "\(result.output)")
    }
  }

  // MARK: Bad recipes

  @Test(arguments: ["check", "help"]) func namesARecipeThatCannotBeOpened(command: String) {
    #expect(Tooth.run(command, "\(folder.path)/none.ble").code == 2)
    #expect(Tooth.run(command, "\(folder.path)/none.ble").errors.contains("there is no file"))
    let directory = Tooth.run(command, "\(folder.path)/")
    #expect(directory.code == 2)
    #expect(directory.errors.contains("is a directory"))
    let inside = Tooth.run(command, "\(folder.file("f", ""))/x.ble")
    #expect(inside.code == 2)
    #expect(inside.errors.contains("Not a directory"))
  }

  @Test(.enabled(if: getuid() != 0)) func anUnreadableRecipeIsNamed() {
    let result = Tooth.run("check", folder.file("secret.ble", Array("wait 1s\n".utf8), mode: 0))
    #expect(result.code == 2)
    #expect(result.errors.contains("Permission denied"))
  }

  @Test func aForgottenEndingIsGuessed() {
    folder.file("heart.ble", "wait 1s\n")
    let result = Tooth.run("check", "\(folder.path)/heart")
    #expect(result.code == 2)
    #expect(result.errors.contains("did you mean \(folder.path)/heart.ble?"))
  }

  /// The texts are made in the test, because the test library would print megabytes of arguments.
  @Test(arguments: [
    ("binary", "not UTF-8"), ("zero", "not UTF-8"), ("large", "too large"), ("huge", "too large"), ("deep", "error[T"),
    ("nested", "error[T"),
    ("wrong", "did you mean `connect`?"),
  ])
  func refusesANonRecipeAndShowsWhere(kind: String, words: String) {
    let bytes: [UInt8] =
      switch kind {
      case "binary": (0...255).map { UInt8($0) }
      case "zero": [0x77, 0x00, 0x77]
      case "large": [UInt8](repeating: 0x20, count: 10_000_000)
      case "huge": [UInt8](repeating: 0x20, count: 20_000_000)
      case "deep": Array(("let a = " + String(repeating: "(", count: 10_000)).utf8)
      case "nested": Array(String(repeating: "if true\n", count: 10_000).utf8)
      default: Array("conect\n".utf8)
      }
    let result = Tooth.run("check", folder.file("\(kind).ble", bytes))
    #expect(result.code == 3)
    #expect(result.errors.contains(words), "\(result.errors.prefix(500))")
    #expect(result.output == "")
  }

  /// Help fits the terminal; only a word alone may be wider.
  @Test(arguments: [40, 80, 200]) func helpFitsTheTerminal(columns: Int) throws {
    for words in [["help"], ["help", "read"], ["help", "run"], ["help", "doctor"]] {
      let session = try TerminalSession(words, directory: folder.path, columns: UInt16(columns))
      #expect(session.wait() == 0)
      for line in session.text.split(whereSeparator: \.isNewline)
      where line.count > min(columns, 100) && line.drop(while: { $0 == " " }).contains(" ") {
        // A name of an option with its value stays on one line.
        #expect(line.hasPrefix("  -"), "\(words) \(columns): \(line)")
      }
    }
  }

  /// A capture that cannot be written is a failure.
  @Test func anIncompleteCaptureIsAFailure() {
    let result = Tooth.run("read", "Strap 7", "battery_level", "--adapter", "sim:demo", "--capture", "/dev/full")
    #expect(result.code == 1 && result.output == "97\n" && result.errors.contains("/dev/full"), "\(result)")
  }

  @Test func findingsComeAsJSONToo() {
    let result = Tooth.run("check", "--diagnostics", "json", folder.file("wrong.ble", "conect\nwait 5\n"))
    #expect(result.code == 3)
    let lines = result.errors.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.allSatisfy { $0.hasPrefix("{\"code\":\"T") })
  }

  @Test func aCorrectRecipeHasNoFindings() {
    let path = folder.file("good.ble", "wait 1s\n")
    #expect(Tooth.run("check", path) == Tooth.Result(code: 0, output: "", errors: "\(path): no problems (1 line)\n"))
    #expect(Tooth.run("check", "-", input: "wait 1s\n").code == 0)
  }

  @Test func colourIsForTerminalsOnly() {
    let path = folder.file("wrong.ble", "conect\n")
    #expect(!Tooth.run("check", path).errors.contains("\u{1B}"))
    #expect(Tooth.run("check", "--color", "always", path).errors.contains("\u{1B}[1;31m"))
    #expect(Tooth.run("check", path, environment: ["TOOTH_COLOR": "always"]).errors.contains("\u{1B}[1;31m"))
    #expect(!Tooth.run("check", "--ascii", path).errors.contains("│"))
    #expect(!Tooth.run("check", path, environment: ["LC_ALL": "C"]).errors.contains("│"))
  }

  @Test func airExplainsTheMissingListenOption() {
    let result = Tooth.run("air", "\(Tooth.package)/recipes/devices/valve.ble")
    #expect(result.code == 2)
    #expect(
      result.errors.hasPrefix("error: `tooth air` needs `--listen unix:PATH` or `--listen tcp:HOST:PORT`\n"), "\(result.errors)")
  }
}
