import Glibc
import Journal
import Judgement
import Linux
import Recipe
import Runner
import Session
import Simulator
import Testing
import Vocabulary
import World

/// Run and keeper die in any order and number, and what the keeper held is lost.
///
/// The judge reads only the air's log and the run's file. In the end every beat that arrived is
/// written once, and the exit code is that of a run that was stopped by its time limit.
@Suite struct BothKilledTests {
  enum Victim: String, Sendable {
    case run, keeper, keeperThenRun, runThenKeeper
  }

  /// The effect of a life at which a process dies.
  struct Death: Sendable, CustomStringConvertible {
    var life: Int
    var effect: Int
    var victim: Victim
    var description: String { "\(victim) at \(effect) of life \(life)" }
  }

  struct Plan: Sendable, CustomStringConvertible {
    var isWanted: Bool
    var deaths: [Death]
    var description: String { "\(isWanted ? "wanted" : "plain"): \(deaths)" }
  }

  static func recipe(isWanted: Bool) -> String {
    """
    \(isWanted ? "" : "on failure as p: log \"failed {p.kind}\"")
    scan for heart_rate within forever
    \(isWanted ? "connect when it appears" : "connect")
    subscribe to heart_rate_measurement
    on notify heart_rate_measurement as beat
      append {time: beat.at, bpm: beat.bpm} to "beats.csv"
    end
    \(isWanted ? "reconnect forever waiting 1s up to 10s" : "wait forever")

    """
  }

  // MARK: One trial

  /// Violations at the end.
  static func problems(_ plan: Plan) throws -> [String] {
    guard let place = Place() else { return ["no place"] }
    mkdir("\(place.path)/state", 0o700)
    let recipe = RecipeLoader.parse(name: "both.ble", Array(recipe(isWanted: plan.isWanted).utf8))
    let devices = RecipeLoader.parse(name: "devices.ble", Array(KeptKillTests.strap.utf8))
    guard let tree = devices.recipe, !recipe.hasErrors else { return ["\(recipe.findings.map(\.message))"] }
    let start = Instant.simulationStart
    let air = try SimulatedAir(recipe: tree, sources: devices.sources, seed: 7, at: start, isLogging: true)
    let world = KeptWorld(air: air, seed: 7, at: start)
    var now = start
    var errors = ""
    var code: Int32 = -1
    lives: for life in 1...8 {
      let deaths = plan.deaths.filter { $0.life == life }
      let pipe = OutputPipe.collecting()
      let console = Console(style: Console.Style(), output: OutputPipe.collecting(), errors: pipe)
      let runPlan = RunPlan(
        loaded: recipe, path: "both.ble", identity: RunIdentity(owner: .name("both"), inputs: []), inputs: RunInputs(),
        options: RunOptions(directory: place.path), state: StateDirectory(path: "\(place.path)/state"))
      let port = world.port()
      var loop: RunLoop?
      let starter = try RunStarter(runPlan, console: console, bootID: "virtual", zone: .utc, at: now)
      let hook: EffectHook = { point in
        guard point.side == .after, let death = deaths.first(where: { $0.effect == point.number }) else { return .goOn }
        // A link of `connect` that is lost while the run lives stays lost, so there is nothing to
        // check.
        if death.victim == .keeper, !plan.isWanted { return .goOn }
        if death.victim == .keeper || death.victim == .keeperThenRun { world.killKeeper(at: loop?.now ?? now) }
        return death.victim == .keeper ? .goOn : .kill
      }
      let surroundings = RunSurroundings(
        host: KeeperHost(port: port, version: KeptWorld.version), console: console, bootID: "virtual", seed: UInt64(life),
        hook: hook)
      let session = try starter.session(surroundings, at: now)
      let made = RunLoop(session: session, clock: .virtual(now))
      loop = made
      let outcome = made.run(limit: now.moment + .seconds(30))
      loop = nil
      errors += "life \(life):\n" + pipe.collected
      now = made.now
      if let connection = port.connection { world.gone(connection) }
      code = session.exitStatus.code
      guard outcome == .killed else { break lives }
      world.run(to: now + .milliseconds(100))
      if deaths.contains(where: { $0.victim == .runThenKeeper }) { world.killKeeper(at: now + .milliseconds(100)) }
      world.run(to: now + .milliseconds(300))
      now = world.now
    }
    world.collect()
    return judge(world, try? readFile("\(place.path)/beats.csv", limit: 1 << 20), code, at: now).map { "\($0)\n\(errors)" }
  }

