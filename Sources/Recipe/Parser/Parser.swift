import Exchange
import Vocabulary

/// A recursive-descent parser of the grammar (`grammar.ebnf` of the language reference), with one
/// token of lookahead and no backtracking.
///
/// A phrase with an error reports its finding and throws `Abandoned`. The caller that reads lines
/// catches it and goes on with the next line, so one run reports every error, at most one per line.
struct Parser {
  /// The finding is already recorded.
  struct Abandoned: Error {}

  /// A block that needs an `end`.
  struct Opener {
    /// The first word: `on`, `if`, `for` …
    var word: String
    /// The name in messages: `on notify`.
    var title: String
    var range: SourceRange
    var line: Int
    var column: Int
    /// Index of the token that opened it.
    var token: Int
  }

  /// A block whose `end` is in the column of an outer one, which may be the one it is for.
  struct Doubt {
    var inner: Opener
    /// `Opener.token` of the outer block.
    var outer: Int
  }

  /// An `end` that is indented more than the block that it closed.
  struct EarlyEnd {
    var range: SourceRange
    var opener: Opener
  }

  /// A block closed by its `end`, and the number of blocks around it.
  struct ClosedBlock {
    var opener: Opener
    var end: SourceRange
    var endLine: Int
    var depth: Int
    /// Index of the token after it and after its late parts.
    var next: Int
  }

  /// A block of several lines: the indices of its first token and of its `end`.
  struct Block {
    var opener: Int
    var end: Int
    var word: String
  }

  /// How deeply blocks may nest.
  static let maximumBlocks = 200
  /// How deeply brackets may nest in a value.
  static let maximumBrackets = 64
  /// The maximum height of the tree of a value.
  static let maximumHeight = 200

  let source: SourceText
  let file: UInt16
  private(set) var tokens: [Token]
  var index = 0
  /// The number of open brackets of any kind; inside brackets, lines continue.
  var depth = 0
  var findings: Findings
  var helpLines: [(line: Int, text: String)]
  /// `##` lines up to this line belong to the recipe itself.
  var fileHelpEnd = 0

  var nextID = 0
  var openers: [Opener] = []
  /// Emptied when no block is open.
  var doubts: [Doubt] = []
  /// The places of `:` at the end of headers that the fix of an earlier line removes.
  var coveredColons: Set<UInt32> = []
  /// The places of signs and words that belong to a loop of another language, which is reported.
  var coveredSigns: Set<UInt32> = []
  /// Of the whole file, to find which `end` is too many.
  var earlyEnds: [EarlyEnd] = []
  /// Recently closed `if` and `try` blocks, to recognize their late parts.
  var closed: [ClosedBlock] = []
  /// Blocks closed by their `end`, collected for the formatter.
  var blocks: [Block]?
  /// While blocks are closed without `end`, the number of blocks that stay open.
  var unwindTo: Int?
  /// The words and the parts that would have been valid at the token `expectedAt`.
  var expected: [String] = []
  var expectedParts: Expectation.Parts = []
  var expectedAt = -1

  /// Open brackets of the current value, and the height of the last value's tree.
  var brackets = 0
  var height = 0
  /// The top-level bit operator of the last value, if it has no parentheses around it.
  var bareBitOperator: SourceRange?
  /// Whether it is an entry of a prompt, where a value is a statement.
  var isEntry = false
  /// Whether the text ended inside a block.
  var endsInBlock = false

  init(source: SourceText, file: UInt16, range: Range<Int>? = nil) {
    self.source = source
    self.file = file
    var lexer = Lexer(source: source, file: file, range: range)
    lexer.run()
    tokens = lexer.tokens
    findings = lexer.findings
    helpLines = lexer.helpLines
    while index < tokens.count - 1, tokens[index].kind == .newline { index += 1 }
  }

  // MARK: - tokens

  var token: Token { tokens[index] }

