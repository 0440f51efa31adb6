import Exchange

/// Checks what is typed at a prompt, entry by entry, together with all earlier entries.
///
/// A value, so that an entry with an error is checked on a copy and changes nothing.
package struct EntryChecker {
  /// What the session knows about a device when an entry begins.
  package enum Device: Sendable { case none, found, connected }

  var checker: Checker

  /// Findings about the end of a recipe: the end of an entry does not end the session, and later
  /// entries may use its names.
  package static let endings = ["T232", "T234", "T240", "T242"]

  /// - Parameter base: the declarations that the session starts with.
  package init(_ base: RecipeFile, sources: [SourceText]) {
    checker = Checker(base, sources: sources)
    checker.run()
    checker.isEntry = true
    checker.scope = checker.recipeScope
  }

  /// The findings of an entry. If none of them is an error, the entry becomes part of the session.
  /// - Parameter entry: parsed as the next file of the session.
  package mutating func check(_ entry: ParsedFile, device: Device) -> [Diagnostic] {
    var next = checker
    next.check(entry, device: device)
    let findings = next.findings.sorted
    if !next.findings.hasErrors { checker = next }
    return findings
  }
}

extension Checker {

  fileprivate mutating func check(_ entry: ParsedFile, device state: EntryChecker.Device) {
    let tree = entry.tree
    sources.append(entry.source)
    findings = Findings(sources: sources)
    for finding in entry.diagnostics { report(finding) }
    refuse(tree)
    recipe.body = tree.body
    laterNames = nil
    knownFields = []
    plans = Plans()
    take(tree)
    facts.extend(by: tree, of: recipe)
    connections += Self.connections(of: tree.body, in: sources)
    device =
      switch state {
      case .none: .none
      case .found: .named
      case .connected: .connected
      }
    members(tree.body, Place())
    recipeScope = scope
    outer = scope
    walkHandlers()
    for procedure in tree.procedures { walk(procedure, Place(device: .caller, isProcedure: true)) }
    walkHandlers()
    for use in pendingUses { if let entry = recipeScope.find(use.name) { symbols.use(entry.symbol, at: use.range) } }
    pendingUses = []
    scope = recipeScope
    findings.drop(EntryChecker.endings)
  }

  /// Replaces procedures and formats of the same name.
  private mutating func take(_ entry: RecipeFile) {
    if !entry.procedures.isEmpty {
      let names = Set(entry.procedures.map(\.name.text))
      recipe.procedures = recipe.procedures.filter { !names.contains($0.name.text) } + entry.procedures
      procedures = Procedures(recipe.procedures)
      for procedure in entry.procedures {
        checkName(procedure)
        callables[procedure.name.text] = symbols.declare(procedure.name, .procedure, in: 0)
      }
    }
    if !entry.formats.isEmpty {
      let names = Set(entry.formats.map(\.name.text))
      recipe.formats = recipe.formats.filter { !names.contains($0.name.text) } + entry.formats
      checkFormats()
      declareFormats()
    }
  }

  /// Refuses declarations that a session cannot have.
  private mutating func refuse(_ entry: RecipeFile) {
    func refusal(_ what: String, _ range: SourceRange, _ advice: String) -> Diagnostic {
      Diagnostic("T224", "`\(what)` belongs in a recipe", at: range, advice)
    }
    for input in entry.inputs {
      let name = input.name.text
      let advice =
        input.type.text == "secret"
        ? "at a terminal, `ask secret \"\(name)\" as \(name)` asks for it" : "at a prompt, `let \(name) = …` gives the value"
      report(refusal("input", input.range, advice))
    }
    for remember in entry.remembers {
      report(refusal("remember", remember.range, "at a prompt, `let \(remember.name.text) = …` lasts as long as the session"))
    }
    for use in entry.uses { report(refusal("use", use.range, "a prompt takes its settings from command-line options")) }
    for include in entry.includes { report(refusal("include", include.range, "type or paste its declarations")) }
    for peripheral in entry.peripherals {
      report(refusal("peripheral", peripheral.header, "use `tooth air` to simulate the peripherals of a file"))
    }
    for test in entry.tests { report(refusal("test", test.range, "use `tooth test` to run the tests of a file")) }
    entry.body.forEachStatement(handlers: true) { statement in
      switch statement.kind {
      case .restart: report(refusal("restart", statement.header, "`quit`, and start again with --fresh"))
      case .wait(.event(let event, _, _, _)):
        if case .line = event.kind {
          report(refusal("wait for line", statement.header, "the prompt reads these lines itself; use `ask` instead"))
        }
      default: break
      }
    }
    entry.body.forEachHandler { member in
      guard case .handler(let handler) = member, case .on(let event) = handler.kind, case .line = event.kind else { return }
      report(refusal("on line", handler.header, "the prompt reads these lines itself; use `ask` instead"))
    }
  }
}
