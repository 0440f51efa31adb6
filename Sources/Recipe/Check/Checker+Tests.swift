import Exchange
import Vocabulary

/// The fields that a test reads of a run, and of a peripheral besides its `let`s.
package enum SubjectFields {
  package static let run = ["printed", "errors", "exit_code", "finished", "idle", "line", "resumed", "commands"]
  package static let peripheral = [
    "address", "connected", "centrals", "subscribers", "writes", "requests", "repeated_requests", "bonds",
  ]
}

/// `test` blocks, each of which is a recipe body of its own.
extension Checker {
  enum Subject { case peripheral, run }

  mutating func walk(_ test: TestDeclaration) {
    scope = Scope(id: symbols.open(.peripheral, test.range, in: 0))
    outer = recipeScope
    // The recipe does not run during a test, so only its constants have a value.
    for entry in recipeScope.entries where facts.value(entry.name) != nil { scope.add(entry) }
    itFormat = nil
    itAge = nil
    mayHaveIt = false
    mayHaveQuestion = false
    device = .none
    let (factsOfRecipe, connectionsOfRecipe) = (facts, connections)
    facts = facts.inside(test)
    connections = Self.connections(of: test.body, in: sources)
    defer { (facts, connections) = (factsOfRecipe, connectionsOfRecipe) }
    startsRecipe = test.body.anyStatement(handlers: true) { if case .startRecipe = $0.kind { true } else { false } }
    members(test.body, Place(isTest: true))
    // Handlers of the test see its names.
    var around = scope
    around.merge(recipeScope)
    for index in waitingHandlers.indices { waitingHandlers[index].scope = around }
    walkHandlers()
  }

  mutating func onlyInTest(_ verb: String, _ range: SourceRange, _ place: Place) {
    if place.isTest { return }
    report(
      Diagnostic("T255", "`\(verb)` belongs in a `test`", at: range, "a recipe runs in the real world and cannot control it")
    )
  }

  mutating func peripheral(_ name: NameSyntax) {
    guard !recipe.peripherals.contains(where: { $0.name.text == name.text }) else {
      if let entry = recipeScope.find(name.text) { symbols.use(entry.symbol, at: name.range) }
      return
    }
    let known = recipe.peripherals.map(\.name.text)
    let near = Spelling.nearest(to: name.text, among: known)
    report(
      Diagnostic(
        "T256", "there is no peripheral `\(name.text)`", at: name.range, near.map { "did you mean `\($0)`?" } ?? "",
        fixes: near.map { [.replace(name.range, with: $0)] } ?? [],
        notes: known.isEmpty ? ["declare a `peripheral` in this file or in an included file"] : []))
  }

  /// Checks that a peripheral or run that is killed or made to fail has been started above.
  mutating func subject(_ name: NameSyntax, _ kind: Subject, _ place: Place) {
    let entry = scope.find(name.text) ?? outer.find(name.text) ?? recipeScope.find(name.text)
    if let entry {
      symbols.use(entry.symbol, at: name.range)
      guard entry.kind == .result, let fields = entry.keys, (fields == SubjectFields.run) != (kind == .run) else { return }
      let (peripheral, run) = ("a peripheral", "a recipe that was started")
      report(
        Diagnostic(
          "T256", "`\(name.text)` is \(kind == .run ? peripheral : run), not \(kind == .run ? run : peripheral)", at: name.range))
      return
    }
    let candidates = scope.entries.map(\.name) + (kind == .peripheral ? recipe.peripherals.map(\.name.text) : [])
    let near = Spelling.nearest(to: name.text, among: candidates)
    report(
      Diagnostic(
        "T256", "there is no `\(name.text)` here", at: name.range, near.map { "did you mean `\($0)`?" } ?? "",
        fixes: near.map { [.replace(name.range, with: $0)] } ?? [],
        notes: kind == .run
          ? ["use `start recipe … as \(name.text)` to name a run"] : ["use `simulate` to start a peripheral"]))
  }

  /// The fields of a peripheral; `nil` if it is not declared.
  func fields(ofPeripheral name: NameSyntax) -> [String]? {
    guard let declaration = recipe.peripherals.first(where: { $0.name.text == name.text }) else { return nil }
    return SubjectFields.peripheral
      + declaration.parts.compactMap { part in
        if case .variable(let statement) = part.kind, case .let(let name, _) = statement.kind { name.text } else { nil }
      }
  }

