import Glibc
import Journal
import Judgement
import Linux
import Packets
import Recipe
import Runner
import Session
import Simulator
import Testing
import Vocabulary
import World

/// Short runs one after the other, as cron starts them, with one state directory: the requests of
/// each to its device.
@Suite struct ClosingLinkTests {
  enum Way: String, CaseIterable, Sendable {
    case direct, kept
  }

  enum Hash: String, CaseIterable, Sendable {
    case present, absent
    /// No answer comes to the request for it.
    case mute
  }

  private static func device(_ hash: Hash) -> String {
    let service =
      switch hash {
      case .present: ""
      case .absent: "  service generic_attribute\n    characteristic service_changed can indicate\n  end\n"
      case .mute:
        """
          service generic_attribute
            characteristic 0x2B2A can read
          end

        """
      }
    let silence = hash == .mute ? "  on read 0x2B2A\n    wait 20s\n    answer hex \"00\"\n  end\n" : ""
    return """
      peripheral strap named "Strap 7"
        advertise heart_rate every 50ms
      \(service)\
        service heart_rate
          characteristic heart_rate_measurement can notify
        end
        service battery_service
          characteristic battery_level can read starts as 97
        end
      \(silence)\
        every 100ms: notify heart_rate_measurement with {bpm: 60, contact: "good"}
      end

      """
  }

  private static let level = "scan for heart_rate\nconnect\nread battery_level as level\nprint level\n"
  private static let place = "scan for heart_rate\nconnect\nread battery_service/battery_level as level\nprint level\n"
  private static let beat = """
    scan for heart_rate
    connect
    subscribe to heart_rate_measurement
    wait for notify heart_rate_measurement as beat
    print beat.bpm

    """

  /// The requests of a run.
  private struct TrialResult {
    var output: String
    var errors: String
    var code: Int32
    var outcome: RunLoop.Outcome
    /// Its ATT requests, except that of the MTU.
    var requests: [UInt8]
    /// From its start until its end.
    var lasts: TimeSpan
    var effects: Int
  }

  /// An air with one device, a state directory, and a keeper if one is wanted.
  private final class World {
    let place: Place
    let air: SimulatedAir
    let kept: KeptWorld?
    let controller: ControllerID
    var now = Instant.simulationStart
    private var starts: UInt64 = 0

    init(_ hash: Hash, _ way: Way) throws {
      place = try #require(Place())
      mkdir("\(place.path)/state", 0o700)
      let devices = RecipeLoader.parse(name: "devices.ble", Array(ClosingLinkTests.device(hash).utf8))
      let tree = try #require(devices.recipe, "\(devices.findings.map(\.message))")
      air = try SimulatedAir(recipe: tree, sources: devices.sources, seed: 7, at: now, isLogging: true)
      controller = air.addController(name: "run", at: now)
      kept = way == .kept ? KeptWorld(air: air, seed: 7, at: now) : nil
    }

    func run(_ text: String, isFresh: Bool = true, hook: EffectHook? = nil) throws -> TrialResult {
      let recipe = RecipeLoader.parse(name: "short.ble", Array(text.utf8))
      var plan = RunPlan(
        loaded: recipe, path: "short.ble", identity: RunIdentity(owner: .name("short"), inputs: []), inputs: RunInputs(),
        options: RunOptions(directory: place.path), state: StateDirectory(path: "\(place.path)/state"))
      plan.isFresh = isFresh
      starts += 1
      let output = OutputPipe.collecting()
      let errors = OutputPipe.collecting()
      let console = Console(style: Console.Style(), output: output, errors: errors)
      var count = 0
      let counting: EffectHook = { point in
        count = max(count, point.number)
        return hook?(point) ?? .goOn
      }
      kept?.run(to: now)
      air.run(to: now)
      _ = air.takeLog()
      let surroundings =
        if let kept {
          RunSurroundings(
            host: KeeperHost(port: kept.port(), version: KeptWorld.version), console: console, bootID: "virtual", seed: starts,
            hook: counting)
        } else {
          RunSurroundings(
            transport: SimulatedTransport(air: air, controller: controller), console: console, bootID: "virtual", seed: starts,
            hook: counting)
        }
      let starter = try RunStarter(plan, console: console, bootID: "virtual", zone: .utc, at: now)
      let session = try starter.session(surroundings, at: now)
      let loop = RunLoop(session: session, clock: .virtual(now))
      let start = now.moment
      let outcome = loop.run(until: start + .seconds(60))
      now = loop.now
      if outcome == .killed {
        if let kept { kept.allGone(at: now) } else { air.hostGone(controller, at: now) }
      }
      let opcodes = air.takeLog().compactMap { $0.kind == .acl && $0.channel == 4 ? $0.bytes?.first : nil }
      let requests = opcodes.filter { ATTOpcode.requests.contains($0) }
      let lasts = now.moment - start
      now = now + .seconds(5)
      return TrialResult(
        output: output.collected, errors: errors.collected, code: session.exitStatus.code, outcome: outcome, requests: requests,
        lasts: lasts, effects: count)
    }
  }

