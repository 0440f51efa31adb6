import Exchange

extension RecipeFile {
  /// All findings that can be known before the recipe runs, in textual order.
  package func check(_ sources: [SourceText]) -> [Diagnostic] {
    var checker = Checker(self, sources: sources)
    checker.run()
    return checker.findings.sorted
  }

  /// Parses and checks a recipe without other files. The result has a recipe only if there are no
  /// errors.
  package static func parseAndCheck(_ bytes: [UInt8], name: String) -> ParsedRecipe { parse(bytes, name: name).checked() }
}

extension ParsedRecipe {
  /// A copy with the findings of the check, and without a recipe if one of them is an error.
  package func checked() -> ParsedRecipe {
    let analysis = Analysis(self)
    var checked = self
    checked.diagnostics = analysis.findings
    checked.recipe = analysis.recipe
    return checked
  }
}
