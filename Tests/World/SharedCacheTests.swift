import Exchange
import Glibc
import Journal
import Linux
import Recipe
import Runner
import Session
import Simulator
import Testing
import Vocabulary
import World

/// Recipes that share an attribute cache print the same as with an empty one, in any sequence and
/// with kills between.
@Suite struct SharedCacheTests {
  /// The seeds of the sweep: a few in the gate, all with `FULL=1`, one with `CACHE_SEED=N`.
  private static var seeds: Range<UInt64> {
    if let one = environment("CACHE_SEED").flatMap({ UInt64($0) }) { return one..<(one + 1) }
    return 0..<(environment("FULL") == "1" ? 1_000 : 40)
  }

  @Test func theSharedCacheNeverChangesOutput() throws {
    var uncached: [String: CacheWorld.Result] = [:]
    for seed in Self.seeds {
      var world = CacheWorld(seed: seed)
      let history = try world.play(&uncached)
      if let difference = history.difference {
        Issue.record("seed \(seed): \(difference)\n\(history.text)")
        if environment("FULL") != "1" { return }
      }
    }
  }

  /// The sequence of a bug report: a subscription that stays linked, and `discover everything`
  /// again and again.
  @Test(arguments: CacheWorld.devices.indices) func discoverEverythingAfterASubscriptionStillListsEveryService(device: Int) throws {
    let playground = Playground()
    let tree = CacheWorld.recipe([CacheWorld.tree])
    let first = try CacheWorld.run(tree, device: device, state: "\(playground.path)/state")
    #expect(first.output.split(separator: "\n").count > 10, "\(first)")
    for subscription in ["subscribe to heart_rate_measurement\nwait 3s", "read battery_level\nwait 3s"] {
      for _ in 0..<3 {
        _ = try CacheWorld.run(CacheWorld.recipe([subscription]), device: device, state: "\(playground.path)/state")
        #expect(try CacheWorld.run(tree, device: device, state: "\(playground.path)/state") == first)
      }
    }
  }
}

/// Runs of random recipes, one after the other, with one state directory.
struct CacheWorld {
  struct Result: Equatable, CustomStringConvertible {
    var output: String
    var code: Int32
    var errors = ""

    var description: String { "exit \(code): \(output)\(errors)" }

    static func == (left: Result, right: Result) -> Bool { left.output == right.output && left.code == right.code }
  }

  struct History {
    var text = ""
    var difference: String?
  }

  static let tree = """
    discover everything
    for each s in device.services
      print "{s.uuid} {s.handle}"
      for each c in s.characteristics
        print "  {c.uuid} {c.handle} {c.properties}"
        for each d in c.descriptors: print "    {d.uuid} {d.handle}"
      end
    end
    """

  /// Statements about the connected device. Each prints the same however often it runs.
  static let fragments = [
    tree, tree,
    "wait 3s",
    "discover everything",
    "discover heart_rate",
    "discover battery_service",
    "discover 0xFFF0 otherwise print it",
    "discover 0xABCD otherwise print it",
    "subscribe to heart_rate_measurement\nwait for notify heart_rate_measurement as beat\nprint beat.bpm",
    "subscribe to heart_rate_measurement\nwait 3s",
    "subscribe to 0xFFF0[1]/0xFFF1\nwait for notify 0xFFF0[1]/0xFFF1 as v\nprint v",
    "subscribe to 0xFFF1 otherwise print it",
    "subscribe to 0xFFF0/0xFFF9 otherwise print it",
    "subscribe to 0xABCD/0xFFF9 otherwise print it",
    "read battery_level as level otherwise let level = it\nprint level",
    "read battery_service/battery_level as level\nprint level",
    "read battery_level/characteristic_user_description as d otherwise let d = it\nprint d",
    "read body_sensor_location as place\nprint place",
    "read 0xFFF2 as x otherwise let x = it\nprint x",
    "read 0xFFF2[1] as x otherwise let x = it\nprint x",
    "read 0xFFF0[1]/0xFFF2 as x otherwise let x = it\nprint x",
    "read 0xFFF0[4]/0xFFF2 as x otherwise let x = it\nprint x",
    "read 0xFFF7 as x otherwise let x = it\nprint x",
    "read handle 0x0003 as x otherwise let x = it\nprint x",
    "read handle 0x0010 as x otherwise let x = it\nprint x",
    "read handle 0x00F0 as x otherwise let x = it\nprint x",
    "write hex \"01\" to 0xFFF0[0]/0xFFF2 when unsure repeat otherwise print it",
    "write hex \"01\" to 0xFFF7 when unsure repeat otherwise print it",
  ]

  /// The device at the address: the same, the same after an update, and one without a Database
  /// Hash.
  static let devices = [
    device("0xFFF2 can read, write starts as hex \"aa\"", "", hash: true),
    device(
      "0xFFF5 can read, write starts as hex \"bb\"", "    characteristic 0xFFF2 can read, write starts as hex \"cc\"\n", hash: true),
    device("0xFFF2 can read, write starts as hex \"aa\"", "", hash: false),
    device("0xFFF5 can read, write starts as hex \"dd\"", "", hash: false),
  ]

