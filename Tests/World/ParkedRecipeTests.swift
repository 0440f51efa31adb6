import Glibc
import Recipe
import Runner
import Session
import Testing
import Vocabulary

/// `--repl-on-failure`: a failed recipe waits at a prompt.
@Suite struct ParkedRecipeTests {
  private static let recipe = """
    let n = 0
    procedure needs(limit)
      expect n is limit
    end
    scan for heart_rate
    connect
    repeat 2 times
      try 2 times every 1s within 10s
        on disconnect: print "gone"
        needs(5)
      end
      append "done {n}" to "log.txt"
    end
    print "n {n}"

    """

  private static let lines = ["read battery_level as level", "set n to 5", "\"at {level}\""]

  private func start(_ fixture: Fixture, atEnd: Bool = false, hook: EffectHook? = nil) throws {
    var plan = fixture.plan()
    plan.prompt = PromptOptions(isScript: false)
    plan.prompt?.atEnd = atEnd
    plan.prompt?.onFailure = true
    plan.options.hasInput = false
    try fixture.start(plan, hook: hook)
    guard let session = fixture.world.session else { return }
    session.type(Array(Self.lines.dropFirst(session.entries.count)) + ["retry"])
  }

  private func fixture() throws -> Fixture { try Fixture(recipe: Self.recipe, devices: "recipes/devices/heart-rate-strap.ble") }

  @Test func aParkedStatementIsRepeated() throws {
    let fixture = try fixture()
    try start(fixture)
    _ = fixture.world.run(for: .minutes(5))
    #expect(fixture.world.session?.exitStatus == ExitStatus(code: 0, reason: .finished), "\(fixture.errors)")
    #expect(fixture.playground.content("log.txt") == "done 5\ndone 5\n", "\(fixture.errors)")
    #expect(fixture.output.hasSuffix("n 5\n") && fixture.output.contains("at 97"), "\(fixture.output)")
    #expect(fixture.errors.contains("retry repeats this statement"), "\(fixture.errors)")
    #expect(fixture.errors.contains("line 8: try 2 times every 1s within 10s"), "\(fixture.errors)")
  }

  private static let nested = """
    let n = 0
    procedure inner(limit)
      append "inner" to "log.txt"
      expect n is limit
      return "whole"
    end
    procedure outer(k)
      append "outer {k}" to "log.txt"
      let result = inner(5)
      append "{result} {k}" to "log.txt"
    end
    scan for heart_rate
    connect
    outer(7)
    print "n {n}"

    """

  /// In a procedure, the failed statement is repeated, and not the call.
  @Test func aProcedureIsNotRepeated() throws {
    func fixture() throws -> Fixture { try Fixture(recipe: Self.nested, devices: "recipes/devices/heart-rate-strap.ble") }
    let whole = try fixture()
    try start(whole)
    _ = whole.world.run(for: .minutes(5))
    #expect(whole.playground.content("log.txt") == "outer 7\ninner\nwhole 7\n", "\(whole.errors)")
    #expect(whole.output.hasSuffix("n 5\n") && whole.output.contains("at 97"), "\(whole.output)")
    #expect(whole.errors.contains("line 4: expect n is limit"), "\(whole.errors)")
    try survivesKills(of: whole, each: 3, log: "outer 7\ninner\nwhole 7\n", fixture)
  }

  /// Kills the run at effects of a whole one, and continues it.
  private func survivesKills(of whole: Fixture, each step: Int, log: String, _ fixture: () throws -> Fixture) throws {
    let count = whole.world.session?.effectCount ?? 0
    #expect(count > 20)
    for number in stride(from: 1, through: count, by: getenv("FULL") != nil ? 1 : step) {
      for side in [EffectPoint.Side.before, .after] {
        let fixture = try fixture()
        try start(fixture, hook: { $0.number == number && $0.side == side ? .kill : .goOn })
        guard fixture.world.run(for: .minutes(5)) == .killed else { continue }
        try start(fixture)
        _ = fixture.world.run(for: .minutes(5))
        let place = "effect \(number) \(side)"
        #expect(
          fixture.world.session?.isOver == true && fixture.world.session?.exitStatus.code == 0, "\(place): \(fixture.lastErrors)")
        #expect(fixture.playground.content("log.txt") == log, "\(place): \(fixture.errors)")
        #expect(fixture.output.contains("n 5\n"), "\(place): \(fixture.output)")
      }
    }
  }

  @Test func leavingReturnsTheExitCodeOfTheFailure() throws {
    let fixture = try fixture()
    var plan = fixture.plan()
    plan.prompt = PromptOptions(isScript: false)
    plan.prompt?.onFailure = true
    plan.options.hasInput = false
    try fixture.start(plan)
    // Long after the limit of the `try`.
    _ = fixture.world.run(for: .minutes(5))
    let session = try #require(fixture.world.session)
    #expect(!session.isOver && fixture.errors.ranges(of: "error[").count == 1, "\(fixture.errors)")
    session.type(["fail \"x\" with code 44", "quit"])
    _ = fixture.world.run(for: .minutes(1))
    #expect(session.isOver && session.exitStatus.code == 4, "\(session.exitStatus)")
  }

  @Test func aPromptAtTheEndWaits() throws {
    let fixture = try fixture()
    try start(fixture, atEnd: true)
    _ = fixture.world.run(for: .minutes(5))
    let session = try #require(fixture.world.session)
    #expect(!session.isOver && fixture.output.hasSuffix("n 5\n"), "\(fixture.errors)")
    session.type(["n + 1", "quit"])
    _ = fixture.world.run(for: .minutes(1))
    #expect(session.isOver && session.exitStatus.code == 0 && fixture.output.hasSuffix("6\n"), "\(fixture.output)")
  }

  @Test func aKillAnywhereChangesNothing() throws {
    let whole = try fixture()
    try start(whole)
    _ = whole.world.run(for: .minutes(5))
    try survivesKills(of: whole, each: 4, log: "done 5\ndone 5\n", fixture)
  }
}

/// The process is killed in a pause between attempts.
@Suite struct AttemptPauseTests {
  @Test func aTryThatBeginsWithAHandlerGoesOn() throws {
    let fixture = try Fixture(
      recipe: """
        let n = 0
        try 3 times every 5s
          on stop: print "over"
          set n to n + 1
          expect n is 3
        end
        print "n {n}"

        """, devices: "recipes/devices/heart-rate-strap.ble")
    try fixture.start()
    _ = fixture.world.run(for: .seconds(2))
    fixture.world.drop()
    try fixture.start()
    _ = fixture.world.run(for: .minutes(1))
    #expect(fixture.output == "n 3\n", "\(fixture.errors)")
  }
}
