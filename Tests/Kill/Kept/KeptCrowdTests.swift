import Glibc
import Journal
import Judgement
import Keeper
import Linux
import Recipe
import Runner
import Session
import Simulator
import Testing
import Vocabulary
import World

/// Many clients at one keeper: two runs that stay subscribed, one-shots that subscribe for a while,
/// and one-shots that scan. Each is killed at random, and none disturbs another.
@Suite struct KeptCrowdTests {
  private static let devices =
    KeptKillTests.strap + """
      peripheral beacon named "Beacon"
        advertise battery_service every 100ms with {name: "Beacon"}
      end

      """

  /// Ends by itself.
  private static let counted = """
    let count = 0
    scan for heart_rate within forever
    connect
    subscribe to heart_rate_measurement
    on notify heart_rate_measurement as beat
      append {time: beat.at, bpm: beat.bpm} to "beats.csv"
      set count to count + 1
      if count >= 5: stop
    end
    reconnect forever waiting 1s up to 10s

    """

  /// A subscribing run, through all its lives.
  private final class Subscriber {
    let world: KeptWorld
    let directory: String
    let name: String
    let recipe: LoadedRecipe
    var starts: Moment
    var kills = 0
    private var port: KeptPort?
    private var loop: RunLoop?
    private(set) var lives = 0
    private(set) var errors = ""
    private(set) var ended = false

    init(_ name: String, _ text: String, _ world: KeptWorld, in place: Place, at now: Instant) {
      self.world = world
      self.name = name
      directory = "\(place.path)/\(name)"
      starts = now.moment
      mkdir(directory, 0o700)
      mkdir("\(directory)/state", 0o700)
      recipe = RecipeLoader.parse(name: "\(name).ble", Array(text.utf8))
    }

    var isAlive: Bool { loop != nil }

    func start(dyingAt effect: Int?, at now: Instant) throws {
      lives += 1
      ended = false
      let pipe = OutputPipe.collecting()
      let console = Console(style: Console.Style(), output: OutputPipe.collecting(), errors: pipe)
      let plan = RunPlan(
        loaded: recipe, path: "\(name).ble", identity: RunIdentity(owner: .name(name), inputs: []), inputs: RunInputs(),
        options: RunOptions(directory: directory), state: StateDirectory(path: "\(directory)/state"))
      let port = world.port()
      let starter = try RunStarter(plan, console: console, bootID: "virtual", zone: .utc, at: now)
      let hook: EffectHook = { point in point.number == effect && point.side == .after ? .kill : .goOn }
      let surroundings = RunSurroundings(
        host: KeeperHost(port: port, version: KeptWorld.version), console: console, bootID: "virtual", seed: 7, hook: hook)
      let session = try starter.session(surroundings, at: now)
      self.port = port
      loop = RunLoop(session: session, clock: .virtual(now))
    }

    /// Returns true if it was killed.
    func go(to moment: Moment, limit: Moment) -> Bool {
      guard let loop else { return false }
      switch loop.run(limit: limit, until: moment) {
      case .killed:
        die()
        return true
      case .ended:
        ended = true
        self.loop = nil
      case .timeUp: break
      }
      return false
    }

    func die() {
      loop = nil
      if let connection = port?.connection { world.gone(connection) }
      port = nil
    }

    var rows: [Int] {
      (textOfFile("\(directory)/beats.csv") ?? "").split(separator: "\n").dropFirst()
        .compactMap { $0.split(separator: ",").last.flatMap { Int($0) } }
    }
  }

  /// One `tooth scan`.
  private final class Scanner {
    let port: KeptPort
    let session: ScanSession
    let output = OutputPipe.collecting()
    let errors = OutputPipe.collecting()
    let since: Moment

    init(_ world: KeptWorld, number: UInt8, at now: Instant) throws {
      port = world.port()
      since = now.moment
      let host = KeeperHost(port: port, version: KeptWorld.version, hintOfLoss: "start another one")
      let introduction = HostIntroduction(identity: [UInt8](repeating: number, count: 16), name: "tooth scan", isEphemeral: true)
      _ = try host.meet({ introduction }, at: now)
      session = ScanSession(host: host, console: Console(style: Console.Style(), output: output, errors: errors), zone: .utc)
      session.begin(seed: 1, at: now)
    }
  }

