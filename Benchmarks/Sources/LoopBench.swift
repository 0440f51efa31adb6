import Recipe
import Runner
import Vocabulary

/// A loop of additions on a variable of the recipe, as at CPython's module level: the interpreter alone.
enum LoopBench {
  static func run(_ count: Int) throws {
    let program = try Programs.compile(
      """
      let n = 0
      repeat while n < \(count)
        set n to n + 1
      end
      """)
    let time = try Report.best(of: count > 100_000 ? 5 : 1) {
      var machine = Machine(program: program, inputs: [], environment: Programs.environment, at: .simulationStart)
      machine.start(at: .simulationStart)
      var turn = machine.turn(at: .simulationStart)
      while turn.hasMore { turn = machine.turn(at: .simulationStart) }
      guard machine.isDone else { throw BenchFailure("the loop did not end") }
    }
    Report.microseconds("loop", nanoseconds: time)
  }
}

enum Programs {
  static let environment = MachineEnvironment(seed: 1, bootID: "bench")

  static func compile(_ text: String, peripheral: String? = nil) throws -> Program {
    let parsed = RecipeFile.parse(Array(text.utf8), name: "bench.ble")
    guard let file = parsed.recipe else { throw BenchFailure("\(parsed.diagnostics.map(\.message))") }
    return try Compiler.compile(file, source: Array(text.utf8), peripheral: peripheral).get()
  }
}
