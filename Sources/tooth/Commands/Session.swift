import Adapters
import Host
import Journal
import KeeperProcess
import Linux
import Recipe
import Session
import Vocabulary
import World

/// The context of commands that use an adapter.
struct CommandSession {
  let arguments: Arguments
  let console: Console
  let zone: TimeZoneRules
  let seed: UInt64
  let isVirtual: Bool
  let limit: TimeSpan?
  /// `use adapter` of the recipe, which has the lowest priority.
  private let ownAdapter: String?
  /// The adapter of the run that this command continues, unless the command line names one.
  private(set) var keptAdapter: String?

  /// - Parameter recipe: the recipe to run, which may name an adapter.
  init(_ arguments: Arguments, recipe: RecipeFile? = nil) throws(UsageError) {
    self.arguments = arguments
    ownAdapter = recipe?.adapter
    console = Console(style: arguments.style())
    seed = try arguments.number("seed") ?? SystemClock.seed()
    limit = try arguments.duration("time-limit")
    isVirtual = arguments.value("clock") == "virtual"
    // A virtual world uses UTC, so that its output is the same everywhere.
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

  var choice: AdapterChoice { AdapterChoice(arguments.value("adapter") ?? keptAdapter ?? ownAdapter) }

  /// The name of the adapter that the command line names, for the record of a run. A simulation
  /// ends with its process, so it has none.
  var namedAdapter: String {
    arguments.value("adapter").flatMap { AdapterChoice($0).keeperName(in: workingDirectory()) } ?? ""
  }

  /// Uses the adapter on which a run was started. If the command line names another, says so.
  mutating func keep(_ adapter: String) {
    guard !adapter.isEmpty, adapter != namedAdapter else { return }
    guard let other = arguments.value("adapter") else {
      keptAdapter = adapter
      return
    }
    console.note("this run continues on \(other); until now it was on \(adapter), where its links and bonds stay")
  }

  /// The reason why the named adapter cannot be used, and where it was named.
  var refusal: AdapterRefusal? {
    guard let refusal = choice.refusal else { return nil }
    let isOwn = arguments.value("adapter") == nil
    let label = isOwn ? "use adapter" : arguments.label("adapter")
    return AdapterRefusal(label.hasPrefix("--") ? refusal.message : "\(label): \(refusal.message)", hint: refusal.hint)
  }

  var start: Instant { isVirtual ? .simulationStart : SystemClock.now() }

  /// The host of this command: a keeper's if one should be used, otherwise one in this process.
  /// - Parameter patience: How long to wait for an adapter of the kernel that another tooth holds.
  func hostAccess(starts: Bool = false, hintOfLoss: String? = nil, patience: TimeSpan = .zero) throws(UsageError) -> HostAccess {
    HostAccess(session: self, keeper: try keeper(starts: starts), hintOfLoss: hintOfLoss, patience: patience)
  }

  /// How long a one-shot waits for an adapter that another tooth holds. Most of them end soon, but
  /// a keeper does not.
  func patience() throws(UsageError) -> TimeSpan {
    if case .kernel(let named) = choice, KeptAdapters.find(named)?.isServed ?? false { return .zero }
    return try arguments.duration("within") ?? .seconds(10)
  }

  /// The link to a keeper of this adapter, if one should be used: on request, if one is running, or
  /// to start one for a kernel adapter when links must outlive the process.
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
      // Opening the adapter reports why there is none.
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
    // A keeper started by a service would be part of that service and end with it.
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
    if let identity = arguments.value("identity") { options += ["--identity", identity] }
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

  /// Where to save the last packets after an adapter failure, if there is no checkpoint.
  var dump: PacketDump? {
    (try? StateDirectory.choose(option: arguments.value("state"), environment: environment)).map { PacketDump(in: $0) }
  }

  func complain(_ refusal: AdapterRefusal) -> Int32 {
    if let recipe = refusal.recipe { console.findings(recipe.findings, in: recipe.sources) }
    console.complain(refusal.message, hint: refusal.hint)
    if let keptAdapter { console.note("this run was on \(keptAdapter) until now; --adapter names another") }
    return refusal.exitCode
  }

  /// Logs the messages of peripherals in a simulation of this process.
  func listen(to air: SimulatedAir?, at now: Instant) {
    guard let air else { return }
    for (peripheral, level, text) in air.takeMessages() {
      // A simulated device's log is shown only with --verbose, but its failures always are.
      console.log(level == .log ? .debug : level, "\(peripheral): \(text)", at: now.wall, in: zone)
    }
  }
}

extension CommandSession {
  /// Bonds are stored in the state folder; those of a simulation are discarded.
  fileprivate func toolbox(isSimulated: Bool) -> Toolbox {
    if isSimulated { return Toolbox(entropy: .seeded(SplitMix(seed: seed))) }
    guard let state = try? StateDirectory.choose(option: arguments.value("state"), environment: environment) else {
      return Toolbox(bonds: .nowhere("there is no state directory; name one with --state"))
    }
    return Toolbox(bonds: .folder(BondFolder(state: state.path)))
  }
}

extension Arguments {
  /// `--identity`.
  var ownAddress: HostConfiguration.OwnAddress { has("identity") ? .stored : .automatic }
}

/// A host that is ready to begin, with its simulation if there is one.
struct OpenHost {
  let host: any HostPort
  var air: SimulatedAir?
  var capture: Capture?
}

/// How a command gets its host. `open` takes the adapter; a keeper is contacted later.
struct HostAccess {
  fileprivate let session: CommandSession
  fileprivate let keeper: KeeperLink?
  fileprivate let hintOfLoss: String?
  fileprivate let patience: TimeSpan

  func open(at now: Instant) throws(AdapterRefusal) -> OpenHost {
    if let keeper { return OpenHost(host: KeeperHost(port: keeper, version: HelpText.version, hintOfLoss: hintOfLoss)) }
    if let refusal = session.refusal { throw refusal }
    let cutting = session.arguments.has("take")
    let adapter = try AdapterOpener.open(
      session.choice, cutting: cutting, seed: session.seed, at: now, zone: session.zone, patience: patience
    ) { why in session.console.note("\(why); waiting for it") }
    let capture = try session.capture()
    // This process reads bonds, except in a simulation.
    if adapter.air == nil { Privileges.keepOutOfDumps() }
    let host = LocalHost(
      transport: adapter.transport, console: session.console, zone: session.zone, capture: capture,
      toolbox: session.toolbox(isSimulated: adapter.air != nil),
      privateFor: session.arguments.value("private-address").flatMap { DurationText.parse($0) },
      ownAddress: session.arguments.ownAddress)
    return OpenHost(host: host, air: adapter.air, capture: capture)
  }
}
