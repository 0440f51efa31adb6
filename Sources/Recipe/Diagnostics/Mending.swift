import Exchange

/// The text of a recipe after applying every unambiguous fix, round by round until none is left.
///
/// A finding with several fixes needs a choice. Overlapping fixes conflict: both are shown, and
/// neither is applied.
package struct Mending {
  package private(set) var text: [UInt8]
  /// The analysis of the fixed text.
  package private(set) var analysis: Analysis
  /// The number of applied fixes.
  package private(set) var count = 0

  /// Limits that no real recipe reaches; `budget` is in bytes parsed.
  private static let rounds = 40
  private static let budget = 16 << 20

  private let parsed: ParsedRecipe
  private let other: (String) -> [UInt8]?

  /// - Parameter other: as in `Analysis`.
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

  /// The fixes of a round: one per finding, without conflicts.
  private var fixes: [Fix] {
    var chosen: [Fix] = []
    var seen: [String] = []
    // A missing or surplus `end`, or a missing statement, may only follow from another error, such
    // as a misspelt statement. Fix that other error first.
    let mayBeTraces = analysis.findings.contains { $0.severity == .error && !mayBeTrace($0) }
    for finding in analysis.findings where finding.fixes.count == 1 {
      if mayBeTraces, mayBeTrace(finding) { continue }
      // Fixing one of two equal findings may resolve both.
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

  /// Applies as many fixes as possible; returns false if none worked.
  private mutating func round() -> Bool {
    let fixes = fixes
    guard !fixes.isEmpty else { return false }
    if apply(fixes) { return true }
    // They do not work together, so try them one by one.
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
  /// Syntax errors come first, because they hide other findings.
  fileprivate var weight: (Int, Int) {
    let total = findings.count + hidden.count
    return (hasTextErrors ? findings.count { $0.severity == .error } : 0, total)
  }
}
