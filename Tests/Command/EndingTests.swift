import Glibc
import Linux
import Testing
import Vocabulary

/// Whatever a run waits for, a signal or the time limit ends it within 5 s with the right exit
/// code.
@Suite struct EndingTests {
  /// What the process is waiting for.
  enum Wait: String, CaseIterable, Sendable {
    case checksumsOfMegabytes, statementsWithoutLoop, outputThatNobodyReads, longLineThatNobodyReads, logThatNobodyReads
    case recipeFromAPipe, silentKeeper, lock, handlers
  }

  enum End: String, CaseIterable, Sendable { case terminate, interrupt, limit }

  struct Case: Sendable, CustomTestStringConvertible {
    var wait: Wait
    var end: End
    var testDescription: String { "\(wait), \(end)" }
  }

  /// Every wait once, and each way to end it several times; all combinations with `FULL=1`.
  static let cases: [Case] = Wait.allCases.enumerated().flatMap { index, wait in
    End.allCases.enumerated().compactMap { place, end in
      environment("FULL") == "1" || index % 3 == place ? Case(wait: wait, end: end) : nil
    }
  }

  private let folder = Folder()

  /// A failure that a killed process has shown is shown again, in the forms that are asked for now.
  /// The history and the list say that the run had failed.
  @Test func theFailureOfAKilledProcessIsToldAgain() throws {
    folder.file("r.ble", "on failure: print \"handled\"\non stop: wait 4s\nfail \"broken\"\n")
    let environment = ["TOOTH_STATE": "\(folder.path)/state"]
    func start(_ words: String...) -> Tooth.Process { Tooth.start(words, environment: environment, directory: folder.path) }
    let first = start("run", "r.ble")
    try #require(first.readErrors { $0.complaint.contains("broken") }, "\(first.complaint)")
    first.signal(SIGKILL)
    _ = first.wait()
    let shown = start("runs", "show").wait()
    #expect(shown.output.contains("killed") && !shown.output.contains("handled"), "\(shown)")
    let again = start("resume", "r.ble", "--diagnostics", "json", "--output", "json", "--events").wait()
    #expect(again.code == 1 && again.errors.contains("\"code\":\"T380\""), "\(again)")
    #expect(!again.errors.contains("error[T380]"), "\(again)")
    #expect(again.output.contains("\"event\":\"failure\"") && again.output.contains("\"kind\":\"user\""), "\(again)")
    let resumed = start("resume", "r.ble").wait()
    #expect(resumed.code == 1 && resumed.errors.contains("(failed ") && !resumed.errors.contains("(stopped "), "\(resumed)")
    let history = start("runs", "show").wait().output
    #expect(history.contains("failed, waited for") && history.contains("failed (1)"), "\(history)")
    #expect(!history.contains("handled"), "\(history)")
  }

