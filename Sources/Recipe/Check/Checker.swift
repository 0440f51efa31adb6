import Exchange
import Vocabulary

/// Finds everything wrong with a recipe that can be known before it runs.
struct Checker {
  /// The context of the walk at a point of a file.
  struct Place {
    enum Device {
      /// The body: the device that the path so far has named.
      case path
      /// The event or the enclosing block names the device.
      case given
      /// A timer or the like: the only device that the body connects.
      case only
      /// A procedure: its caller's device.
      case caller
    }

    var device = Device.path
    /// The enclosing handler, if any, to name it in messages.
    var handler: Member?
    var isHandler = false
    var isProcedure = false
    var isPeripheral = false
    var isTest = false
    /// In `for each … at once`; `fixed` has the outer names that its branches may not change.
    var isBranch = false
    var fixed: [String] = []
    /// Index in `givenNames` of the enclosing `whenever`'s device name. An index, because a place
    /// is copied at each level of nesting and must be small.
    var given: Int32?
    /// Whether it also sees the names of what encloses it.
    var hasNamesAround: Bool { isHandler || isProcedure || isPeripheral || isBranch }
    /// In `on read` or `on write` of a peripheral, or in a procedure of it.
    var answers = false
    var loops = 0
    /// In a part of a value that is not computed once: only if another part decides so, or again in
    /// each round of a loop.
    var isGuarded = false
    var guarded: Place {
      var place = self
      place.isGuarded = true
      return place
    }
    /// The enclosing peripheral.
    var peripheral: PeripheralDeclaration?
  }

  /// How much a path knows about its device.
  enum DeviceState: Int {
    case none = 0
    case named = 1
    case connected = 2
    /// No path leads here.
    case unreachable = 3

    func joined(_ other: DeviceState) -> DeviceState {
      if self == .unreachable { return other }
      if other == .unreachable { return self }
      return rawValue < other.rawValue ? self : other
    }
  }

  var recipe: RecipeFile
  var sources: [SourceText]
  var facts: Facts
  /// What the body connects, and where.
  var connections: [(key: String, range: SourceRange)]
  var findings: Findings
  /// Fields of the formats that were looked up so far.
  var knownFields: [(format: String, fields: [String])] = []

  /// All names of the recipe.
  var recipeScope = Scope()
  /// Names seen so far in the current activation.
  var scope = Scope()
  /// Names around the activation: the recipe's or the peripheral's.
  var outer = Scope()
  var procedures = Procedures([])
  /// Whether the current test starts a recipe.
  var startsRecipe = false
  /// Whether the current value is computed outside any statement, where no file may be read.
  var readsNoFile = false
  /// The newest statement; `nil` if its `otherwise` is for failures of its values.
  var current: SourceRange?
  /// The procedure that is being checked, unless a peripheral declares it.
  var procedure: ProcedureDeclaration?
  var device = DeviceState.none
  var symbols = SymbolTable()
  /// Uses of names that were not visible there. A constant or a procedure below may declare them.
  var pendingUses: [(name: String, range: SourceRange)] = []
  /// Symbols of the recipe's procedures and of those of the enclosing peripheral.
  var callables: [String: Int] = [:]
  var formatSymbols: [String: Int] = [:]
  /// The format of `it`, if known.
  var itFormat: String? { didSet { itKind = nil } }
  /// The kind of `it`, if that is certain without a format. To be set after `itFormat`.
  var itKind: Kind?
  /// Statements since `it` got its value or was last used.
  var itAge: Int?
  /// Whether an earlier statement may have given `it` a value.
  var mayHaveIt = false
  /// Whether an earlier `wait for passkey` may have left a question for `answer` or `refuse`.
  var mayHaveQuestion = false
  /// Whether the statement before this one in its block is a `connect`.
  var followsConnect = false
  /// The device name of each `whenever`.
  var givenNames: [NameEntry] = []
  var waitingHandlers: [(member: Member, place: Place, scope: Scope)] = []
  /// Where each name first gets a value in the body; `nil` until first needed.
  var laterNames: [String: SourceRange]?
  /// Whether the names of scopes are known; false before the walk.
  var knowsNames = true
  var plans = Plans()
  /// The kinds of names that `set` changes only to values of the same kind.
  var changedKinds: [String: Kind] = [:]
  /// Whether the text was typed at a prompt, where names and devices of earlier entries are
  /// visible.
  var isEntry = false
  /// The name that a statement gives after its `where`, in which it is not visible.
  var nameToCome: String?
  /// The `ask secret` statements so far, by their ids.
  var secrets: Set<Int> = []
  /// Files named so far; `fileNames` avoids duplicates.
  var files: [FileUse] = []
  var fileNames: Set<String> = []
  /// Whether suggestions are needed in a range; `nil` means everywhere.
  private let guesses: ((SourceRange) -> Bool)?