  var kind: Token.Kind { tokens[index].kind }

  var word: String? {
    if case .word(let text) = tokens[index].kind { return text }
    return nil
  }

  /// The token after the current one on the same logical line.
  var following: Token { tokens[nextIndex(after: index, depth: depth)] }

  var previous: Token { tokens[max(0, index - 1)].kind == .newline ? lastReal(before: index) : tokens[max(0, index - 1)] }

  private func lastReal(before place: Int) -> Token {
    var candidate = max(0, place - 1)
    while candidate > 0, tokens[candidate].kind == .newline { candidate -= 1 }
    return tokens[candidate]
  }

  private func nextIndex(after place: Int, depth: Int) -> Int {
    var next = min(place + 1, tokens.count - 1)
    guard depth > 0 || continuesLine(place) else { return next }
    while next < tokens.count - 1, tokens[next].kind == .newline { next += 1 }
    return next
  }

  /// Whether the line continues after this token, which is a comma or a binary operator.
  func continuesLine(_ place: Int) -> Bool {
    switch tokens[place].kind {
    case .symbol(let symbol): return symbol.continuesLine
    case .word(let word):
      guard Words.continuing.contains(word) else { return false }
      guard place > 0 else { return true }
      switch tokens[place - 1].kind {
      case .symbol(.dot), .word("end"): return false
      default: return true
      }
    default: return false
    }
  }

  mutating func advance() {
    if case .symbol(let symbol) = kind {
      switch symbol {
      case .openRound, .openSquare, .openCurly: depth += 1
      case .closeRound, .closeSquare, .closeCurly: depth = max(0, depth - 1)
      default: break
      }
    }
    index = nextIndex(after: index, depth: depth)
  }

  /// Whether the current token is this word, which is recorded as valid here.
  mutating func at(_ text: String) -> Bool {
    expectHere()
    expected.append(text)
    return word == text
  }

  /// Records that such a part would be valid here.
  mutating func expects(_ part: Expectation.Parts) {
    expectHere()
    expectedParts.formUnion(part)
  }

  private mutating func expectHere() {
    guard expectedAt != index else { return }
    (expectedAt, expected, expectedParts) = (index, [], [])
  }

  mutating func accept(_ text: String) -> Bool {
    guard at(text) else { return false }
    advance()
    return true
  }

  func at(_ symbol: Symbol) -> Bool { kind == .symbol(symbol) }

  mutating func accept(_ symbol: Symbol) -> Bool {
    guard at(symbol) else { return false }
    advance()
    return true
  }

  var isAtLineEnd: Bool { kind == .newline || kind == .endOfFile }

  var isAtPhraseEnd: Bool { isAtLineEnd || kind == .symbol(.semicolon) }

  /// The end of the token before the current one.
  var lastEnd: UInt32 {
    var place = index - 1
    while place > 0, tokens[place].kind == .newline { place -= 1 }
    return place >= 0 ? tokens[place].range.end : 0
  }

  func range(from start: Int) -> SourceRange {
    SourceRange(file: file, start: tokens[start].range.start, end: max(lastEnd, tokens[start].range.start))
  }

  func range(from start: SourceRange) -> SourceRange { SourceRange(file: file, start: start.start, end: max(lastEnd, start.end)) }

  /// The tokens from `start` up to the current one (exclusive), separated by single spaces.
  func normalized(from start: Int) -> String {
    var text = ""
    for token in tokens[start..<max(start, index)] where token.kind != .newline {
      if !text.isEmpty { text += " " }
      text += source.text(token.range)
    }
    return text
  }

  mutating func newID() -> Int {
    defer { nextID += 1 }
    return nextID
  }

  /// The `##` lines directly above a line.
  func help(aboveLine line: Int) -> String? {
    var lines: [String] = []
    var wanted = line - 1
    for entry in helpLines.reversed() where entry.line <= wanted {
      guard entry.line == wanted, entry.line > fileHelpEnd else { break }
      lines.append(entry.text)
      wanted -= 1
    }
    return lines.isEmpty ? nil : lines.reversed().joined(separator: "\n")
  }

