import Adapters
import Linux
import Recipe
import Runner
import Session
import Vocabulary

/// `tooth service install`, `remove` and `status`.
enum ServiceCommand {
  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    // Words after -- belong to the run.
    let own = Array(line.prefix { $0 != "--" })
    let rest = Array(line.dropFirst(own.count + 1))
    let arguments = try Arguments(own, of: command, inputs: [])
    let console = Console(style: arguments.style())
    let word = arguments.words.first ?? "status"
    guard command.verbs.contains(word) else {
      if let near = Spelling.nearest(to: word, among: command.verbs) {
        throw UsageError("tooth service has no \(word) — did you mean \(near)?")
      }
      throw UsageError("tooth service has no \(word)", hint: HelpText.usage(command))
    }
    guard word == "install" || rest.isEmpty else { throw UsageError("tooth service \(word) takes nothing after --") }
    let manager = Systemd(isSystem: CurrentProcess.isRoot && !arguments.has("user"))
    let words = Array(arguments.words.dropFirst())
    return try console.exitCode {
      switch word {
      case "install": return try install(words, rest, arguments, manager, console)
      case "remove": return try remove(words, manager, console)
      default:
        guard words.isEmpty else { throw UsageError("tooth service status takes no \(words[0])", hint: HelpText.usage(command)) }
        return try status(manager, console)
      }
    }
  }

  // MARK: install

  private static func install(
    _ words: [String], _ rest: [String], _ arguments: Arguments, _ manager: Systemd, _ console: Console
  ) throws -> Int32 {
    guard words.count == 1 else {
      throw UsageError(
        words.isEmpty ? "tooth service install needs a recipe" : "one recipe at a time: \(words.joined(separator: ", "))",
        hint: "tooth service install FILE.ble [-- --INPUT VALUE …]")
    }
    let loaded: LoadedRecipe
    do throws(RecipeUnreadable) { loaded = try RecipeLoader.load(path: words[0]) } catch {
      throw ServiceFailure(error.message, hint: error.hint, exitCode: 2)
    }
    console.findings(loaded.findings, in: loaded.sources)
    guard let recipe = loaded.recipe, !loaded.hasErrors else { return 3 }
    guard let path = realPath(words[0]), let program = realPath("/proc/self/exe") else {
      throw ServiceFailure("\(words[0]) has no path", exitCode: 2)
    }
    let runArguments = try check(rest, recipe, loaded)
    let name = arguments.value("as") ?? ServiceUnit.name(of: path)
    guard ServiceUnit.isName(name) else {
      throw UsageError("--as \(name): the name of a service has letters, digits, - _ and . only")
    }
    let directory = workingDirectory()
    guard !directory.unicodeScalars.contains(where: ServiceUnit.isControl) else {
      throw ServiceFailure(
        "the name of this directory has a control character, which no unit can hold", hint: "install it from another directory",
        exitCode: 2)
    }
    let unit = ServiceUnit(
      name: name, program: program, recipe: path, arguments: rest, directory: directory,
      place: place(manager, adapter: runArguments.value("adapter") ?? recipe.adapter),
      secrets: recipe.inputs.filter { $0.initial == nil && InputReader.isSecret($0.type.text) }.map(\.name.text))
    // Refuse instead of warning if the service would start.
    let starts = !arguments.has("no-start") && !arguments.has("print")
    if starts, manager.isSystem, ServiceUnit.isTemporary(path) {
      throw ServiceFailure(
        "\(path) is out of reach for a service, which has its own /tmp", hint: "move the recipe, for instance to /etc/tooth",
        exitCode: 2)
    }
    warn(of: unit, including: loaded.sources.dropFirst().map(\.name), rest, manager, console)
    if arguments.has("print") {
      console.print(unit.text)
      return 0
    }
    let file = "\(try manager.folder())/\(unit.fileName)"
    if realPath(file) != nil, !Systemd.isOurs(file) {
      throw ServiceFailure(
        "\(file) already exists and was not made by tooth service install", hint: "give this one a name with --as NAME")
    }
    // Check for systemd before writing anything.
    if starts { try manager.checkAvailable() }
    try manager.write(unit.text, to: file)
    console.note("wrote \(file)")
    console.note("file names in the recipe are relative to \(unit.dataFolder); its checkpoint is in \(unit.stateFolder)")
    let lacksSecrets = !unit.secrets.isEmpty && realPath("\(file).d") == nil
    guard !arguments.has("no-start"), !lacksSecrets else {
      console.note("start it with: \(manager.line) enable --now \(unit.fileName)")
      return 0
    }
    try manager.systemctl(["daemon-reload"])
    try manager.systemctl(["enable", unit.fileName])
    do throws(ServiceFailure) { try manager.systemctl(["restart", unit.fileName]) } catch {
      let log = manager.isSystem ? "journalctl" : "journalctl --user"
      throw ServiceFailure(
        error.message, hint: "to see its log: \(log) -u \(unit.fileName)\nto remove it: tooth service remove \(name)",
        exitCode: error.exitCode)
    }
    console.note("\(unit.fileName) is started; \(manager.line) status \(unit.fileName) shows what it does")
    return 0
  }

  /// Validates the arguments of the run now, so that the service does not fail later.
  private static func check(_ rest: [String], _ recipe: RecipeFile, _ loaded: LoadedRecipe) throws -> Arguments {
    guard let command = OptionTable.command("run") else { throw UsageError("there is no run") }
    let arguments = try Arguments(rest, of: command, inputs: inputOptions(of: recipe, loaded.sources))
    if let word = arguments.words.first { throw UsageError("after -- come options and inputs of the run, not \(word)") }
    for option in ["as", "e", "state", "fresh"] where arguments.values.contains(where: { $0.option == option }) {
      throw UsageError("-\(option.count > 1 ? "-" : "")\(option) is not for a service")
    }
    guard !arguments.values.contains(where: { $0.option == "secret" }) else {
      throw UsageError(
        "--secret would be stored in a file that all users can read",
        hint: "set TOOTH_SECRET_NAME with systemctl edit, or load a credential")
    }
    let adapter = AdapterChoice(arguments.value("adapter"))
    if arguments.value("adapter") != nil, let refusal = adapter.refusal {
      throw ServiceFailure(refusal.message, hint: refusal.hint, exitCode: 9)
    }
    do throws(InputRefusal) {
      // The service gets its secrets only when it starts.
      let secrets = recipe.inputs.filter { InputReader.isSecret($0.type.text) }.map { ($0.name.text, "secret") }
      _ = try InputReader(secrets: secrets).read(arguments.inputs, of: recipe, loaded.sources)
    } catch {
      throw ServiceFailure(error.message, hint: error.hint ?? "inputs come after --", exitCode: 2)
    }
    return arguments
  }

  /// Warns about settings that would make the installed service fail.
  private static func warn(
    of unit: ServiceUnit, including files: [String], _ rest: [String], _ manager: Systemd, _ console: Console
  ) {
    if unit.place.isSystem {
      let values = rest.flatMap { word in [word, Arguments.halves(word).value].compactMap { $0 } }
      let own = [unit.recipe, unit.place.user == nil ? nil : unit.directory].compactMap { $0 }
      let paths = own + files.map { realPath($0) ?? $0 } + values
      for path in paths where ServiceUnit.isTemporary(path) {
        console.warn(
          "\(path) is out of reach for the service, which has its own /tmp", hint: "move it, for instance to /etc/tooth")
      }
    }
    guard !unit.secrets.isEmpty else { return }
    let lines = unit.secrets.map { "LoadCredential=\($0):\(unit.credential($0))" }
    console.warn(
      "the service needs the secret\(unit.secrets.count == 1 ? "" : "s") \(unit.secrets.joined(separator: ", ")), and exits with code 2 without them",
      hint: ([
        "write each into a file that only its owner reads (chmod 600), then \(manager.line) edit \(unit.fileName):", "[Service]",
      ]
        + lines).joined(separator: "\n"))
  }

  private static func place(_ manager: Systemd, adapter: String?) -> ServiceUnit.Place {
    guard manager.isSystem else { return ServiceUnit.Place(isSystem: false) }
    let named = adapter ?? "hci0"
    var user = environment("SUDO_USER")
    if user == "root" || user == "" { user = nil }
    let isKept = named.hasPrefix("hci") && ServiceUnit.isName(named) && Systemd.hasKeeperUnits
    return ServiceUnit.Place(isSystem: true, user: user, keeper: isKept ? named : nil)
  }

  // MARK: remove

  private static func remove(_ words: [String], _ manager: Systemd, _ console: Console) throws -> Int32 {
    guard words.count == 1 else {
      throw UsageError("tooth service remove needs one name", hint: "tooth service status lists them")
    }
    var name = words[0].hasSuffix(".ble") ? ServiceUnit.name(of: words[0]) : words[0]
    if name.hasSuffix(".service") { name.removeLast(8) }
    if name.hasPrefix("tooth-") { name.removeFirst(6) }
    let unit = "tooth-\(name).service"
    let file = "\(try manager.folder())/\(unit)"
    guard ServiceUnit.isName(name), realPath(file) != nil else {
      throw ServiceFailure("there is no service \(name)", hint: "tooth service status lists them", exitCode: 2)
    }
    guard Systemd.isOurs(file) else {
      throw ServiceFailure("\(file) was not made by tooth service install", hint: "\(manager.line) disable --now \(unit)")
    }
    // Remove the file even if systemd does not know the unit.
    do throws(ServiceFailure) { try manager.systemctl(["disable", "--now", unit]) } catch { console.complain(error.message) }
    try manager.delete(file)
    do throws(ServiceFailure) { try manager.systemctl(["daemon-reload"]) } catch { console.complain(error.message) }
    console.note("removed \(file); its checkpoint stays, tooth runs lists it")
    return 0
  }

  // MARK: status

  private static func status(_ manager: Systemd, _ console: Console) throws -> Int32 {
    let services = try manager.services()
    if services.isEmpty { console.note("no recipe is a service; tooth service install FILE.ble makes one") }
    if console.style.format == .csv, !services.isEmpty { console.print("name,unit,state,doing,command\n") }
    for service in services {
      let facts = manager.facts(of: service.unit)
      switch console.style.format {
      case .json:
        var object = JSONObject()
        object.set("name", service.name)
        object.set("unit", service.unit)
        object.set("state", facts.state)
        object.set("doing", facts.doing)
        object.set("command", service.command)
        console.print(object.text + "\n")
      case .csv:
        console.print(
          [service.name, service.unit, facts.state, facts.doing, service.command].map { CSV.quoted($0) }.joined(separator: ",")
            + "\n")
      case .text:
        let doing = facts.doing.isEmpty ? "" : "  \(Shown.text(facts.doing))"
        console.printFolded("\(HelpText.padded(service.name, 20))  \(HelpText.padded(facts.state, 10))\(doing)\n")
      }
    }
    return 0
  }
}

/// A failure of `tooth service`.
struct ServiceFailure: Error {
  var message: String
  var hint: String?
  var exitCode: Int32

  init(_ message: String, hint: String? = nil, exitCode: Int32 = 1) {
    self.message = message
    self.hint = hint
    self.exitCode = exitCode
  }
}
