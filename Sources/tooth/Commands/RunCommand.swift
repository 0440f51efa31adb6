import Adapters
import Exchange
import Journal
import Linux
import Recipe
import Runner
import Session
import Vocabulary
import World

/// `tooth run` and `tooth resume`.
enum RunCommand {
  /// - Parameter isServe: whether to serve a peripheral of the recipe instead of running its body.
  static func run(_ line: [String], _ command: Command, isResume: Bool, isServe: Bool = false) throws(UsageError) -> Int32 {
    let first = try Arguments(line, of: command, inputs: nil)
    let console = Console(style: first.style())
    if first.words.isEmpty, !first.has("e") { try first.refuseUnknownOptions(line, of: command) }
    // Reading a recipe from a pipe may block, so the limit starts now.
    let limit = try first.value("clock") == "virtual" ? nil : first.duration("time-limit")
    let end = limit.map { SystemClock.now().moment + $0 }
    if let limit { Signals.limit(to: limit) }
    return try console.exitCode {
      var choice: Choice
      do {
        choice = try isServe ? choosePeripheral(first, line, command) : chooseRecipe(first, line, command, isResume: isResume)
      } catch {
        try first.refuseUnknownOptions(line, of: command)
        guard let refusal = error as? RecipeUnreadable else { throw error }
        console.complain(refusal.message, hint: refusal.hint)
        return 2
      }
      let text = choice.text
      guard let recipe = text.recipe,
        let arguments = try readInputs(line, command, first, of: recipe, text, isServe: isServe)
      else {
        console.findings(text.findings, in: text.sources)
        if isResume, text.hasErrors {
          console.note("tooth resume with --as-started continues with the text that the run was started with")
        }
        return 3
      }
      guard recipe.isMoreThanPeripherals else {
        console.complain(
          "\(text.name): it has only peripherals and nothing to run",
          hint:
            "`tooth serve \(ShellText.word(text.name))` puts one on the air, `tooth air \(ShellText.word(text.name)) --listen unix:/tmp/air` simulates all"
        )
        return 2
      }
      if isResume { try choice.takeOnlyRun(arguments, recipe) }
      let session = try CommandSession(arguments, recipe: recipe)
      console.findings(text.findings, in: text.sources)
      if choice.isStored, let record = choice.record {
        console.note("there is no file \(file(of: record).path) any more; the text that the run was started with is used")
      }
      let inputs: RunInputs
      do {
        inputs = try self.inputs(
          arguments, of: recipe, choice.text.sources, named: arguments.value("as"), choice.record, isResume: isResume)
      } catch let refusal as InputRefusal {
        console.complain(refusal.message, hint: refusal.hint)
        return 2
      }
      if recipe.inputs.contains(where: { InputReader.isSecret($0) }) { Privileges.keepOutOfDumps() }
      var plan = try plan(choice, inputs, arguments, session, isResume: isResume)
      plan.isResume = isResume
      let history = try addPrompt(to: &plan, arguments, session, console)
      return try perform(plan, session, until: end) { run, _ in
        guard run.isTypedAt else { return }
        Signals.watchTerminal()
        run.openTerminal(history: history)
      }
    }
  }

  /// The recipe chosen on the command line.
  private struct Choice {
    var text: LoadedRecipe
    /// The recipe's real path, or `-` or `-e`.
    var path: String
    /// The run that was named instead of a recipe.
    var named: RunID?
    var record: RunRecord?

    /// Whether the recipe's file cannot be read, so that the stored text is used.
    var isStored = false

    /// Whether it comes from stdin or from the command line.
    var isForeign: Bool { path == "-" || path == "-e" }

    /// Without inputs on the command line, `tooth resume FILE` means the only run of the file that
    /// can be continued, with its inputs. A run with the default values takes precedence.
    mutating func takeOnlyRun(_ arguments: Arguments, _ recipe: RecipeFile) throws {
      guard record == nil, named == nil, !isForeign, !recipe.inputs.isEmpty, arguments.inputs.isEmpty, arguments.value("as") == nil
      else { return }
      let state = try StateDirectory.choose(option: arguments.value("state"), environment: environment)
      let reader = try InputReader(secrets: RunCommand.secrets(arguments))
      let open = KnownRun.all(in: state).filter { run in
        guard let found = run.snapshot, found.record.path == path, RunCommand.isOpen(run, state) else { return false }
        // An edit may have added an input, which the command line has to give.
        let stored = InputReader.given(found.record.inputs.map { ($0.name, $0.value) }, of: recipe)
        return (try? reader.read(stored, of: recipe, text.sources)) != nil
      }
      if let usual = try? reader.read([], of: recipe, text.sources),
        case let id = RunID(RunIdentity(owner: .path(path), inputs: usual.identity)), open.contains(where: { $0.id == id })
      {
        return
      }
      guard let first = open.first else { return }
      guard open.count == 1 else {
        throw RunFinder.ambiguous(text.name, open.map(\.id), hint: "name one by its ID, or give its inputs")
      }
      named = first.id
      record = first.snapshot?.record
    }
  }

