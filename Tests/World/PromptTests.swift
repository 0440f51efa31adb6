import Glibc
import Journal
import Recipe
import Runner
import Session
import Testing
import Vocabulary

/// A prompt on the simulated air, with its input line by line.
final class PromptFixture {
  let fixture: Fixture
  let lines: [String]
  var options: PromptOptions

  init(_ lines: [String], devices: String = "recipes/devices/heart-rate-strap.ble", format: Console.Style.Format = .text)
    throws
  {
    fixture = try Fixture(recipe: "\n", devices: devices, format: format)
    self.lines = lines
    options = PromptOptions(isScript: true, keepsGoing: true)
  }

  func start(hook: EffectHook? = nil) throws {
    var plan = fixture.plan()
    plan.prompt = options
    plan.options.hasInput = false
    try fixture.start(plan, hook: hook)
    guard let session = fixture.world.session else { return }
    // Each line that was read is an entry, and in the checkpoint.
    session.type(Array(lines.dropFirst(session.entries.count)))
    session.type(nil)
  }

  @discardableResult
  func run(for span: TimeSpan = .minutes(10)) throws -> Int32? {
    try start()
    _ = fixture.world.run(for: span)
    return code
  }

  var code: Int32? { fixture.world.session?.isOver == true ? fixture.world.session?.exitStatus.code : nil }
  var output: [String] { fixture.output.split(separator: "\n").map(String.init) }
  var states: [EntryState] { fixture.world.session?.entries.map(\.state) ?? [] }
}

@Suite struct PromptTests {
  @Test func valuesAreShown() throws {
    let prompt = try PromptFixture(["1 + 2", "let a = 20", "a * 2", "\"x{a}\"", "hex \"01ff\"", "[1, 2]", "(a)", "it"])
    #expect(try prompt.run() == 0)
    #expect(prompt.output == ["3", "40", "x20", "01ff", "[1,2]", "20", "nothing"], "\(prompt.fixture.errors)")
  }

  @Test func namesStayAndChange() throws {
    let prompt = try PromptFixture([
      "let a = 1", "let a = a + 1", "a", "set a to 10", "a", "procedure twice(x): return x * 2", "twice(a)",
      "procedure twice(x): return x * 200", "twice(a)", "let b = twice(a)", "b",
    ])
    #expect(try prompt.run() == 0)
    #expect(prompt.output == ["2", "10", "20", "2000", "2000"], "\(prompt.fixture.errors)")
  }

  @Test func blocksGoOverLines() throws {
    let prompt = try PromptFixture([
      "let n = 0", "repeat 3 times", "  set n to n + 1", "end", "n", "let list = [", "1,", "2]", "list", "if n > 2", "  \"many\"",
      "else", "  \"few\"", "end",
    ])
    #expect(try prompt.run() == 0)
    #expect(prompt.output == ["3", "[1,2]", "many"], "\(prompt.fixture.errors)")
    #expect(prompt.states.count == 6)
  }

  @Test func aDeviceIsReadAndItsEventsComeByThemselves() throws {
    let prompt = try PromptFixture([
      "scan for heart_rate", "connect", "read battery_level", "it", "on notify heart_rate_measurement as beat: print beat.bpm",
      "subscribe to heart_rate_measurement", "wait 3s", "read battery_level as level", "level",
    ])
    #expect(try prompt.run() == 0, "\(prompt.fixture.errors)")
    #expect(prompt.output.count >= 7, "\(prompt.output) \(prompt.fixture.errors)")
    #expect(prompt.output[1] == prompt.output[2])
    #expect(prompt.output.suffix(2).first == prompt.output.last)
    #expect(prompt.states.allSatisfy { $0 == .done })
  }

  @Test func aFailureEndsItsEntryOnly() throws {
    let prompt = try PromptFixture([
      "let a = 1", "if true", "  set a to 2", "  fail \"broken\" with code 33", "end", "a", "read battery_level",
      "scan for \"Nobody\" within 2s", "1 / 0", "a + 1",
    ])
    #expect(try prompt.run() == 33)
    #expect(prompt.output == ["2", "3"], "\(prompt.output)")
    #expect(prompt.fixture.errors.contains("broken"))
    #expect(prompt.fixture.errors.contains("T211"))
    #expect(prompt.states == [.done, .failed, .done, .failed, .failed, .done])
  }

  @Test func theFirstFailureEndsAScript() throws {
    let prompt = try PromptFixture(["1", "let a =", "2"])
    prompt.options.keepsGoing = false
    #expect(try prompt.run() == 3)
    #expect(prompt.output == ["1"])
    let other = try PromptFixture(["1", "scan for \"Nobody\" within 2s", "2"])
    other.options.keepsGoing = false
    #expect(try other.run() == 5)
    #expect(other.output == ["1"])
  }

