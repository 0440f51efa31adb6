import Exchange

/// What a prompt's entry has declared, and which attributes it wrote.
package struct EntryDeclarations: Sendable {
  /// A declaration that a later one of the same name replaces.
  package struct Text: Sendable {
    package var name: String
    package var text: String
  }

  /// Names that it declares at top level.
  package private(set) var names: [String] = []
  package private(set) var procedures: [Text] = []
  package private(set) var formats: [Text] = []
  package private(set) var hasHandlers = false
  /// Attributes that it writes.
  package private(set) var written: [String] = []

  package init() {}

  package init(_ tree: RecipeFile, in source: SourceText) {
    var names: [String] = []
    var written: [String] = []
    tree.body.forEachStatement(handlers: false) { statement in
      for name in statement.kind.givenNames where !names.contains(name.text) { names.append(name.text) }
      if case .write(let write) = statement.kind {
        let name = source.text(write.attribute.range)
        if !written.contains(name) { written.append(name) }
      }
    }
    (self.names, self.written) = (names, written)
    procedures = tree.procedures.map { Text(name: $0.name.text, text: source.text($0.range)) }
    formats = tree.formats.map { Text(name: $0.name.text, text: source.text($0.range)) }
    hasHandlers = tree.body.contains { if case .statement = $0 { false } else { true } }
  }

  /// Whether a later entry uses one of them.
  package func areUsed(by entry: String) -> Bool {
    valuesAreUsed(by: entry)
      || procedures.contains { SessionRecipe.uses($0.name, isProcedure: true, in: entry) }
      || formats.contains { entry.hasWord($0.name) }
  }

  /// Whether a later entry uses one of its names.
  package func valuesAreUsed(by entry: String) -> Bool { names.contains { SessionRecipe.uses($0, in: entry) } }

  package var isEmpty: Bool { names.isEmpty && procedures.isEmpty && formats.isEmpty && !hasHandlers }
}

extension EntryChecker {
  /// Removes names and declarations. Entries that were checked with them stay valid.
  package mutating func forget(names: [String], procedures: [String], formats: [String]) {
    checker.forget(Set(names), Set(procedures), Set(formats))
  }
}

extension Checker {
  fileprivate mutating func forget(_ names: Set<String>, _ gone: Set<String>, _ formats: Set<String>) {
    recipeScope.remove(names)
    scope = recipeScope
    outer = recipeScope
    facts.forget(names)
    recipe.procedures.removeAll { gone.contains($0.name.text) }
    procedures = Procedures(recipe.procedures)
    for name in gone { callables[name] = nil }
    recipe.formats.removeAll { formats.contains($0.name.text) }
    for name in formats { formatSymbols[name] = nil }
  }
}
