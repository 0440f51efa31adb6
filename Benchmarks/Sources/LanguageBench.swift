import Recipe
import Runner
import Session
import Vocabulary

/// Costs that must not grow faster than the size of the input, and work that CPython can do, too.
enum LanguageBench {
  /// `tooth check` of this many lines, without reading the file.
  static func check(_ count: Int, _ line: (Int) -> String) throws {
    let text = Array((0..<count).map(line).joined().utf8)
    let time = try Report.best(of: 1) {
      var loaded = RecipeLoader.parse(name: "long.ble", text)
      loaded.checkLimits()
      guard !loaded.hasErrors else { throw BenchFailure(loaded) }
    }
    Report.microseconds("check_us", nanoseconds: time)
  }

  static func lets(_ count: Int) throws { try check(count) { "let a\($0) = \($0 % 1000)\n" } }

  static func handlers(_ count: Int) throws {
    try check(count) {
      $0 == 0
        ? "scan for heart_rate\nconnect\nsubscribe to heart_rate_measurement\nwait 1h\n"
        : "on notify heart_rate_measurement as b: print b.bpm\n"
    }
  }

  static func timers(_ count: Int) throws { try check(count) { $0 == 0 ? "wait 1h\n" : "every 10s: print 1\n" } }

  /// Appends one element to a list this many times.
  static func list(_ count: Int) throws {
    try run(count, "let l = []\nlet i = 0\nrepeat \(count) times\n  set l to l + [i]\n  set i to i + 1\nend\n")
  }

  /// Indexing and counting a text of 1,000 characters, and sorting lists of 100 numbers.
  static func index(_ count: Int) throws {
    try run(count, "\(thousand)let i = 0\nlet c = \"\"\nrepeat \(count) times\n  set c to t[i mod 1000]\n  set i to i + 1\nend\n")
  }

  static func count(_ count: Int) throws {
    try run(count, "\(thousand)let i = 0\nlet n = 0\nrepeat \(count) times\n  set n to count(t)\n  set i to i + 1\nend\n")
  }

  static func sort(_ count: Int) throws {
    try run(
      count,
      """
      let l = []
      let i = 0
      repeat 100 times
        set l to l + [i * 7919 mod 1009]
        set i to i + 1
      end
      let s = []
      repeat \(count) times
        set s to l.sort()
      end

      """)
  }

  private static let thousand =
    "let t = \"0123456789\"\nset t to t + t + t + t + t\nset t to t + t\nset t to t + t + t + t + t\nset t to t + t\n"

  private static func run(_ count: Int, _ text: String) throws {
    let loaded = RecipeLoader.parse(name: "growth.ble", Array(text.utf8))
    guard let recipe = loaded.recipe, !loaded.hasErrors else { throw BenchFailure(loaded) }
    let program = try Compiler.compile(recipe, sources: loaded.sources).get()
    let time = try Report.best(of: count >= 100_000 ? 3 : 1) {
      var machine = Machine(
        program: program, inputs: [], environment: MachineEnvironment(seed: 1, bootID: "bench"), at: .simulationStart)
      machine.start(at: .simulationStart)
      var turn = machine.turn(at: .simulationStart)
      while turn.hasMore { turn = machine.turn(at: .simulationStart) }
      guard machine.isDone else { throw BenchFailure("the loop did not end") }
    }
    Report.microseconds("work_us", nanoseconds: time)
  }
}
