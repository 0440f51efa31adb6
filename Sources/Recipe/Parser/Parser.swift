import Exchange
import Vocabulary

/// A recursive-descent parser of the grammar (`grammar.ebnf` of the language reference): one token
/// ahead, no way back.
///
/// A phrase that goes wrong reports its finding and throws `Abandoned`; whoever runs a list of
/// lines catches it, goes to the next line and carries on, so one run reports every error, at most
/// one a line.
struct Parser {
  /// The finding is already recorded.
  struct Abandoned: Error {}

  /// A block that waits for its `end`.
  struct Opener {
    /// The first word: `on`, `if`, `for` …
    var word: String
    /// As a person would name it: `on notify`.
    var title: String
    var range: SourceRange
    var line: Int
    var column: Int
    /// Number of the token that opened it.
    var token: Int
  }

  /// A block that its `end` has closed, and how many blocks are around it.
  struct ClosedBlock {
    var opener: Opener
    var end: SourceRange
    var endLine: Int
    var depth: Int
    /// Number of the token behind it, and behind parts of it that came too late.
    var next: Int
  }

  /// A block of several lines: the numbers of its first token and of its `end`.
  struct Block {
    var opener: Int
    var end: Int
    var word: String
  }

  /// How deep blocks may nest.
  static let maximumBlocks = 200
  /// How deep brackets may nest in a value.
  static let maximumBrackets = 64
  /// How high the tree of one value may grow.
  static let maximumHeight = 200

  let source: SourceText
  let file: UInt16
  let tokens: [Token]
  var index = 0
  /// Open round, square and curly brackets: inside, lines go on.
  var depth = 0
  var findings: Findings
  var helpLines: [(line: Int, text: String)]
  /// The `##` lines up to this line belong to the recipe itself.
  var fileHelpEnd = 0

  var nextID = 0
  var openers: [Opener] = []
  /// The `if` and `try` blocks that were closed last, for a part of them that comes too late.
  var closed: [ClosedBlock] = []
  /// The blocks that were closed by their `end`, for whoever lays the text out.
  var blocks: [Block]?
  /// Set while blocks close without their `end`: down to so many open blocks.
  var unwindTo: Int?
  /// The words that would have been right at the token `expectedAt`.
  var expected: [String] = []
  var expectedAt = -1

  /// Brackets open in the value being read, and the height of the tree of the value read last.
  var brackets = 0
  var height = 0
  /// The bit operator at the top of the value read last, if it stands there without parentheses.
  var bareBitOperator: SourceRange?
  /// At a prompt a value is a statement.
  var isEntry = false
  /// The text ended inside a block.
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

  /// The token behind the current one on the same logical line.
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

  /// Whether the line goes on behind this token: a comma or a binary operator.
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

  /// Whether the current token is this word; remembered as one that would be right here.
  mutating func at(_ text: String) -> Bool {
    if expectedAt != index {
      expectedAt = index
      expected = []
    }
    expected.append(text)
    return word == text
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

  /// The tokens from one to the current one (without it), one space between two.
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
    // What could not even be cut into tokens was reported then.
    findings.add(diagnostic)
  }

  mutating func abandon(_ diagnostic: Diagnostic) -> Abandoned {
    report(diagnostic)
    return Abandoned()
  }

  /// The current token as a message names it.
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

  /// Where the finding about the current token points: at a line end, just behind the last token.
  var here: SourceRange {
    guard isAtLineEnd else { return token.range }
    return SourceRange(file: file, start: lastEnd, end: lastEnd)
  }

  // MARK: - going on after an error

  /// Goes to the end of the line, or just before the `;` that ends the statement.
  mutating func skipPhrase() {
    if depth > 0 { skipBrackets() }
    depth = 0
    while index < tokens.count - 1, !isAtPhraseEnd { index = nextIndex(after: index, depth: 0) }
  }

  /// To the line end.
  mutating func skipLine() {
    repeat {
      skipPhrase()
      if !at(.semicolon) { return }
      advance()
    } while true
  }

  /// Inside brackets: behind the one that closes them, unless a new statement begins first.
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

  /// Line ends and stray `;`.
  mutating func skipNewlines() {
    while kind == .newline { index = min(index + 1, tokens.count - 1) }
  }
}