  // MARK: - findings

  mutating func report(_ diagnostic: Diagnostic) {
    // Malformed tokens are already reported.
    findings.add(diagnostic)
  }

  mutating func abandon(_ diagnostic: Diagnostic) -> Abandoned {
    report(diagnostic)
    return Abandoned()
  }

  /// The name of the current token in messages.
  var shown: String {
    switch kind {
    case .endOfFile: "the end of the file"
    case .newline: "the end of the line"
    default: "`\(clipped(source.text(token.range)))`"
    }
  }

  func clipped(_ text: String) -> String {
    let line = text.prefix { $0 != "\n" && $0 != "\r\n" }
    return line.count > 40 ? line.prefix(38) + "…" : String(line)
  }

  /// Where a finding about the current token points; at a line end, just after the last token.
  var here: SourceRange {
    guard isAtLineEnd else { return token.range }
    return SourceRange(file: file, start: lastEnd, end: lastEnd)
  }

  // MARK: - capitals

  /// Reports a statement in capitals, `IF x IS 1`, and reads the words of its line as lowercase.
  mutating func lowercaseStatement() {
    guard let first = word, let letter = first.utf8.first, (0x41...0x5A).contains(letter) else { return }
    let lower = first.lowercased()
    guard
      Words.all.contains(lower) || ["end", "else", "otherwise"].contains(lower) || lower.hasPrefix("end") && isForeignEnd(lower)
    else { return }
    switch following.kind {
    case .symbol(.equal), .symbol(.dot), .symbol(.openSquare): return
    default: break
    }
    var edits: [Fix.Edit] = []
    var place = index
    while place < tokens.count, tokens[place].kind != .newline, tokens[place].kind != .endOfFile {
      defer { place += 1 }
      guard case .word(let text) = tokens[place].kind, let letter = text.utf8.first, (0x41...0x5A).contains(letter),
        place == index || tokens[place - 1].kind != .symbol(.dot)
      else { continue }
      let lower = text.lowercased()
      guard place == index || Words.isOfLanguage(lower) else { continue }
      tokens[place].kind = .word(lower)
      edits.append(Fix.Edit(range: tokens[place].range, replacement: lower))
    }
    report(
      Diagnostic(
        "T033", "statements are written in lowercase", at: token.range, "write `\(lower)`", fixes: [Fix(edits: edits)]))
  }

  // MARK: - recovering from errors

  /// Skips to the end of the line, or to the `;` that ends the statement.
  mutating func skipPhrase() {
    if depth > 0 { skipBrackets() }
    depth = 0
    while index < tokens.count - 1, !isAtPhraseEnd { index = nextIndex(after: index, depth: 0) }
  }

  /// Skips to the line end.
  mutating func skipLine() {
    repeat {
      skipPhrase()
      if !at(.semicolon) { return }
      advance()
    } while true
  }

  /// Skips past the closing bracket, unless a new statement begins first.
  private mutating func skipBrackets() {
    var level = depth
    var place = index
    while place < tokens.count - 1, place - index < 2000 {
      let token = tokens[place]
      if token.startsLine, place > index, case .word(let word) = token.kind, Words.all.contains(word) || word == "end" { return }
      switch token.kind {
      case .symbol(.openRound), .symbol(.openSquare), .symbol(.openCurly): level += 1
      case .symbol(.closeRound), .symbol(.closeSquare), .symbol(.closeCurly): level -= 1
      case .symbol(.semicolon): return
      default: break
      }
      place += 1
      if level == 0 {
        index = place
        return
      }
    }
  }

  /// Skips line ends.
  mutating func skipNewlines() {
    while kind == .newline { index = min(index + 1, tokens.count - 1) }
  }
}