  @Test(arguments: cases) func endsInTime(_ point: Case) throws {
    var limit: [String] = []
    // The limit must not expire before the process is stuck.
    if point.end == .limit { limit = ["--time-limit", "2s"] }
    let adapter = "sim:\(Tooth.package)/recipes/devices/valve.ble"
    func start(_ arguments: [String], with keeper: String? = nil) -> Tooth.Process {
      Tooth.start(
        arguments + limit, environment: ["TOOTH_STATE": "\(folder.path)/state", "TOOTH_KEEPER_DIRECTORY": keeper ?? folder.path],
        directory: folder.path)
    }
    func recipe(_ text: String) -> [String] {
      folder.file("r.ble", text)
      return ["run", "r.ble", "--adapter", adapter]
    }
    let begin = SystemClock.now().moment
    let process: Tooth.Process
    var isReady: (Tooth.Process) -> Bool = { $0.complaint.contains("ready") }
    var fake: FakeKeeper?
    var other: Tooth.Process?
    switch point.wait {
    case .checksumsOfMegabytes:
      process = start(
        recipe(
          "let t = \"0123456789abcdef\"\nrepeat 16 times\n  set t to t + t\nend\nlog \"ready\"\nlet n = 0\nrepeat forever\n  set n to n + crc32(t.bytes())\nend\n"
        ))
    case .statementsWithoutLoop:
      let line = "set n to n + crc32(t.bytes())\n"
      process = start(
        recipe(
          "let t = \"0123456789abcdef\"\nrepeat 16 times\n  set t to t + t\nend\nlog \"ready\"\nlet n = 0\n"
            + String(repeating: line, count: 1500)))
    case .outputThatNobodyReads: process = start(recipe("log \"ready\"\nrepeat forever\n  print \"0123456789abcdef\"\nend\n"))
    case .longLineThatNobodyReads:
      process = start(
        recipe("let t = \"0123456789abcdef\"\nrepeat 14 times\n  set t to t + t\nend\nlog \"ready\"\nprint t\nprint t\n"))
    case .logThatNobodyReads:
      process = start(recipe("print \"ready\"\nrepeat forever\n  log \"0123456789abcdef\"\nend\n"))
      isReady = { $0.text.contains("ready") }
    case .recipeFromAPipe:
      mkfifo("\(folder.path)/pipe.ble", 0o600)
      process = start(["run", "pipe.ble", "--adapter", adapter])
      isReady = { _ in true }
    case .silentKeeper:
      // It accepts connections and never answers.
      fake = try FakeKeeper("unix:\(folder.path)/line", in: "\(folder.path)/keepers")
      process = start(
        [
          "run", folder.file("r.ble", Array("scan for anything within forever\n".utf8)), "--adapter", "unix:\(folder.path)/line",
          "--keeper",
        ],
        with: "\(folder.path)/keepers")
      isReady = { _ in true }
    case .lock:
      let arguments = recipe("log \"ready\"\nwait forever\n")
      let first = Tooth.start(
        arguments, environment: ["TOOTH_STATE": "\(folder.path)/state", "TOOTH_KEEPER_DIRECTORY": folder.path],
        directory: folder.path)
      #expect(first.read { $0.complaint.contains("ready") })
      other = first
      process = start(arguments + ["--wait-lock", "1h"])
      isReady = { _ in true }
    case .handlers:
      process = start(
        recipe(
          "let n = 0\nevery 10ms\n  repeat forever\n    set n to n + 1\n    wait 1ms\n  end\nend\nlog \"ready\"\nwait forever\n"))
    }
    if point.wait == .outputThatNobodyReads || point.wait == .longLineThatNobodyReads {
      // The output must stay in the pipe.
      #expect(process.readErrors { $0.complaint.contains("ready") }, "\(process.complaint)")
    } else if point.wait == .logThatNobodyReads {
      #expect(process.readOutput { $0.text.contains("ready") })
    } else {
      #expect(process.read(until: isReady), "\(process.complaint)")
    }
    // The process needs time to get stuck.
    _ = Poll.wait(for: [], until: SystemClock.now().moment + .milliseconds(300))
    var asked = SystemClock.now().moment
    let code: Int32
    switch point.end {
    case .terminate:
      process.signal(SIGTERM)
      code = 128 + SIGTERM
    case .interrupt:
      process.signal(SIGINT)
      code = 128 + SIGINT
    case .limit:
      code = 8
      asked = max(asked, begin + .seconds(2))
    }
    let ended = try #require(process.ending(by: asked + .seconds(60)), "it does not end")
    if ended != code { _ = process.read(within: .milliseconds(200)) { _ in false } }
    #expect(ended == code, "\(process.complaint.suffix(300))")
    // The promise is 5 s, but a small busy machine may need longer. A process that does not end on
    // its own takes 30 s or forever.
    #expect(SystemClock.now().moment - asked < .seconds(20))
    withExtendedLifetime((fake, other)) {}
  }

  /// A scan ends if the keeper accepts the connection but never answers, both with a given time
  /// limit and with the default one.
  @Test(arguments: [["--time-limit", "1s"], []]) func aScanEndsBesideASilentKeeper(limit: [String]) throws {
    let adapter = "unix:\(folder.path)/line"
    let fake = try FakeKeeper(adapter, in: "\(folder.path)/keepers")
    let scan = Tooth.start(
      ["scan", "--keeper", "--adapter", adapter] + limit, environment: ["TOOTH_KEEPER_DIRECTORY": "\(folder.path)/keepers"],
      directory: folder.path)
    #expect(scan.ending(by: SystemClock.now().moment + .seconds(60)) == 8)
    _ = scan.read(within: .milliseconds(200)) { _ in false }
    #expect(scan.complaint.contains("before the work began\n  = fix: allow more time with --time-limit\n"), "\(scan.complaint)")
    withExtendedLifetime(fake) {}
  }

  /// Output whose reader was gone is printed again by the resumed run. A line may appear twice, and
  /// none is lost.
  @Test func aReaderThatStopsLosesNoLine() throws {
    folder.file("r.ble", "let n = 0\nrepeat 20000 times\n  set n to n + 1\n  print n\nend\n")
    let arguments = ["run", "r.ble", "--adapter", "sim:\(Tooth.package)/recipes/devices/valve.ble"]
    let variables = ["TOOTH_STATE": "\(folder.path)/state", "TOOTH_KEEPER_DIRECTORY": folder.path]
    let first = Tooth.start(arguments, environment: variables, directory: folder.path)
    #expect(first.read { $0.text.contains("100\n") })
    _ = Poll.wait(for: [], until: SystemClock.now().moment + .milliseconds(500))
    first.signal(SIGTERM)
    #expect(first.ending(by: SystemClock.now().moment + .seconds(60)) == 143)
    let seen = first.wait().output.split(separator: "\n")
    let again = Tooth.start(arguments, environment: variables, directory: folder.path).wait()
    #expect(again.code == 0)
    let rest = again.output.split(separator: "\n").compactMap { Int($0) }
    let whole = seen.compactMap { Int($0) }
    let start = try #require(rest.first)
    #expect(rest == Array(start...20000))
    // The last line of the first process may be truncated or repeated in full.
    #expect((whole.count - 1...whole.count + 1).contains(start), "\(whole.count) lines, then from \(start)")
  }
}
