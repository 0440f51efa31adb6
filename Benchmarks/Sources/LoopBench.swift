import Runner
import Session
import Vocabulary

/// A loop of additions on a variable of the recipe, like one at module level in CPython. It
/// measures only the interpreter.
enum LoopBench {
  static func run(_ count: Int) throws {
    let loaded = RecipeLoader.parse(
      name: "loop.ble",
      Array(
        """
        let n = 0
        repeat while n < \(count)
          set n to n + 1
        end

        """.utf8))
    guard let recipe = loaded.recipe, !loaded.hasErrors else { throw BenchFailure(loaded) }
    let program = try Compiler.compile(recipe, sources: loaded.sources).get()
    let time = try Report.best(of: count > 100_000 ? 5 : 1) {
      var machine = Machine(
        program: program, inputs: [], environment: MachineEnvironment(seed: 1, bootID: "bench"), at: .simulationStart)
      machine.start(at: .simulationStart)
      var turn = machine.turn(at: .simulationStart)
      while turn.hasMore { turn = machine.turn(at: .simulationStart) }
      guard machine.isDone else { throw BenchFailure("the loop did not end") }
    }
    Report.microseconds("loop_us", nanoseconds: time)
  }
}
