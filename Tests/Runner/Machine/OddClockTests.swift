import Testing
import Vocabulary

@testable import Runner

/// Clocks at the limits of 64 bits: nothing traps or loops without a pause.
@Suite struct OddClockTests {
  static let recipe = """
    let ticks = 0
    every 1h at "06:00": set ticks to ticks + 1
    every 1s as tick: print "{tick.late} {now()} {now() + 1d} {now() - 1d}"
    after 2s: log "{now()}"
    on restore as past: log "{past.down_for} {past.at}"
    wait 3s
    wait until now() is nothing within 5s
    """

  static let edges: [Int64] = [.min, .min + 1, -1, 0, 1, 9_223_372_035_000_000_000, .max - 1, .max]

  @Test(arguments: edges) func theWallClockMayShowAnything(_ wall: Int64) throws {
    try go(Instant(moment: .zero + .hours(1), wall: WallTime(nanoseconds: wall)))
  }

  @Test(arguments: edges.filter { $0 >= 0 }) func theBootClockMayShowAnything(_ moment: Int64) throws {
    try go(Instant(moment: Moment(nanoseconds: moment), wall: .simulationStart))
  }

  private func go(_ start: Instant) throws {
    var bench = try Bench(Self.recipe)
    bench.now = start
    bench.run()
    bench.advance(.seconds(1))
    let ran = bench.turns
    #expect(ran < 500)
    if bench.exit == nil {
      try bench.kill()
      bench.advance(.seconds(20))
    }
    #expect(bench.turns < 2_000)
  }
}
