import Exchange

/// Applies fixes to see what they do. A fix is offered only if its finding disappears, and no new
/// error appears at its place or in the rest of the text.
///
/// If the fixed line then has one more error with exactly one fix, both fixes are joined.
struct FixTrial {
  /// The bytes that all trials for one recipe may parse. Fixes beyond it are not offered.
  static let budget = 1 << 20
  /// Trials that are always made, however large the recipe is.
  static let minimum = 2
  /// The maximum number of fixes that are joined.
  static let steps = 4

  /// A text and its findings.
  struct Reading {
    var sources: [SourceText]
    /// The findings to show.
    var findings: [Diagnostic]
    /// What the check finds in the statements that could be parsed, if others could not.
    var hidden: [Diagnostic] = []
    var parses: Bool
  }

  private enum Verdict {
    case good
    case bad
    /// The fix causes new errors at its place.
    case leaves([Diagnostic])
  }

  private let parsed: ParsedRecipe
  private let other: (String) -> [UInt8]?
  private let before: Reading
  private let known: Set<Key>
  /// The places of earlier errors, whatever their message.
  private let places: Set<SourceRange>
  private let isFull: Bool
  /// Bytes parsed by the trials so far.
  private(set) var spent = 0
  private var trials = 0

  /// Identifies a finding independently of line numbers, which shift when lines are added.
  private struct Key: Hashable {
    var code: String
    var message: [UInt8]
    var file: UInt16
    var start: UInt32

    init(_ finding: Diagnostic, start: UInt32) {
      code = finding.code
      message = finding.message.utf8.filter { !isDigit($0) }
      file = finding.range.file
      self.start = start
    }
  }

  init(_ parsed: ParsedRecipe, _ before: Reading, other: @escaping (String) -> [UInt8]?) {
    self.parsed = parsed
    self.other = other
    self.before = before
    known = Set((before.findings + before.hidden).map { Key($0, start: $0.range.start) })
    places = Set((before.findings + before.hidden).filter { $0.severity == .error }.map { Self.place($0, $0.range.start) })
    isFull = before.findings.count { $0.severity == .error } >= Findings.limit
  }

  private static func place(_ finding: Diagnostic, _ start: UInt32) -> SourceRange {
    SourceRange(file: finding.range.file, start: start, end: start)
  }

  /// The fixes of a finding that work.
  mutating func verified(_ finding: Diagnostic) -> [Fix] {
    var good: [Fix] = []
    var texts: [[UInt8]] = []
    for fix in finding.fixes {
      guard let fix = attempt(fix, of: finding), let range = fix.edits.first?.range,
        let text = parsed.sources[Int(range.file)].applying(fix), !texts.contains(text)
      else { continue }
      good.append(fix)
      texts.append(text)
    }
    return good
  }

  /// The fixes that work of each of many equal findings, which have equally many fixes.
  mutating func verified(equals: [Diagnostic]) -> [[Fix]] {
    var good: [[Fix]] = Array(repeating: [], count: equals.count)
    for number in equals[0].fixes.indices {
      let single = equals.map { finding in
        var finding = finding
        finding.fixes = [finding.fixes[number]]
        return finding
      }
      if works(single) {
        for place in good.indices { good[place] += single[place].fixes }
        continue
      }
      // What fails in three places fails everywhere.
      let samples = [0, equals.count / 2, equals.count - 1]
      guard samples.contains(where: { !verified(single[$0]).isEmpty }) else { continue }
      for place in good.indices { good[place] += verified(single[place]) }
    }
    return good
  }

  /// Whether the only fixes of these findings work together.
  private mutating func works(_ findings: [Diagnostic]) -> Bool {
    let fixes = findings.flatMap(\.fixes)
    guard let file = findings.first?.range.file, findings.allSatisfy({ $0.range.file == file }),
      fixes.allSatisfy({ $0.lead.isEmpty && $0.edits.allSatisfy { $0.range.file == file } })
    else { return false }
    let source = parsed.sources[Int(file)]
    let joined = Fix(edits: fixes.flatMap(\.edits))
    guard let bytes = source.applying(joined), joined.keepsComments(of: source.bytes) else { return false }
    let change = TextChange(joined, file: file)
    guard let after = read(bytes, file: Int(file), change, findings), case .good = judge(after, change, findings) else {
      return false
    }
    return true
  }

  private mutating func attempt(_ fix: Fix, of finding: Diagnostic) -> Fix? {
    guard let file = fix.edits.first?.range.file, fix.edits.allSatisfy({ $0.range.file == file }),
      parsed.sources.indices.contains(Int(file)), var bytes = parsed.sources[Int(file)].applying(fix)
    else { return nil }
    let old = parsed.sources[Int(file)].bytes
    var change = TextChange(fix, file: file)
    for step in 0..<Self.steps {
      guard let after = read(bytes, file: Int(file), change, [finding]) else { return nil }
      switch judge(after, change, [finding]) {
      case .bad: return nil
      case .good:
        guard let whole = step == 0 ? fix : change.fix(in: bytes), whole.keepsComments(of: old) else { return nil }
        return whole
      case .leaves(let errors):
        guard fix.lead.isEmpty, errors.count == 1, errors[0].fixes.count == 1, errors[0].code != "T202",
          let next = errors[0].fixes.first, next.lead.isEmpty,
          next.edits.allSatisfy({ $0.range.file == file }), let joined = after.sources[Int(file)].applying(next)
        else { return nil }
        bytes = joined
        change = TextChange(from: old, to: bytes, file: file)
      }
    }
    return nil
  }