  /// Throws `RecipeUnreadable` or `UsageError`.
  private static func choosePeripheral(_ arguments: Arguments, _ line: [String], _ command: Command) throws -> Choice {
    guard let word = recipeWord(arguments.words) else {
      throw RecipeUnreadable(message: "tooth serve needs a file", hint: HelpText.usage(command))
    }
    var words = arguments.words
    // Parse again with the recipe's inputs, so that their values are not taken for peripherals.
    if arguments.leavesOptions, let whole = try? RecipeLoader.load(path: word), let recipe = whole.recipe {
      words = try Arguments(line, of: command, inputs: inputOptions(of: recipe, whole.sources)).words
    }
    let others = words.filter { $0 != word }
    let found = try RecipeLoader.serving(path: word, peripheral: others.last)
    // The run is separate from that of the recipe.
    return Choice(text: found.recipe, path: "\(realPath(word) ?? word)\(RunPlan.serving)\(found.peripheral)")
  }

  /// Throws a `RecipeUnreadable`, or a `JournalFailure` where a run may be named.
  private static func chooseRecipe(
    _ arguments: Arguments, _ line: [String], _ command: Command, isResume: Bool
  ) throws -> Choice {
    if arguments.has("e") {
      guard !isResume || arguments.value("as") != nil else {
        throw RecipeUnreadable(message: "-e keeps no checkpoint", hint: "name the run with --as NAME")
      }
      return Choice(text: RecipeLoader.parse(lines: arguments.all("e")), path: "-e")
    }
    guard let word = recipeWord(arguments.words) else {
      throw RecipeUnreadable(message: "tooth \(command.name) needs a recipe", hint: HelpText.usage(command))
    }
    if word == "-" { return Choice(text: try RecipeLoader.loadStandardInput(), path: "-") }
    if arguments.has("as-started"), let choice = try chooseStored(word, arguments, line, command, isResume: isResume) {
      return choice
    }
    let (named, known) = isResume && realPath(word) == nil ? try find(word, arguments, line, command) : (nil, nil)
    guard named != nil, let record = known else {
      return Choice(text: try RecipeLoader.load(path: word), path: realPath(word) ?? word, named: named)
    }
    if record.path == ReplCommand.path {
      let name = record.owner.hasPrefix("name:") ? ShellText.word(String(record.owner.dropFirst(5))) : "NAME"
      throw RecipeUnreadable(message: "\(word) is a prompt", hint: "continue it with tooth repl --as \(name)")
    }
    let isAsStarted = arguments.has("as-started")
    let text = load(record, asStarted: isAsStarted)
    let isGone = record.path.hasPrefix("/") && realPath(file(of: record).path) == nil
    return Choice(text: text, path: record.path, named: named, record: record, isStored: isGone && !isAsStarted)
  }

  /// The text in a checkpoint, even if the files have changed. The inputs and `--as` select a run;
  /// the inputs are read as the text of each run declares them.
  private static func chooseStored(
    _ word: String, _ arguments: Arguments, _ line: [String], _ command: Command, isResume: Bool
  ) throws(JournalFailure) -> Choice? {
    let state = try StateDirectory.choose(option: arguments.value("state"), environment: environment)
    let ids = RunFinder.fitting(word, state)
    let path = realPath(word) ?? absolute(word, in: workingDirectory())
    let records = recipes(ids, state).filter { isResume || $0.path == path }
    guard let newest = records.first else { return nil }
    let isOnly = isResume && ids.count == 1 && arguments.value("as") == nil
    let selected = isOnly ? newest : records.first { isSelected($0, arguments, line, command) } ?? newest
    return Choice(
      text: load(selected, asStarted: true), path: selected.path, named: isOnly ? ids[0] : nil, record: isOnly ? selected : nil)
  }

