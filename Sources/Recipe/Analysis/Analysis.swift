import Exchange

/// What is known of a recipe's text, whether or not it has errors.
package struct Analysis: Sendable {
  /// Nothing when there are errors.
  package var recipe: RecipeFile?
  /// Lacks the statements that could not be read.
  package var tree: RecipeFile
  /// In textual order, each with the fixes that mend it. With errors of the text only those: what a
  /// statement means is asked when all can be read.
  package var findings: [Diagnostic]
  /// What the check finds in the statements that could be read, while others could not.
  package var hidden: [Diagnostic] = []
  /// What was read to try fixes out, in bytes; none for a recipe without fixes.
  package private(set) var trialBytes = 0
  package var sources: [SourceText]
  package var table: SymbolTable
  /// Files that the recipe names, in textual order.
  package var files: [FileUse]
  /// Whether all of the text can be read.
  private let parses: Bool

  package var hasTextErrors: Bool { !parses }

  /// - Parameter other: the text of a file that a fix would include and nothing included before.
  package init(_ parsed: ParsedRecipe, other: @escaping (String) -> [UInt8]? = { _ in nil }) {
    self.init(unverified: parsed)
    guard findings.contains(where: { !$0.fixes.isEmpty }) else { return }
    var trial = FixTrial(parsed, reading, other: other)
    for place in findings.indices where !findings[place].fixes.isEmpty {
      findings[place].fixes = trial.verified(findings[place])
    }
    trialBytes = trial.spent
  }

  private init(unverified parsed: ParsedRecipe, guesses: ((SourceRange) -> Bool)? = nil) {
    tree = parsed.tree
    sources = parsed.sources
    var checker = Checker(parsed.tree, sources: parsed.sources, guesses: guesses)
    checker.run()
    table = checker.symbols
    files = checker.files.sorted { ($0.range.file, $0.range.start) < ($1.range.file, $1.range.start) }
    findings = parsed.diagnostics
    recipe = parsed.recipe
    parses = parsed.recipe != nil
    guard parsed.recipe != nil else {
      hidden = checker.findings.sorted
      return
    }
    findings += checker.findings.sorted
    if checker.findings.hasErrors { recipe = nil }
  }

  /// Everything that is found, with fixes that nobody has tried.
  /// - Parameter guesses: where it matters what was probably meant.
  static func reading(of parsed: ParsedRecipe, guesses: @escaping (SourceRange) -> Bool) -> FixTrial.Reading {
    Analysis(unverified: parsed, guesses: guesses).reading
  }

  private var reading: FixTrial.Reading {
    FixTrial.Reading(sources: sources, findings: findings, hidden: hidden, parses: parses)
  }
}