  /// Checks the fields of `simulate P with {…}`: its name, its address and its `let`s.
  mutating func checkSimulated(_ simulate: SimulateStatement) {
    guard case .record(let entries)? = simulate.with?.kind, let fields = fields(ofPeripheral: simulate.peripheral) else { return }
    let known = ["name", "address"] + fields.dropFirst(SubjectFields.peripheral.count)
    for entry in entries {
      guard known.contains(entry.key.text) else {
        let near = nearest(to: entry.key, among: known)
        report(
          Diagnostic(
            "T208", "`\(simulate.peripheral.text)` has no `\(entry.key.text)` to set", at: entry.key.range,
            near.map { "did you mean `\($0)`?" } ?? "",
            fixes: near.map { [.replace(entry.key.range, with: $0)] } ?? [], notes: ["it has \(known.joined(separator: ", "))"]))
        continue
      }
      guard !fields.dropFirst(SubjectFields.peripheral.count).contains(entry.key.text), let kind = kind(of: entry.value) else {
        continue
      }
      let wanted: Kind = entry.key.text == "name" ? .text : .address
      if kind != wanted {
        report(
          Diagnostic(
            "T236", "`\(entry.key.text)` is \(wanted.rawValue), not \(kind.rawValue)", at: entry.value.range,
            wanted == .address ? "as in `C4:7C:8D:6A:12:0F`" : ""))
      }
    }
  }

  /// Checks the fields of `start recipe with {…}`, which are inputs of this recipe.
  mutating func checkStart(_ start: StartRecipeStatement, _ header: SourceRange) {
    guard start.file == nil else { return }
    guard let with = start.with else { return missingInput([], start, header) }
    guard case .record(let entries) = with.kind else {
      if let kind = kind(of: with), kind != .record {
        report(Diagnostic("T236", "`with` takes a record, not \(kind.rawValue)", at: with.range, "as in `{input: 5}`"))
      }
      return
    }
    let known = recipe.inputs.map(\.name.text) + ["lines", "answers", "commands"]
    for entry in entries where !known.contains(entry.key.text) {
      let near = nearest(to: entry.key, among: known)
      report(
        Diagnostic(
          "T208", "this recipe has no input `\(entry.key.text)`", at: entry.key.range, near.map { "did you mean `\($0)`?" } ?? "",
          fixes: near.map { [.replace(entry.key.range, with: $0)] } ?? [],
          notes: ["besides inputs, `with` takes lines, answers and commands"]))
    }
    missingInput(Set(entries.map(\.key.text)), start, header)
  }

  /// Reports an input without which the recipe does not start. Flags and lists have values anyhow.
  private mutating func missingInput(_ given: Set<String>, _ start: StartRecipeStatement, _ header: SourceRange) {
    let needing = ["text", "number", "duration", "uuid", "address", "file", "bytes", "secret"]
    guard
      let missing = recipe.inputs.first(where: {
        $0.initial == nil && needing.contains($0.type.text) && !given.contains($0.name.text)
      })
    else { return }
    report(
      Diagnostic(
        "T205", "`start recipe` needs the input `\(missing.name.text)`", at: start.with?.range ?? header,
        "as in `with {\(missing.name.text): …}`",
        labels: [Diagnostic.Label(range: missing.range, text: "it has no default value")]))
  }

  mutating func make(_ make: MakeStatement, _ header: SourceRange, _ place: Place) {
    if let target = make.target {
      subject(target, .peripheral, place)
    } else if place.isTest, !startsRecipe {
      report(
        Diagnostic(
          "T256", "this test starts no recipe whose adapter could fail", at: header,
          "the adapter of the test itself never fails; a peripheral can `drop` or `vanish`"))
    }
    switch make.fault {
    case .vanish, .appear, .drop, .reboot: return
    case .slow(let delay): return expression(delay, place)
    case .refuseNext(_, let code): errorCode(code, place)
    case .loseNextReply, .forgetBond, .changeServices: break
    }
    guard make.target == nil else { return }
    report(
      Diagnostic(
        "T256", "an adapter cannot do this", at: header, "only a peripheral can",
        notes: ["an adapter can `vanish`, `appear`, `drop`, `reboot`, and be `slow by` a duration"]))
  }

  /// Checks the constant code with which a request is refused.
  mutating func errorCode(_ code: Expression?, _ place: Place) {
    expression(code, place)
    guard let code else { return }
    let rule = "codes are 0x01 to 0xff; 0x80 to 0x9f are for your own use"
    if case .number(let number)? = constant(code, place) {
      guard number != number.rounded() || !(1...0xFF).contains(number) else { return }
      report(Diagnostic("T215", "this is not an ATT error code", at: code.range, rule))
    } else if let kind = kind(of: code), kind != .number {
      report(Diagnostic("T228", "an ATT error code must be a number, not \(kind.rawValue)", at: code.range, rule))
    }
  }
}

extension StatementKind {
  var testVerb: String {
    switch self {
    case .kill: "kill"
    default: "resume"
    }
  }
}