  init(_ recipe: RecipeFile, sources: [SourceText], guesses: ((SourceRange) -> Bool)? = nil) {
    self.recipe = recipe
    self.guesses = guesses
    self.sources = sources
    facts = Facts(recipe)
    connections = Self.connections(of: recipe.body, in: sources)
    findings = Findings(sources: sources)
  }

  // MARK: - the order of the walk

  mutating func run() {
    checkDeclarations()
    checkFormats()
    procedures = Procedures(recipe.procedures)
    findChangedKinds()
    for procedure in recipe.procedures where callables[procedure.name.text] == nil {
      callables[procedure.name.text] = symbols.declare(procedure.name, .procedure, in: 0)
    }
    declareFormats()
    for input in recipe.inputs { give(input.name, .input, id: -1, value: kind(ofInput: input)) }
    for remember in recipe.remembers {
      fixedValue(remember.initial, Place())
      remembered(remember.initial)
      give(remember.name, .remembered, id: -1)
    }
    for peripheral in recipe.peripherals {
      give(peripheral.name, .peripheral, id: -1)
    }
    checkIncluded()
    members(recipe.body, Place())
    recipeScope = scope
    outer = scope
    walkHandlers()
    for procedure in recipe.procedures { walk(procedure, Place(device: .caller, isProcedure: true)) }
    walkHandlers()
    for peripheral in recipe.peripherals { walk(peripheral) }
    for test in recipe.tests { walk(test) }
    for use in pendingUses { if let entry = recipeScope.find(use.name) { symbols.use(entry.symbol, at: use.range) } }
    // After that many errors, the walk stopped before the end.
    guard !findings.isFull else { return }
    checkTests()
    checkCapability()
    checkEnd()
    checkUnused()
  }

  /// Walks handlers after their scope is complete, because they may use names declared below them.
  mutating func walkHandlers() {
    // Nested handlers are appended to this list.
    var next = 0
    while next < waitingHandlers.count {
      let (member, place, around) = waitingHandlers[next]
      next += 1
      outer = around.entries.isEmpty ? recipeScope : around
      walk(member, place)
    }
    waitingHandlers = []
    outer = recipeScope
  }

  mutating func report(_ diagnostic: Diagnostic) { findings.add(diagnostic) }

  /// Whether suggestions for this range will be read. Searching for them is expensive.
  func isGuessed(_ range: SourceRange) -> Bool {
    !findings.isFull && guesses?(range) ?? true && !findings.hasError(onLineOf: range)
  }

  func nearest(to name: NameSyntax, among candidates: @autoclosure () -> [String]) -> String? {
    isGuessed(name.range) ? Spelling.nearest(to: name.text, among: candidates()) : nil
  }

  func nearest(to word: String, at range: SourceRange, among candidates: @autoclosure () -> [String]) -> String? {
    isGuessed(range) ? Spelling.nearest(to: word, among: candidates()) : nil
  }

  func allNearest(to word: String, at range: SourceRange, among candidates: @autoclosure () -> [String]) -> [String] {
    isGuessed(range) ? Spelling.allNearest(to: word, among: candidates()) : []
  }

  func suggestions(for word: String, at range: SourceRange, kinds: [AssignedNumbers.Kind]) -> [String] {
    isGuessed(range) ? SIGNames.suggestions(for: word, kinds: kinds) : []
  }

  func line(_ range: SourceRange) -> Int { sources.line(of: range) }

  /// `line 12`, or `line 12 of common.ble` if `other` is in another file.
  func place(_ range: SourceRange, from other: SourceRange) -> String {
    range.file == other.file ? "line \(line(range))" : "line \(line(range)) of \(sources[of: range].name)"
  }

  func text(_ range: SourceRange) -> String { sources.text(range) }

  // MARK: - declarations

  mutating func checkDeclarations() {
    var names: [(kind: String, name: NameSyntax)] = []
    names += recipe.procedures.map { ("procedure", $0.name) }
    names += recipe.formats.map { ("format", $0.name) }
    names += recipe.inputs.map { ("input", $0.name) }
    names += recipe.remembers.map { ("input", $0.name) }
    names += recipe.peripherals.map { ("peripheral", $0.name) }
    var known: [String: NameSyntax] = [:]
    for entry in names {
      let key = "\(entry.kind) \(entry.name.text)"
      guard let first = known[key] else {
        known[key] = entry.name
        continue
      }
      report(
        Diagnostic(
          "T202", "`\(entry.name.text)` is defined twice", at: entry.name.range, "this name is already taken",
          labels: [Diagnostic.Label(range: first.range, text: "first here")]))
    }
    checkUses()
    for procedure in recipe.procedures { checkName(procedure) }
    for input in recipe.inputs { check(input) }
  }

