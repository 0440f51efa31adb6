import Journal
import Linux
import Recipe
import Session
import Vocabulary

/// `tooth repl`: a prompt.
enum ReplCommand {
  /// The recipe path in the record of a session.
  static let path = "prompt"

  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    let first = try Arguments(line, of: command, inputs: nil)
    let console = Console(style: first.style())
    let loaded: LoadedRecipe
    do throws(RecipeUnreadable) {
      loaded =
        try first.words.first.map { word throws(RecipeUnreadable) in try RecipeLoader.prompting(path: word) }
        ?? RecipeLoader.parse(name: path, [])
    } catch {
      try first.refuseUnknownOptions(line, of: command)
      console.complain(error.message, hint: error.hint)
      return 2
    }
    guard let recipe = loaded.recipe, !loaded.hasErrors else {
      console.findings(loaded.findings.filter { $0.severity == .error }, in: loaded.sources)
      return 3
    }
    let options = inputOptions(of: recipe, loaded.sources)
    let arguments = options.isEmpty && !first.leavesOptions ? first : try Arguments(line, of: command, inputs: options)
    guard arguments.words.count < 2 else {
      throw UsageError("tooth repl takes one recipe: \(arguments.words.joined(separator: ", "))", hint: HelpText.usage(command))
    }
    let limit = try arguments.value("clock") == "virtual" ? nil : arguments.duration("time-limit")
    if let limit { Signals.limit(to: limit) }
    let session = try CommandSession(arguments)
    return try console.exitCode {
      let isTyped = isTyped(console)
      let state =
        try arguments.has("as") || isTyped
        ? StateDirectory.choose(option: arguments.value("state"), environment: environment) : nil
      var name = arguments.value("as")
      guard name != "" else { throw UsageError("--as needs a name") }
      if name == nil, isTyped, let state {
        name = freeName(sessionName(arguments.words.first), in: state, waits: arguments.has("wait-lock"), console)
      }
      let inputs: RunInputs
      do {
        inputs = try RunCommand.inputs(arguments, of: recipe, loaded.sources, named: name)
      } catch let refusal as InputRefusal {
        console.complain(refusal.message, hint: refusal.hint)
        return 2
      }
      let run = try RunCommand.options(arguments, isForeign: true, isVirtual: session.isVirtual)
      let identity = name.map { RunIdentity(owner: .name($0), inputs: inputs.identity) }
      var history: LineHistory?
      let own = identity.map { RunID($0).text }
      var plan = RunPlan(
        loaded: loaded, path: path, identity: identity, inputs: inputs, options: run, state: state)
      plan.prompt = PromptOptions(isScript: !isTyped, keepsGoing: arguments.has("keep-going"))
      plan.prompt?.title = title(arguments.value("adapter"))
      plan.prompt?.isPlain = arguments.isPlain
      plan.prompt?.listens = isTyped && !session.isVirtual && !arguments.has("no-listen")
      plan.givenSecrets = try RunCommand.secrets(arguments).map(\.name)
      plan.dump = session.dump
      plan.isFresh = arguments.has("fresh")
      plan.lockPatience = try arguments.duration("wait-lock")
      if let age = try arguments.duration("checkpoint-age") { plan.checkpointAge = age }
      if isTyped {
        history = try Self.history(arguments, state)
      }
      return try RunCommand.perform(plan, session, until: limit.map { SystemClock.now().moment + $0 }) { run, adapter in
        if !session.isVirtual {
          run.heldLinks = {
            (HeldLinks(arguments, adapter, patience: .milliseconds(300))?.devices ?? []).map { device in
              HeldLink(
                name: device.name, address: device.address.withKind, holders: device.clients.map { $0 == own ? "this session" : $0 }
              )
            }
          }
        }
        guard isTyped else { return }
        Signals.watchTerminal()
        Signals.outlastInterrupts()
        run.openTerminal(history: history)
        run.showHeldLinks()
      }
    }
  }

  /// Whether a person types the entries.
  static func isTyped(_ console: Console) -> Bool { isTerminal(0) && isTerminal(1) && console.style.format == .text }

  static func history(_ arguments: Arguments, _ state: StateDirectory?) throws(JournalFailure) -> LineHistory? {
    guard environment("TOOTH_HISTORY")?.isEmpty != true else { return nil }
    let folder: StateDirectory
    if let state {
      folder = state
    } else {
      folder = try StateDirectory.choose(option: arguments.value("state"), environment: environment)
    }
    return LineHistory(path: folder.path + "/prompt_history")
  }

  /// The name of a session. A session with a file's declarations differs from one without.
  private static func sessionName(_ file: String?) -> String {
    guard let name = file?.split(separator: "/").last else { return path }
    return "\(path)-\(name.hasSuffix(".ble") ? String(name.dropLast(4)) : String(name))"
  }

  /// The name, or the first numbered one that is free if another prompt is using the session.
  private static func freeName(_ name: String, in state: StateDirectory, waits: Bool, _ console: Console) -> String {
    func isTaken(_ name: String) -> Bool {
      RunLock.holder(of: RunID(RunIdentity(owner: .name(name), inputs: [])), in: state) != nil
    }
    guard !waits, isTaken(name), let free = (2...1000).lazy.map({ "\(name)-\($0)" }).first(where: { !isTaken($0) }) else {
      return name
    }
    console.note(
      "\(name) is used by another process, so this session is \(free); after a kill, tooth repl --as \(free) continues it")
    return free
  }

  /// The adapter's name at the prompt, without the full path of a simulation.
  static func title(_ adapter: String?) -> String {
    guard let adapter else { return "" }
    return adapter.split(separator: "/").last.map(String.init) ?? adapter
  }
}
