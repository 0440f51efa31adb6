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

/// The keeper is killed during a write that the device has done: the outcome is unknown, and `when
/// unsure` decides.
///
/// The judge reads how often the write crossed the air, the output of the recipe, and its exit
/// code.
@Suite struct KeeperLostTests {
  struct Case: Sendable, CustomStringConvertible {
    var policy: String
    var place: String
    var isWanted: Bool
    /// The run dies with its keeper.
    var runDies: Bool
    var description: String { "\(policy) in \(place), \(isWanted ? "wanted" : "plain")\(runDies ? ", both die" : "")" }
  }

  static let cases = ["fail", "repeat", "verify", "skip"].flatMap { policy in
    ["body", "handler", "try", "otherwise"].flatMap { place in
      [true, false].flatMap { isWanted in
        [false, true].map { Case(policy: policy, place: place, isWanted: isWanted, runDies: $0) }
      }
    }
  }

  static let device = """
    peripheral thing named "Thing"
      advertise 0xFFF0 every 100ms
      service 0xFFF0
        characteristic 0xFFF1 can read, write starts as u8(0)
      end
    end

    """

  static func recipe(_ it: Case) -> String {
    let write = ["write u8(7) to 0xFFF1 within 70s when unsure \(it.policy)", "print \"done\""]
    let connect = ["scan for 0xFFF0", it.isWanted ? "connect when it appears" : "connect"]
    func indented(_ head: String, _ lines: [String]) -> [String] { [head] + lines.map { "  \($0)" } }
    var text = ["on failure as p: print \"failed {p.kind}\""]
    switch it.place {
    case "handler": text += indented("after 2s", write) + ["end"] + connect + ["wait 3min", "print \"over\""]
    case "try": text += connect + indented("try 3 times", write) + ["end"]
    case "otherwise":
      text += connect + indented("try 3 times", write) + indented("otherwise as p", ["print \"caught {p.kind}\""]) + ["end"]
    default: text += connect + write
    }
    return text.joined(separator: "\n") + "\n"
  }

  static func expected(_ it: Case) -> (writes: Int, lines: [String], code: Int32) {
    var kind: String?
    var writes = 1
    var code: Int32 = 0
    switch it.policy {
    case "fail": (kind, code) = ("unsure", 10)
    case "skip": break
    // The link is made again, also that of a plain `connect` in a run that survives.
    default: writes = it.policy == "repeat" ? 2 : 1
    }
    switch it.place {
    case "handler": return (writes, [kind.map { "failed \($0)" } ?? "done", "over"], kind == nil ? 0 : 1)
    case "otherwise": return (writes, [kind.map { "caught \($0)" } ?? "done"], 0)
    default: return (writes, [kind.map { "failed \($0)" } ?? "done"], code)
    }
  }

  @Test(arguments: cases) func whenUnsureDecides(_ it: Case) throws {
    let place = try #require(Place())
    mkdir("\(place.path)/state", 0o700)
    let recipe = RecipeLoader.parse(name: "lost.ble", Array(Self.recipe(it).utf8))
    let devices = RecipeLoader.parse(name: "devices.ble", Array(Self.device.utf8))
    #expect(!recipe.hasErrors, "\(recipe.findings.map(\.message))")
    let start = Instant.simulationStart
    let air = try SimulatedAir(
      recipe: try #require(devices.recipe), sources: devices.sources, seed: 3, at: start, isLogging: true)
    let world = KeptWorld(air: air, seed: 3, at: start)
    let thing = try #require(air.controller(of: "thing"))
    air.make { $0.loseNextReply(thing, opcode: 0x13, then: .silence, at: $0.now) }
    func written() -> Int {
      world.collect()
      return world.log.enumerated().count { index, text in
        guard let line = AirLine(text, number: index) else { return false }
        return line.isAttribute && line.delivered == true && line.bytes.count == 4 && line.bytes[0] == 0x12 && line.bytes[3] == 7
      }
    }
    var isDead = false
    world.keeperDies = { _ in
      if written() > 0 { isDead = true }
      return isDead
    }
    var now = start
    var output = ""
    var errors = ""
    var code: Int32 = -1
    for life in 1...2 {
      let pipes = (output: OutputPipe.collecting(), errors: OutputPipe.collecting())
      let console = Console(style: Console.Style(), output: pipes.output, errors: pipes.errors)
      let plan = RunPlan(
        loaded: recipe, path: "lost.ble", identity: RunIdentity(owner: .name("lost"), inputs: []), inputs: RunInputs(),
        options: RunOptions(directory: place.path), state: StateDirectory(path: "\(place.path)/state"))
      let port = world.port()
      let starter = try RunStarter(plan, console: console, bootID: "virtual", zone: .utc, at: now)
      let surroundings = RunSurroundings(
        host: KeeperHost(port: port, version: KeptWorld.version), console: console, bootID: "virtual", seed: UInt64(life),
        hook: { _ in it.runDies && life == 1 && isDead ? .kill : .goOn })
      let session = try starter.session(surroundings, at: now)
      let loop = RunLoop(session: session, clock: .virtual(now))
      let outcome = loop.run(limit: now.moment + .minutes(6))
      output += pipes.output.collected
      errors += pipes.errors.collected
      now = loop.now
      if let connection = port.connection { world.gone(connection) }
      code = session.exitStatus.code
      guard outcome == .killed else { break }
      world.run(to: now + .milliseconds(300))
      now = world.now
    }
    #expect(isDead)
    let expected = Self.expected(it)
    let found = (written(), output.split(separator: "\n").map(String.init), code)
    #expect(found == expected, "\(it): \(found) instead of \(expected)\n\(errors)")
  }
}