  mutating func checkName(_ procedure: ProcedureDeclaration) {
    guard BuiltIn(named: procedure.name.text) != nil else { return }
    report(
      Diagnostic("T202", "`\(procedure.name.text)` is built in", at: procedure.name.range, "choose another name for the procedure"))
  }

  static let useSettings = ["adapter", "timeout", "scan", "pairing", "checkpoint", "strict", "language"]

  mutating func check(_ use: UseDeclaration) {
    let settings = Self.useSettings
    guard settings.contains(use.setting.text) else {
      let near = nearest(to: use.setting, among: settings)
      report(
        Diagnostic(
          "T212", "there is no setting `\(use.setting.text)`", at: use.setting.range, near.map { "did you mean `\($0)`?" } ?? "",
          fixes: near.map { [.replace(use.setting.range, with: $0)] } ?? [],
          notes: ["settings are \(settings.joined(separator: ", "))"]))
      return
    }
    switch (use.setting.text, use.value?.kind) {
    case ("adapter", .string(let text)?) where text.plain.map { !$0.isEmpty } ?? false: return
    case ("checkpoint", .name("off")?): return
    case ("checkpoint", _):
      let range = use.value?.range ?? use.range
      report(
        Diagnostic(
          "T212", "expected `off` after `use checkpoint`", at: range, "without this line, a recipe keeps its checkpoint"))
    case ("adapter", let kind):
      let range = use.value?.range ?? use.range
      var fixes: [Fix] = []
      switch kind {
      case .name?, .address?: fixes = [.replace(range, with: "\"\(self.text(range))\"")]
      default: break
      }
      report(
        Diagnostic(
          "T212", "expected an adapter in quotes after `use adapter`", at: range, "as in `use adapter \"hci1\"`", fixes: fixes))
    case ("timeout", .duration(let span)?) where span <= .zero:
      report(Diagnostic("T235", "`use timeout` takes a duration above zero", at: use.value?.range ?? use.range))
    case ("strict", nil), ("timeout", .duration?): return
    case ("scan", .name("full")?), ("scan", .name("gentle")?), ("scan", .name("coded")?): return
    case ("pairing", .name("automatic")?), ("pairing", .name("strict")?): return
    case ("pairing", _):
      let range = use.value?.range ?? use.range
      report(
        Diagnostic(
          "T212", "expected a pairing mode after `use pairing`", at: range, "`automatic` or `strict`",
          fixes: use.value == nil ? [] : ["automatic", "strict"].map { .replace(range, with: $0) }))
    case ("scan", _):
      let range = use.value?.range ?? use.range
      report(
        Diagnostic(
          "T212", "expected a scan mode after `use scan`", at: range, "`full`, `gentle` or `coded`",
          fixes: use.value == nil ? [] : ["full", "gentle", "coded"].map { .replace(range, with: $0) }))
    case ("strict", _): report(Diagnostic("T212", "`use strict` takes no value", at: use.value?.range ?? use.range))
    case ("timeout", .number?):
      let range = use.value?.range ?? use.range
      let text = text(range)
      report(
        Diagnostic(
          "T025", "`\(text)` has no unit", at: range, "a duration needs a unit",
          fixes: ["s", "ms", "min"].map { .replace(range, with: text + $0) }))
    case ("timeout", _):
      report(
        Diagnostic("T212", "expected a duration after `use timeout`", at: use.value?.range ?? use.range, "as in `use timeout 20s`"))
    case ("language", .number(let number)?) where number.value == .integer(1): return
    default:
      report(
        Diagnostic("T212", "this version supports only language 1", at: use.value?.range ?? use.range, "write `use language 1`"))
    }
  }

  static let inputTypes = ["text", "number", "flag", "duration", "uuid", "address", "file", "bytes", "secret"]
  static let pluralTypes = ["texts", "numbers", "flags", "durations", "uuids", "addresses", "files"]
  /// The options of `tooth run`, which are not allowed as names of inputs.
  static let commonOptions = [
    "adapter", "take", "direct", "keeper", "keep", "hold", "private_address", "identity", "output", "events", "csv_escape", "raw",
    "time_limit",
    "clock", "seed", "capture", "secret", "allow", "strict", "rebond", "passkey", "confirm", "oob", "give_oob", "min_key_size", "e",
    "as",
    "as_started", "fresh", "repl_at_end", "repl_on_failure", "no_listen", "state", "checkpoint_age", "checkpoint_sync", "wait_lock",
    "quiet", "verbose", "diagnostics", "color", "ascii", "plain", "help",
  ]

