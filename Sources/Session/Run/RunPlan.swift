package import Adapters
package import Journal
import KeeperProcess
import Linux
package import Recipe
package import Runner
package import Vocabulary

/// Everything that is known of a run before its database is opened.
package struct RunPlan: Sendable {
  package var loaded: LoadedRecipe
  /// The recipe as it was compiled already; nothing when that is still to be done.
  package var program: Program?
  /// The run waits for what is typed, behind the declarations of `loaded`.
  package var prompt: PromptOptions?
  /// The recipe's real path, or a name for what has none.
  package var path: String
  /// Nothing when the run keeps no checkpoint (stdin, `-e`).
  package var identity: RunIdentity?
  package var inputs: RunInputs
  package var options: RunOptions
  package var state: StateDirectory?
  /// Checkpoints older than this are not picked up by `run`.
  package var checkpointAge: TimeSpan = .hours(24)
  package var isFresh = false
  package var isAsStarted = false
  /// `tooth resume`: continues what `run` would begin anew.
  package var isResume = false
  /// How long another process that has the run is waited for.
  package var lockPatience: TimeSpan?
  /// An ID that was named, when the identity cannot be computed from the command line.
  package var id: RunID?
  /// Where the last packets go when the adapter fails a run that keeps no checkpoint.
  package var dump: PacketDump?

  package init(
    loaded: LoadedRecipe, path: String, identity: RunIdentity?, inputs: RunInputs, options: RunOptions, state: StateDirectory?
  ) {
    self.loaded = loaded
    self.path = path
    self.identity = identity
    self.inputs = inputs
    self.options = options
    self.state = state
  }
}

/// What a run needs of the machine it is on, or of a simulated one.
package struct RunSurroundings {
  package var host: any HostPort
  package var console: Console
  package var bootID: String
  package var seed: UInt64
  package var zone: TimeZoneRules
  package var hook: EffectHook?
  package var watch: ExchangeWatch?
  /// Of a test.
  package var script: ScriptedInput?

  package init(
    host: any HostPort, console: Console, bootID: String, seed: UInt64, zone: TimeZoneRules = .utc, hook: EffectHook? = nil
  ) {
    self.host = host
    self.console = console
    self.bootID = bootID
    self.seed = seed
    self.zone = zone
    self.hook = hook
  }

  /// With a host of its own behind this transport.
  package init(
    transport: any Transport, console: Console, bootID: String, seed: UInt64, zone: TimeZoneRules = .utc, hook: EffectHook? = nil,
    state: StateDirectory? = nil
  ) {
    let toolbox = Toolbox(entropy: .seeded(SplitMix(seed: seed)), bonds: BondStore(of: state))
    let host = LocalHost(transport: transport, console: console, zone: zone, toolbox: toolbox)
    self.init(host: host, console: console, bootID: bootID, seed: seed, zone: zone, hook: hook)
  }
}

/// Why a run cannot begin.
package enum StartRefusal: Error {
  /// Exit code 3.
  case recipe(RecipeRefusal)
  /// Exit code 11, or 2 for a name that is not known.
  case journal(JournalFailure)
  /// The recipe changed where the run was: exit code 11, with findings.
  case changed(RecipeRefusal)
  /// The keeper is not there, or wants nothing of us: exit code 9.
  case adapter(AdapterRefusal)

  package var exitCode: Int32 {
    switch self {
    case .recipe: 3
    case .journal(let failure): failure.exitCode
    case .changed: 11
    case .adapter(let refusal): refusal.exitCode
    }
  }
}

extension BondStore {
  /// Of a simulated process, which is killed and comes back: its bonds stay in the folder of its
  /// state.
  package init(of state: StateDirectory?) {
    self = state.map { .folder(BondFolder(state: $0.path)) } ?? .memory(BondMemory())
  }
}
