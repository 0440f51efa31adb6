import Exchange
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

/// `serve`: a recipe is a peripheral, directly and through a keeper, and is killed at every effect.
/// Another recipe on the same air is its central.
@Suite struct ServeTests {
  /// Every write is counted once, is in the file, and is answered with the new count.
  static let server = """
    peripheral lamp named "Lamp"
      let count = 0
      advertise battery_service every 100ms
      service battery_service
        characteristic battery_level can read, notify starts as u8(7)
      end
      service 0x1234
        characteristic 0xAB01 can read, write starts as hex "00"
        characteristic 0xAB02 can write
        characteristic 0xAB03 can read
      end
      on connect: log "central came"
      on disconnect as why: log "central left: {why}"
      on subscribe battery_level: log "subscribed"
      on write 0xAB02 as v
        set count to count + 1
        append "{v.u8(0)}" to "writes.csv"
        notify battery_level with v.u8(0)
      end
      on read 0xAB03: answer u8(count)
    end
    serve lamp
    log "served"
    wait until lamp.count >= 12
    wait 20s
    print "counted {lamp.count}"
    stop serving lamp
    log "stopped"

    """

  /// Writes 1, 2, 3 …; repeats a number until its notification has arrived.
  static let client = """
    scan for battery_service within forever
    connect when it appears
    subscribe to battery_level
    read battery_level as first
    print "first {first}"
    try 3 times: write hex "55" to 0xAB01 when unsure repeat
    let number = 0
    repeat 12 times
      set number to number + 1
      let seen = false
      repeat until seen
        try
          write u8(number) to 0xAB02 when unsure skip
          wait for notify battery_level where it is number within 3s
          set seen to true
        otherwise
          debug "again {number}"
        end
      end
      print "seen {number}"
    end
    try 5 times
      read 0xAB01 as kept
      print "kept {kept:hex}"
    end
    wait forever

    """

  struct Result {
    var outcome: RunLoop.Outcome
    var code: Int32
    var output: String
    var errors: String
    var said: [String]
    var writes: [Int]
    var effects: Int
  }

