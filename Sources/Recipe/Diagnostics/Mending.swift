import Exchange

/// The text of a recipe with every fix that leaves no choice, round by round until none is left.
///
/// A finding with several fixes is a choice. Fixes whose places overlap conflict: both are shown,
/// and neither is applied.
package struct Mending {
  package private(set) var text: [UInt8]
  /// What is found in the mended text.
  package private(set) var analysis: Analysis
  /// How many fixes were applied.
  package private(set) var count = 0

  /// More rounds than any recipe needs, and what they may read.
  private static let rounds = 40
  private static let budget = 16 << 20

  private let parsed: ParsedRecipe
  private let other: (String) -> [UInt8]?

  /// - Parameter other: as for `Analysis`.
  package init(_ parsed: ParsedRecipe, other: @escaping (String) -> [UInt8]? = { _ in nil }) {
    self.parsed = parsed
    self.other = other
    text = parsed.source.bytes
    analysis = Analysis(parsed, other: other)
    var read = 0
    for _ in 0..<Self.rounds {
      read += text.count + analysis.trialBytes
      guard read < Self.budget, round() else { return }
    }
  }

  /// The fixes of a round: one for each finding, none that touches another.
  private var fixes: [Fix] {
    var chosen: [Fix] = []
    var seen: [String] = []
    // An `end` too many or too few, or a statement that seems to be missing, may be the trace of
    // another error (the statement is there with a misspelt name), and is right without it.
    let mayBeTraces = analysis.findings.contains { $0.severity == .error && !mayBeTrace($0) }
    for finding in analysis.findings where finding.fixes.count == 1 {
      if mayBeTraces, mayBeTrace(finding) { continue }
      // What is said twice may be mended by one of both.
      guard finding.range.file == 0, let fix = finding.fixes.first, fix.edits.allSatisfy({ $0.range.file == 0 }),
        !seen.contains(finding.code + finding.message)
      else { continue }
      seen.append(finding.code + finding.message)
      chosen.append(fix)
    }
    let edits = chosen.enumerated().flatMap { number, fix in fix.edits.map { (number: number, range: $0.range) } }
      .sorted { ($0.range.start, $0.range.end) < ($1.range.start, $1.range.end) }
    var conflicts: Set<Int> = []
    var last: (number: Int, end: UInt32)?
    for edit in edits {
      if let last, last.number != edit.number,
        edit.range.start < last.end || edit.range.start == last.end && edit.range.start == edit.range.end
      {
        conflicts.formUnion([last.number, edit.number])
      }
      if edit.range.end >= last?.end ?? 0 { last = (edit.number, edit.range.end) }
    }
    return chosen.indices.filter { !conflicts.contains($0) }.map { chosen[$0] }
  }

  private func mayBeTrace(_ finding: Diagnostic) -> Bool {
    ["T016", "T017"].contains(finding.code)
      || !finding.fixes.isEmpty
        && finding.fixes.allSatisfy { $0.edits.allSatisfy { $0.range.start == $0.range.end && $0.replacement.utf8.contains(0x0A) } }
  }

  /// Applies what can be applied; false when nothing could.
  private mutating func round() -> Bool {
    let fixes = fixes
    guard !fixes.isEmpty else { return false }
    if apply(fixes) { return true }
    // Together they do not fit: one by one.
    return fixes.prefix(8).contains { apply([$0]) }
  }

  private mutating func apply(_ fixes: [Fix]) -> Bool {
    let source = SourceText(name: parsed.source.name, bytes: text)
    guard let mended = source.applying(Fix(edits: fixes.flatMap(\.edits))), mended != text else { return false }
    let next = Analysis(parsed.replacing(mended, file: 0, other: other), other: other)
    guard next.weight < analysis.weight else { return false }
    (text, analysis) = (mended, next)
    count += fixes.count
    return true
  }
}

extension Analysis {
  /// Errors of the text first: what is behind them shows only when they are gone.
  fileprivate var weight: (Int, Int) {
    let total = findings.count + hidden.count
    return (hasTextErrors ? findings.count { $0.severity == .error } : 0, total)
  }
}