  /// Round trips of the first, second and third run. The first one for a device with a Database
  /// Hash reads the hash when it says goodbye.
  @Test(arguments: Way.allCases, [Hash.present, .absent]) func aSecondRunUsesTheCacheOfTheFirst(way: Way, hash: Hash) throws {
    let cases: [(String, String, [Int])] = [
      (Self.level, "97\n", [1, 1, 1]),
      (Self.place, "97\n", hash == .present ? [4, 2, 2] : [4, 3, 3]),
      (Self.beat, "60\n", hash == .present ? [5, 2, 2] : [5, 4, 4]),
    ]
    for (recipe, printed, rounds) in cases {
      let world = try World(hash, way)
      var asked: [[UInt8]] = []
      for _ in rounds {
        let result = try world.run(recipe)
        #expect(result.output == printed)
        #expect(result.code == 0, "\(result.errors)")
        asked.append(result.requests)
      }
      #expect(asked.map(\.count) == rounds, "\(way), hash \(hash): \(asked) of\n\(recipe)")
    }
  }

  /// A device that never answers delays the end of a run by at most a second and changes nothing
  /// else.
  @Test(arguments: Way.allCases) func anUnresponsiveDeviceDelaysTheEndByOneSecond(way: Way) throws {
    let quick = try World(.absent, way).run(Self.beat)
    let world = try World(.mute, way)
    let slow = try world.run(Self.beat)
    #expect(slow.output == quick.output && slow.code == 0, "\(slow.errors)")
    #expect(slow.requests.count == quick.requests.count)
    #expect(slow.lasts > quick.lasts + .milliseconds(500))
    #expect(slow.lasts < quick.lasts + .milliseconds(1500), "\(slow.lasts) instead of \(quick.lasts)")
  }

  /// Killed at each of the last effects, it continues to end, and the following runs print the same
  /// as always.
  @Test(arguments: Way.allCases) func aKillDuringTheHashReadLosesNothingElse(way: Way) throws {
    let whole = try World(.present, way).run(Self.beat)
    for number in max(1, whole.effects - 14)...whole.effects {
      for side in [EffectPoint.Side.before, .after] {
        let world = try World(.present, way)
        let killed = try world.run(Self.beat) { $0.number == number && $0.side == side ? .kill : .goOn }
        var printed = killed.output
        if killed.outcome == .killed {
          let rest = try world.run(Self.beat, isFresh: false)
          #expect(rest.code == 0, "killed \(side) \(number): \(rest.errors)")
          printed += rest.output
        }
        #expect(["60\n", "60\n60\n"].contains(printed), "killed \(side) \(number): \(printed)")
        for _ in 0..<2 {
          let next = try world.run(Self.beat)
          #expect(next.output == "60\n" && next.code == 0, "killed \(side) \(number): \(next.errors)")
        }
        #expect(try world.run(Self.beat).requests.count == 2, "killed \(side) \(number)")
      }
    }
  }
}

extension ATTOpcode {
  /// Requests of a client that were answered, except that of the MTU.
  fileprivate static let requests: [UInt8] = [0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x20]
}