  /// Whether `tooth resume` could continue a run now.
  private static func isOpen(_ run: KnownRun, _ state: StateDirectory) -> Bool {
    guard let found = run.snapshot, RunLock.holder(of: run.id, in: state) == nil else { return false }
    return found.continues(isRequested: true, within: RunPlan.usualCheckpointAge, at: SystemClock.now().wall)
  }

  /// The records of these runs that are no prompts, the newest first.
  private static func recipes(_ ids: [RunID], _ state: StateDirectory) -> [RunRecord] {
    KnownRun.all(in: state).filter { ids.contains($0.id) }.compactMap(\.snapshot?.record)
      .filter { $0.path != ReplCommand.path }
      .sorted { $0.started > $1.started }
  }

  /// Whether a command line selects a run, if it is read with the inputs of the run's own text.
  private static func isSelected(_ record: RunRecord, _ first: Arguments, _ line: [String], _ command: Command) -> Bool {
    if let name = first.value("as") { return record.owner == RunIdentity.Owner.name(name).text }
    let text = load(record, asStarted: true)
    guard let recipe = text.recipe,
      let arguments = try? Arguments(line, of: command, inputs: inputOptions(of: recipe, text.sources)),
      let inputs = try? InputReader(secrets: secrets(arguments)).read(arguments.inputs, of: recipe, text.sources)
    else { return false }
    return RunIdentity(owner: .path(record.path), inputs: inputs.identity).canonical == record.identity
  }

  /// The given values of the inputs, and the values of the others from `record` or from the named
  /// run that this start continues. Throws an `InputRefusal` or a `UsageError`.
  static func inputs(
    _ arguments: Arguments, of recipe: RecipeFile, _ sources: [SourceText], named name: String?, _ record: RunRecord? = nil,
    isResume: Bool = false
  ) throws -> RunInputs {
    let given = arguments.inputs
    let kept = recipe.inputs.isEmpty ? nil : try record ?? continued(name, arguments, isResume: isResume)
    let stored = InputReader.given(kept?.inputs.map { ($0.name, $0.value) } ?? [], of: recipe)
      .filter { entry in !given.contains { $0.name == entry.name } }
    return try InputReader(secrets: secrets(arguments)).read(stored + given, of: recipe, sources)
  }

  /// The run with this name, if this start continues it.
  private static func continued(_ name: String?, _ arguments: Arguments, isResume: Bool) throws -> RunRecord? {
    guard let name, !name.isEmpty, !arguments.has("fresh") else { return nil }
    let state = try StateDirectory.choose(option: arguments.value("state"), environment: environment)
    // If the checkpoint is unreadable, a later step reports why.
    guard let found = try? RunStore.peek(RunID(RunIdentity(owner: .name(name), inputs: [])), in: state, withRows: false) else {
      return nil
    }
    let age = try arguments.duration("checkpoint-age") ?? RunPlan.usualCheckpointAge
    let isRequested = isResume || arguments.has("as-started")
    return found.continues(isRequested: isRequested, within: age, at: SystemClock.now().wall) ? found.record : nil
  }

  /// The word that is the recipe. Values of the recipe's own options may come before it.
  private static func recipeWord(_ words: [String]) -> String? {
    words.first { $0 == "-" || $0.hasSuffix(".ble") } ?? words.first { realPath($0) != nil } ?? words.first
  }

  /// The run of this name; `nil` if there is none. The inputs or `--as` select one of several.
  private static func find(
    _ word: String, _ arguments: Arguments, _ line: [String], _ command: Command
  ) throws(JournalFailure) -> (RunID?, RunRecord?) {
    let state = try StateDirectory.choose(option: arguments.value("state"), environment: environment)
    let fitting = RunFinder.fitting(word, state)
    if fitting.isEmpty { return (nil, nil) }
    if fitting.count > 1 {
      // Inputs choose between the runs of one file; a beginning that several have chooses none.
      let path = realPath(word) ?? absolute(word, in: workingDirectory())
      let selected = recipes(fitting, state).filter { $0.path == path && isSelected($0, arguments, line, command) }
      if selected.count == 1 {
        return (RunID(RunIdentity(selected[0])), selected[0])
      }
    }
    let id = try RunFinder.find(word, state)
    return (id, try RunStore.peek(id, in: state, withRows: false)?.record)
  }

