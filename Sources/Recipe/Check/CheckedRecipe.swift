import Exchange

extension RecipeFile {
  /// Everything that is wrong with the recipe and can be known before it runs, in textual order.
  package func check(_ sources: [SourceText]) -> [Diagnostic] {
    var checker = Checker(self, sources: sources)
    checker.run()
    return checker.findings.sorted
  }

  /// Reads a recipe without other files and checks it: the tree is there only when nothing stands
  /// against running it.
  package static func parseAndCheck(_ bytes: [UInt8], name: String) -> ParsedRecipe { parse(bytes, name: name).checked() }
}

extension ParsedRecipe {
  /// With what the check finds, and without a recipe when that is an error.
  package func checked() -> ParsedRecipe {
    let analysis = Analysis(self)
    var checked = self
    checked.diagnostics = analysis.findings
    checked.recipe = analysis.recipe
    return checked
  }
}
