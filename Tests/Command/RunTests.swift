import Glibc
import Linux
import Testing
import Vocabulary

/// `tooth run` and related commands as a user meets them: with bad input, and through real kills.
@Suite struct RunTests {
  let folder = Folder()

  var state: [String: String] { ["TOOTH_STATE": "\(folder.path)/state"] }
  var strap: String { "sim:\(Tooth.package)/recipes/devices/heart-rate-strap.ble" }
  var valve: String { "sim:\(Tooth.package)/recipes/devices/valve.ble" }

  func run(_ arguments: String..., environment: [String: String] = [:]) -> Tooth.Result {
    Tooth.start(arguments, environment: state.merging(environment) { $1 }, directory: folder.path).wait()
  }

  // MARK: Bad input

  @Test(arguments: ["run", "resume"]) func aMissingRecipeIsExitCode2(command: String) {
    let result = run(command, "none.ble", "--adapter", valve)
    #expect(result.code == 2)
    #expect(result.errors.contains("there is no file none.ble"))
    #expect(run(command, ".", "--adapter", valve).code == 2)
    #expect(run(command).errors.contains("needs a recipe"))
  }

  /// The option overrides the environment, which overrides the recipe. `tooth test` has its own
  /// world.
  @Test func aRecipeNamesItsAdapter() {
    folder.file(
      "r.ble",
      """
      use adapter "\(valve)"
      scan for anything within 10s as found
      print found.name
      test "the adapter of tests is their own"
        start recipe as r
        wait until r.finished within 5min
        expect r.exit_code is 5
      end
      """)
    let own = run("run", "r.ble")
    #expect(own.code == 0 && !own.output.isEmpty, "\(own)")
    let named = run("run", "r.ble", "--fresh", "--adapter", strap)
    #expect(named.code == 0 && named.output != own.output, "\(named)")
    #expect(run("run", "r.ble", "--fresh", environment: ["TOOTH_ADAPTER": strap]).output == named.output)
    #expect(run("run", "r.ble", "--fresh", "--adapter", valve, environment: ["TOOTH_ADAPTER": strap]).output == own.output)
    let test = run("test", "r.ble")
    #expect(test.code == 0, "\(test)")
    folder.file("wrong.ble", "use adapter \"nonsense:1\"\nscan for anything\n")
    let wrong = run("run", "wrong.ble")
    #expect(wrong.code == 9 && wrong.errors.contains("use adapter: there is no adapter nonsense:1"), "\(wrong)")
  }

  @Test func anOptionValueIsTheTextAfterTheEqualsSign() {
    folder.file("r.ble", "input note: text\ninput quick: flag\ninput pin: secret\nprint note\n")
    // Followed by an accent, the sign is another character to Swift.
    for note in ["\u{301}a", "=", "", "a=b"] {
      let result = run("run", "r.ble", "--note=\(note)", "--secret", "pin=\u{301}1", "--adapter", valve)
      #expect(result.output == note + "\n", "\(result.errors)")
    }
    let twice = run("run", "r.ble", "--note", "a", "--quick", "--quick", "--secret", "pin=1", "--adapter", valve)
    #expect(twice.code == 2)
    #expect(twice.errors.contains("--quick is given twice"))
    let secret = run("run", "r.ble", "--note", "a", "--secret", "=1", "--adapter", valve)
    #expect(secret.code == 2)
    #expect(secret.errors.contains("--secret takes NAME=VALUE"))
  }

  /// Input names conflict only with options of commands that take inputs.
  @Test func inputsMayHaveNamesOfOtherCommandsOptions() {
    folder.file("named.ble", "input name: text\ninput jobs: number\ninput kill: flag\nprint name, jobs, kill\n")
    let result = run("run", "named.ble", "--name", "x", "--jobs", "3", "--kill")
    #expect(result.code == 0, "\(result)")
    #expect(result.output == "x 3 true\n")
  }