  /// The recipe of a run: the current file, or the stored text if there is no file any more.
  private static func load(_ record: RunRecord, asStarted: Bool) -> LoadedRecipe {
    let (path, peripheral) = file(of: record)
    if !asStarted {
      if let peripheral {
        if let served = try? RecipeLoader.serving(path: path, peripheral: peripheral) { return served.recipe }
      } else if let loaded = try? RecipeLoader.load(path: path) {
        return loaded
      }
    }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return RecipeLoader.parse(name: name, stored: record.text)
  }

  /// The file of a run and, if it is one of `tooth serve`, the peripheral. The path of such a run
  /// ends with both.
  static func file(of record: RunRecord) -> (path: String, peripheral: String?) {
    let path = record.path
    guard realPath(path) == nil, let place = path.indices.last(where: { path[$0...].hasPrefix(RunPlan.serving) }),
      case let peripheral = String(path[place...].dropFirst(RunPlan.serving.count)), AliasBook.isName(peripheral)
    else { return (path, nil) }
    return (String(path[..<place]), peripheral)
  }

  /// Parses the command line again with the inputs of its recipe. `nil` if the recipe has errors.
  private static func readInputs(
    _ line: [String], _ command: Command, _ first: Arguments, of recipe: RecipeFile, _ text: LoadedRecipe, isServe: Bool
  ) throws(UsageError) -> Arguments? {
    let options = inputOptions(of: recipe, text.sources)
    if let clash = options.first(where: { OptionTable.isOfRuns($0.option) }) {
      if text.hasErrors { return nil }
      throw UsageError(
        "the input \(clash.name) has the name of a common option, --\(clash.option)", hint: "give the input another name")
    }
    let arguments = options.isEmpty && !first.leavesOptions ? first : try Arguments(line, of: command, inputs: options)
    if isServe, arguments.words.count > 2 {
      throw UsageError(
        "one peripheral at a time: \(arguments.words.dropFirst().joined(separator: ", "))", hint: HelpText.usage(command))
    }
    guard isServe || arguments.words.count == (arguments.has("e") ? 0 : 1) else {
      throw UsageError(
        arguments.words.count > 1
          ? "one recipe at a time: \(arguments.words.joined(separator: ", "))" : "tooth \(command.name) needs a recipe",
        hint: HelpText.usage(command))
    }
    return text.hasErrors ? nil : arguments
  }

  /// Throws `UsageError` or `JournalFailure`.
  private static func plan(
    _ choice: Choice, _ inputs: RunInputs, _ arguments: Arguments, _ session: CommandSession, isResume: Bool
  ) throws -> RunPlan {
    let options = try options(arguments, isForeign: choice.isForeign, isVirtual: session.isVirtual)
    var identity: RunIdentity?
    if let name = arguments.value("as") {
      guard !name.isEmpty else { throw UsageError("--as needs a name") }
      identity = RunIdentity(owner: .name(name), inputs: inputs.identity)
    } else if let record = choice.record {
      identity = RunIdentity(record)
    } else if !choice.isForeign {
      identity = RunIdentity(owner: .path(choice.path), inputs: inputs.identity)
    }
    let state = identity == nil ? nil : try StateDirectory.choose(option: arguments.value("state"), environment: environment)
    if isResume, choice.record == nil, let wanted = identity, let state, let other = runBeforeInputs(wanted, inputs.values, state) {
      identity = other
    }
    var plan = RunPlan(
      loaded: choice.text, path: choice.path, identity: identity, inputs: inputs, options: options, state: state)
    plan.id = choice.named
    plan.dump = session.dump
    plan.commonOptions = OptionTable.repeated.flatMap { option -> [String] in
      guard arguments.label(option) == "--\(option)", arguments.has(option) else { return [] }
      guard OptionTable.option(option)?.value != nil else { return ["--\(option)"] }
      return arguments.all(option).flatMap { ["--\(option)", $0] }
    }
    if session.isVirtual {
      // Each needs the others: the time limit ends a simulation.
      for option in ["clock", "seed", "time-limit"] {
        if let value = arguments.value(option) { plan.commonOptions += ["--\(option)", value] }
      }
    }
    plan.givenSecrets = try secrets(arguments).map(\.name)
    plan.isFresh = arguments.has("fresh")
    plan.isAsStarted = arguments.has("as-started")
    plan.lockPatience = try arguments.duration("wait-lock")
    if let age = try arguments.duration("checkpoint-age") { plan.checkpointAge = age }
    return plan
  }

