import Journal
import Runner
import Session
import Testing
import Vocabulary

/// The process is dropped before and after each of its effects. It must have written exactly what
/// reached it, each once.
@Suite struct KillSweepTests {
  /// How many effects the uninterrupted run has.
  func effects(_ make: () throws -> Fixture, for span: TimeSpan) throws -> Int {
    let fixture = try make()
    try fixture.start()
    _ = fixture.world.run(for: span)
    return fixture.world.session?.effectCount ?? 0
  }

  @Test func heartbeatsAreWrittenOnceDespiteKills() throws {
    let make = { try Fixture(recipe: "recipes/heart-rate.ble", devices: "recipes/devices/heart-rate-strap.ble") }
    let span = TimeSpan.seconds(5)
    let count = try effects(make, for: span)
    #expect(count > 40)
    for number in 1...count {
      for side in [EffectPoint.Side.before, .after] {
        let fixture = try make()
        try fixture.start(hook: { $0.number == number && $0.side == side ? .kill : .goOn })
        let outcome = fixture.world.run(for: span)
        #expect(outcome == .killed)
        fixture.world.wait(.seconds(2))
        try fixture.start()
        #expect(fixture.world.run(for: .seconds(14)) == .timeUp)
        let rows = (fixture.playground.content("beats.csv") ?? "").split(separator: "\n")
        let numbers = rows.dropFirst().compactMap { $0.split(separator: ",").last.flatMap { Int($0) } }
        #expect(rows.count == numbers.count + 1, "effect \(number) \(side): \(rows)")
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "effect \(number) \(side): \(numbers)")
        #expect(numbers.count >= 6, "effect \(number) \(side): \(rows) \(fixture.errors)")
        let lines = fixture.output.split(separator: "\n").count
        #expect(
          lines == numbers.count || lines == numbers.count + 1, "effect \(number) \(side): \(lines) lines, \(numbers.count) rows")
      }
    }
  }

  @Test func theThermometerIsReadDespiteKills() throws {
    let make = { try Fixture(recipe: "recipes/thermometer.ble", devices: "recipes/devices/thermometer.ble") }
    let count = try effects(make, for: .minutes(1))
    for number in 1...count {
      for side in [EffectPoint.Side.before, .after] {
        let fixture = try make()
        try fixture.start(hook: { $0.number == number && $0.side == side ? .kill : .goOn })
        _ = fixture.world.run(for: .minutes(1))
        fixture.world.wait(.seconds(2))
        try fixture.start()
        #expect(fixture.world.run(for: .minutes(2)) == .ended, "effect \(number) \(side)")
        #expect(fixture.world.session?.exitStatus.code == 0, "effect \(number) \(side): \(fixture.errors)")
        #expect((1...2).contains(fixture.output.split(separator: "\n").count), "effect \(number) \(side): \(fixture.output)")
      }
    }
  }
}
