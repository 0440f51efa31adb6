import Adapters
import Journal
import Linux
import Recipe
import Runner
import Session
import Vocabulary
import World

/// `tooth run` and `tooth resume`.
enum RunCommand {
  /// - Parameter isServe: a peripheral of the recipe is served, and its body set aside.
  static func run(_ line: [String], _ command: Command, isResume: Bool, isServe: Bool = false) throws(UsageError) -> Int32 {
    let first = try Arguments(line, of: command, inputs: nil)
    let console = Console(style: first.style())
    // A recipe may come from somebody who never ends it.
    let limit = try first.value("clock") == "virtual" ? nil : first.duration("time-limit")
    let end = limit.map { SystemClock.now().moment + $0 }
    if let limit { Signals.limit(to: limit) }
    var state: StateDirectory?
    do {
      var text: LoadedRecipe
      var path: String
      var named: RunID?
      var stored: RunRecord?
      var known: RunRecord?
      if isResume, !first.has("e"), let word = recipeWord(first.words), word != "-", realPath(word) == nil {
        (named, known) = try find(word, first)
      }
      do throws(RecipeUnreadable) {
        if isServe {
          guard let word = recipeWord(first.words) else {
            throw RecipeUnreadable(message: "tooth serve needs a file", hint: HelpText.usage(command))
          }
          let others = first.words.filter { $0 != word }
          let found = try RecipeLoader.serving(path: word, peripheral: others.last)
          text = found.recipe
          // A run of its own beside that of the recipe.
          path = "\(realPath(word) ?? word) serve \(found.peripheral)"
        } else if first.has("e") {
          guard !isResume || first.value("as") != nil else {
            throw RecipeUnreadable(message: "-e keeps no checkpoint", hint: "name the run with --as NAME")
          }
          text = RecipeLoader.parse(lines: first.all("e"))
          path = "-e"
        } else {
          guard let word = recipeWord(first.words) else {
            throw RecipeUnreadable(message: "tooth \(command.name) needs a recipe", hint: HelpText.usage(command))
          }
          if word == "-" {
            text = try RecipeLoader.loadStandardInput()
            path = "-"
          } else if named != nil, let found = known {
            if found.path == ReplCommand.path {
              throw RecipeUnreadable(message: "\(word) is a prompt", hint: "continue it with tooth repl --as NAME")
            }
            stored = found
            path = found.path
            text = load(found, asStarted: first.has("as-started"))
          } else {
            text = try RecipeLoader.load(path: word)
            path = realPath(word) ?? word
          }
        }
      } catch {
        console.complain(error.message, hint: error.hint)
        return 2
      }
      guard let recipe = text.recipe else {
        console.findings(text.findings, in: text.sources)
        return 3
      }
      let options = inputOptions(of: recipe, text.sources)
      if let clash = options.first(where: { OptionTable.isOfRuns($0.option) }) {
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
      if text.hasErrors {
        console.findings(text.findings, in: text.sources)
        return 3
      }
      if arguments.values.contains(where: { $0.option == "events" }), console.style.format != .json {
        throw UsageError("--events needs --output json")
      }
      guard recipe.isMoreThanPeripherals else {
        console.complain(
          "\(text.name): only peripherals here, and nothing to run",
          hint: "`tooth serve \(text.name)` puts one on the air, `tooth air \(text.name) --listen unix:/tmp/air` simulates all")
        return 2
      }
      let session = try CommandSession(arguments, recipe: recipe)
      console.findings(text.findings, in: text.sources)

      // Inputs
      var given = arguments.inputs
      if let stored, given.isEmpty {
        given = InputReader.given(stored.inputs.map { ($0.name, $0.value) }, of: recipe)
      }
      let secrets = try secrets(arguments)
      let inputs: RunInputs
      do throws(InputRefusal) {
        inputs = try InputReader(secrets: secrets).read(given, of: recipe, text.sources)
      } catch {
        console.complain(error.message, hint: error.hint)
        return 2
      }
      if recipe.inputs.contains(where: { InputReader.isSecret($0) }) { Privileges.keepOutOfDumps() }

      // The plan
      let directory = workingDirectory()
      var run = RunOptions(directory: directory)
      run.isStrict = arguments.has("strict")
      run.rebonds = arguments.has("rebond")
      run.codes = try RunCommand.codes(arguments)
      run.escapesFormulas = arguments.has("csv-escape")
      // A virtual second is no time in which a disk could lose anything.
      if session.isVirtual { run.syncWithin = .days(10_000) }
      if let span = try arguments.duration("checkpoint-sync") { run.syncWithin = span }
      run.commands = Self.mayRun(arguments, isForeign: path == "-" || path == "-e") ? .started : .refused
      run.writableFolders = try folders(arguments, isForeign: path == "-" || path == "-e", directory)
      var identity: RunIdentity?
      if let name = arguments.value("as") {
        guard !name.isEmpty else { throw UsageError("--as needs a name") }
        identity = RunIdentity(owner: .name(name), inputs: inputs.identity)
      } else if let stored {
        identity = RunIdentity(stored)
      } else if path != "-", path != "-e" {
        identity = RunIdentity(owner: .path(path), inputs: inputs.identity)
      }
      if identity != nil { state = try StateDirectory.choose(option: arguments.value("state"), environment: environment) }
      var plan = RunPlan(loaded: text, path: path, identity: identity, inputs: inputs, options: run, state: state)
      plan.id = named
      plan.dump = session.dump
      plan.isResume = isResume
      plan.isFresh = arguments.has("fresh")
      plan.isAsStarted = arguments.has("as-started")
      if plan.isFresh, plan.isAsStarted { throw UsageError("--fresh and --as-started exclude each other") }
      plan.lockPatience = try arguments.duration("wait-lock")
      if let age = try arguments.duration("checkpoint-age") { plan.checkpointAge = age }
      var history: LineHistory?
      if arguments.has("repl-at-end") || arguments.has("repl-on-failure") {
        if ReplCommand.isTyped(console) {
          plan.prompt = PromptOptions(isScript: false)
          plan.prompt?.atEnd = arguments.has("repl-at-end")
          plan.prompt?.onFailure = arguments.has("repl-on-failure")
          plan.prompt?.title = ReplCommand.title(arguments.value("adapter"))
          history = try ReplCommand.history(arguments, state)
        } else {
          console.note(
            "\(arguments.has("repl-at-end") ? "--repl-at-end" : "--repl-on-failure") is ignored: stdin and stdout are no terminal")
        }
      }
      return try perform(plan, session, until: end) { run in
        guard run.isTypedAt else { return }
        Signals.watchTerminal()
        run.openTerminal(history: history)
      }
    } catch let failure as JournalFailure {
      console.complain(failure.message, hint: failure.hint)
      return failure.exitCode
    } catch let failure as UsageError {
      throw failure
    } catch {
      console.complain("\(error)")
      return 12
    }
  }

  /// Performs the run of a plan and gives its exit code. A one-shot command starts no keeper.
  static func perform(
    _ plan: RunPlan, _ session: CommandSession, until end: Moment?, isOneShot: Bool = false,
    opening: (RunSession) -> Void = { _ in }
  ) throws -> Int32 {
    let console = session.console
    do {
      var now = session.start
      // Under a virtual clock moments begin anew in each process, as after a boot.
      let bootID = session.isVirtual ? "\(RunRecord.virtualBoot)\(SystemClock.seed())" : SystemClock.bootID()
      if let refusal = session.refusal { return session.complain(refusal) }
      if plan.state != nil { Signals.explainCutFiles() }
      var starter = try RunStarter(plan, console: console, bootID: bootID, zone: session.zone, at: now)
      // Another process may have been waited for.
      if plan.lockPatience != nil, !session.isVirtual { now = SystemClock.now() }
      let opened: OpenHost
      let signals: Signals
      // A simulated air costs nothing and says what is wrong with its file; everything else is
      // opened for a statement that needs it.
      let opens = starter.needsHost || session.choice.isSimulated
      let way = opens ? try session.wayToHost(starts: !isOneShot) : nil
      do throws(AdapterRefusal) {
        opened = try way?.open(at: now) ?? OpenHost(host: NoHost())
        // Until then a signal ends the process at once, and there is nothing to clean up.
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
      opening(run)
      let loop = RunLoop(session: run, clock: session.isVirtual ? .virtual(now) : .real, signals: signals)
      if !session.isVirtual { loop.service = ServiceReporter(environment: environment) }
      loop.isReplaced = { ServiceJob.isRestart { console.log(.log, $0, at: SystemClock.now().wall, in: session.zone) } }
      loop.afterRound = { session.listen(to: opened.air, at: $0) }
      let outcome = loop.run(limit: end ?? session.limit.map { now.moment + $0 })
      opened.host.close()
      let isTimeUp = outcome == .timeUp || run.isTimeUp
      if !isOneShot {
        tellEnd(of: run, loop, plan, session, isTimeUp: isTimeUp)
      } else if isTimeUp, run.journalFailure == nil {
        console.note("the time limit was reached")
      }
      if outcome == .timeUp, run.exitStatus.code == 0 { return 8 }
      if let failure = run.journalFailure { console.complain(failure.message, hint: failure.hint) }
      if let failure = opened.capture?.failure { console.complain("\(failure)") }
      measure(run, console)
      if let signal = loop.signal, run.journalFailure == nil,
        run.exitStatus.reason == .interrupted || run.exitStatus.reason == .terminated
      {
        Signals.die(of: signal)
      }
      return run.exitStatus.code
    } catch let error as StartRefusal {
      switch error {
      case .recipe(let refusal), .changed(let refusal): console.findings(refusal.findings, in: refusal.sources)
      case .journal(let failure): console.complain(failure.message, hint: failure.hint)
      case .adapter(let refusal): console.complain(refusal.message, hint: refusal.hint)
      }
      return error.exitCode
    }
  }

  /// Where a run stood that somebody, or the limit, has ended, and how to go on.
  private static func tellEnd(of run: RunSession, _ loop: RunLoop, _ plan: RunPlan, _ session: CommandSession, isTimeUp: Bool) {
    guard plan.prompt == nil, isTimeUp || loop.signal == .interrupt, run.journalFailure == nil, let place = loop.stoodAt else {
      return
    }
    let arguments = session.arguments
    var text = isTimeUp ? "the time limit was reached \(place)" : "interrupted \(place)"
    if plan.loaded.recipe?.keepsNoCheckpoint ?? false {
      text += "; the recipe keeps no checkpoint (use checkpoint off)"
    } else if let identity = plan.identity {
      // A path alone names a run that has neither a name nor inputs.
      let isServed = identity.owner != .path(realPath(plan.loaded.name) ?? plan.loaded.name)
      let isPath = arguments.value("as") == nil && identity.inputs.isEmpty && plan.id == nil && !isServed
      var words = ["tooth", "resume", isPath ? plan.loaded.name : (plan.id ?? RunID(identity)).text]
      for option in ["adapter", "state"] where arguments.label(option) == "--\(option)" {
        if let value = arguments.value(option) { words += ["--\(option)", value] }
      }
      text += "; continue with: " + words.map(shellWord).joined(separator: " ")
    } else {
      text += "; a recipe from \(plan.path == "-" ? "stdin" : "-e") keeps no checkpoint unless it is named with --as"
    }
    session.console.note(text)
  }

  /// `TOOTH_MEASURE=1`: figures for the benchmarks, on stderr.
  private static func measure(_ run: RunSession, _ console: Console) {
    guard environment("TOOTH_MEASURE") != nil else { return }
    let first = run.host.firstPacketAt.map { "\($0.nanoseconds / 1000)" } ?? "-"
    console.say(
      "measure first_packet_cpu_us=\(first) commits=\(run.commitCount) effects=\(run.effectCount) peak_kib=\(SystemMemory.peak)\n")
  }

  /// The word that is the recipe: values of its own options may stand before it.
  private static func recipeWord(_ words: [String]) -> String? {
    words.first { $0 == "-" || $0.hasSuffix(".ble") } ?? words.first { realPath($0) != nil } ?? words.first
  }

  /// The run of this name; nothing when there is none.
  private static func find(_ word: String, _ arguments: Arguments) throws(JournalFailure) -> (RunID?, RunRecord?) {
    let state = try StateDirectory.choose(option: arguments.value("state"), environment: environment)
    guard !RunFinder.fitting(word, state).isEmpty else { return (nil, nil) }
    let id = try RunFinder.find(word, state)
    return (id, try RunStore.peek(id, in: state, withRows: false)?.record)
  }

  /// The recipe of a run named by its ID: the file as it is now, or the stored text when there is
  /// no file any more.
  private static func load(_ record: RunRecord, asStarted: Bool) -> LoadedRecipe {
    let name = record.path.split(separator: "/").last.map(String.init) ?? record.path
    if !asStarted, let loaded = try? RecipeLoader.load(path: record.path) { return loaded }
    return RecipeLoader.parse(name: name, stored: record.text)
  }

  static func secrets(_ arguments: Arguments) throws(UsageError) -> [(name: String, value: String)] {
    var list: [(name: String, value: String)] = []
    for text in arguments.all("secret") {
      guard case (let name, let value?) = Arguments.halves(text), !name.isEmpty else { throw UsageError("--secret is NAME=VALUE") }
      list.append((name, value))
    }
    return list
  }

  /// `--passkey` and `--confirm`.
  static func codes(_ arguments: Arguments) throws(UsageError) -> PairingCodes {
    var codes = PairingCodes()
    if let given = arguments.value("passkey") {
      var text = given
      if given.hasPrefix("@") {
        let path = String(given.dropFirst())
        do {
          let bytes = try readFile(path, limit: 4096)
          text = String(decoding: bytes.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
        } catch {
          throw UsageError("--passkey: \(Shown.text(path)) cannot be read: \(error)")
        }
      }
      guard let code = code(text) else {
        // A code in a file may be a secret.
        throw UsageError(
          given.hasPrefix("@") ? "--passkey: the first line of the file is no passkey" : "\(Shown.text(given)) is no passkey",
          hint: "a passkey has six digits, for example --passkey 042137")
      }
      codes.passkey = code
    }
    if let given = arguments.value("confirm") {
      if given == "yes" {
        codes.consent = .always
      } else if let code = code(given) {
        codes.consent = .code(code)
      } else {
        throw UsageError("--confirm is yes or the six digits that the device must show, not \(Shown.text(given))")
      }
    }
    return codes
  }

  private static func code(_ text: String) -> UInt32? {
    text.utf8.count == 6 && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt32(text) : nil
  }

  /// Recipes on disk may run programs, unless nothing is allowed; others when they are allowed to.
  static func mayRun(_ arguments: Arguments, isForeign: Bool) -> Bool {
    let allowed = arguments.all("allow").flatMap { $0.split(separator: ",") }
    return allowed.contains("run") || !isForeign && !allowed.contains("none")
  }

  /// Recipes on disk are trusted like any script; others write below the working directory, unless
  /// more is allowed.
  static func folders(_ arguments: Arguments, isForeign: Bool, _ directory: String) throws(UsageError) -> [String]? {
    var folders: [String] = []
    var isNone = false
    for text in arguments.all("allow") {
      for part in text.split(separator: ",") {
        if part == "none" {
          isNone = true
        } else if part.hasPrefix("write-files=") {
          let folder = String(part.dropFirst("write-files=".count))
          folders.append(realPath(folder) ?? absolute(folder, in: directory))
        } else if part != "run" {
          throw UsageError("\(arguments.label("allow")) is write-files=DIR, run or none, not \(part)")
        }
      }
    }
    if isNone { return folders }
    return isForeign ? folders + [realPath(directory) ?? directory] : nil
  }
}

extension RunIdentity {
  /// Of a run that is there.
  init(_ record: RunRecord) {
    let inputs = record.inputs.map { ($0.name, $0.value) }
    if record.owner.hasPrefix("name:") {
      self.init(owner: .name(String(record.owner.dropFirst(5))), inputs: inputs)
    } else {
      self.init(owner: .path(String(record.owner.dropFirst(5))), inputs: inputs)
    }
  }
}