  /// The run of this recipe that has these inputs, but was started with fewer, because its text did
  /// not have them yet. So a run continues after an edit that adds a required input.
  private static func runBeforeInputs(
    _ wanted: RunIdentity, _ values: [(name: String, value: Value)], _ state: StateDirectory
  ) -> RunIdentity? {
    guard !wanted.inputs.isEmpty, !state.has(RunID(wanted)) else { return nil }
    let fitting = KnownRun.all(in: state).filter { run in
      guard let record = run.snapshot?.record, record.owner == wanted.owner.text,
        record.inputs.allSatisfy({ old in wanted.inputs.contains { $0.name == old.name && $0.value == old.value } }),
        let found = try? RunStore.peek(run.id, in: state), let snapshot = try? Snapshot(rows: found.rows)
      else { return false }
      let added = wanted.inputs.filter { input in !record.inputs.contains { $0.name == input.name } }
      return values.allSatisfy { name, value in
        guard added.contains(where: { $0.name == name }), let kept = snapshot.value(of: name) else { return true }
        return InputReader.isSame(kept, value)
      }
    }
    let most = fitting.compactMap { $0.snapshot?.record.inputs.count }.max()
    let closest = fitting.compactMap(\.snapshot?.record).filter { $0.inputs.count == most }
    return closest.count == 1 ? RunIdentity(closest[0]) : nil
  }

  /// Handles `--repl-at-end` and `--repl-on-failure`. Returns the history of typed lines.
  private static func addPrompt(
    to plan: inout RunPlan, _ arguments: Arguments, _ session: CommandSession, _ console: Console
  ) throws(JournalFailure) -> LineHistory? {
    guard arguments.has("repl-at-end") || arguments.has("repl-on-failure") else { return nil }
    guard ReplCommand.isTyped(console) else {
      console.note(
        "\(arguments.has("repl-at-end") ? "--repl-at-end" : "--repl-on-failure") is ignored: stdin and stdout are not a terminal")
      return nil
    }
    var prompt = PromptOptions(isScript: false)
    prompt.atEnd = arguments.has("repl-at-end")
    prompt.onFailure = arguments.has("repl-on-failure")
    prompt.title = ReplCommand.title(arguments.value("adapter"))
    prompt.isPlain = arguments.isPlain
    prompt.listens = !session.isVirtual && !arguments.has("no-listen")
    plan.prompt = prompt
    return try ReplCommand.history(arguments, plan.state)
  }