  mutating func check(_ input: InputDeclaration) {
    if Self.commonOptions.contains(input.name.text) {
      let option = input.name.text.count == 1 ? "-\(input.name.text)" : "--\(input.name.text.replacingUnderscores)"
      report(
        Diagnostic(
          "T227", "`tooth run` already has an option \(option)", at: input.name.range,
          "choose another name for the input"))
    }
    let types = Self.inputTypes + Self.pluralTypes
    guard types.contains(input.type.text) else {
      let foreign = [
        "string": "text", "str": "text", "int": "number", "integer": "number", "float": "number", "double": "number",
        "bool": "flag", "boolean": "flag", "time": "duration", "mac": "address", "path": "file", "password": "secret",
      ]
      let near = foreign[input.type.text] ?? nearest(to: input.type, among: types)
      report(
        Diagnostic(
          "T226", "there is no type `\(input.type.text)`", at: input.type.range, near.map { "did you mean `\($0)`?" } ?? "",
          fixes: near.map { [.replace(input.type.range, with: $0)] } ?? [],
          notes: ["types are \(Self.inputTypes.joined(separator: ", "))"]))
      return
    }
    guard let initial = input.initial else { return }
    fixedValue(initial, Place())
    let isPath = if case .string(let text) = initial.kind { text.plain != nil } else { false }
    let fits: Bool? =
      switch (input.type.text, initial.kind) {
      // The run reads the file before it computes anything.
      case ("file", .string): isPath
      case ("file", .nothing), ("file", .bytes): nil
      case ("file", _): false
      case ("text", .number), ("text", .duration), ("text", .boolean), ("number", .string), ("number", .duration),
        ("number", .boolean),
        ("duration", .number), ("duration", .string), ("flag", .number), ("flag", .string), ("address", .string),
        ("address", .number):
        false
      default: nil
      }
    if fits == false {
      let isFile = input.type.text == "file"
      report(
        Diagnostic(
          "T228", "this is not of type \(input.type.text)", at: initial.range,
          isFile ? "write a file name in quotes, without `{}`" : "the input is declared as \(input.type.text)"))
    }
  }

  /// The kind of an input, unless it may be `nothing`.
  private func kind(ofInput input: InputDeclaration) -> Kind? {
    if let initial = input.initial, case .nothing = initial.kind { return nil }
    switch input.type.text {
    case "text": return .text
    case "number": return .number
    case "flag": return .truth
    case "duration": return .duration
    case "uuid": return .uuid
    case "address": return .address
    case "file", "bytes": return .bytes
    default: return Self.pluralTypes.contains(input.type.text) ? .list : nil
    }
  }

  /// Procedures by name; the first one wins.
  struct Procedures {
    private(set) var list: [ProcedureDeclaration] = []
    private var places: [String: Int] = [:]

    init(_ list: [ProcedureDeclaration]) { for procedure in list { append(procedure) } }

    mutating func append(_ procedure: ProcedureDeclaration) {
      if places[procedure.name.text] == nil { places[procedure.name.text] = list.count }
      list.append(procedure)
    }

    func named(_ name: String) -> ProcedureDeclaration? { places[name].map { list[$0] } }
  }

  mutating func checkUnused() {
    let tests = recipe.tests.map { text($0.range) }
    func isMentioned(_ name: String) -> Bool {
      recipeScope.find(name).map { symbols.symbols[$0.symbol].isUsed } ?? true || tests.contains { $0.holds(name) }
    }
    // An included file may have inputs for other recipes, so only check the recipe's own.
    for input in recipe.inputs where input.range.file == 0 && !isMentioned(input.name.text) {
      report(Diagnostic("T242", "the input `\(input.name.text)` is never used", at: input.name.range, severity: .warning))
    }
    for member in recipe.body {
      guard case .statement(let statement) = member, case .let(let name, let value) = statement.kind else { continue }
      if name.range.file == 0, !isMentioned(name.text), !name.text.hasPrefix("_") {
        report(Diagnostic("T242", "`\(name.text)` is never used", at: name.range, severity: .warning))
      }
      if let uuid = Facts.uuid(value), SIGNames.isAny(name.text) {
        let official = [
          AssignedNumbers.service(named: name.text), AssignedNumbers.characteristic(named: name.text),
          AssignedNumbers.descriptor(named: name.text),
        ]
        if !official.contains(uuid), let other = official.compactMap({ $0 }).first {
          report(
            Diagnostic(
              "T244", "`\(name.text)` is also a name of the Bluetooth SIG", at: name.range,
              "the SIG name means \(other), this one \(uuid)",
              severity: .warning))
        }
      }
    }
  }

  mutating func notYet(_ phrase: String, _ range: SourceRange) {
    report(
      Diagnostic(
        "T220", "`\(phrase)` is not supported yet", at: range, "it is part of the language, but this version cannot run it"))
  }
}

extension String {
  /// With hyphens, as in the name of an option.
  var replacingUnderscores: String { String(map { $0 == "_" ? "-" : $0 }) }
}