  /// Parses and checks a changed text; `nil` if the budget is used up.
  private mutating func read(_ bytes: [UInt8], file: Int, _ change: TextChange, _ findings: [Diagnostic]) -> Reading? {
    let cost = bytes.count + 256
    guard spent + cost <= Self.budget || trials < Self.minimum else { return nil }
    spent += cost
    trials += 1
    let parsed = parsed.replacing(bytes, file: file, other: other)
    guard parsed.sources.count > file else { return nil }
    let text = parsed.sources[file]
    let lines = lines(of: findings, change, in: text)
    // Suggestions elsewhere do not affect the verdict.
    return Analysis.reading(of: parsed) { change.concerns($0, lines, of: text) }
  }

  /// The lines of findings in the changed text.
  private func lines(of findings: [Diagnostic], _ change: TextChange, in text: SourceText) -> Set<Int> {
    Set(findings.filter { $0.range.file == change.file }.map { text.line(of: change.after($0.range.start)) })
  }

  private func judge(_ after: Reading, _ change: TextChange, _ findings: [Diagnostic]) -> Verdict {
    guard after.sources.count > Int(change.file) else { return .bad }
    let text = after.sources[Int(change.file)]
    let lines = lines(of: findings, change, in: text)
    func isHere(_ other: Diagnostic) -> Bool { change.concerns(other.range, lines, of: text) }
    func isNew(_ other: Diagnostic) -> Bool {
      let start = other.range.file == change.file ? change.before(other.range.start) : other.range.start
      guard let start else { return true }
      // Elsewhere there are no suggestions, and the message may depend on them.
      return isHere(other) ? !known.contains(Key(other, start: start)) : !places.contains(Self.place(other, start))
    }
    var left: [Diagnostic] = []
    let own = Set(findings.map { Key($0, start: $0.range.start) })
    for other in after.findings {
      let start = change.before(other.range.start)
      guard other.severity == .error else {
        let isOwn = start.map { own.contains(Key(other, start: $0)) } ?? own.contains { Key(other, start: $0.start) == $0 }
        if isOwn { return .bad }
        continue
      }
      if let start, own.contains(Key(other, start: start)) { return .bad }
      guard isNew(other) else { continue }
      if isHere(other) { left.append(other) } else if !isFull, !after.parses || before.parses { return .bad }
    }
    for other in after.hidden where other.severity == .error && isHere(other) && isNew(other) && isOwn(other, text) {
      left.append(other)
    }
    return left.isEmpty ? .good : .leaves(left)
  }

  /// Whether an error belongs to its line, and does not follow from statements that failed to
  /// parse.
  private func isOwn(_ finding: Diagnostic, _ text: SourceText) -> Bool {
    switch finding.code {
    case "T210", "T211", "T219", "T231", "T232", "T234", "T246": return false
    case "T201", "T203", "T204", "T206", "T208":
      let name = text.text(finding.range)
      return text.bytes.count(of: Array(name.utf8)) < 2
    default: return true
    }
  }
}

extension Fix {
  /// Whether each comment in the text that it replaces is also in its replacements.
  fileprivate func keepsComments(of text: [UInt8]) -> Bool {
    let added = edits.flatMap { $0.replacement.split(separator: "\n") }.map { line in
      String(line.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
    for edit in edits where Int(edit.range.end) <= text.count && edit.range.start < edit.range.end {
      for line in text[Int(edit.range.start)..<Int(edit.range.end)].split(separator: UInt8(ascii: "\n")) {
        guard let comment = Self.comment(in: line) else { continue }
        if !comment.isEmpty, !added.contains(where: { $0.hasSuffix(comment) }) { return false }
      }
    }
    return true
  }

  /// The words of a comment that begins with `#`, `//` or `/*`, outside quotes.
  private static func comment(in line: ArraySlice<UInt8>) -> String? {
    var quote: UInt8?
    var isEscaped = false
    for place in line.indices {
      let byte = line[place]
      if let open = quote {
        if byte == open, !isEscaped { quote = nil }
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: "#")
        || byte == UInt8(ascii: "/") && place + 1 < line.endIndex && [byte, UInt8(ascii: "*")].contains(line[place + 1])
      {
        let signs = Array("#/* \t\r".utf8)
        var words = line[place...].drop { signs.contains($0) }
        while let last = words.last, signs.contains(last) { words = words.dropLast() }
        return String(decoding: words, as: UTF8.self)
      }
    }
    return nil
  }
}

extension [UInt8] {
  /// How often a word occurs in a text, at most 2.
  fileprivate func count(of word: [UInt8]) -> Int {
    guard let first = word.first, count >= word.count else { return 0 }
    var found = 0
    for place in 0...count - word.count where self[place] == first {
      guard self[place..<place + word.count].elementsEqual(word) else { continue }
      if place > 0, isWordByte(self[place - 1]) { continue }
      if place + word.count < count, isWordByte(self[place + word.count]) { continue }
      found += 1
      if found == 2 { return 2 }
    }
    return found
  }
}
