import Journal
import Linux
import Session
import Vocabulary

/// `tooth repl`: a prompt.
enum ReplCommand {
  /// What the record of a session has for the path of its recipe.
  static let path = "prompt"

  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    let arguments = try Arguments(line, of: command, inputs: nil)
    try arguments.noWords(command)
    let console = Console(style: arguments.style())
    if arguments.has("events"), console.style.format != .json { throw UsageError("--events needs --output json") }
    let limit = try arguments.value("clock") == "virtual" ? nil : arguments.duration("time-limit")
    if let limit { Signals.limit(to: limit) }
    let session = try CommandSession(arguments)
    do {
      let loaded = RecipeLoader.parse(name: path, [])
      var run = RunOptions(directory: workingDirectory())
      run.isStrict = arguments.has("strict")
      run.escapesFormulas = arguments.has("csv-escape")
      if session.isVirtual { run.syncWithin = .days(10_000) }
      if let span = try arguments.duration("checkpoint-sync") { run.syncWithin = span }
      run.commands = RunCommand.mayRun(arguments, isForeign: true) ? .started : .refused
      run.writableFolders = try RunCommand.folders(arguments, isForeign: true, run.directory)
      var identity: RunIdentity?
      var state: StateDirectory?
      var history: LineHistory?
      let isTyped = isTerminal(0) && isTerminal(1) && console.style.format == .text
      if let name = arguments.value("as") ?? (isTyped ? path : nil) {
        guard !name.isEmpty else { throw UsageError("--as needs a name") }
        identity = RunIdentity(owner: .name(name), inputs: [])
        state = try StateDirectory.choose(option: arguments.value("state"), environment: environment)
      }
      var plan = RunPlan(
        loaded: loaded, path: path, identity: identity, inputs: RunInputs(), options: run, state: state)
      plan.prompt = PromptOptions(isScript: !isTyped, keepsGoing: arguments.has("keep-going"))
      plan.prompt?.title = title(arguments.value("adapter"))
      plan.dump = session.dump
      plan.isFresh = arguments.has("fresh")
      plan.lockPatience = try arguments.duration("wait-lock")
      if let age = try arguments.duration("checkpoint-age") { plan.checkpointAge = age }
      if isTyped {
        let folder = try state ?? StateDirectory.choose(option: arguments.value("state"), environment: environment)
        if (environment("TOOTH_HISTORY") ?? "-").isEmpty == false { history = LineHistory(path: folder.path + "/prompt_history") }
      }
      return try RunCommand.perform(plan, session, until: limit.map { SystemClock.now().moment + $0 }) { run in
        guard isTyped else { return }
        Signals.watchTerminal()
        run.openTerminal(history: history)
      }
    } catch let failure as JournalFailure {
      console.complain(failure.message, hint: failure.hint)
      return 11
    } catch let failure as UsageError {
      throw failure
    } catch {
      console.complain("\(error)")
      return 12
    }
  }

  /// An adapter as the prompt names it: not the whole path of a simulated air.
  private static func title(_ adapter: String?) -> String {
    guard let adapter else { return "" }
    return adapter.split(separator: "/").last.map(String.init) ?? adapter
  }
}
