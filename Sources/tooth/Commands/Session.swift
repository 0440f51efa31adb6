import Adapters
import Journal
import KeeperProcess
import Linux
import Recipe
import Session
import Vocabulary
import World

/// What commands that use an adapter have in common.
struct CommandSession {
  let arguments: Arguments
  let console: Console
  let zone: TimeZoneRules
  let seed: UInt64
  let isVirtual: Bool
  let limit: TimeSpan?
  /// `use adapter` of the recipe: the last to be asked.
  private let ownAdapter: String?

  /// - Parameter recipe: what is to be run, which may name an adapter.
  init(_ arguments: Arguments, recipe: RecipeFile? = nil) throws(UsageError) {
    self.arguments = arguments
    ownAdapter = recipe?.adapter
    console = Console(style: arguments.style())
    seed = try arguments.number("seed") ?? SystemClock.seed()
    limit = try arguments.duration("time-limit")
    isVirtual = arguments.value("clock") == "virtual"
    // A virtual world is in UTC, so that it is the same everywhere.
    zone = isVirtual ? .utc : LocalTime.rules()
    if isVirtual {
      guard limit != nil else {
        throw UsageError("\(arguments.label("clock")) virtual needs --time-limit", hint: "add --time-limit 1h")
      }
      guard case .simulated = choice else {
        throw UsageError("\(arguments.label("clock")) virtual needs a simulated adapter", hint: "add --adapter sim:FILE")
      }
    }
  }

  var choice: AdapterChoice { AdapterChoice(arguments.value("adapter") ?? ownAdapter) }

  /// Why the adapter that was named is none, and by what it was named.
  var refusal: AdapterRefusal? {
    guard let refusal = choice.refusal else { return nil }
    let isOwn = arguments.value("adapter") == nil
    let label = isOwn ? "use adapter" : arguments.label("adapter")
    return AdapterRefusal(label.hasPrefix("--") ? refusal.message : "\(label): \(refusal.message)", hint: refusal.hint)
  }

  var start: Instant { isVirtual ? .simulationStart : SystemClock.now() }

  /// The host that this command works with: a keeper's where there is one to be used, else one of
  /// its own.
  func wayToHost(starts: Bool = false, hintOfLoss: String? = nil) throws(UsageError) -> WayToHost {
    WayToHost(session: self, keeper: try keeper(starts: starts), hintOfLoss: hintOfLoss)
  }

  /// The way to a keeper of this adapter, where one is to be used: when it is said, or when one is
  /// there, and to an adapter of the kernel for what outlives its process.
  private func keeper(starts: Bool) throws(UsageError) -> KeeperLink? {
    if arguments.has("direct") {
      guard !arguments.has("keeper") else {
        throw UsageError("\(arguments.label("direct")) and \(arguments.label("keeper")) cannot be used together")
      }
      return nil
    }
    let captures = arguments.value("capture") != nil
    let found: KeptAdapters.Found
    switch choice {
    case .kernel(let named):
      // Why there is none is told when it is opened.
      guard let kept = KeptAdapters.find(named) else { return nil }
      found = kept
    case .stream, .simulated, .unknown:
      guard let name = choice.keeperName(in: workingDirectory()) else {
        if arguments.has("keeper") {
          throw UsageError("a keeper cannot use this adapter", hint: "leave \(arguments.label("keeper")) out")
        }
        return nil
      }
      found = KeptAdapters.Found(name: name, isServed: KeeperPlace(adapter: name).isServed)
    }
    // A keeper that a service started would be part of it, and end with it.
    let isService = ServiceManager(environment: environment) != nil
    guard found.isServed || arguments.has("keeper") || starts && choice.isKernels && !captures && !isService else { return nil }
    guard !captures else {
      throw UsageError("only the keeper can record the packets", hint: "add --direct, or leave \(arguments.label("capture")) out")
    }
    var options = ["--quiet"]
    if arguments.has("take") { options.append("--take") }
    for option in ["keep", "hold", "private-address"] {
      guard try arguments.duration(option) != nil, let value = arguments.value(option) else { continue }
      options += ["--\(option)", value]
    }
    let startsNone = isService && !arguments.has("keeper")
    func starting(_ name: String) -> [String]? { startsNone ? nil : ["keeper", "run", "--adapter", name] + options }
    let isNamed = choice != .kernel(.any)
    return KeeperLink(to: KeeperPlace(adapter: found.name), starting: starting(found.name)) { tried in
      guard !isNamed, let other = KeptAdapters.find(.any, except: tried) else { return nil }
      return (other.name, starting(other.name))
    }
  }

  fileprivate func capture() throws(AdapterRefusal) -> Capture? {
    guard let path = arguments.value("capture") else { return nil }
    do throws(SystemFailure) { return try Capture(path: path) } catch { throw AdapterRefusal("\(error)", exitCode: 2) }
  }

  /// Where the last packets go when the adapter fails something that keeps no checkpoint.
  var dump: PacketDump? {
    (try? StateDirectory.choose(option: arguments.value("state"), environment: environment)).map { PacketDump(in: $0) }
  }

  func complain(_ refusal: AdapterRefusal) -> Int32 {
    if let recipe = refusal.recipe { console.findings(recipe.findings, in: recipe.sources) }
    console.complain(refusal.message, hint: refusal.hint)
    return refusal.exitCode
  }

  /// What peripherals of an air in this process have to say.
  func listen(to air: SimulatedAir?, at now: Instant) {
    guard let air else { return }
    for (peripheral, level, text) in air.takeSaid() {
      // It is a world of its own: what its devices log is for --verbose, their failures are for
      // everybody.
      console.log(level == .log ? .debug : level, "\(peripheral): \(text)", at: now.wall, in: zone)
    }
  }
}

extension CommandSession {
  /// Bonds are kept with the state of runs; those of a simulation go with it.
  fileprivate func toolbox(isSimulated: Bool) -> Toolbox {
    if isSimulated { return Toolbox(entropy: .seeded(SplitMix(seed: seed))) }
    guard let state = try? StateDirectory.choose(option: arguments.value("state"), environment: environment) else {
      return Toolbox(bonds: .nowhere("there is no state directory; name one with --state"))
    }
    return Toolbox(bonds: .folder(BondFolder(state: state.path)))
  }
}

/// A host that is ready to begin, and the air behind it when it is simulated.
struct OpenHost {
  let host: any HostPort
  var air: SimulatedAir?
  var capture: Capture?
}

/// Where the host of a command is to be had. Opening it takes the adapter; that of a keeper is met
/// later.
struct WayToHost {
  fileprivate let session: CommandSession
  fileprivate let keeper: KeeperLink?
  fileprivate let hintOfLoss: String?

  func open(at now: Instant) throws(AdapterRefusal) -> OpenHost {
    if let keeper { return OpenHost(host: KeeperHost(port: keeper, version: HelpText.version, hintOfLoss: hintOfLoss)) }
    if let refusal = session.refusal { throw refusal }
    let cutting = session.arguments.has("take")
    let adapter = try AdapterOpener.open(session.choice, cutting: cutting, seed: session.seed, at: now, zone: session.zone)
    let capture = try session.capture()
    // Bonds are read into this process, which a simulation has none of.
    if adapter.air == nil { Privileges.keepOutOfDumps() }
    let host = LocalHost(
      transport: adapter.transport, console: session.console, zone: session.zone, capture: capture,
      toolbox: session.toolbox(isSimulated: adapter.air != nil),
      privateFor: session.arguments.value("private-address").flatMap { DurationText.parse($0) })
    return OpenHost(host: host, air: adapter.air, capture: capture)
  }
}
