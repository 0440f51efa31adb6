import Testing
import Vocabulary

@testable import Runner

/// Every turn ends soon, whatever it computes, because signals and limits are checked between
/// turns. The recipe itself counts how often its work was done in one turn.
@Suite struct FuelTests {
  struct Form: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var text: String
    /// One count stands for about this many simple statements, or for reading 128 bytes.
    var work: Int

    init(_ name: String, _ text: String, work: Int = 1) {
      testDescription = name
      self.text = text
      self.work = work
    }
  }

  private static let counting = "set n to n + 1\n"
  /// 64 KiB of text in `t`, as many bytes in `b`, and a list of 4,096 in `l`.
  private static let large = """
    let t = "0123456789abcdef"
    repeat 12 times
      set t to t + t
    end
    let b = t.bytes()
    let l = [1]
    repeat 12 times
      set l to l + l
    end

    """

  /// Every way to reach the same statement again, and every operation whose work grows with its
  /// values.
  static let forms: [Form] = [
    Form("repeat forever", "repeat forever\n\(counting)end\n"),
    Form("repeat times", "repeat 100000000 times\n\(counting)end\n"),
    Form("a long body", "repeat forever\n" + String(repeating: counting, count: 2000) + "end\n"),
    Form("a long body in one line of code", String(repeating: counting, count: 20_000)),
    Form("loops in loops", "repeat forever\n  repeat 3 times\n    repeat 3 times\n\(counting)    end\n  end\nend\n"),
    Form("for each", large + "repeat forever\n  for each x in l\n\(counting)  end\nend\n"),
    Form("branches", "repeat forever\n  if n mod 2 is 0\n\(counting)  else\n\(counting)  end\nend\n"),
    Form(
      "procedures that call each other",
      "procedure f(k)\n\(counting)  if k > 0\n    f(k - 1)\n    f(k - 1)\n  end\nend\nf(30)\n"),
    Form(
      "procedures with long bodies", "procedure f()\n" + String(repeating: counting, count: 2000) + "end\nrepeat forever: f()\n"),
    Form(
      "attempts that fail late",
      "repeat forever\n  try\n    repeat 30000 times\n\(counting)    end\n    fail \"x\"\n  otherwise\n    set n to n\n  end\nend\n"
    ),
    Form(
      "attempts that fail at once", "repeat forever\n  try\n\(counting)    fail \"x\"\n  otherwise\n    set n to n\n  end\nend\n"),
    Form("checksums", large + "repeat forever\n\(counting)  set x to crc32(b)\nend\n", work: 512),
    Form("methods", large + "repeat forever\n\(counting)  set x to t.upper()\nend\n", work: 512),
    Form(
      "texts that are compared",
      large + "let u = t + \"x\"\nset t to t + \"y\"\n" + "repeat forever\n\(counting)  set x to t < u\nend\n", work: 512),
    Form("texts that are equal", large + "let u = t.upper()\nrepeat forever\n\(counting)  set x to t is u\nend\n", work: 512),
    Form("texts that are searched", large + "repeat forever\n\(counting)  set x to t contains \"fedcba\"\nend\n", work: 512),
    Form("texts that are joined", large + "repeat forever\n\(counting)  set x to t + \"x\"\nend\n", work: 512),
    Form("texts that are built in", large + "repeat forever\n\(counting)  set x to \"{t}!\"\nend\n", work: 512),
    Form(
      "lists that are compared",
      large + "let u = l + [2]\nset l to l + [3]\n" + "repeat forever\n\(counting)  set x to l is u\nend\n",
      work: 512),
    Form("lists that are copied", large + "repeat forever\n\(counting)  let u = l\n  set u[0] to n\nend\n", work: 128),
    Form("lists in literals", "repeat forever\n\(counting)  set x to [\(String(repeating: "1, ", count: 511))1]\nend\n", work: 256),
    Form("fields of a large record", largeRecord + "repeat forever\n\(counting)  set x to r.k1999\nend\n", work: 128),
  ]

  private static var largeRecord: String {
    "let r = {\((0..<2000).map { "k\($0): 1" }.joined(separator: ", "))}\n"
  }

  /// The limit of a turn in simple statements. At tens of nanoseconds each, it is far less than a
  /// second.
  static let bound = 400_000

  @Test(arguments: forms) func aTurnIsBounded(form: Form) throws {
    let program = try Bench.program("let n = 0\nlet x = 0\n" + form.text)
    let variable = try #require(program.variables.firstIndex { $0.name == "n" })
    var machine = Machine(
      program: program, inputs: [], environment: MachineEnvironment(seed: 1, bootID: "boot"), at: .simulationStart)
    machine.start(at: .simulationStart)
    var before: Int64 = 0
    var counts: [Int64] = []
    // The first turn creates the large values.
    for _ in 0..<4 {
      let turn = machine.turn(at: .simulationStart)
      let after = machine.variables[variable].whole ?? 0
      counts.append(after - before)
      before = after
      if !turn.hasMore { break }
    }
    let most = counts.max() ?? 0
    #expect(before > 0, "\(counts)")
    #expect(most * Int64(form.work) <= Int64(Self.bound), "\(counts)")
  }

  /// A computation over many turns does not store its growing value after each.
  @Test func aLongComputationIsCommittedNowAndThen() throws {
    let program = try Bench.program("let l = []\nrepeat 900000 times: set l to l + [7]\nprint count(l)\n")
    var machine = Machine(
      program: program, inputs: [], environment: MachineEnvironment(seed: 1, bootID: "boot"), at: .simulationStart)
    machine.start(at: .simulationStart)
    var turns = 0
    var commits = 0
    var run = 0
    while true {
      let turn = machine.turn(at: .simulationStart)
      turns += 1
      commits += turn.commit.isEmpty ? 0 : 1
      #expect(!turn.isUncommitted || turn.commit.isEmpty && turn.effects.isEmpty && turn.hasMore)
      run = turn.isUncommitted ? run + 1 : 0
      #expect(run < 10)
      if !turn.effects.isEmpty { break }
    }
    #expect(turns > 12 && commits <= turns / 8 + 1, "\(commits) in \(turns)")
  }

  /// Handlers that are ready at the same time share one turn.
  @Test func manyFibersShareATurn() throws {
    let timers = (0..<50).map { _ in "every 1s\n  repeat 10000 times\n    \(Self.counting)  end\nend\n" }.joined()
    let program = try Bench.program("let n = 0\n\(timers)wait forever\n")
    let variable = try #require(program.variables.firstIndex { $0.name == "n" })
    var machine = Machine(
      program: program, inputs: [], environment: MachineEnvironment(seed: 1, bootID: "boot"), at: .simulationStart)
    var now = Instant.simulationStart
    machine.start(at: now)
    while machine.turn(at: now).hasMore {}
    now = now + .seconds(1)
    var before: Int64 = 0
    while true {
      let turn = machine.turn(at: now)
      let after = machine.variables[variable].whole ?? 0
      #expect(after - before <= Int64(Self.bound))
      before = after
      if !turn.hasMore { break }
    }
    #expect(before == 500_000)
  }

  /// A condition is computed in one turn, so it has a limit of its own.
  @Test func aConditionHasAnEnd() throws {
    let bench = try Bench(
      """
      procedure slow(m)
        let t = "0123456789abcdef"
        repeat 16 times: set t to t + t
        let u = t + "x"
        let k = 0
        repeat m times
          if t < u: set k to k + 1
        end
        return k
      end
      wait until slow(900000) < 0 within 1s
      """)
    #expect(bench.failures.map(\.kind) == [.value])
    #expect(bench.failures.first?.message.contains("condition") ?? false, "\(bench.failures)")
  }

  /// However often a condition is checked, its steps do not count for the waiting fiber.
  @Test func theRoundsOfAConditionAreItsOwn() throws {
    var bench = try Bench(
      """
      procedure slow()
        let k = 0
        repeat 10 times: set k to k + 1
        return k
      end
      let n = 0
      every 1s: set n to n + 1
      wait until slow() > 0 and n > 4
      print "there"
      """)
    bench.advance(.seconds(3))
    #expect(bench.machine.fibers.allSatisfy { $0.rounds == 0 })
    bench.advance(.seconds(3))
    #expect(bench.printed == ["there"])
  }

  /// A recipe that computes for long does not hold back what waits for its commit.
  @Test func aComputingTurnIsCommittedIfSomethingWaits() throws {
    let program = try Bench.program("let n = 0\nrepeat 900000 times: set n to n + 1\n")
    for commits in [true, false] {
      var machine = Machine(
        program: program, inputs: [], environment: MachineEnvironment(seed: 1, bootID: "boot"), at: .simulationStart)
      machine.start(at: .simulationStart)
      let turns = (0..<6).map { _ in machine.turn(at: .simulationStart, commits: commits) }
      #expect(turns.allSatisfy(\.hasMore) && turns.contains { $0.isUncommitted } == !commits)
    }
  }
}
