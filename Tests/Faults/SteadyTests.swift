import Exchange
import Host
import Journal
import Linux
import Runner
import Session
import Testing
import Vocabulary
import World

/// A run holds the same amount of state however often its link is lost.
@Suite struct SteadyTests {
  /// Counts of everything that could grow, taken while the strap is connected and beating.
  private struct Holding: Equatable {
    var host: HostCensus
    var run: MachineCensus
    var rows: Int
  }

  @Test func anHourWithEightyReconnectionsHoldsNoMoreThanItsFirstMinutes() throws {
    let place = try #require(Place())
    let scenario = try #require(try FaultScenario.all().first { $0.name == "heart-rate" })
    let recipe = try #require(scenario.recipe.recipe)
    let world = try SimulatedWorld(devices: scenario.devices, seed: 3, isLogging: false)
    let inputs = try InputReader(environment: { _ in nil }).read([], of: recipe, scenario.recipe.sources)
    let console = Console(style: Console.Style(loudness: .quiet), output: .collecting(), errors: .collecting())
    let state = StateDirectory(path: "\(place.path)/state")
    let identity = RunIdentity(owner: .name("steady"), inputs: inputs.identity)
    try world.start(
      RunPlan(
        loaded: scenario.recipe, path: scenario.recipe.name, identity: identity, inputs: inputs,
        options: RunOptions(directory: place.path), state: state), console: console)
    let strap = try #require(world.air.controller(of: "strap"))
    var holdings: [Holding] = []
    var largest = 0
    for loss in 0..<80 {
      switch loss % 3 {
      case 0: world.air.make { $0.drop(strap, atOnce: true, at: $0.now) }
      case 1: world.air.make { $0.drop(strap, at: $0.now) }
      default:
        world.air.make { $0.vanish(strap, at: $0.now) }
        #expect(world.run(for: .seconds(8)) == .timeUp)
        world.air.make { $0.appear(strap, at: $0.now) }
      }
      // Half a second after the last beat, so that nothing is in flight.
      #expect(world.run(for: .milliseconds(loss % 3 == 2 ? 37_000 : 45_000)) == .timeUp)
      let session = try #require(world.session)
      session.tidy()
      let rows = try #require(try RunStore.peek(RunID(identity), in: state)).rows
      holdings.append(
        Holding(
          host: session.hostCensus, run: session.machineCensus, rows: rows.reduce(0) { $0 + 8 + ($1.value?.count ?? 0) }))
      largest = max(largest, place.size(of: "state"))
    }
    let settled = try #require(holdings.dropFirst(6).first)
    #expect(settled.host.readyLinks == 1)
    for (loss, holding) in holdings.enumerated().dropFirst(6) {
      #expect(holding.host == settled.host, "loss \(loss)")
      #expect(holding.run == settled.run, "loss \(loss)")
      // Only the digits of growing numbers may take more room.
      #expect(abs(holding.rows - settled.rows) <= 16, "loss \(loss): \(holding.rows) octets in rows, \(settled.rows) at first")
    }
    // SQLite moves the log into the database every thousand commits of two or three pages each.
    #expect(largest <= 4 << 20, "\(largest) octets of database")
  }
}
