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
      // An option that is misspelt has left its value behind as the name of a file.
      if first.leavesOptions { _ = try Arguments(line, of: command, inputs: []) }
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
      let secrets = try RunCommand.secrets(arguments)
      let record = try RunCommand.goingOn(arguments, isResume: false)
      let stored = InputReader.given(record?.inputs.map { ($0.name, $0.value) } ?? [], of: recipe)
      let inputs: RunInputs
      do throws(InputRefusal) {
        inputs = try InputReader(secrets: secrets).read(
          stored.filter { entry in !arguments.inputs.contains { $0.name == entry.name } } + arguments.inputs, of: recipe,
          loaded.sources)
      } catch {
        console.complain(error.message, hint: error.hint)
        return 2
      }
      let run = try RunCommand.options(arguments, isForeign: true, isVirtual: session.isVirtual)
      var identity: RunIdentity?
      var state: StateDirectory?
      var history: LineHistory?
      let isTyped = isTyped(console)
      if let name = arguments.value("as") ?? (isTyped ? sessionName(arguments.words.first) : nil) {
        guard !name.isEmpty else { throw UsageError("--as needs a name") }
        identity = RunIdentity(owner: .name(name), inputs: inputs.identity)
        let folder = try StateDirectory.choose(option: arguments.value("state"), environment: environment)
        state = folder
        // Another prompt may be using the session.
        if !arguments.has("as"), !arguments.has("wait-lock") {
          var number = 1
          while number < 1000, let taken = identity, RunLock.holder(of: RunID(taken), in: folder) != nil {
            number += 1
            identity = RunIdentity(owner: .name("\(name)-\(number)"), inputs: inputs.identity)
          }
          if number > 1 {
            console.note(
              "\(name) is used by another process, so this session is \(name)-\(number); after a kill, tooth repl --as \(name)-\(number) continues it"
            )
          }
        }
      }
      let own = identity.map { RunID($0).text }
      var plan = RunPlan(
        loaded: loaded, path: path, identity: identity, inputs: inputs, options: run, state: state)
      plan.prompt = PromptOptions(isScript: !isTyped, keepsGoing: arguments.has("keep-going"))
      plan.prompt?.title = title(arguments.value("adapter"))
      plan.prompt?.isPlain = arguments.isPlain
      plan.prompt?.listens = isTyped && !session.isVirtual && !arguments.has("no-listen")
      plan.dump = session.dump
      plan.isFresh = arguments.has("fresh")
      plan.lockPatience = try arguments.duration("wait-lock")
      if let age = try arguments.duration("checkpoint-age") { plan.checkpointAge = age }
      if isTyped {
        history = try Self.history(arguments, state)
      }
      return try RunCommand.perform(plan, session, until: limit.map { SystemClock.now().moment + $0 }) { run in
        if !session.isVirtual {
          run.heldLinks = {
            (HeldLinks(arguments)?.devices ?? []).map { device in
              HeldLink(
                name: device.name, address: "\(device.address)", holders: device.clients.map { $0 == own ? "this session" : $0 })
            }
          }
        }
        guard isTyped else { return }
        Signals.watchTerminal()
        run.openTerminal(history: history)
        run.tellHeldLinks()
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

  /// The adapter's name at the prompt, without the full path of a simulation.
  static func title(_ adapter: String?) -> String {
    guard let adapter else { return "" }
    return adapter.split(separator: "/").last.map(String.init) ?? adapter
  }
}