  @Test func programsReadAnObjectForEachEntry() throws {
    let prompt = try PromptFixture(["1 + 1", "let a = {x: 1}", "a", "fail \"no\"", "sleep 5"], format: .json)
    #expect(try prompt.run() == 1)
    #expect(
      prompt.output.prefix(4) == [
        #"{"entry":1,"state":"done","value":2}"#, #"{"entry":2,"state":"done"}"#, #"{"entry":3,"state":"done","value":{"x":1}}"#,
        #"{"entry":4,"state":"failed","failure":{"kind":"user","message":"no"}}"#,
      ])
    #expect(prompt.output.last?.hasPrefix(#"{"entry":5,"state":"refused","failure":{"kind":"recipe","code":"T022""#) == true)
  }

  @Test(arguments: [
    "input a: text", "remember a = 1", "use strict", "include \"a.ble\"", "test \"x\"\nend", "restart", "on line as l: print l",
    "peripheral p named \"x\"\nend",
  ])
  func recipeStatementsAreRefusedAtAPrompt(text: String) throws {
    let prompt = try PromptFixture(text.split(separator: "\n").map(String.init) + ["7"])
    #expect(try prompt.run() == 3)
    #expect(prompt.fixture.errors.contains("belongs in a recipe"), "\(prompt.fixture.errors)")
    #expect(prompt.output == ["7"])
  }

  @Test func quitEndsIt() throws {
    let prompt = try PromptFixture(["on stop as why: print why", "1", "quit", "2"])
    #expect(try prompt.run() == 0)
    #expect(prompt.output == ["1", "stopped"])
    // The end of a file is not a reason of its own.
    let read = try PromptFixture(["on stop as why: print why", "1"])
    #expect(try read.run() == 0)
    #expect(read.output == ["1", "finished"])
  }

  @Test func everyLineHasANumberAndAnOutcome() throws {
    let prompt = try PromptFixture(
      ["1", "let a =", "names", "# nothing", "", "help nonsense", "retry", "2", "for bar"], format: .json)
    #expect(try prompt.run() == 3)
    let heads = prompt.output.map { $0.split(separator: ",").prefix(2).joined(separator: ",").filter { $0 != "}" } }
    #expect(
      heads == [
        "{\"entry\":1,\"state\":\"done\"", "{\"entry\":2,\"state\":\"refused\"", "{\"entry\":3,\"state\":\"done\"",
        "{\"entry\":4,\"state\":\"refused\"", "{\"entry\":5,\"state\":\"refused\"", "{\"entry\":6,\"state\":\"done\"",
        "{\"entry\":7,\"state\":\"refused\"",
      ])
    #expect(prompt.fixture.errors.contains("entry 2:1:8"), "\(prompt.fixture.errors)")
    let first = try PromptFixture(["help nonsense", "2"])
    first.options.keepsGoing = false
    #expect(try first.run() == 3)
    #expect(first.output == [])
  }

  @Test func fixesOfEntriesAreTried() throws {
    let prompt = try PromptFixture(["for bar", "sleep 5", "fo each x in [1]", "  print x", "end"])
    #expect(try prompt.run() == 3)
    let errors = prompt.fixture.errors
    #expect(!errors.contains("fix: for each bar") && !errors.contains("T222"), "\(errors)")
    #expect(errors.contains("fix: wait 5s") && errors.contains("fix: for each x in [1]"), "\(errors)")
  }

  @Test func aSecretIsAskedForAtAPrompt() throws {
    let prompt = try PromptFixture(["input pin: secret", "ask secret \"pin\" as pin"])
    #expect(try prompt.run() == 3)
    #expect(prompt.fixture.errors.contains("at a terminal, `ask secret \"pin\" as pin`"), "\(prompt.fixture.errors)")
    #expect(!prompt.fixture.errors.contains("as an `input`"), "\(prompt.fixture.errors)")
  }

  @Test func anUnreachableDeviceDoesNotBecomeCurrent() throws {
    let prompt = try PromptFixture([])
    prompt.options.isScript = false
    var plan = prompt.fixture.plan()
    plan.prompt = prompt.options
    plan.options.hasInput = false
    try prompt.fixture.start(plan)
    let world = prompt.fixture.world
    let session = try #require(world.session)
    session.type(["scan for heart_rate", "connect", "connect to 11:22:33:44:55:66 within 2s", "read battery_level"])
    _ = world.run(for: .seconds(30))
    #expect(prompt.states == [.done, .done, .failed, .done], "\(prompt.fixture.errors)")
    session.type(["connect to 11:22:33:44:55:66"])
    _ = world.run(for: .seconds(1))
    #expect(session.interruptPrompt(at: world.now))
    session.type(["read battery_level", "quit"])
    _ = world.run(for: .seconds(30))
    #expect(prompt.states == [.done, .done, .failed, .done, .cancelled, .done], "\(prompt.fixture.errors)")
    #expect(prompt.code == 0)
  }

  // MARK: Cancelling

  @Test(arguments: [
    ("wait 1h", false), ("wait until n is 1", false), ("scan for \"Nobody\"", false),
    ("wait for notify heart_rate_measurement", false),
    ("for each x in [1, 2] at once: wait 1h", false), ("read battery_level", false),
    ("write hex \"01\" to heart_rate_control_point", true),
  ])
  func ctrlCCancelsOnlyTheRunningEntry(entry: String, isUnsure: Bool) throws {
    let setUp = ["let n = 0", "scan for heart_rate", "connect", "subscribe to heart_rate_measurement", "discover everything"]
    let prompt = try PromptFixture([], devices: Self.slow)
    prompt.options.isScript = false
    var plan = prompt.fixture.plan()
    plan.prompt = prompt.options
    plan.options.hasInput = false
    try prompt.fixture.start(plan)
    let world = prompt.fixture.world
    let session = try #require(world.session)
    session.type(setUp)
    _ = world.run(for: .seconds(30))
    #expect(prompt.states == setUp.map { _ in .done }, "\(prompt.fixture.errors)")
    session.type([entry])
    _ = world.run(for: .milliseconds(entry.hasPrefix("read") || isUnsure ? 200 : 2000))
    #expect(prompt.states.last == .running, "\(prompt.fixture.errors)")
    #expect(session.interruptPrompt(at: world.now))
    _ = world.run(for: .seconds(1))
    #expect(prompt.states.last == .cancelled)
    #expect(prompt.fixture.errors.contains("(unsure)") == isUnsure, "\(prompt.fixture.errors)")
    session.type(["n + 7", "read battery_level", "quit"])
    _ = world.run(for: .minutes(2))
    #expect(prompt.output.suffix(2) == ["7", "97"], "\(prompt.fixture.errors)")
    #expect(prompt.code == 0)
  }

  /// It takes a while for each request.
  static let slow = """
    peripheral strap named "Strap 7"
      advertise heart_rate every 100ms
      service heart_rate
        characteristic heart_rate_measurement can notify
        characteristic heart_rate_control_point can write
      end
      service battery_service
        characteristic battery_level can read starts as 97
      end
      on write heart_rate_control_point
        wait 5s
      end
      on read battery_level
        wait 2s
        answer 97
      end
    end
    """

  // MARK: Kills

  private static let isFull = getenv("FULL") != nil

  /// A session that does a bit of everything, one entry a line.
  static let session = [
    "let n = 0", "scan for heart_rate", "connect", "procedure more(x): set n to n + x",
    "on notify heart_rate_measurement as beat: append {bpm: beat.bpm} to \"beats.csv\"", "subscribe to heart_rate_measurement",
    "more(2)", "read battery_level as level", "wait 2s", "append \"one {n}\" to \"log.txt\"",
    "repeat 2 times: wait 500ms; set n to n + 1", "append \"two {n}\" to \"log.txt\"", "fail \"on purpose\"",
    "let n = n * 10", "append \"three {n} {level}\" to \"log.txt\"", "n",
  ]

  @Test func aKillAnywhereChangesNothing() throws {
    let whole = try PromptFixture(Self.session)
    try whole.run()
    let log = try #require(whole.fixture.playground.content("log.txt"))
    #expect(
      log.split(separator: "\n").map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == [
        "one 2", "two 4", "three 40",
      ])
    #expect(whole.code == 1)
    let count = whole.fixture.world.session?.effectCount ?? 0
    #expect(count > 60)
    for number in 1..<count where Self.isFull || number % 7 == 3 {
      for side in [EffectPoint.Side.before, .after] {
        let prompt = try PromptFixture(Self.session)
        try prompt.start(hook: { $0.number == number && $0.side == side ? .kill : .goOn })
        guard prompt.fixture.world.run(for: .minutes(10)) == .killed else { continue }
        prompt.fixture.world.wait(.seconds(2))
        try prompt.run()
        let place = "effect \(number) \(side)"
        #expect(prompt.fixture.playground.content("log.txt") == log, "\(place): \(prompt.fixture.errors)")
        #expect(prompt.code == 1, "\(place): \(prompt.fixture.lastErrors)")
        #expect(prompt.states == whole.states, "\(place)")
        #expect(prompt.output.last == "40" || prompt.output.contains("40"), "\(place): \(prompt.output)")
      }
    }
  }
}
