import Exchange
import Vocabulary

/// `test` blocks: each is a recipe body of its own.
extension Checker {
  enum Subject { case peripheral, run }

  mutating func walk(_ test: TestDeclaration) {
    scope = Scope(id: symbols.open(.peripheral, test.range, in: 0))
    outer = recipeScope
    // The recipe does not run beside it, so only what nothing computes has a value.
    for entry in recipeScope.entries where facts.value(entry.name) != nil { scope.add(entry) }
    itFormat = nil
    itAge = nil
    device = .none
    members(test.body, Place(isTest: true))
    // Its handlers see its names.
    var around = scope
    around.merge(recipeScope)
    for index in waitingHandlers.indices { waitingHandlers[index].scope = around }
    walkHandlers()
  }

  mutating func onlyInTest(_ verb: String, _ range: SourceRange, _ place: Place) {
    if place.isTest { return }
    report(
      Diagnostic("T255", "`\(verb)` belongs in a `test`", at: range, "a recipe runs in the real world, which it cannot order about")
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
        notes: known.isEmpty ? ["it is a `peripheral` of this file, or of one that it includes"] : []))
  }

  /// What is killed or made to fail has been started or simulated above.
  mutating func subject(_ name: NameSyntax, _ kind: Subject, _ place: Place) {
    let entry = scope.find(name.text) ?? outer.find(name.text) ?? recipeScope.find(name.text)
    if let entry {
      symbols.use(entry.symbol, at: name.range)
      return
    }
    let candidates = scope.entries.map(\.name) + (kind == .peripheral ? recipe.peripherals.map(\.name.text) : [])
    let near = Spelling.nearest(to: name.text, among: candidates)
    report(
      Diagnostic(
        "T256", "there is no `\(name.text)` here", at: name.range, near.map { "did you mean `\($0)`?" } ?? "",
        fixes: near.map { [.replace(name.range, with: $0)] } ?? [],
        notes: kind == .run
          ? ["a run gets its name with `start recipe … as \(name.text)`"] : ["a peripheral is put on the air with `simulate`"]))
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
