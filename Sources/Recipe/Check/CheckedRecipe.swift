import Exchange

extension RecipeFile {
  /// Everything that is wrong with the recipe and can be known before it runs, in textual order.
  package func check(_ sources: [SourceText]) -> [Diagnostic] {
    var checker = Checker(self, sources: sources)
    checker.run()
    return checker.findings.sorted
  }

  /// Reads a file and checks it: the tree is there only when nothing stands against running it.
  package static func parseAndCheck(_ bytes: [UInt8], name: String, file: UInt16 = 0) -> ParsedRecipe {
    var parsed = parse(bytes, name: name, file: file)
    guard let recipe = parsed.recipe else { return parsed }
    parsed.diagnostics += recipe.check(parsed.sources)
    if parsed.diagnostics.contains(where: { $0.severity == .error }) { parsed.recipe = nil }
    return parsed
  }
}