  /// `check` refuses an input with the name of any option.
  @Test func inputsHaveNoNamesOfOptions() {
    let help = run("run", "--help").output + run("resume", "--help").output
    let options = Set(help.matches(of: /--[a-z]+(?:-[a-z]+)*/).map { String($0.output.dropFirst(2)) })
    #expect(options.count > 30, "\(options)")
    for option in options.union(["e"]).subtracting(["secret"]) {  // a keyword of the language
      let dashes = option.count == 1 ? "-" : "--"
      let name = option.split(separator: "-").joined(separator: "_")
      folder.file("own.ble", "input \(name): text\nprint \(name)\n")
      let checked = run("check", "own.ble")
      #expect(
        checked.code == 3 && checked.errors.contains("`tooth run` already has an option \(dashes)\(option)"),
        "\(option): \(checked)")
    }
    #expect(run("run", "own.ble").code == 3)
  }

  @Test func aWrongRecipeIsExitCode3AndNothingIsSent() {
    folder.file("bad.ble", "scan for heart_rate\nconect\n")
    let result = run("run", "bad.ble", "--adapter", "unix:\(folder.path)/nobody")
    #expect(result.code == 3)
    #expect(result.errors.contains("did you mean `connect`?"))
    folder.file("later.ble", "open channel 0x80 as ch\n")
    let later = run("run", "later.ble", "--adapter", "unix:\(folder.path)/nobody")
    #expect(later.code == 3)
  }

  @Test(arguments: [
    ("hci65000", 9, "error: "), ("usb:0", 9, "there is no adapter usb:0"), ("C4:7C:8D:6A:12:0F/random", 9, "there is no adapter"),
    ("unix:/nonexistent/socket", 9, "there is no such socket"), ("tcp:127.0.0.1:1", 9, "Connection refused"),
    ("tcp:no-such-host.invalid:1", 9, "\n  = fix: is the host's name right?"),
    ("tcp:localhost", 9, "\n  = fix: a controller over TCP is named tcp:HOST:PORT"),
    ("tcp:localhost:70000", 9, "its port at most 65535"), ("unix:.", 9, "\n  = fix: . is not a socket but a folder"),
    ("unix:r.ble", 9, "\n  = fix: r.ble is not a socket but a file"), ("serial:.", 9, "\n  = fix: . is not a serial port"),
    ("serial:r.ble@fast", 9, "\n  = fix: a speed is a number"), ("/dev/ttyACM0", 9, "serial:/dev/ttyACM0"),
    ("unix:" + String(repeating: "a", count: 108), 9, "its path at most 107 octets long"),
    ("sim:/nonexistent.ble", 2, "there is no file"),
  ])
  func namesAnUnknownAdapter(adapter: String, code: Int32, words: String) {
    folder.file("r.ble", "scan for heart_rate\n")
    for command in [["run", "r.ble"], ["scan"]] {
      let result = Tooth.start(command + ["--adapter", adapter], environment: state, directory: folder.path).wait()
      #expect(result.code == code, "\(command) \(result.errors)")
      #expect(result.errors.contains(words), "\(result.errors)")
      #expect(result.output == "")
    }
  }

  /// Handlers that listen need an adapter, even if no statement does.
  @Test(arguments: [
    "on advertisement of anything as a: print a.name", "whenever anything appears: print 1", "on adapter as state: print state",
    "wait for advertisement of anything",
  ])
  func listeningHandlersNeedAnAdapter(text: String) {
    folder.file("r.ble", text + "\nwait 1s\n")
    let result = run("run", "r.ble", "--adapter", "unix:/nonexistent/socket")
    #expect(result.code == 9, "\(result.errors)")
  }

  /// If there were an adapter, a recipe that names none would take it.
  static let hasNoAdapter = Tooth.start(["adapters"]).wait().code == 9

  @Test(.enabled(if: hasNoAdapter)) func withoutAnAdapterSuggestionsAreShown() {
    folder.file("r.ble", "scan for heart_rate\n")
    for command in [["run", "r.ble"], ["scan"]] {
      let result = Tooth.start(command, environment: state, directory: folder.path).wait()
      #expect(result.code == 9)
      #expect(result.errors.contains("--adapter sim:"))
      #expect(result.errors.contains("--adapter unix:"))
    }
  }

  @Test func anAirWithErrorsOrWithoutDevicesIsRefused() {
    folder.file("r.ble", "wait 1s\n")
    folder.file("wrong.ble", "peripheral p\n  advertize heart_rate\nend\n")
    let wrong = run("run", "r.ble", "--adapter", "sim:wrong.ble")
    #expect(wrong.code == 3)
    #expect(wrong.errors.contains("error[T"))
    let none = run("run", "r.ble", "--adapter", "sim:r.ble")
    #expect(none.code == 2)
    #expect(none.errors.contains("declares no peripheral"))
    #expect(run("air", "wrong.ble", "--listen", "unix:\(folder.path)/air").code == 3)
    #expect(run("air", "r.ble", "--listen", "udp:1").code == 2)
    #expect(run("air", "r.ble").errors.contains("--listen"))
    let device = "\(Tooth.package)/recipes/devices/valve.ble"
    #expect(run("air", device, "--listen", "unix:/no/such/air").code == 9)
    #expect(run("air", device, "--listen", "unix:\(folder.path)/air", "--log", "/no/such/log").code == 2)
  }

  @Test func airDropsHostsThatSendGarbageOrDoNotRead() throws {
    let device = "\(Tooth.package)/recipes/devices/valve.ble"
    let air = Tooth.start(["air", device, "--listen", "unix:\(folder.path)/air", "-v"], environment: state, directory: folder.path)
    #expect(air.read { $0.complaint.contains("on the air") })
    let address = try #require(H4Address("unix:\(folder.path)/air"))
    let rude = try H4Stream(connectingTo: address)
    rude.send([0x77, 0x77])
    #expect(air.read(within: .seconds(10)) { $0.complaint.contains("which does not begin a packet") }, "\(air.complaint)")
    // The next client is served.
    #expect(run("scan", "--adapter", "unix:\(folder.path)/air", "--time-limit", "1s").code == 0)
  }

  /// Otherwise the run would last for its hour.
  @Test func strictEndsTheRunAtTheFirstFailureOfAHandler() {
    let folder = Folder()
    folder.file("a.ble", "after 1s: fail \"no\" with code 30\nwait 1h\nprint \"an hour\"\n")
    func run(_ more: String...) -> Tooth.Result {
      Tooth.start(
        ["run", "a.ble", "--adapter", "sim:demo", "--clock", "virtual", "--time-limit", "2h"] + more,
        environment: ["TOOTH_STATE": "\(folder.path)/state"], directory: folder.path
      ).wait()
    }
    let strict = run("--strict", "--fresh")
    #expect(strict.code == 30 && strict.output == "", "\(strict)")
    let lenient = run("--fresh")
    #expect(lenient.code == 30 && lenient.output == "an hour\n", "\(lenient)")
  }

  @Test func inputsAreExplained() {
    folder.file(
      "r.ble",
      "input valve: address\ninput limit: number = 3\ninput wait_for: duration = 1s\nif false: print valve\nif false: print wait_for\nprint limit\n"
    )
    func check(_ arguments: [String], _ words: String) {
      let result = Tooth.start(["run", "r.ble", "--adapter", valve] + arguments, environment: state, directory: folder.path).wait()
      #expect(result.code == 2)
      #expect(result.errors.contains(words), "\(result.errors)")
    }
    check([], "the input valve is missing")
    check(["--valve", "x"], "takes an address")
    check(["--valve"], "needs a value")
    check(["--valve", "C4:7C:8D:6A:12:0F", "--limit", "warm"], "takes a number, not warm")
    check(["--valve", "C4:7C:8D:6A:12:0F", "--wait-for", "5m"], "takes a duration")
    check(["--valve", "C4:7C:8D:6A:12:0F", "--limt", "5"], "did you mean --limit?")
    check(["--valve", "C4:7C:8D:6A:12:0F", "--valve", "C4:7C:8D:6A:12:0F"], "given twice")
    let good = run("run", "r.ble", "--valve", "C4:7C:8D:6A:12:0F", "--limit", "7", "--adapter", valve)
    #expect(good == Tooth.Result(code: 0, output: "7\n", errors: ""))
  }

  /// Numbers on the command line are written as in a recipe.
  @Test(
    arguments: [
      ("0b11", "3"), ("0x1F", "31"), ("1_000", "1000"), ("-0x10", "-16"), ("-7", "-7"), ("0.5", "0.5"), ("1e3", "1000.0"),
      ("-9223372036854775808", "-9223372036854775808"), ("9223372036854775808", nil), ("0x8000000000000000", nil), ("0b12", nil),
      ("0x", nil), ("+-5", nil), ("++5", nil), ("_5", nil), ("+5", "5"), (".5", "0.5"), ("٣", nil), ("nan", nil), (" 5", nil),
      ("", nil), ("--5", nil),
    ] as [(String, String?)])
  func anInputIsReadLikeANumberInARecipe(text: String, printed: String?) {
    folder.file("n.ble", "input n: number\nprint n\n")
    let result = run("run", "n.ble", "--n=\(text)", "--fresh")
    #expect(result.output == printed.map { $0 + "\n" } ?? "" && result.code == (printed == nil ? 2 : 0), "\(result)")
    // What a recipe can write has the same value there.
    let written = run("run", "-e", "print \(text)")
    if let printed, written.code == 0 { #expect(written.output == printed + "\n") }
  }

  @Test func aRecipeCanComeFromAnywhere() {
    let adapter = ["--adapter", valve]
    #expect(Tooth.start(["run", "-"] + adapter, input: "print 1\n", environment: state).wait().output == "1\n")
    #expect(Tooth.start(["run", "-e", "let a = 2", "-e", "print a"] + adapter, environment: state).wait().output == "2\n")
    // Neither keeps a checkpoint.
    #expect(run("runs").output == "")
    let named = Tooth.start(["run", "-e", "print 3", "--as", "three"] + adapter, environment: state).wait()
    #expect(named.output == "3\n")
    #expect(run("runs").output.contains("three-"))
  }

  @Test func foreignRecipesWriteBelowTheirFolderOnly() {
    let line = "save \"x\" to \"/tmp/tooth-must-not-exist\""
    let result = Tooth.start(["run", "-e", line, "--adapter", valve], environment: state, directory: folder.path).wait()
    #expect(result.code == 1)
    #expect(result.errors.contains("--allow write-files=/tmp"))
    #expect(run("run", "-e", "save \"x\" to \"f.txt\"", "--adapter", valve).code == 0)
    #expect(folder.content("f.txt")?.hasPrefix("x") == true)
  }

  // MARK: The state directory

  @Test func aStateDirectoryThatCannotBeUsedIsExitCode11() {
    folder.file("r.ble", "wait 1s\n")
    let file = folder.file("file", "")
    for place in [file, "\(file)/below", "/proc/tooth"] {
      let result = run("run", "r.ble", "--adapter", valve, "--state", place)
      #expect(result.code == 11, "\(place): \(result.errors)")
      #expect(result.errors.contains("--state DIR"), "\(result.errors)")
    }
    let homeless = Tooth.start(["run", "r.ble", "--adapter", valve], environment: ["HOME": ""], directory: folder.path).wait()
    #expect(homeless.code == 11)
    #expect(homeless.errors.contains("--state"))
  }

  @Test func aDamagedCheckpointIsRefusedAndFreshHelps() throws {
    folder.file("r.ble", "wait 1s\nprint 1\n")
    #expect(run("run", "r.ble", "--adapter", valve, "--clock", "virtual", "--time-limit", "1min").code == 0)
    let id = run("runs").output.newestRun
    for suffix in ["-wal", "-shm"] { unlink("\(folder.path)/state/\(id).db\(suffix)") }
    folder.file("state/\(id).db", "this is no database, but it is long enough to be looked at by SQLite as one, or so it seems")
    let refused = run("run", "r.ble", "--adapter", valve)
    #expect(refused.code == 11)
    #expect(refused.errors.contains("damaged"))
    #expect(refused.errors.contains("--fresh"))
    #expect(run("run", "r.ble", "--adapter", valve, "--fresh").code == 0)
  }

  @Test func aFullDiskIsExitCode11() {
    // The size limit for files of this process, in blocks of 512 bytes.
    folder.file("r.ble", "let all = []\nevery 10ms: set all to all + [random(1, 1000000)]\nwait forever\n")
    let line = "ulimit -f 200; trap '' XFSZ; exec \"$0\" run r.ble --adapter \"$1\" --clock virtual --time-limit 1h"
    let result = Tooth.start(
      ["-c", line, Tooth.path, valve], program: "/bin/sh", environment: state, directory: folder.path
    ).wait()
    #expect(result.code == 11, "\(result.errors)")
    #expect(result.errors.contains("the disk is full"), "\(result.errors)")
    // Committed data is intact.
    #expect(run("runs").output.contains("r-"))
  }

  // MARK: Ends

  @Test func aTimeLimitIsExitCode8() {
    folder.file("r.ble", "wait forever\n")
    #expect(run("run", "r.ble", "--adapter", valve, "--time-limit", "200ms").code == 8)
    #expect(run("run", "r.ble", "--adapter", valve, "--time-limit", "20d", "--clock", "virtual").code == 8)
    let limitless = run("run", "r.ble", "--adapter", valve, "--clock", "virtual")
    #expect(limitless.code == 2)
    #expect(limitless.errors.contains("--time-limit"))
  }

  @Test func aBrokenPipeEndsTheRunQuietly() {
    folder.file("r.ble", "repeat forever\n  print \"line\"\n  wait 10ms\nend\n")
    let line = "\"$0\" run r.ble --adapter \"$1\" --time-limit 20s | head -n 1"
    let result = Tooth.start(["-c", line, Tooth.path, valve], program: "/bin/sh", environment: state, directory: folder.path).wait()
    #expect(result.output == "line\n")
    #expect(result.errors == "")
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
  func aSignalEndsTheRunAfterOnStop(signal: Int32, code: Int32) {
    folder.file("r.ble", "on stop as why: print \"stop: {why}\"\nprint \"ready\"\nwait forever\n")
    let process = Tooth.start(["run", "r.ble", "--adapter", valve], environment: state, directory: folder.path)
    #expect(process.read { $0.text == "ready\n" })
    process.signal(signal)
    let result = process.wait()
    #expect(result.code == code)
    #expect(result.output == "ready\nstop: \(signal == SIGINT ? "interrupted" : "terminated")\n")
    #expect(result.errors.contains("continue with: tooth resume r.ble"), "\(result)")
    #expect(run("runs").output.contains("(\(code))"), "\(run("runs"))")
    let again = Tooth.start(["run", "r.ble", "--adapter", valve], environment: state, directory: folder.path)
    again.read(within: .seconds(10)) { $0.text.contains("ready") || $0.complaint.contains("continues at line 3") }
    #expect(again.complaint.contains("continues at line 3: wait forever (stopped") == (signal != SIGINT))
  }

  @Test(arguments: [(SIGINT, 130, "interrupted"), (SIGTERM, 143, "terminated")] as [(Int32, Int32, String)])
  func aSecondInterruptLeavesAtOnce(first: Int32, code: Int32, state word: String) {
    folder.file(
      "r.ble",
      "on stop as why\n  print \"stopping\"\n  run shell \"trap '' TERM; while :; do sleep 0.1; done\"\nend\n"
        + "print \"ready\"\nwait forever\n")
    let process = Tooth.start(["run", "r.ble", "--adapter", valve], environment: state, directory: folder.path)
    #expect(process.read { $0.text == "ready\n" })
    process.signal(first)
    #expect(process.read { $0.text == "ready\nstopping\n" })
    process.signal(SIGINT)
    let end = process.wait()
    #expect(end.code == code)
    #expect(end.output == "ready\nstopping\n")
    #expect(run("runs").output.contains(word), "\(run("runs"))")
  }

  /// A program that ignores signals does not add to the 5 s that `on stop` may take.
  @Test func aStubbornProgramIsKilledAtTheEnd() {
    let program = "trap 'echo asked >>log' TERM; while :; do echo tick >>log; sleep 0.2; done"
    folder.file("r.ble", "on stop: run shell \"\(program)\"\nprint \"ready\"\nwait forever\n")
    let process = Tooth.start(["run", "r.ble", "--adapter", valve], environment: state, directory: folder.path)
    #expect(process.read { $0.text == "ready\n" })
    process.signal(SIGTERM)
    #expect(process.wait().code == 143)
    let log = (try? String(contentsOfFile: folder.path + "/log", encoding: .utf8)) ?? ""
    let ticks = log.split(separator: "asked").last?.split(separator: "tick").count ?? 0
    #expect(log.contains("asked") && ticks < 6, "\(log)")
  }

  @Test func aSecondStartNamesTheFirst() {
    folder.file("r.ble", "print \"ready\"\nwait forever\n")
    let process = Tooth.start(["run", "r.ble", "--adapter", valve], environment: state, directory: folder.path)
    #expect(process.read { $0.text == "ready\n" })
    let second = run("run", "r.ble", "--adapter", valve)
    #expect(second.code == 11)
    #expect(second.errors.contains("process \(process.pid)"))
    #expect(run("runs").output.contains("running (process \(process.pid))"))
    process.signal(SIGKILL)
    #expect(process.wait().code == 137)
    #expect(run("runs").output.contains("killed"))
  }

  // MARK: Runs

  @Test func runsAreListedShownAndDropped() {
    folder.file("r.ble", "input n: number = 1\nprint n\nwait forever\n")
    let process = Tooth.start(["run", "r.ble", "--n", "5", "--adapter", valve], environment: state, directory: folder.path)
    #expect(process.read { $0.text == "5\n" })
    process.signal(SIGKILL)
    _ = process.wait()
    let list = run("runs")
    #expect(list.code == 0)
    let id = list.output.newestRun
    #expect(id.hasPrefix("r-"))
    let shown = run("runs", "show", id)
    for words in ["killed", "n = 5", "line 3: wait forever", "\(folder.path)/r.ble"] {
      #expect(shown.output.contains(words), "\(shown.output)")
    }
    #expect(run("runs", "show", "r-").output == shown.output)
    #expect(run("runs", "show", "r.ble").output == shown.output)
    #expect(run("runs", "show", "\(folder.path)/r").output == shown.output)
    #expect(
      shown.output.hasSuffix(
        "next       tooth resume \(id)  (continues where it was; give it the same options, such as --adapter)\n"))
    #expect(list.output.hasPrefix("RUN "))
    #expect(list.output.contains("r.ble --n 5"))
    let object = run("runs", "show", id, "--output", "json").output
    #expect(object.contains("\"at\":[\"line 3: wait forever\"]"), "\(object)")
    #expect(object.contains("\"inputs\":{\"n\":\"5\"}"))
    #expect(object.contains("\"next\":\"tooth resume \(id)\""))
    #expect(run("runs", "--output", "json").output.hasPrefix("{\"id\":\"\(id)\",\"state\":\"killed\""))
    let other = Tooth.start(
      ["run", "r.ble", "--adapter", valve, "--time-limit", "300ms"], environment: state, directory: folder.path
    ).wait()
    #expect(
      other.errors.contains("another run of this recipe (--n 5) is waiting to continue: tooth resume \(id)"), "\(other.errors)")
    let resumed = run("resume", id, "--adapter", valve, "--time-limit", "300ms")
    #expect(resumed.errors.contains("continues at line 3"), "\(resumed.errors)")
    #expect(run("runs", "drop", id).code == 0)
    #expect(!run("runs").output.contains(id))
    #expect(run("runs", "show", id).code == 2)
    #expect(run("runs", "drop", "../../etc").code == 2)
    #expect(run("runs", "shw", id).errors.contains("did you mean show?"))
  }

  /// The checkpoint contains all texts, so `--as-started` does not need the files.
  @Test(arguments: ["run", "resume"]) func asStartedContinuesWithoutTheRecipeFiles(command: String) {
    let files = [("part.ble", "let greeting = \"hello\"\n"), ("r.ble", "include \"part.ble\"\nprint greeting\nwait forever\n")]
    for (name, text) in files { folder.file(name, text) }
    let process = Tooth.start(["run", "r.ble", "--adapter", valve], environment: state, directory: folder.path)
    #expect(process.read { $0.text == "hello\n" }, "\(process.complaint)")
    process.signal(SIGKILL)
    _ = process.wait()
    for broken in files {
      for isGone in [false, true] {
        for (name, text) in files { folder.file(name, text) }
        if isGone { unlink("\(folder.path)/\(broken.0)") } else { folder.file(broken.0, "let = \n") }
        // `resume` also finds a run whose recipe is gone.
        let code: Int32 = isGone && broken.0 == "r.ble" ? (command == "run" ? 2 : 8) : 3
        let new = run(command, "r.ble", "--adapter", valve, "--time-limit", "300ms")
        #expect(new.code == code)
        #expect(new.errors.contains("r.ble any more; the text that the run was started with is used") == (code == 8), "\(new)")
        let old = run(command, "r.ble", "--as-started", "--adapter", valve, "--time-limit", "300ms")
        #expect(old.code == 8 && old.errors.contains("continues at line 3"), "\(broken.0) \(isGone): \(old)")
      }
    }
    // The inputs select one of several runs, and no run replaces another.
    folder.file("in.ble", "input who: text = \"me\"\nprint who\nwait forever\n")
    for who in ["ann", "bob"] {
      let process = Tooth.start(["run", "in.ble", "--who", who, "--adapter", valve], environment: state, directory: folder.path)
      #expect(process.read { $0.text == who + "\n" }, "\(process.complaint)")
      process.signal(SIGKILL)
      _ = process.wait()
    }
    unlink("\(folder.path)/in.ble")
    for (who, code) in [("ann", 8 as Int32), ("bob", 8), ("cat", 11)] {
      let old = run(command, "in.ble", "--who", who, "--as-started", "--adapter", valve, "--time-limit", "300ms")
      #expect(old.code == code && old.errors.contains("continues at line 3") == (code == 8), "\(who): \(old)")
    }
    let unknown = run(command, "none.ble", "--as-started", "--adapter", valve)
    #expect(unknown.code == 2, "\(unknown)")
  }

  /// A refused edit and an end by a signal print commands that continue or start over as they are.
  @Test func theCommandsToGoOnWorkAsTheyArePrinted() throws {
    let inputs = "input who: text = \"me\"\ninput xs: numbers\ninput loud: flag = false\n"
    folder.file("in.ble", inputs + "print who\nwait 1h\n")
    let line = [
      "in.ble", "--who=-an n", "--xs", "1", "--xs", "2", "--loud", "--adapter", valve, "--state", "a state", "--strict", "--output",
      "json",
    ]
    let process = Tooth.start(["run"] + line, environment: state, directory: folder.path)
    #expect(process.read { $0.text.hasSuffix("\"-an n\"}\n") }, "\(process.complaint)")
    process.signal(SIGTERM)
    let ended = process.wait()
    #expect(ended.errors.contains("terminated at line 5: wait 1h; continue with: tooth resume in-"), "\(ended)")
    func command(_ text: String, after mark: String) throws -> [String] {
      let line = try #require(text.split(separator: "\n").first { $0.contains(mark) }, "\(text)")
      let words = Tooth.start(["-c", "printf '%s\\n' \(line.split(separator: mark)[1])"], program: "/bin/sh").wait().output
      return words.split(separator: "\n").dropFirst().map(String.init) + ["--time-limit", "300ms"]
    }
    func perform(_ words: [String]) -> Tooth.Result { Tooth.start(words, environment: state, directory: folder.path).wait() }
    let resumed = perform(try command(ended.errors, after: "continue with: "))
    #expect(resumed.code == 8 && resumed.errors.contains("continues at line 5"), "\(resumed)")
    folder.file("in.ble", inputs + "print who\nwait 2h\n")
    let refused = perform(["resume"] + line)
    #expect(refused.errors.contains("T410"), "\(refused)")
    let old = perform(try command(refused.errors, after: "continue the old text:"))
    #expect(old.code == 8 && old.errors.contains("continues at line 5"), "\(old)")
    let fresh = perform(try command(refused.errors, after: "start over:"))
    #expect(fresh.code == 8 && fresh.output.hasSuffix("\"-an n\"}\n"), "\(fresh)")
    #expect(refused.errors.contains(" --output json --strict"), "\(refused)")
    // The value of a secret is never printed.
    folder.file("pin.ble", "input pin: secret\nprint \"go\"\nwait until pin is \"\"\n")
    let secret = Tooth.start(
      ["run", "pin.ble", "--secret", "pin=4711", "--time-limit", "300ms"], environment: state, directory: folder.path
    )
    .wait()
    #expect(
      secret.errors.contains("continue with: tooth resume pin.ble --secret pin=…") && !secret.errors.contains("4711"), "\(secret)")
  }

  /// A run of `tooth serve` continues with the edited file, whichever command continues it.
  @Test func aServedPeripheralContinuesWithItsEdits() {
    let text = "peripheral cnt named \"Cnt\"\n  advertise 0xFFF0\n  service 0xFFF0\n  end\n  every 100ms: print \"old\"\nend\n"
    folder.file("srv.ble", text)
    func wait(_ process: Tooth.Process, for text: String) {
      #expect(process.read { $0.text.contains(text) }, "\(process.complaint)")
    }
    let process = Tooth.start(["serve", "srv.ble", "--adapter", valve], environment: state, directory: folder.path)
    wait(process, for: "old")
    process.signal(SIGTERM)
    let ended = process.wait()
    #expect(ended.errors.contains("continue with: tooth resume srv.ble-serve-cnt-"), "\(ended)")
    folder.file("srv.ble", text.replacing("old", with: "new"))
    let id = run("runs").output.newestRun
    let resumed = run("resume", id, "--adapter", valve, "--time-limit", "500ms")
    #expect(
      resumed.output.hasSuffix("new\n") && !resumed.errors.contains("there is no file"), "\(resumed)")
    // A line that was being printed at the end may come again.
    #expect(resumed.output.split(separator: "\n").dropFirst().allSatisfy { $0 == "new" }, "\(resumed)")
    unlink("\(folder.path)/srv.ble")
    let stored = run("resume", id, "--adapter", valve, "--time-limit", "500ms")
    #expect(stored.output.contains("new") && stored.errors.contains("/srv.ble any more; the text"), "\(stored)")
  }

  /// The inputs select a run also if the file is gone.
  @Test func aGoneFileIsResumedByItsInputs() {
    for who in ["ann", "bob"] {
      folder.file("in.ble", "input who: text\non restore: print \"again {who}\"\nprint who\nwait until who is \"\"\n")
      let started = run("run", "in.ble", "--who", who, "--adapter", valve, "--time-limit", "300ms")
      #expect(started.output == "\(who)\n", "\(started)")
    }
    unlink("\(folder.path)/in.ble")
    for who in ["ann", "bob"] {
      let resumed = run("resume", "in.ble", "--who", who, "--adapter", valve, "--time-limit", "300ms")
      #expect(resumed.errors.contains("/in.ble any more; the text") && resumed.output.hasSuffix("again \(who)\n"), "\(resumed)")
    }
    #expect(run("resume", "in.ble", "--who", "eve").errors.contains("could be any of 2 runs"))
    #expect(run("resume", "in.ble").errors.contains("could be any of 2 runs"))
  }

  /// Without inputs, a file means its only run that can be continued, and an ambiguous word none.
  @Test(arguments: ["input who: text", "input who: text = \"x\""]) func aFileMeansItsOnlyRun(input: String) {
    func kill(_ words: String...) {
      let process = Tooth.start(["run"] + words + ["--adapter", valve], environment: state, directory: folder.path)
      #expect(process.read { $0.text == "go\n" }, "\(process.complaint)")
      process.signal(SIGKILL)
      _ = process.wait()
    }
    let body = "on restore: print \"again\"\nprint \"go\"\nwait forever\n"
    folder.file("in.ble", "\(input)\n\(body.replacing("again", with: "again {who}"))")
    kill("in.ble", "--who", "ann")
    let only = run("resume", "in.ble", "--adapter", valve, "--time-limit", "2s")
    #expect(only.code == 8 && only.output.hasSuffix("again ann\n"), "\(only)")
    kill("in.ble", "--who", "bob")
    #expect(run("resume", "in.ble", "--adapter", valve).errors.contains("could be any of 2 runs"))
    let bob = run("resume", "in.ble", "--who", "bob", "--adapter", valve, "--time-limit", "2s")
    #expect(bob.output.hasSuffix("again bob\n"), "\(bob)")
    folder.file("pr.ble", body)
    folder.file("pr2.ble", body)
    kill("pr.ble")
    kill("pr2.ble")
    let ambiguous = run("resume", "p", "--adapter", valve)
    #expect(ambiguous.code == 2 && ambiguous.errors.contains("could be any of 2 runs"), "\(ambiguous)")
  }

  /// A run goes on with the kind of clock that it began with, and the printed command says so.
  @Test func theClockOfARunStays() {
    folder.file("c.ble", "print \"go\"\nwait forever\n")
    let virtual = ["--adapter", valve, "--clock", "virtual", "--seed", "7", "--time-limit", "1h"]
    let first = Tooth.start(["run", "c.ble"] + virtual, environment: state, directory: folder.path).wait()
    let command = "tooth resume c.ble --adapter \(valve) --clock virtual --seed 7 --time-limit 1h"
    #expect(first.code == 8 && first.errors.contains(command), "\(first)")
    let real = run("resume", "c.ble", "--adapter", valve, "--time-limit", "300ms")
    #expect(real.code == 11 && real.errors.contains("the clock of a simulation"), "\(real)")
    let again = Tooth.start(["resume", "c.ble"] + virtual, environment: state, directory: folder.path).wait()
    #expect(again.code == 8 && again.errors.contains("continues at line 2"), "\(again)")
    #expect(run("run", "c.ble", "--adapter", valve, "--time-limit", "300ms", "--fresh").code == 8)
    let other = Tooth.start(["resume", "c.ble"] + virtual, environment: state, directory: folder.path).wait()
    #expect(other.code == 11 && other.errors.contains("the real clock"), "\(other)")
  }

  /// The placeholder of a printed command is no secret.
  @Test func thePlaceholderOfASecretIsRefused() {
    folder.file("pin.ble", "input pin: secret\nprint pin is \"\"\n")
    let result = run("run", "pin.ble", "--secret", "pin=…")
    #expect(result.code == 2 && result.errors.contains("needs the value in place of …"), "\(result)")
  }

  /// An edit may change how a name is declared, but not the type of an input.
  @Test func anEditedDeclarationKeepsItsValueOrIsRefused() {
    func kill(_ text: String) {
      folder.file("d.ble", text + "print \"go\"\nwait 1h\n")
      let process = Tooth.start(["run", "d.ble", "--fresh"], environment: state, directory: folder.path)
      #expect(process.read { $0.text == "go\n" }, "\(process.complaint)")
      process.signal(SIGKILL)
      _ = process.wait()
    }
    func edited(_ text: String) -> Tooth.Result {
      folder.file("d.ble", "on restore: print n\n" + text + "print \"go\"\nwait 1h\n")
      return run("run", "d.ble", "--time-limit", "500ms")
    }
    kill("remember n = 1\nset n to n + 7\n")
    let kept = edited("let n = 1\nset n to n + 7\n")
    #expect(kept.output.hasSuffix("8\n"), "\(kept)")
    kill("input n: number = 3\n")
    let refused = edited("input n: duration = 3s\n")
    #expect(refused.code == 11 && refused.errors.contains("was of the type number, and now it is duration"), "\(refused)")
  }

  /// An edit may add an input without a default; `resume` then continues the run that had none.
  @Test func aRunContinuesWithAnInputThatAnEditAdds() {
    func start(_ inputs: [String]) {
      let process = Tooth.start(["run", "in.ble", "--adapter", valve] + inputs, environment: state, directory: folder.path)
      #expect(process.read { $0.text == "go\n" }, "\(process.complaint)")
      process.signal(SIGKILL)
      _ = process.wait()
    }
    func resume(_ inputs: [String]) -> Tooth.Result {
      Tooth.start(
        ["resume", "in.ble", "--adapter", valve, "--time-limit", "300ms"] + inputs, environment: state, directory: folder.path
      ).wait()
    }
    let old = "input who: text = \"me\"\nprint \"go\"\nwait 1h\n"
    folder.file("in.ble", old)
    start([])
    start(["--who", "ann"])
    folder.file("in.ble", "input limit: number\n" + old)
    #expect(resume([]).errors.contains("the input limit is missing"))
    for who in [[], ["--who", "ann"]] {
      let result = resume(who + ["--limit", "4"])
      #expect(result.code == 8 && result.errors.contains("continues at line 4"), "\(result)")
    }
    #expect(resume(["--who", "bob", "--limit", "4"]).code == 11)
    // The same text in another order.
    folder.file("in.ble", "input limit: number\n" + old + "# end\n")
    #expect(resume(["--limit", "4"]).errors.contains("resumed with your edits (no statement changed)"))
  }

  /// A named run takes only the inputs that it was started with.
  @Test(arguments: [[], ["--as-started"]]) func aNamedRunKeepsItsInputs(option: [String]) throws {
    folder.file("in.ble", "input who: text = \"me\"\ninput n: number = 1\nprint who, n\nwait forever\n")
    let start = ["run", "in.ble", "--who", "ann", "--n", "2", "--adapter", valve]
    let process = Tooth.start(start, environment: state, directory: folder.path)
    #expect(process.read { $0.text == "ann 2\n" }, "\(process.complaint)")
    process.signal(SIGKILL)
    _ = process.wait()
    let id = run("runs").output.newestRun
    func resume(_ word: String, _ inputs: [String] = []) -> Tooth.Result {
      let line = ["resume", word] + inputs + option + ["--adapter", valve, "--time-limit", "300ms"]
      return Tooth.start(line, environment: state, directory: folder.path).wait()
    }
    for isGone in [false, true] {
      if isGone { unlink("\(folder.path)/in.ble") }
      for word in [id, "in.ble"] {
        for inputs in [["--who", "bob"], ["--who", "ann", "--n", "3"], ["--n", "1"], ["--who", "me"]] {
          let other = resume(word, inputs)
          #expect([2, 11].contains(other.code) && !other.errors.contains("continues"), "\(word) \(inputs) \(isGone): \(other)")
        }
      }
      let same = resume(id, ["--who", "ann"])
      #expect(same.code == 8 && same.errors.contains("continues at line 4"), "\(same)")
      #expect(resume(id).code == 8)
    }
  }

  private static let inputs = """
    input n: number = 1
    input pause: duration = 60s
    input who: text = "me"
    input ids: uuids = [0x180D]
    on restore: print "{n} {pause} {who} {ids}"
    print "go"
    wait forever

    """

  struct Restart: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var first: [String]
    var edit: (old: String, new: String)?
    var second: [String]
    /// The output of a continued run; `nil` if the run starts over.
    var prints: String?
    /// The reason if the start is refused.
    var refusal: String?

    init(
      _ name: String, _ first: [String], edit: (old: String, new: String)? = nil, _ second: [String], prints: String? = nil,
      refusal: String? = nil
    ) {
      (testDescription, self.first, self.edit, self.second, self.prints, self.refusal) = (
        name, first, edit, second, prints, refusal
      )
    }
  }

  static let restarts = [
    Restart("nothing given", [], [], prints: "1 1min me [\"0x180D\"]"),
    Restart("an edited default", [], edit: ("= 1", "= 5"), [], prints: "1 1min me [\"0x180D\"]"),
    Restart("an edited default, given", [], edit: ("= 1", "= 5"), ["--n", "5"], refusal: "started with another n"),
    Restart("a default, given", [], ["--n", "1", "--pause", "1min", "--who", "me", "--ids", "heart_rate"], prints: "1 1min me"),
    Restart("another value", ["--n", "2"], ["--n", "3"]),
    Restart("no value", ["--n", "2"], []),
    Restart("hexadecimal", ["--n", "16"], ["--n", "0x10"], prints: "16 "),
    Restart("a fraction of nothing", ["--n", "16"], ["--n", "16.0"], prints: "16 "),
    Restart("a duration", ["--pause", "90s"], ["--pause", "1min30s"], prints: "1 1min30s"),
    Restart(
      "names of UUIDs", ["--ids", "battery_service", "--ids", "0x180A"], ["--ids", "180f", "--ids", "0x180a"], prints: "1 "),
    Restart("a text is its letters", ["--who", "60s"], ["--who", "1min"]),
    Restart("a name", ["--as", "x", "--n", "2"], ["--as", "x"], prints: "2 1min"),
    Restart("a name, the same value", ["--as", "x", "--n", "2"], ["--as", "x", "--n", "0x2"], prints: "2 1min"),
    Restart("a name, another value", ["--as", "x", "--n", "2"], ["--as", "x", "--n", "3"], refusal: "started with another n"),
    Restart("a name, a new value", ["--as", "x"], ["--as", "x", "--who", "ann"], refusal: "started with another who"),
    Restart("a name, from the start", ["--as", "x", "--n", "2"], ["--as", "x", "--n", "3", "--fresh"]),
    Restart(
      "a name and another default", ["--as", "x", "--who", "ann"], edit: ("= 1", "= 5"), ["--as", "x"], prints: "1 1min ann"),
    Restart(
      "a renamed input", ["--as", "x", "--n", "2"], edit: ("n: number = 1", "m: number = 1\nlet n = 0"), ["--as", "x"],
      refusal: "no longer has that input"),
    Restart(
      "a new input", [], edit: ("input who", "input more: number = 9\ninput who"), [], prints: "1 1min me"),
    Restart("an input without a default", ["--as", "x", "--must", "a"], edit: nil, ["--as", "x"], prints: "1 1min me"),
  ]

  /// A continued run keeps the values of its inputs. Other values start another run or are refused.
  @Test(arguments: restarts.indices) func aRunKeepsItsInputs(number: Int) {
    let row = Self.restarts[number]
    let text = row.first.contains("--must") ? "input must: text\n" + Self.inputs : Self.inputs
    folder.file("in.ble", text)
    let process = Tooth.start(["run", "in.ble"] + row.first, environment: state, directory: folder.path)
    #expect(process.read { $0.text == "go\n" }, "\(process.complaint)")
    process.signal(SIGKILL)
    _ = process.wait()
    if let edit = row.edit { folder.file("in.ble", text.replacing(edit.old, with: edit.new)) }
    let line = ["run", "in.ble", "--time-limit", "300ms"] + row.second
    let second = Tooth.start(line, environment: state, directory: folder.path).wait()
    if let refusal = row.refusal {
      #expect(second.code == 11 && second.errors.contains(refusal) && second.output.isEmpty, "\(row): \(second)")
    } else {
      #expect(second.code == 8 && second.output.contains(row.prints ?? "go"), "\(row): \(second)")
      #expect((row.prints != nil) == second.errors.contains("continues at"), "\(row): \(second)")
    }
  }

  /// `--as-started` reads the command line with the inputs that each run's own text declares.
  @Test func asStartedTakesTheRunThatTheInputsMean() {
    func start(_ text: String, _ option: [String]) {
      folder.file("in.ble", text)
      let process = Tooth.start(["run", "in.ble"] + option, environment: state, directory: folder.path)
      #expect(process.read { $0.text == "go\n" }, "\(process.complaint)")
      process.signal(SIGKILL)
      _ = process.wait()
    }
    let tail = "on restore: print who\nprint \"go\"\nwait forever\n"
    start("input who: text = \"me\"\n" + tail, ["--who", "ann"])
    start("input name: text = \"me\"\nlet who = \"new \" + name\n" + tail, ["--name", "bob"])
    let old = run("run", "in.ble", "--who", "ann", "--as-started", "--time-limit", "300ms")
    #expect(old.output.hasSuffix("ann\n"), "\(old)")
    let new = run("resume", "in.ble", "--name", "bob", "--as-started", "--time-limit", "300ms")
    #expect(new.output.hasSuffix("new bob\n"), "\(new)")
  }

  /// A run named by its ID has the inputs that it was started with: none of them is lost for being
  /// empty.
  @Test func aRunNamedByItsIDHasItsEmptyInputsToo() {
    folder.file("r.ble", "input note: text\ninput names: texts\nprint \"<{note}> {names}\"\nwait forever\n")
    let process = Tooth.start(
      ["run", "r.ble", "--note", "", "--names", "", "--names", "b", "--adapter", valve], environment: state, directory: folder.path)
    #expect(process.read { $0.text.hasPrefix("<> ") && $0.text.hasSuffix("\n") }, "\(process.complaint)")
    process.signal(SIGKILL)
    _ = process.wait()
    let id = run("runs").output.newestRun
    let resumed = run("resume", id, "--adapter", valve, "--time-limit", "300ms")
    #expect(resumed.errors.contains("continues at line 4"), "\(resumed.errors)")
  }

  @Test func aChangedInputFileIsRefused() {
    folder.file("r.ble", "input image: file\nprint count(image)\nwait forever\n")
    folder.file("image.bin", "abc")
    let process = Tooth.start(
      ["run", "r.ble", "--image", "image.bin", "--adapter", valve], environment: state, directory: folder.path)
    #expect(process.read { $0.text == "3\n" }, "\(process.complaint)")
    process.signal(SIGKILL)
    _ = process.wait()
    folder.file("image.bin", "abd")
    let refused = run("run", "r.ble", "--image", "image.bin", "--adapter", valve)
    #expect(refused.code == 11)
    #expect(refused.errors.contains("the file of the input image has changed"))
    folder.file("image.bin", "abc")
    #expect(
      run("run", "r.ble", "--image", "image.bin", "--adapter", valve, "--time-limit", "300ms").errors.contains(
        "continues at line 3"))
    #expect(run("run", "r.ble", "--image", "none.bin", "--adapter", valve).code == 2)
  }

  @Test func anAirThatDiesIsAnAdapterFailure() {
    let socket = "unix:\(folder.path)/air"
    let air = Tooth.start(
      ["air", "\(Tooth.package)/recipes/devices/valve.ble", "--listen", socket], environment: state, directory: folder.path)
    #expect(air.read { $0.complaint.contains("on the air") })
    folder.file("r.ble", "print \"ready\"\nwait 1h\nscan for heart_rate\n")
    let process = Tooth.start(["run", "r.ble", "--adapter", socket], environment: state, directory: folder.path)
    #expect(process.read { $0.text == "ready\n" })
    process.read(within: .milliseconds(200))
    air.signal(SIGKILL)
    let result = process.wait()
    #expect(result.code == 9)
    #expect(result.errors.contains("closed the connection"), "\(result.errors)")
  }

  // MARK: A real process against an air of its own

  @Test func scanPrintsAdvertisingDevices() {
    let text = run("scan", "--adapter", strap, "--time-limit", "1s")
    #expect(text.code == 0)
    #expect(text.output.split(separator: "\n").count == 1)
    #expect(text.output.contains("/random\t-") && text.output.hasSuffix("\tStrap 7\theart_rate\t-\n"))
    let plain = run("scan", "--adapter", strap, "--time-limit", "1s", "--plain")
    #expect(plain.output.hasPrefix("name: Strap 7, address: ") && plain.output.hasSuffix(" dBm, heart_rate\n"))
    let long = run("scan", "--adapter", strap, "--time-limit", "11s", "--plain", "--clock", "virtual")
    #expect(long.errors == "listening for 11s\nlistening, 6 s left\nlistening, 1 s left\n")
    let json = run("scan", "--adapter", strap, "--time-limit", "1s", "--output", "json")
    #expect(json.output.contains("\"name\":\"Strap 7\",\"services\":[\"heart_rate\"]"))
    #expect(json.output.hasSuffix("\"tx_power\":null,\"appearance\":null,\"value\":null}\n"), "\(json.output)")
    folder.file(
      "beacons.ble",
      """
      peripheral beacon
        advertise battery_service with {manufacturer: {company: 0x004c, data: hex "0215 00112233445566778899aabbccddeeff 0001 0002 c5"}}
      end
      peripheral sensor named "S"
        advertise 0xfcd2 with {service_data: {service: 0xfcd2, data: hex "40 02 ca 09"}, tx_power: 4, appearance: "thermometer"}
      end

      """)
    let beacons = run("scan", "--adapter", "sim:beacons.ble", "--time-limit", "2s", "--output", "json")
    let maker = "\"company\":76,\"maker\":\"Apple, Inc.\",\"manufacturer\":\"02 15 00 11 22"
    #expect(beacons.output.contains(maker), "\(beacons)")
    #expect(beacons.output.contains("\"major\":1,\"minor\":2"), "\(beacons.output)")
    #expect(beacons.output.contains("\"tx_power\":4,\"appearance\":\"thermometer\",\"value\":{"), "\(beacons.output)")
    #expect(beacons.output.contains("\"temperature\":25.06"), "\(beacons.output)")
  }

  @Test func everyPacketIsCaptured() throws {
    #expect(run("scan", "--adapter", strap, "--time-limit", "1s", "--capture", "c.btsnoop").code == 0)
    let bytes = try readFile("\(folder.path)/c.btsnoop", limit: 1 << 20)
    #expect(bytes.starts(with: Array("btsnoop\0".utf8)))
    #expect(bytes.count > 500)
    #expect(run("scan", "--adapter", strap, "--time-limit", "1s", "--capture", "/no/such/c").code == 2)
  }

  @Test(
    arguments: [([], "08"), (["--controller", "legacy"], "08"), (["--controller", "extended"], "0b")] as [([String], String)])
  func hostsGetTheRequestedController(_ options: [String], _ version: String) throws {
    let socket = "unix:\(folder.path)/air"
    let air = Tooth.start(
      ["air", "\(Tooth.package)/recipes/devices/heart-rate-strap.ble", "--listen", socket] + options, environment: state,
      directory: folder.path)
    #expect(air.read { $0.complaint.contains("on the air") }, "\(air.complaint)")
    let scan = run("scan", "--adapter", socket, "--time-limit", "1s")
    #expect(scan.code == 0 && scan.output.contains("Strap 7"), "\(scan.errors)")
    folder.file(
      "r.ble",
      "scan for heart_rate\nconnect\nsubscribe to heart_rate_measurement\nwait for notify heart_rate_measurement\nprint \"beat\"\n"
    )
    let beat = run("run", "r.ble", "--adapter", socket, "--time-limit", "60s", "--capture", "c.btsnoop")
    #expect(beat.code == 0 && beat.output == "beat\n", "\(beat.errors)")
    let packets = Hex.text(try readFile("\(folder.path)/c.btsnoop", limit: 1 << 20), separator: "").lowercased()
    // Command Complete of Read Local Version Information, and LE Create Connection or LE Extended
    // Create Connection.
    #expect(packets.contains("040e0c01011000\(version)"))
    let isExtended = version == "0b"
    #expect(packets.contains("014320") == isExtended && packets.contains("010d2019") != isExtended)
  }

  @Test func aControllerThatDoesNotExistIsRefused() {
    let result = run("air", "\(Tooth.package)/recipes/devices/valve.ble", "--listen", "unix:air", "--controller", "5.2")
    #expect(result.code == 2)
    #expect(
      result.errors.contains("--controller takes legacy, extended, coded, privacy or unaddressed, not 5.2"), "\(result.errors)")
  }

  @Test func aKilledProcessContinuesWithItsOwnAir() throws {
    let socket = "unix:\(folder.path)/air"
    let air = Tooth.start(
      ["air", "\(Tooth.package)/recipes/devices/heart-rate-strap.ble", "--listen", socket, "--log", "air.log", "--seed", "3"],
      environment: state, directory: folder.path)
    #expect(air.read { $0.complaint.contains("on the air") }, "\(air.complaint)")
    let arguments = ["run", "\(Tooth.package)/recipes/heart-rate.ble", "--adapter", socket]
    let first = Tooth.start(arguments, environment: state, directory: folder.path)
    #expect(first.read { $0.text.split(separator: "\n").count >= 2 }, "\(first.complaint)")
    first.signal(SIGKILL)
    _ = first.wait()
    let second = Tooth.start(arguments, environment: state, directory: folder.path)
    #expect(second.read { $0.text.split(separator: "\n").count >= 2 }, "\(second.complaint)")
    #expect(second.complaint.contains("continues at line"))
    #expect(second.complaint.contains("is back after"))
    second.signal(SIGTERM)
    #expect(second.wait().code == 143)
    air.signal(SIGTERM)
    #expect(air.wait().code == 143)
    let rows = (folder.content("beats.csv") ?? "").split(separator: "\n")
    let numbers = rows.dropFirst().compactMap { $0.split(separator: ",").last.flatMap { Int($0) } }
    #expect(rows.count == numbers.count + 1)
    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
    #expect(numbers.count >= 3)
    let log = (folder.content("air.log") ?? "").split(separator: "\n")
    #expect(log.count > 20)
    #expect(log.allSatisfy { $0.hasPrefix("{\"t\":") && $0.hasSuffix("}") })
    #expect(log.contains { $0.contains("host_gone") })
    // The socket file is removed.
    #expect(access("\(folder.path)/air", F_OK) != 0)
  }
}
