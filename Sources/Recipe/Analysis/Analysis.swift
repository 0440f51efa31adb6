import Exchange

/// The result of parsing and checking a recipe, whether or not it has errors.
package struct Analysis: Sendable {
  /// `nil` if there are errors.
  package var recipe: RecipeFile?
  /// Without the statements that could not be parsed.
  package var tree: RecipeFile
  /// In textual order, each with the fixes that work. If there are syntax errors, only those,
  /// because statements are checked once everything parses.
  package var findings: [Diagnostic]
  /// What the check finds in the statements that could be parsed, if others could not.
  package var hidden: [Diagnostic] = []
  /// Bytes parsed to try out fixes; 0 for a recipe without fixes.
  package private(set) var trialBytes = 0
  package var sources: [SourceText]
  package var table: SymbolTable
  /// Files that the recipe names, in textual order.
  package var files: [FileUse]
  /// Whether the whole text parses.
  private let parses: Bool

  package var hasTextErrors: Bool { !parses }

  /// - Parameter other: returns the text of a file that only a fix would include.
  package init(_ parsed: ParsedRecipe, other: @escaping (String) -> [UInt8]? = { _ in nil }) {
    self.init(unverified: parsed)
    guard findings.contains(where: { !$0.fixes.isEmpty }) else { return }
    var trial = FixTrial(parsed, reading, other: other)
    // Many equal mistakes are tried together, so that they cost little more than one.
    let equals = Dictionary(grouping: findings.indices.filter { !findings[$0].fixes.isEmpty }) {
      "\(findings[$0].code) \(findings[$0].fixes.count) \(findings[$0].kind)"
    }
    for places in equals.values.sorted(by: { $0[0] < $1[0] }) {
      if places.count > 8 {
        for (place, fixes) in zip(places, trial.verified(equals: places.map { findings[$0] })) { findings[place].fixes = fixes }
      } else {
        for place in places { findings[place].fixes = trial.verified(findings[place]) }
      }
    }
    trialBytes = trial.spent
  }

  /// An analysis whose findings have no fixes.
  package init(withoutFixes parsed: ParsedRecipe) {
    self.init(unverified: parsed) { _ in false }
    for place in findings.indices { findings[place].fixes = [] }
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

  /// All findings, with their fixes untried.
  /// - Parameter guesses: whether to look for suggestions in a range.
  static func reading(of parsed: ParsedRecipe, guesses: @escaping (SourceRange) -> Bool) -> FixTrial.Reading {
    Analysis(unverified: parsed, guesses: guesses).reading
  }

  private var reading: FixTrial.Reading {
    FixTrial.Reading(sources: sources, findings: findings, hidden: hidden, parses: parses)
  }
}

extension Diagnostic {
  /// Its message without the names in it.
  fileprivate var kind: String {
    message.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 0 }.map { String($0.element) }.list(by: "`")
  }
}