  /// One server, killed at one effect of its first life, and its central.
  static func run(
    kept isKept: Bool, kill number: Int?, side: EffectPoint.Side = .after, away: TimeSpan = .milliseconds(300),
    client: String = Self.client
  ) throws -> Result {
    let place = try #require(Place())
    mkdir("\(place.path)/state", 0o700)
    let recipe = RecipeLoader.parse(name: "server.ble", Array(server.utf8))
    let central = RecipeLoader.parse(name: "client.ble", Array(client.utf8))
    #expect(!recipe.hasErrors && !central.hasErrors, "\((recipe.findings + central.findings).map(\.message))")
    let start = Instant.simulationStart
    let air = SimulatedAir(seed: 3, at: start, isLogging: true)
    let world = isKept ? KeptWorld(air: air, seed: 3, at: start) : nil
    let controller = isKept ? nil : air.addController(name: "server", at: start)
    try air.add(running: #require(central.recipe), central.sources, under: "central")
    var now = start
    var result = Result(outcome: .ended, code: -1, output: "", errors: "", said: [], writes: [], effects: 0)
    for life in 1...2 {
      let pipes = (output: OutputPipe.collecting(), errors: OutputPipe.collecting())
      let console = Console(style: Console.Style(), output: pipes.output, errors: pipes.errors)
      let plan = RunPlan(
        loaded: recipe, path: "server.ble", identity: RunIdentity(owner: .name("server"), inputs: []), inputs: RunInputs(),
        options: RunOptions(directory: place.path), state: StateDirectory(path: "\(place.path)/state"))
      let starter = try RunStarter(plan, console: console, bootID: "virtual", zone: .utc, at: now)
      let hook: EffectHook = { point in life == 1 && point.number == number && point.side == side ? .kill : .goOn }
      let port = world?.port()
      let surroundings: RunSurroundings
      if let port {
        surroundings = RunSurroundings(
          host: KeeperHost(port: port, version: KeptWorld.version), console: console, bootID: "virtual", seed: UInt64(life),
          hook: hook)
      } else {
        surroundings = RunSurroundings(
          transport: SimulatedTransport(air: air, controller: try #require(controller)), console: console, bootID: "virtual",
          seed: UInt64(life), hook: hook)
      }
      let session = try starter.session(surroundings, at: now)
      let loop = RunLoop(session: session, clock: .virtual(now))
      result.outcome = loop.run(limit: now.moment + .minutes(3))
      now = loop.now
      result.output += pipes.output.collected
      result.errors += "life \(life):\n" + pipes.errors.collected
      result.code = session.exitStatus.code
      if life == 1 { result.effects = session.effectCount }
      if let connection = port?.connection { world?.gone(connection) }
      // Killed after its last statement it has ended: the next start would be another run.
      guard result.outcome == .killed, !result.errors.contains("log stopped") else {
        if result.outcome == .killed { (result.outcome, result.code) = (.ended, 0) }
        break
      }
      if let controller { air.hostGone(controller, at: now) }
      now = now + away
      world?.run(to: now)
      air.run(to: now)
    }
    result.said = air.takeMessages().map { $0.text.split(separator: "\n").joined() }
    result.writes = String(decoding: (try? readFile("\(place.path)/writes.csv", limit: 1 << 20)) ?? [], as: UTF8.self)
      .split(separator: "\n").compactMap { Int($0) }
    return result
  }

  /// Violations: the central must have seen each number, the file must have each in order and none
  /// more often than the central wrote it, and stored values must still be there.
  static func problems(_ result: Result) -> [String] {
    var problems: [String] = []
    if result.outcome != .ended || result.code != 0 { problems.append("ended \(result.outcome) with \(result.code)") }
    for number in 1...12 where !result.said.contains("seen \(number)") { problems.append("never seen: \(number)") }
    if !result.said.contains("kept 55") { problems.append("what was written is not stored") }
    var distinct: [Int] = []
    for number in result.writes where distinct.last != number { distinct.append(number) }
    if distinct != Array(1...12) { problems.append("writes: \(result.writes)") }
    return problems.isEmpty ? [] : problems + [result.errors, result.output, "\(result.said)"]
  }

  @Test(arguments: [false, true]) func aRecipeServesAndAnotherUsesIt(isKept: Bool) throws {
    let result = try Self.run(kept: isKept, kill: nil)
    #expect(Self.problems(result) == [])
    #expect(result.said.first == "first 7")
    #expect(result.output == "counted 12\n")
    #expect(result.errors.contains("served") && result.errors.contains("stopped"))
    #expect(result.errors.contains("central came") && result.errors.contains("subscribed"))
  }

  static let effects: [Bool: Int] = [
    false: (try? run(kept: false, kill: nil).effects) ?? 0, true: (try? run(kept: true, kill: nil).effects) ?? 0,
  ]

  /// The kills of a sweep: each effect with `FULL=1`, otherwise some of them.
  static func kills(_ isKept: Bool) -> [Int] {
    let count = effects[isKept] ?? 0
    return getenv("FULL") != nil ? Array(1...max(count, 1)) : Array(stride(from: 1, through: max(count, 1), by: max(count / 40, 1)))
  }

  @Test(arguments: [false, true]) func servingContinuesDespiteKills(isKept: Bool) throws {
    #expect((Self.effects[isKept] ?? 0) > 30)
    for number in Self.kills(isKept) {
      for side in [EffectPoint.Side.before, .after] {
        let problems = Self.problems(try Self.run(kept: isKept, kill: number, side: side))
        #expect(problems == [], "effect \(number) \(side)")
      }
    }
  }

  /// The keeper holds its links: the central notices nothing, so nothing is written twice.
  @Test func throughAKeeperTheCentralNoticesNothing() throws {
    for number in Self.kills(true) {
      let result = try Self.run(kept: true, kill: number)
      #expect(result.writes == Array(1...12), "effect \(number): \(result.errors)")
      let end = result.errors.range("stopped") ?? result.errors.count
      #expect(!result.errors.prefix(end).contains("central left"), "effect \(number): \(result.errors)")
    }
  }

  /// A request that only the run can answer is refused after 20 s, before its central gives up;
  /// stored values are served all the time.
  @Test func theKeeperAnswersForAnAbsentRun() throws {
    let client = """
      scan for battery_service within forever
      connect when it appears
      repeat 400 times
        try
          write u8(1) to 0xAB02 within 28s when unsure skip
          print "written"
        otherwise if refused as p
          print "refused {p.code}"
          read battery_level within 1s as level
          print "stored {level}"
        end
        wait 100ms
      end
      wait forever

      """
    var refused = 0
    for number in [60, 75, 90] {
      let result = try Self.run(kept: true, kill: number, away: .seconds(40), client: client)
      #expect(result.code == 0 && result.outcome == .ended, "effect \(number): \(result.errors)")
      refused += result.said.count { $0 == "refused 14" }
      if result.said.contains("refused 14") { #expect(result.said.contains { $0.hasPrefix("stored ") }, "\(result.said)") }
      // A refused write is not performed.
      #expect(result.said.count { $0 == "written" } >= 12, "effect \(number): \(result.said.suffix(5)) \(result.errors)")
    }
    #expect(refused >= 3)
  }
}

extension String {
  /// The start of a line that ends like this.
  fileprivate func range(_ part: String) -> Int? {
    var place = 0
    for line in split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasSuffix(part) { return place }
      place += line.count + 1
    }
    return nil
  }
}