  /// Performs a planned run and returns its exit code. One-shot commands start no keeper.
  static func perform(
    _ plan: RunPlan, _ session: CommandSession, until end: Moment?, isOneShot: Bool = false,
    opening: (RunSession, AdapterChoice) -> Void = { _, _ in }
  ) throws -> Int32 {
    var session = session
    let console = session.console
    do {
      var now = session.start
      // With a virtual clock, moments start again in each process, as after a boot.
      let bootID = session.isVirtual ? "\(RunRecord.virtualBoot)\(SystemClock.seed())" : SystemClock.bootID()
      if let refusal = session.refusal { return session.complain(refusal) }
      if plan.state != nil { Signals.explainCutFiles() }
      var plan = plan
      plan.adapter = session.namedAdapter
      var starter = try RunStarter(plan, console: console, bootID: bootID, zone: session.zone, at: now)
      session.keep(starter.keptAdapter)
      // Waiting for another process may have taken time.
      if plan.lockPatience != nil, !session.isVirtual { now = SystemClock.now() }
      let opened: OpenHost
      let signals: Signals
      // A simulation is always opened, which is cheap and reports errors in its file. Other
      // adapters are opened only if a statement needs them.
      let opens = starter.needsHost || session.choice.isSimulated
      let patience = isOneShot ? try session.patience() : .zero
      let access = opens ? try session.hostAccess(starts: !isOneShot, patience: patience) : nil
      do throws(AdapterRefusal) {
        opened = try access?.open(at: now) ?? OpenHost(host: NoHost())
        // Waiting for the adapter may have taken time.
        if isOneShot, !session.isVirtual { now = SystemClock.now() }
        // Until here, a signal ends the process at once, and there is nothing to clean up.
        try starter.meet(opened.host, seed: session.seed, at: now)
        do throws(SystemFailure) { signals = try Signals() } catch { throw AdapterRefusal("\(error)", exitCode: 12) }
      } catch {
        starter.giveUp()
        return session.complain(error)
      }
      console.watch(signals)
      let surroundings = RunSurroundings(
        host: opened.host, console: console, bootID: bootID, seed: session.seed, zone: session.zone)
      let run = try starter.session(surroundings, at: now)
      if let kept = session.keptAdapter { run.show(adapter: ReplCommand.title(kept)) }
      opening(run, session.choice)
      let loop = RunLoop(session: run, clock: session.isVirtual ? .virtual(now) : .real, signals: signals)
      if !session.isVirtual { loop.service = ServiceReporter(environment: environment) }
      loop.isReplaced = { ServiceJob.isRestart { console.log(.log, $0, at: SystemClock.now().wall, in: session.zone) } }
      loop.afterRound = { session.listen(to: opened.air, at: $0) }
      let outcome = loop.run(limit: end ?? session.limit.map { now.moment + $0 })
      opened.host.close()
      let isTimeUp = outcome == .timeUp || run.isTimeUp
      if !isOneShot {
        reportRunEnd(of: run, loop, plan, session, isTimeUp: isTimeUp)
      } else if isTimeUp, run.journalFailure == nil, run.isCutShort {
        console.note(["the time limit was reached", loop.placeAtEnd].compactMap { $0 }.list(by: " "))
      }
      if outcome == .timeUp, run.exitStatus.code == 0 { return 8 }
      if let failure = run.journalFailure { console.complain(failure.message, hint: failure.hint) }
      if let failure = opened.capture?.failure { console.complain("\(failure)") }
      let isIncomplete = opened.capture?.failure != nil && run.exitStatus.code == 0
      measure(run, console)
      if let signal = loop.signal, run.journalFailure == nil,
        run.exitStatus.reason == .interrupted || run.exitStatus.reason == .terminated
      {
        Signals.die(of: signal)
      }
      return isIncomplete ? Failure.Kind.file.exitCode : run.exitStatus.code
    } catch let error as StartRefusal {
      switch error {
      case .recipe(let refusal), .changed(let refusal): console.findings(refusal.findings, in: refusal.sources)
      case .journal(let failure): console.complain(failure.message, hint: failure.hint)
      case .adapter(let refusal): console.complain(refusal.message, hint: refusal.hint)
      }
      return error.exitCode
    }
  }

  /// After a signal or the time limit, prints where the run was and how to continue it.
  private static func reportRunEnd(of run: RunSession, _ loop: RunLoop, _ plan: RunPlan, _ session: CommandSession, isTimeUp: Bool)
  {
    guard plan.prompt == nil, isTimeUp || loop.signal != nil, run.journalFailure == nil, run.isCutShort, let place = loop.placeAtEnd
    else { return }
    let reason =
      switch loop.signal {
      case _ where isTimeUp: "the time limit was reached"
      case .interrupt: "interrupted"
      case .hangUp: "ended by SIGHUP"
      default: "terminated"
      }
    var text = "\(reason) \(place)"
    if plan.loaded.recipe?.keepsNoCheckpoint ?? false {
      text += "; the recipe keeps no checkpoint (use checkpoint off)"
    } else if let command = plan.resumeCommand() {
      text += "; continue with: \(command)"
    } else {
      text += "; a recipe from \(plan.path == "-" ? "stdin" : "-e") keeps no checkpoint unless it is named with --as"
    }
    session.console.note(text)
  }

  /// `TOOTH_MEASURE=1`: prints figures for the benchmarks to stderr.
  private static func measure(_ run: RunSession, _ console: Console) {
    guard environment("TOOTH_MEASURE") != nil else { return }
    let first = run.host.firstPacketAt.map { "\($0.nanoseconds / 1000)" } ?? "-"
    console.say(
      "measure first_packet_cpu_us=\(first) commits=\(run.commitCount) effects=\(run.effectCount) peak_kib=\(SystemMemory.peak)\n")
  }
}

extension RunIdentity {
  /// From the record of an existing run.
  init(_ record: RunRecord) {
    let inputs = record.inputs.map { ($0.name, $0.value) }
    if record.owner.hasPrefix("name:") {
      self.init(owner: .name(String(record.owner.dropFirst(5))), inputs: inputs)
    } else {
      self.init(owner: .path(String(record.owner.dropFirst(5))), inputs: inputs)
    }
  }
}