  private static func device(_ odd: String, _ more: String, hash: Bool) -> String {
    """
    peripheral thing named "Thing"
      advertise 0xFFF0 every 100ms
    \(hash ? "" : "  service generic_attribute\n    characteristic service_changed can indicate\n  end\n")\
      service 0xFFF0
        characteristic 0xFFF1 can notify
        characteristic \(odd)
      end
      service heart_rate
        characteristic heart_rate_measurement can notify
        characteristic body_sensor_location can read starts as "chest"
      end
      service 0xFFF0
        characteristic 0xFFF1 can notify
        characteristic 0xFFF2 can read, write starts as hex "02"
    \(more)\
      end
      service battery_service
        characteristic battery_level can read, notify starts as 97
        descriptor characteristic_user_description can read starts as "main"
      end
      service 6e400001-b5a3-f393-e0a9-e50e24dcca9e
        characteristic 6e400002-b5a3-f393-e0a9-e50e24dcca9e can notify
        characteristic battery_level can read starts as 12
      end
      every 300ms
        notify heart_rate_measurement with {bpm: 60}
        notify 0xFFF0[1]/0xFFF1 with hex "77"
      end
    end

    """
  }

  static func recipe(_ parts: [String]) -> String {
    "scan for 0xFFF0\nconnect\ntry\n\(parts.joined(separator: "\n"))\notherwise as p\n  print \"{p}\"\nend\nprint \"end\"\n"
  }

  private let seed: UInt64
  private var random: SplitMix
  private let playground = Playground()

  init(seed: UInt64) {
    self.seed = seed
    random = SplitMix(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 0xCAC4E)
  }

  private mutating func pick(_ count: Int) -> Int { Int(random.next(below: UInt64(count))) }

  /// Three to six runs, each compared with the same recipe on an empty cache.
  mutating func play(_ uncached: inout [String: Result]) throws -> History {
    var history = History()
    var device = pick(Self.devices.count)
    for _ in 0..<(3 + pick(4)) {
      if pick(6) == 0 { device = pick(Self.devices.count) }
      var parts: [String] = []
      for _ in 0..<(1 + pick(3)) {
        let fragment = Self.fragments[pick(Self.fragments.count)]
        // a recipe may declare a name only once
        if !parts.contains(where: { Self.names($0).contains { Self.names(fragment).contains($0) } }) { parts.append(fragment) }
      }
      let recipe = Self.recipe(parts)
      let kill = pick(3) == 0 ? 20 + pick(120) : nil
      let isResumed = pick(2) == 0
      history.text += "device \(device)\(kill.map { ", killed at \($0)\(isResumed ? ", resumed" : "")" } ?? "")\n\(recipe)\n"
      let found = try Self.run(
        recipe, device: device, state: "\(playground.path)/state", kill: kill, isResumed: isResumed, seed: seed)
      if kill != nil { continue }
      let key = "\(device) \(recipe)"
      let fresh = Playground()
      let wanted = try uncached[key] ?? Self.run(recipe, device: device, state: "\(fresh.path)/state", seed: seed)
      uncached[key] = wanted
      if found != wanted {
        history.difference = "with the shared cache \(found)\nwith an empty one \(wanted)"
        return history
      }
    }
    return history
  }

  private static func names(_ fragment: String) -> [Substring] {
    fragment.split(separator: "\n").flatMap { line -> [Substring] in
      let words = line.split(separator: " ")
      return words.indices.dropLast().filter { words[$0] == "as" || words[$0] == "let" }.map { words[$0 + 1] }
    }
  }

  /// One run, killed at an effect or not, and the output of its last process.
  static func run(
    _ recipe: String, device: Int, state: String, kill: Int? = nil, isResumed: Bool = false, seed: UInt64 = 1
  ) throws -> Result {
    let devices = RecipeLoader.parse(name: "thing.ble", Array(Self.devices[device].utf8))
    #expect(!devices.hasErrors, "\(devices.findings.map(\.message))")
    let loaded = RecipeLoader.parse(name: "test.ble", Array(recipe.utf8))
    #expect(!loaded.hasErrors, "\(loaded.findings.map(\.message)) in \(recipe)")
    let world = try SimulatedWorld(devices: devices, seed: seed, isLogging: false)
    guard let tree = loaded.recipe else { throw RecipeRefusal(findings: loaded.findings, sources: [loaded.source]) }
    let inputs = try InputReader(environment: { _ in nil }).read([], of: tree, loaded.sources)
    var plan = RunPlan(
      loaded: loaded, path: "test.ble", identity: RunIdentity(owner: .path("test.ble"), inputs: inputs.identity), inputs: inputs,
      options: RunOptions(directory: "/tmp"), state: StateDirectory(path: state))
    plan.isFresh = true
    for attempt in 0..<(kill != nil && isResumed ? 2 : 1) {
      let output = OutputPipe.collecting()
      let errors = OutputPipe.collecting()
      let console = Console(style: Console.Style(format: .text), output: output, errors: errors)
      plan.isFresh = attempt == 0
      try world.start(plan, console: console, hook: attempt == 0 && kill != nil ? { $0.number == kill ? .kill : .goOn } : nil)
      let outcome = world.run(for: .minutes(5))
      if outcome == .killed {
        world.wait(.seconds(1))
        continue
      }
      #expect(outcome == .ended, "\(recipe)\n\(errors.collected)")
      return Result(
        output: output.collected, code: world.session?.exitStatus.code ?? -1, errors: errors.collected)
    }
    return Result(output: "", code: -1)
  }
}
