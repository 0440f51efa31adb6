import Exchange

/// The text of a recipe after applying every unambiguous fix, round by round until none is left.
///
/// A finding with several fixes needs a choice. Overlapping fixes conflict: both are shown, and
/// neither is applied, unless one of them contains the others.
package struct Mending {
  package private(set) var text: [UInt8]
  /// The analysis of the fixed text.
  package private(set) var analysis: Analysis
  /// The number of applied fixes.
  package private(set) var count = 0
  /// Whether more fixes may work, but the limit of the effort was reached.
  package private(set) var isCutShort = false

  /// Limits that no real recipe reaches; `budget` is in bytes parsed.
  private static let rounds = 1000
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
      guard read < Self.budget else { break }
      guard round() else { return }
    }
    isCutShort = true
  }

  private struct Choice {
    var fix: Fix
    /// The code and message of its finding.
    var finding: String
  }

  /// The only fix of each finding.
  /// - Parameter equals: Whether to fix all equal findings at once, except those whose fixes add
  ///   lines or declare the same name: the first of these may resolve the others.
  private func choices(_ analysis: Analysis, equals: Bool = false) -> [Choice] {
    var chosen: [Choice] = []
    var known: Set<String> = []
    var declared: Set<String> = []
    // A missing or surplus `end`, or a missing statement, may only follow from another error, such
    // as a misspelt statement. Fix that other error first.
    let mayBeTraces = analysis.findings.contains { $0.severity == .error && !mayBeTrace($0) }
    for finding in analysis.findings where finding.fixes.count == 1 {
      if mayBeTraces, mayBeTrace(finding) { continue }
      let name = finding.code + finding.message
      guard finding.range.file == 0, let fix = finding.fixes.first, fix.edits.allSatisfy({ $0.range.file == 0 }),
        equals && (fix.isIndependent || fix.declares(besides: &declared)) || known.insert(name).inserted
      else { continue }
      chosen.append(Choice(fix: fix, finding: name))
    }
    return chosen
  }

  /// Which fixes overlap which others, as indices.
  private func conflicts(_ chosen: [Choice]) -> [Int: Set<Int>] {
    let edits = chosen.enumerated().flatMap { number, choice in
      choice.fix.edits.map { edit in
        (
          number: number, range: edit.range, isInsertion: edit.range.start == edit.range.end,
          isLine: edit.replacement.utf8.first == 0x0A
        )
      }
    }
    .sorted { ($0.range.start, $0.range.end) < ($1.range.start, $1.range.end) }
    var conflicts: [Int: Set<Int>] = [:]
    var last: (number: Int, end: UInt32, isInsertion: Bool)?
    for edit in edits {
      if let last, last.number != edit.number,
        edit.range.start < last.end || edit.range.start == last.end && edit.isInsertion && (last.isInsertion || !edit.isLine)
      {
        conflicts[last.number, default: []].insert(edit.number)
        conflicts[edit.number, default: []].insert(last.number)
      }
      if edit.range.end >= last?.end ?? 0 { last = (edit.number, edit.range.end, edit.isInsertion) }
    }
    return conflicts
  }

  private func mayBeTrace(_ finding: Diagnostic) -> Bool {
    ["T016", "T017"].contains(finding.code)
      || !finding.fixes.isEmpty
        && finding.fixes.allSatisfy { $0.edits.allSatisfy { $0.range.start == $0.range.end && $0.replacement.utf8.contains(0x0A) } }
  }

  /// Applies as many fixes as possible; returns false if none worked.
  private mutating func round() -> Bool {
    let equal = choices(analysis, equals: true)
    let chosen = choices(analysis)
    if equal.count > chosen.count {
      let overlapping = conflicts(equal)
      if apply(equal.indices.filter { overlapping[$0] == nil }.map { equal[$0].fix }) { return true }
    }
    let overlapping = conflicts(chosen)
    let fixes = chosen.indices.filter { overlapping[$0] == nil }.map { chosen[$0].fix }
    if !fixes.isEmpty, apply(fixes) { return true }
    // They do not work together, so try them one by one.
    if fixes.count > 1, fixes.prefix(8).contains(where: { apply([$0]) }) { return true }
    return overlapping.sorted { $0.key < $1.key }.prefix(8).contains { number, others in
      includes(chosen[number], others.map { chosen[$0] }) && apply([chosen[number].fix])
    }
  }

  /// Whether a fix makes the same text as each of the others followed by it, so that there is
  /// nothing to choose.
  private func includes(_ choice: Choice, _ others: [Choice]) -> Bool {
    let source = SourceText(name: parsed.source.name, bytes: text)
    let whole = source.applying(choice.fix)
    return others.allSatisfy { other in
      guard let first = source.applying(other.fix) else { return false }
      let next = Analysis(parsed.replacing(first, file: 0, other: self.other), other: self.other)
      guard let rest = choices(next).first(where: { $0.finding == choice.finding }) else { return false }
      return SourceText(name: parsed.source.name, bytes: first).applying(rest.fix) == whole
    }
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
  fileprivate var weight: (Int, Int, Int, Int) {
    let total = findings.count + hidden.count
    let errors = findings.filter { $0.severity == .error }
    let allErrors = errors.count + hidden.count { $0.severity == .error }
    // Where there are too many, what follows the last one was not checked.
    let last = errors.last { $0.range.file == 0 }
    let unchecked = errors.count < Findings.limit ? 0 : sources[0].bytes.count - Int(last?.range.start ?? 0)
    return (hasTextErrors ? errors.count : 0, allErrors, unchecked, total)
  }
}

extension Fix {
  /// Whether equal fixes elsewhere mean the same beside it: it declares nothing and adds no line.
  fileprivate var isIndependent: Bool { edits.allSatisfy { !$0.replacement.utf8.contains(0x0A) && !$0.replacement.holds("let ") } }

  /// Whether it declares names, and only such that are not among these; adds them.
  fileprivate func declares(besides names: inout Set<String>) -> Bool {
    var new: [String] = []
    for edit in edits {
      let words = edit.replacement.split { !isWordByte($0.asciiValue ?? 0) }
      for (word, name) in zip(words, words.dropFirst()) where word == "let" || word == "procedure" { new.append(String(name)) }
    }
    guard !new.isEmpty, names.isDisjoint(with: new) else { return false }
    names.formUnion(new)
    return true
  }
}
