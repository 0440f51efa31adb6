package import Adapters
package import Journal
import KeeperProcess
import Linux
package import Recipe
package import Runner
package import Vocabulary

/// Everything known about a run before its database is opened.
package struct RunPlan: Sendable {
  package var loaded: LoadedRecipe
  /// The compiled recipe; `nil` if it is not compiled yet.
  package var program: Program?
  /// The options of a prompt, which follows the declarations of `loaded`.
  package var prompt: PromptOptions?
  /// The recipe's real path, or a name if it has none.
  package var path: String
  /// `nil` if the run has no checkpoint (stdin, `-e`).
  package var identity: RunIdentity?
  package var inputs: RunInputs
  package var options: RunOptions
  package var state: StateDirectory?
  /// The age beyond which `run` ignores a checkpoint.
  package var checkpointAge = Self.usualCheckpointAge
  package static let usualCheckpointAge = TimeSpan.hours(24)
  /// The options that a command that continues the run must repeat, with their values.
  package var commonOptions: [String] = []
  /// The names of secret inputs that were given with `--secret`.
  package var givenSecrets: [String] = []
  package var isFresh = false
  package var isAsStarted = false
  /// Whether this is `tooth resume`, which continues runs that `run` would restart.
  package var isResume = false
  /// How long to wait for another process that has the run.
  package var lockPatience: TimeSpan?
  /// An ID from the user, if the identity cannot be computed from the command line.
  package var id: RunID?
  /// The adapter that the command line names; empty if it names none, or a simulated one.
  package var adapter = ""
  /// Where to write the last packets if the adapter fails a run without a checkpoint.
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

extension RunPlan {
  /// What is between file and peripheral in the path of a run of `tooth serve`.
  package static let serving = " serve "

  /// The command that continues the run; `nil` if it has no checkpoint.
  package func resumeCommand(_ options: [String] = []) -> String? {
    guard let identity else { return nil }
    // The path alone identifies a run that has neither a name nor inputs, and serves nothing.
    let isPath = identity.owner == .path(realPath(loaded.name) ?? loaded.name) && identity.inputs.isEmpty && id == nil
    return resumeCommand(of: isPath ? loaded.name : (id ?? RunID(identity)).text, options) + secrets
  }

  /// The command that continues a run of this recipe, by its path or ID.
  package func resumeCommand(of run: String, _ options: [String] = []) -> String {
    Self.line(["tooth", "resume", run] + options + commonOptions)
  }

  /// The command that starts the run over; `nil` if its text does not come from a file. Values of
  /// secret inputs are left out.
  package var freshCommand: String? {
    guard path != "-", path != "-e" else { return nil }
    var words = ["tooth", "run", loaded.name]
    var options = commonOptions
    let served = "\(realPath(loaded.name) ?? loaded.name)\(Self.serving)"
    if path.hasPrefix(served) {
      words = ["tooth", "serve", loaded.name, String(path.dropFirst(served.count))]
      options.removeAll { $0 == "--rebond" }
    }
    if case .name(let name)? = identity?.owner { words += ["--as", name] }
    return Self.line(words + inputOptions + ["--fresh"] + options) + secrets
  }

  /// The options that give the inputs of the run again, each after a space. The values of secret
  /// inputs are left out.
  package var inputWords: String { inputOptions.map { " \(ShellText.word($0))" }.joined() + secrets }

  private var inputOptions: [String] {
    guard let recipe = loaded.recipe else { return [] }
    let inputs = InputReader.given(identity?.inputs.map { ($0.name, $0.value) } ?? self.inputs.identity, of: recipe)
    let secrets = recipe.inputs.filter { InputReader.isSecret($0) }.map(\.name.text)
    // After `=`, a value may begin with a dash or be empty.
    return inputs.filter { !secrets.contains($0.name) }.map { "\(Self.option($0.name))=\($0.value)" }
  }

  /// The values are never printed.
  private var secrets: String { givenSecrets.map { " --secret \(ShellText.word($0))=…" }.joined() }

  /// The option of an input.
  package static func option(_ input: String) -> String { "--\(String(input.map { $0 == "_" ? "-" : $0 }))" }

  private static func line(_ words: [String]) -> String { words.map { ShellText.word($0) }.joined(separator: " ") }
}

/// What a run needs of its machine, real or simulated.
package struct RunSurroundings {
  package var host: any HostPort
  package var console: Console
  package var bootID: String
  package var seed: UInt64
  package var zone: TimeZoneRules
  package var hook: EffectHook?
  package var watch: ExchangeWatch?
  /// The script of a test.
  package var script: ScriptedInput?
  /// Receives the session before its first effect.
  package var made: ((RunSession) -> Void)?

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

  /// Creates surroundings with a host in this process and this transport.
  package init(
    transport: any Transport, console: Console, bootID: String, seed: UInt64, zone: TimeZoneRules = .utc, hook: EffectHook? = nil,
    state: StateDirectory? = nil
  ) {
    let toolbox = Toolbox(entropy: .seeded(SplitMix(seed: seed)), bonds: BondStore(of: state))
    let host = LocalHost(transport: transport, console: console, zone: zone, toolbox: toolbox)
    self.init(host: host, console: console, bootID: bootID, seed: seed, zone: zone, hook: hook)
  }
}

/// Why a run cannot start.
package enum StartRefusal: Error {
  /// Exit code 3.
  case recipe(RecipeRefusal)
  /// Exit code 11, or 2 for an unknown name.
  case journal(JournalFailure)
  /// The recipe changed at the place of the run. Exit code 11, with diagnostics.
  case changed(RecipeRefusal)
  /// The keeper is missing or refuses. Exit code 9.
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
  /// For a simulated process that is killed and restarted. Its bonds stay in the folder of its
  /// state.
  package init(of state: StateDirectory?) {
    self = state.map { .folder(BondFolder(state: $0.path)) } ?? .memory(BondMemory())
  }
}
