import Exchange
import Vocabulary

/// Blocks of other languages: `} catch (e) {`, `for (const x of l)`, `for i in 1 2; do …; done`.
extension Parser {
  private static let rescues = ["catch", "except", "rescue"]

  /// The `{` of `} catch (e) {`, and the clause that names the failure.
  func rescueInBraces(_ close: Int) -> (brace: Int, clause: String)? {
    var place = close + 1
    while place + 1 < tokens.count, tokens[place].kind == .newline { place += 1 }
    guard place < tokens.count, case .word(let word) = tokens[place].kind, Self.rescues.contains(word),
      let header = rescueHeader(at: place + 1), followsNewline(header.brace)
    else { return nil }
    return header
  }

  /// The `{` after `catch`, with `(e)` or `e` before it.
  func rescueHeader(at start: Int) -> (brace: Int, clause: String)? {
    let header = tokens[min(start, tokens.count)...].prefix {
      $0.kind != .newline && $0.kind != .endOfFile && $0.kind != .symbol(.openCurly)
    }
    let brace = header.endIndex
    guard brace < tokens.count, tokens[brace].kind == .symbol(.openCurly) else { return nil }
    let words = header.compactMap { token -> String? in
      guard case .word(let word) = token.kind else { return nil }
      return word
    }
    guard header.count < 7 else { return nil }
    // `(e)`, `(Exception e)`, `(e: Exception)`
    guard let name = words.first(where: { Words.isName($0) }) else { return words.isEmpty && header.isEmpty ? (brace, "") : nil }
    return (brace, " as \(name)")
  }

  /// The `}` before `catch`, of a `try` with a `{`.
  func rescueBrace(_ opener: Opener) -> Int? {
    guard opener.word == "try" else { return nil }
    if let word, Self.rescues.contains(word), token.startsLine {
      return rescueHeader(at: index + 1).map { _ in index }
    }
    guard at(.closeCurly), hasCurly(opener), rescueInBraces(index) != nil else { return nil }
    return index
  }

  /// Parses `} catch (e) {` and its lines as they were meant; the fix of the first `{` replaces it.
  mutating func foreignRescue(_ opener: Opener, _ id: Int) -> Rescue {
    let start = index
    if word != nil {
      // Without a `}` before it, it is not yet reported.
      _ = noStatement()
    }
    var name: NameSyntax?
    while index + 1 < tokens.count, kind != .symbol(.openCurly) {
      if case .word(let text) = kind, Words.isName(text), !Self.rescues.contains(text), name == nil {
        name = NameSyntax(text: text, range: token.range)
      }
      index += 1
    }
    index = min(index + 1, tokens.count - 1)
    depth = 0
    let header = range(from: start)
    let body = members(stops: ["otherwise"])
    return Rescue(id: id, kinds: [], name: name, body: body, range: range(from: start), header: header, normalized: "otherwise")
  }

  /// The edits of `try { a } catch { b }` at its first `{`, besides that one.
  func rescueOnOneLine() -> [Fix.Edit]? {
    let end = tokens[index...].firstIndex { $0.kind == .newline || $0.kind == .endOfFile } ?? index
    guard let close = tokens[index..<end].firstIndex(where: { $0.kind == .symbol(.closeCurly) }), close > index + 1,
      close + 1 < end,
      case .word(let word) = tokens[close + 1].kind, Self.rescues.contains(word), let header = rescueHeader(at: close + 2),
      header.brace + 2 < end, tokens[end - 1].kind == .symbol(.closeCurly)
    else { return nil }
    let body = tokens[(header.brace + 1)..<(end - 1)]
    let name = header.clause.split(separator: " ").last.map(String.init) ?? ""
    // On one line, the failure has no name.
    guard !body.contains(where: { $0.kind == .word(name) || $0.kind == .symbol(.openCurly) || $0.kind == .symbol(.semicolon) }),
      !tokens[index..<close].contains(where: { $0.kind == .symbol(.semicolon) })
    else { return nil }
    return [
      Fix.Edit(
        range: SourceRange(file: file, start: tokens[close - 1].range.end, end: tokens[header.brace + 1].range.start),
        replacement: " otherwise "),
      Fix.Edit(range: SourceRange(file: file, start: tokens[end - 2].range.end, end: tokens[end - 1].range.end), replacement: ""),
    ]
  }

  /// The fix of `for (const x of l)`, `for (auto x : l)` and `for (let i = 0; i < 5; i++)`.
  func loopInParentheses() -> [Fix] {
    guard let close = closing(index) else { return [] }
    let place = token.range.to(tokens[close].range)
    var inside = tokens[(index + 1)..<close]
    if let first = inside.first, case .word(let word) = first.kind,
      ForeignWords.statement(word)?.instead == "let" || word == "let" || ForeignWords.types.contains(word)
    {
      inside = inside.dropFirst()
    }
    guard inside.count > 2, case .word(let name)? = inside.first?.kind, Words.isName(name) else { return [] }
    let rest = inside.dropFirst(2)
    let sign = inside[inside.startIndex + 1].kind
    if sign == .word("of") || sign == .symbol(.colon), let first = rest.first, let last = rest.last {
      return [.replace(place, with: "each \(name) in \(source.text(first.range.to(last.range)))")]
    }
    // `i = 0; i < 5; i++`
    let words = inside.map { source.text($0.range) }
    guard words.count == 11, words[1] == "=", words[3] == ";", words[4] == name, words[7] == ";", words[8] == name, words[9] == "+",
      words[10] == "+", words[5] == "<" || words[5] == "<=", let from = UInt64(words[2]), let to = UInt64(words[6]), to < 1000
    else { return [] }
    return Self.listFix(from, words[5] == "<" ? to : to + 1, at: place).map { fix in
      .replace(place, with: "each \(name) in \(fix.edits[0].replacement)")
    }
  }

  func shellList(_ items: ArraySlice<Token>) -> String { items.map { source.text($0.range) }.joined(separator: ", ") }

  /// The fix of `for i in 1 2 3; do print i; done`; `body` is the place of the `do`.
  func shellLoopOnOneLine(_ name: SourceRange, _ rest: ArraySlice<Token>, _ body: Int) -> Fix? {
    var items = rest[..<body]
    if items.last?.kind == .symbol(.semicolon) { items = items.dropLast() }
    let end = rest.endIndex
    guard items.count > 0, end > body + 3, rest[end - 1].kind == .word("done"), rest[end - 2].kind == .symbol(.semicolon),
      items.allSatisfy({ token in
        switch token.kind {
        case .number, .text: true
        default: false
        }
      })
    else { return nil }
    let statements = source.text(tokens[body + 1].range.to(tokens[end - 3].range))
    let place = name.to(tokens[end - 1].range)
    return .replace(place, with: "each \(source.text(name)) in [\(shellList(items))]: \(statements)")
  }
}