  private struct Dice {
    var state: UInt64
    mutating func roll(_ range: ClosedRange<Int>) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return range.lowerBound + Int((state >> 33) % UInt64(range.count))
    }
  }

  private static var seeds: Range<UInt64> { 0..<(environment("FULL") == "1" ? 200 : 6) }

  @Test(arguments: seeds) func crowdedClientsDoNotDisturbEachOther(_ seed: UInt64) throws {
    let loaded = RecipeLoader.parse(name: "air.ble", Array(Self.devices.utf8))
    let tree = try #require(loaded.recipe)
    var now = Instant.simulationStart
    let air = try SimulatedAir(recipe: tree, sources: loaded.sources, seed: 20 + seed, at: now, isLogging: true)
    let world = KeptWorld(air: air, seed: 20 + seed, at: now)
    let place = try #require(Place())
    var dice = Dice(state: seed &* 7919 &+ 3)
    let permanent = ["one", "two"].map { Subscriber($0, KeptKillTests.counting, world, in: place, at: now) }
    let oneShot = Subscriber("shot", Self.counted, world, in: place, at: now)
    var shots = 0
    var scanner: Scanner?
    var scannerDies = now.moment
    var scans: UInt8 = 0
    var heard = 0
    let quiet = now.moment + .seconds(9)
    let end = now.moment + .seconds(12)
    while now.moment < end + .seconds(3), !(permanent + [oneShot]).allSatisfy(\.ended) {
      now = now + .milliseconds(5)
      for run in permanent + [oneShot] {
        if !run.isAlive, !run.ended, now.moment >= run.starts {
          try run.start(dyingAt: now.moment < quiet ? dice.roll(3...90) : nil, at: now)
        }
        if run.go(to: now.moment, limit: end) {
          run.kills += 1
          run.starts = now.moment + .milliseconds(Int64(dice.roll(1...900)))
        }
      }
      if oneShot.ended, now.moment < quiet {
        shots += 1
        try oneShot.start(dyingAt: dice.roll(3...90), at: now)
      }
      guard now.moment < quiet || scanner != nil else { continue }
      if let scanning = scanner {
        scanning.session.step(at: now)
        #expect(scanning.session.failure == nil, "\(scanning.errors.collected)")
        guard now.moment >= scannerDies else { continue }
        // It exits without a farewell, or properly.
        if dice.roll(0...2) == 0 {
          scanning.session.close(at: now)
        } else if let connection = scanning.port.connection {
          world.gone(connection)
        }
        let lines = scanning.output.collected.split(separator: "\n").filter { $0.contains("\"Beacon\"") }
        #expect(lines.count <= 1)
        if now.moment - scanning.since > .milliseconds(900) {
          #expect(lines.count == 1, "heard in \(now.moment - scanning.since): \(scanning.output.collected)")
          heard += 1
        }
        scanner = nil
      } else if dice.roll(0...20) == 0 {
        scans += 1
        scanner = try Scanner(world, number: 100 &+ scans, at: now)
        scannerDies = now.moment + .milliseconds(Int64(dice.roll(50...2000)))
      }
    }
    world.run(to: now)
    world.collect()
    for run in permanent {
      #expect(run.ended && run.kills >= 2, "\(run.name): \(run.kills) kills")
      let numbers = run.rows
      #expect(numbers.count > 60, "\(run.name): \(numbers.count)")
      #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 }, "\(run.name): \(KeptKillTests.brief(numbers))")
    }
    #expect(scans >= 2 && shots >= 2 && oneShot.kills >= 1, "\(scans) scans, \(shots) one-shots, \(oneShot.kills) kills")
    // Five in a row from each.
    let numbers = oneShot.rows
    for start in stride(from: 0, to: numbers.count - numbers.count % 5, by: 5) {
      #expect(Array(numbers[start..<start + 5]) == Array(numbers[start]..<numbers[start] + 5), "\(KeptKillTests.brief(numbers))")
    }
    let lines = world.log.enumerated().compactMap { AirLine($1, number: $0 + 1) }
    #expect(lines.count { $0.kind == "connect_ind" } == 1)
    let census = world.keeper.host.census
    #expect(census.scans == 0 && census.requestedConnections == 0 && census.operations == 0, "\(census)")
    #expect(world.keeper.status.clients.isEmpty)
  }
}
