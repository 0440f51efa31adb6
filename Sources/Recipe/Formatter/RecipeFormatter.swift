import Exchange
import Vocabulary

/// Formats a recipe: two spaces per block level, one space between words, comments unchanged. Only
/// white space changes, except that the `end` of a long block names the block.
package struct RecipeFormatter {
  /// The number of lines above which `end` repeats the word of its block.
  static let longBlock = 25
  /// Trailing comments are aligned up to this column.
  private static let widest = 100

  private struct Line {
    var code: String
    var comment: String
    var indent: Int
    var isBlank: Bool { code.isEmpty && comment.isEmpty }
  }

  /// A line of the source with its tokens.
  private struct Row {
    var tokens: Range<Int>
    /// Offset of the line end.
    var end: Int
  }

  private let source: SourceText
  private let tokens: [Token]
  /// The number of open blocks at each line, not counting a block that ends there.
  private var depths: [Int]
  /// The word to add after an `end`, by token index.
  private var labels: [Int: String] = [:]
  private var lines: [Line] = []

  /// The formatted text; `nil` if the source has syntax errors.
  package static func formatted(_ bytes: [UInt8]) -> [UInt8]? {
    let parsed = ParsedFile(bytes, name: "")
    guard !parsed.diagnostics.contains(where: { $0.severity == .error }) else { return nil }
    var parser = Parser(source: parsed.source, file: 0)
    parser.blocks = []
    _ = parser.recipe(name: "")
    var formatter = RecipeFormatter(parser)
    formatter.layOut()
    return Array(formatter.text.utf8)
  }

  /// Whether two texts have the same words, apart from those after `end`.
  package static func hasSameMeaning(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    func words(_ bytes: [UInt8]) -> [String] {
      let source = SourceText(name: "", bytes: bytes)
      var lexer = Lexer(source: source, file: 0)
      lexer.run()
      var words: [String] = []
      var isEnd = false
      for token in lexer.tokens {
        if token.kind == .newline {
          if !words.isEmpty, words.last != "\n" { words.append("\n") }
          isEnd = false
          continue
        }
        if !isEnd { words.append(source.text(token.range)) }
        isEnd = token.startsLine && token.kind == .word("end")
      }
      return words
    }
    return words(one) == words(other)
  }

  private init(_ parser: Parser) {
    source = parser.source
    tokens = parser.tokens
    depths = Array(repeating: 0, count: parser.source.lineCount + 2)
    for block in parser.blocks ?? [] {
      let first = tokens[block.opener].line
      let last = tokens[block.end].line
      guard last > first else { continue }
      depths[first + 1] += 1
      depths[last] -= 1
      if last - first - 1 > Self.longBlock { labels[block.end] = block.word }
    }
    for line in depths.indices.dropFirst() { depths[line] += depths[line - 1] }
  }

  // MARK: - lines

  private mutating func layOut() {
    var base = 0
    var brackets = 0
    var continues = false
    for row in rows() {
      let first = row.tokens.first
      if !continues, let first {
        base = max(0, depths[min(tokens[first].line, depths.count - 1)] - (isPart(first) ? 1 : 0))
      }
      var indent = base * 2
      if continues {
        let closing = row.tokens.prefix { isClosing($0) }.count
        indent += brackets > 0 ? 2 * max(0, brackets - closing) : 2
      } else if first == nil {
        indent = 2 * depths[min(source.line(of: UInt32(row.end)), depths.count - 1)]
      }
      add(row, indent)
      for place in row.tokens { brackets = max(0, brackets + change(place)) }
      if let last = row.tokens.last { continues = brackets > 0 || goesOn(last) }
    }
  }

  private mutating func add(_ row: Row, _ indent: Int) {
    let from = row.tokens.last.map { Int(tokens[$0].range.end) } ?? lineStart(row.end)
    let gap = source.bytes[min(from, row.end)..<row.end]
    var comment = ""
    if let sign = gap.firstIndex(of: UInt8(ascii: "#")) {
      comment = String(decoding: source.bytes[sign..<row.end], as: UTF8.self)
      while let last = comment.unicodeScalars.last, last == " " || last == "\t" || last == "\r" {
        comment.unicodeScalars.removeLast()
      }
    }
    let line = Line(code: code(row.tokens), comment: comment, indent: indent)
    if line.isBlank, lines.last?.isBlank ?? true { return }
    lines.append(line)
  }

  private func lineStart(_ end: Int) -> Int {
    var place = end
    while place > 0, source.bytes[place - 1] != 0x0A { place -= 1 }
    return place == 0 && source.bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : place
  }

  private func rows() -> [Row] {
    var rows: [Row] = []
    var start = 0
    for (place, token) in tokens.enumerated() where token.kind == .newline || token.kind == .endOfFile {
      if token.kind == .newline || start < place || hasComment(after: rows.last?.end ?? 0) {
        rows.append(Row(tokens: start..<place, end: Int(token.range.start)))
      }
      start = place + 1
    }
    return rows
  }

  /// The last line may be a comment without a line end.
  private func hasComment(after end: Int) -> Bool { source.bytes[min(end, source.bytes.count)...].contains(UInt8(ascii: "#")) }

  /// `else` and `otherwise` are indented like the start of their block.
  private func isPart(_ place: Int) -> Bool { [.word("else"), .word("otherwise")].contains(tokens[place].kind) }

  private func isClosing(_ place: Int) -> Bool {
    [.symbol(.closeRound), .symbol(.closeSquare), .symbol(.closeCurly)].contains(tokens[place].kind)
  }

  private func change(_ place: Int) -> Int {
    switch tokens[place].kind {
    case .symbol(.openRound), .symbol(.openSquare), .symbol(.openCurly): 1
    case .symbol(.closeRound), .symbol(.closeSquare), .symbol(.closeCurly): -1
    default: 0
    }
  }

  private func goesOn(_ place: Int) -> Bool {
    switch tokens[place].kind {
    case .symbol(let symbol): return symbol.continuesLine
    case .word(let word):
      guard Words.continuing.contains(word), place > 0 else { return false }
      return tokens[place - 1].kind != .symbol(.dot) && tokens[place - 1].kind != .word("end")
    default: return false
    }
  }

  // MARK: - one line

  private func code(_ places: Range<Int>) -> String {
    var text = ""
    for place in places {
      if place > places.lowerBound, needsSpace(before: place, first: places.lowerBound) { text += " " }
      text += source.text(tokens[place].range)
    }
    if places.count == 1, let first = places.first, let label = labels[first] { text += " \(label)" }
    return text
  }

  private func needsSpace(before place: Int, first: Int) -> Bool {
    let left = tokens[place - 1]
    let right = tokens[place]
    let isGlued = left.range.end == right.range.start
    switch (left.kind, right.kind) {
    case (.symbol(.openRound), _), (.symbol(.openSquare), _), (.symbol(.openCurly), _), (.symbol(.dot), _): return false
    case (_, .symbol(.closeRound)), (_, .symbol(.closeSquare)), (_, .symbol(.closeCurly)): return false
    case (_, .symbol(.comma)), (_, .symbol(.colon)), (_, .symbol(.semicolon)), (_, .symbol(.dot)): return false
    case (.symbol(.minus), _) where isSign(place - 1, first): return false
    // Keep a path of attributes, or a division, as it was written.
    case (.symbol(.slash), _), (_, .symbol(.slash)): return !isGlued
    case (.word(let word), .symbol(.openRound)): return isKeyword(word, place - 1)
    case (.word(let word), .symbol(.openSquare)): return isKeyword(word, place - 1)
    case (.symbol(.closeRound), .symbol(.openSquare)), (.symbol(.closeSquare), .symbol(.openSquare)), (.text, .symbol(.openSquare)),
      (.uuid, .symbol(.openSquare)), (.number, .symbol(.openSquare)):
      return false
    default: return true
    }
  }

  /// Whether a minus is a sign, not an operator between two values.
  private func isSign(_ place: Int, _ first: Int) -> Bool {
    guard place > first else { return !(place > 0 && tokens[place - 1].kind != .newline) }
    switch tokens[place - 1].kind {
    case .number, .duration, .text, .uuid, .address: return false
    case .symbol(let symbol): return ![.closeRound, .closeSquare, .closeCurly].contains(symbol)
    case .word(let word):
      if ["true", "false", "nothing", "it"].contains(word) { return false }
      return isKeyword(word, place - 1)
    default: return true
    }
  }

  /// Whether a word is part of a phrase, so that a value follows it.
  private func isKeyword(_ word: String, _ place: Int) -> Bool {
    if place > 0, tokens[place - 1].kind == .symbol(.dot) { return false }
    if Words.isReserved(word) { return word != "it" }
    if Words.phrases.contains(word) { return !isName(place) }
    return Words.all.contains(word) && isFirst(place)
  }

  /// Whether a word of phrases is a name here, because it follows a sign or an operator word.
  private func isName(_ place: Int) -> Bool {
    guard place > 0 else { return false }
    switch tokens[place - 1].kind {
    case .symbol(let symbol): return ![.closeRound, .closeSquare, .closeCurly, .colon, .semicolon].contains(symbol)
    case .word(let word): return ["procedure", "and", "or", "not", "is", "mod", "set", "let"].contains(word)
    default: return false
    }
  }

  /// Whether a word may begin a statement here.
  private func isFirst(_ place: Int) -> Bool {
    guard place > 0, !tokens[place].startsLine else { return true }
    switch tokens[place - 1].kind {
    case .symbol(.colon), .symbol(.semicolon), .newline, .word("otherwise"): return true
    default: return false
    }
  }

  // MARK: - output

  private var text: String {
    var lines = lines
    while lines.last?.isBlank ?? false { lines.removeLast() }
    var result = ""
    var place = 0
    while place < lines.count {
      let end = lines[place...].firstIndex { $0.code.isEmpty || $0.comment.isEmpty } ?? lines.count
      let column = lines[place..<end].map { width($0) }.max() ?? 0
      for line in lines[place..<max(end, place)] { result += shown(line, column) }
      if end < lines.count { result += shown(lines[end], 0) }
      place = max(end, place) + 1
    }
    return result
  }

  private func width(_ line: Line) -> Int { line.indent + line.code.unicodeScalars.count }

  private func shown(_ line: Line, _ column: Int) -> String {
    guard !line.isBlank else { return "\n" }
    var text = String(repeating: " ", count: line.indent) + line.code
    guard !line.comment.isEmpty else { return text + "\n" }
    if !line.code.isEmpty {
      let gap = column <= Self.widest ? column - width(line) : 0
      text += String(repeating: " ", count: max(0, gap) + 2)
    }
    return text + line.comment + "\n"
  }
}
