/// What is known of a recipe's text, whether or not it has errors.
package struct Analysis: Sendable {
  /// Nothing when there are errors.
  package var recipe: RecipeFile?
  /// Lacks the statements that could not be read.
  package var tree: RecipeFile
  /// In textual order. With errors of the text only those: what a statement means is asked when all
  /// can be read.
  package var findings: [Diagnostic]
  package var sources: [SourceText]
  package var table: SymbolTable

  package init(_ parsed: ParsedRecipe) {
    tree = parsed.tree
    sources = parsed.sources
    var checker = Checker(parsed.tree, sources: parsed.sources)
    checker.run()
    table = checker.symbols
    findings = parsed.diagnostics
    recipe = parsed.recipe
    guard parsed.recipe != nil else { return }
    findings += checker.findings.sorted
    if checker.findings.hasErrors { recipe = nil }
  }
}