  static func judge(_ world: KeptWorld, _ file: [UInt8]?, _ code: Int32, at end: Instant) -> [String] {
    let rows = String(decoding: file ?? [], as: UTF8.self).split(separator: "\n").dropFirst()
    let numbers = rows.compactMap { $0.split(separator: ",").last.flatMap { Int($0) } }
    var problems: [String] = []
    if numbers.count != rows.count { problems.append("rows that are none: \(rows)") }
    if !zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 }) { problems.append("not in order, or twice: \(numbers)") }
    // Ten a second, in the last three seconds.
    let lines = world.log.enumerated().compactMap { AirLine($1, number: $0) }
    let strap = world.air.controller(of: "strap").flatMap { world.air.address(of: $0) }.map { "\($0)" }
    let last = lines.compactMap { line -> Int? in
      let message = AttributeMessage(bytes: line.bytes)
      guard line.isAttribute, line.from == strap, line.delivered == true, message.isNotification,
        line.time > end.moment.nanoseconds - 3_000_000_000
      else { return nil }
      return Facts.beat(message.value).bpm
    }
    if last.count < 20 { problems.append("\(last.count) beats came in the last three seconds") }
    let missing = last.dropLast(2).filter { !numbers.contains($0) }
    if !missing.isEmpty { problems.append("never written: \(missing)") }
    if code != 8 { problems.append("exit code \(code)") }
    return problems
  }

  // MARK: Selection

  /// Both die, and the next life dies while they reconnect: at each of its first effects.
  static var early: [Plan] {
    var plans: [Plan] = []
    for isWanted in [true, false] {
      for effect in 1...24 {
        plans.append(
          Plan(
            isWanted: isWanted,
            deaths: [Death(life: 1, effect: 60, victim: .keeperThenRun), Death(life: 2, effect: effect, victim: .run)]))
        plans.append(
          Plan(
            isWanted: isWanted,
            deaths: [
              Death(life: 1, effect: 60, victim: .keeper), Death(life: 1, effect: 60 + effect, victim: .run),
              Death(life: 2, effect: effect, victim: effect % 2 == 0 ? .keeperThenRun : .keeper),
            ]))
      }
    }
    return plans
  }

  static func random(_ seed: UInt64) -> Plan {
    var dice = Dice(state: seed)
    var deaths: [Death] = []
    let lives = dice.roll(1...4)
    for life in 1...lives {
      for _ in 0..<dice.roll(0...2) { deaths.append(Death(life: life, effect: dice.roll(1...120), victim: .keeper)) }
      let victims: [Victim] = [.run, .run, .keeperThenRun, .runThenKeeper]
      deaths.append(Death(life: life, effect: dice.roll(1...120), victim: victims[dice.roll(0...3)]))
    }
    return Plan(isWanted: dice.roll(0...1) == 0, deaths: deaths)
  }

  static let isFull = getenv("FULL") != nil
  static let plans =
    (isFull ? early : early.enumerated().filter { $0.offset % 5 == 0 }.map(\.element))
    + (1...(isFull ? 600 : 12)).map { random($0) }

  @Test(arguments: plans) func theRunContinuesWhicheverProcessDies(_ plan: Plan) throws {
    for problem in try Self.problems(plan) { Issue.record("\(plan): \(problem)") }
  }
}
