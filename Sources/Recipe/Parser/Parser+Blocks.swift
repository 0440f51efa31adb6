import Exchange
import Vocabulary

/// Blocks, handlers, and how they close.
extension Parser {
  // MARK: - opening and closing

  func opener(_ title: String) -> Opener {
    let word = title.prefix { $0 != " " }
    return Opener(
      word: String(word), title: title, range: token.range, line: token.line, column: source.column(of: token.range.start),
      token: index)
  }

  /// Opens a block. Stops parsing if blocks are nested too deeply.
  mutating func open(_ opener: Opener) {
    openers.append(opener)
    guard openers.count > Self.maximumBlocks, unwindTo == nil else { return }
    report(
      Diagnostic(
        "T003", "blocks are nested more than \(Self.maximumBlocks) deep", at: opener.range, "move the inner part into a procedure"))
    depth = 0
    index = tokens.count - 1
    unwindTo = 0
  }

  /// Takes the `end` of the innermost block, unless blocks are being closed without one.
  mutating func closeBlock() {
    guard let opener = openers.last else { return }
    defer {
      openers.removeLast()
      if openers.isEmpty { doubts = [] }
    }
    let endToken = token
    let depth = openers.count - 1
    closed.removeAll { $0.opener.word == opener.word && $0.depth >= depth || $0.depth > depth }
    guard unwindTo == nil else { return }
    defer {
      if opener.word == "if" || opener.word == "try" {
        closed.append(ClosedBlock(opener: opener, end: endToken.range, endLine: endToken.line, depth: depth, next: index))
      }
    }
    blocks?.append(Block(opener: opener.token, end: index, word: opener.word))
    if at(.closeCurly), !hasCurly(opener) {
      report(
        Diagnostic(
          "T019", "blocks need no `}`", at: token.range, "this `\(opener.title)` ends with `end`",
          labels: [Diagnostic.Label(range: opener.range, text: "opened here")], fixes: [.replace(token.range, with: "end")]))
    }
    noteDoubt(opener)
    advance()
    if let label = word {
      let place = endToken.range.to(token.range)
      if label != opener.word {
        // In the column of the innermost block, it is that one's, and its label is wrong.
        let isInner = endToken.startsLine && source.column(of: endToken.range.start) == opener.column
        let outer = openers.dropLast().lastIndex { $0.word == label && !(isInner && $0.column < opener.column) }
        if let outer {
          report(
            Diagnostic(
              "T018", "this `end \(label)` closes the `\(opener.title)` on line \(opener.line)", at: place,
              "its own `end` is missing before it",
              labels: [
                Diagnostic.Label(range: opener.range, text: "opened here"),
                Diagnostic.Label(range: openers[outer].range, text: "`end \(label)` belongs here"),
              ], fixes: missingEnds(of: openers[(outer + 1)...])))
          unwindTo = outer
        } else {
          report(
            Diagnostic(
              "T018", "`end \(label)` does not match", at: place, "this closes the `\(opener.title)` on line \(opener.line)",
              labels: [Diagnostic.Label(range: opener.range, text: "opened here")],
              fixes: [.replace(token.range, with: opener.word)]))
        }
      }
      advance()
    }
    if at(.semicolon) {
      let sign = token.range
      report(
        Diagnostic(
          "T015", "`end` needs no `;`", at: sign, "put it on a line of its own",
          fixes: [.replace(sign, with: followsNewline(index) ? "" : "\n")]))
      skipLine()
    } else if !isAtLineEnd {
      report(Diagnostic("T015", "expected the line to end after `end`", at: token.range, "found \(shown)"))
      skipLine()
    }
  }

  /// Remembers that the `end` of this block is in the column of an outer one: if that one is
  /// never closed, this is the block that lacks its `end`. Or that it is indented more than this
  /// block: if there is an `end` too many, it is this one.
  mutating func noteDoubt(_ inner: Opener) {
    let column = source.column(of: token.range.start)
    guard token.startsLine else { return }
    if column > inner.column { earlyEnds.append(EarlyEnd(range: token.range, opener: inner)) }
    guard column < inner.column, let outer = openers.dropLast().last(where: { $0.column == column }) else { return }
    doubts.append(Doubt(inner: inner, outer: outer.token))
  }

  /// The blocks that lack their `end`, in the order of the text. Indentation decides which of two
  /// an `end` belongs to.
  var unclosed: [Opener] {
    let inner = Dictionary(doubts.map { ($0.outer, $0.inner) }) { $1 }
    let blocks = openers.map { open in
      var open = open
      while let next = inner[open.token] { open = next }
      return open
    }
    return blocks.sorted { $0.token < $1.token }
  }

  /// Whether its header has a `{`, also on the next line, which is already reported.
  func hasCurly(_ opener: Opener) -> Bool {
    let end = tokens[opener.token...].firstIndex { $0.kind == .newline } ?? opener.token
    return tokens[opener.token..<end].contains { $0.kind == .symbol(.openCurly) } || braceBelow(end) != nil
  }

  /// Stops at the error limit, because the rest of the file adds nothing useful.
  mutating func dropLongestQueues() {
    guard findings.isFull else { return }
    depth = 0
    index = tokens.count - 1
    unwindTo = 0
  }

  /// Whether the innermost block ends here; skips to the next line.
  mutating func isBlockOver() -> Bool {
    dropLongestQueues()
    skipNewlines()
    lowercaseStatement()
    if let target = unwindTo {
      if openers.count > target { return true }
      unwindTo = nil
    }
    if kind == .endOfFile {
      guard !openers.isEmpty else { return true }
      endsInBlock = true
      reportUnclosed()
      unwindTo = 0
      return true
    }
    if beginsTopLevelItem, !openers.isEmpty, !(openers.count == 1 && openers[0].word == "peripheral" && word == "procedure") {
      reportUnclosed()
      unwindTo = 0
      return true
    }
    if openers.isEmpty { return false }
    if let word, isForeignEnd(word) {
      report(
        Diagnostic(
          "T022", "blocks end with `end`", at: token.range, "found `\(word)`", fixes: [.replace(token.range, with: "end")]))
      return true
    }
    return word == "end" && following.kind != .symbol(.openRound) || at(.closeCurly) && followsNewline(index) && !isCovered
  }

  /// Whether a word is `endif`, `done` or `fi` on a line of its own.
  func isForeignEnd(_ word: String) -> Bool {
    // In BASIC, `next` ends a loop; inside a block it is `skip`.
    if word == "next", followsNewline(index), token.startsLine, let opener = openers.last {
      return opener.column == source.column(of: token.range.start)
    }
    guard word != "end", let first = word.utf8.first, first >= UInt8(ascii: "d"), first <= UInt8(ascii: "f"),
      followsNewline(index), token.startsLine
    else { return false }
    return word.hasPrefix("end") && Words.all.contains { "end\($0)" == word }
      || ForeignWords.statement(word)?.instead == "end"
  }

  /// Whether a declaration begins here, at column 1.
  var beginsTopLevelItem: Bool {
    guard let word, Words.closing.contains(word), source.column(of: token.range.start) == 1 else { return false }
    switch following.kind {
    case .text: return word == "test" || word == "include"
    case .word(let name): return Words.isName(name) && word != "test" && word != "include"
    default: return false
    }
  }

  /// Reports that the innermost block is never closed. Indentation shows which one and where its
  /// `end` is missing.
  mutating func reportUnclosed() {
    let unclosed = unclosed
    guard let opener = unclosed.last, !endsInCoveredColon(opener.token) else { return }
    let lastLine = lastLine(of: opener)
    // The fix closes all open blocks, the innermost first.
    var edits: [Fix.Edit] = []
    var inner: (block: Opener, line: Int)?
    for open in unclosed.reversed() {
      let own = self.lastLine(of: open)
      let line = if let inner, own >= inner.block.line { max(own, inner.line) } else { own }
      guard let edit = end(of: open, afterLine: line) else { continue }
      if inner?.line == line { edits[edits.count - 1].replacement += edit.replacement } else { edits.append(edit) }
      inner = (open, line)
    }
    // Without indentation, an `end` after the header would leave the block empty.
    let isFlat =
      lastLine == opener.line
      && tokens[opener.token..<max(opener.token, index)].contains {
        $0.startsLine && $0.kind != .newline && $0.line > opener.line
      }
    if isFlat {
      return report(
        Diagnostic(
          "T016", "this `\(opener.title)` is never closed", at: opener.range,
          "nothing below is indented, so its `end` could go anywhere"))
    }
    report(
      Diagnostic(
        "T016", "this `\(opener.title)` is never closed", at: opener.range, "the indentation suggests `end` after line \(lastLine)",
        fixes: edits.isEmpty ? [] : [Fix(lead: "add after line \(lastLine)", edits: edits)]))
  }

  /// The fix that closes nested blocks where their indentation ends; none if a block has no
  /// indented lines, because its `end` could go anywhere.
  private func missingEnds(of blocks: ArraySlice<Opener>) -> [Fix] {
    var edits: [Fix.Edit] = []
    var last = 0
    for block in blocks.reversed() {
      let line = max(lastLine(of: block), last)
      guard line > block.line, line < token.line, let edit = end(of: block, afterLine: line) else { return [] }
      if last == line { edits[edits.count - 1].replacement += edit.replacement } else { edits.append(edit) }
      last = line
    }
    return [Fix(lead: "add after line \(lastLine(of: blocks[blocks.endIndex - 1]))", edits: edits)]
  }

  /// Reports a block that a line of the block around it shows to be open, and closes it.
  mutating func reportOpen() {
    guard let opener = openers.last else { return }
    let lastLine = lastLine(of: opener)
    let before = lastLine == opener.line ? token.line - 1 : lastLine
    report(
      Diagnostic(
        "T016", "this `\(opener.title)` is never closed", at: opener.range, "`end` is missing before line \(token.line)",
        fixes: end(of: opener, afterLine: before).map { [Fix(lead: "add after line \(before)", edits: [$0])] } ?? []))
    unwindTo = openers.count - 1
  }

  /// Adds the `end` of a block, indented like it.
  private func end(of block: Opener, afterLine line: Int) -> Fix.Edit? {
    guard let place = source.lineSpan(line).map({ UInt32($0.upperBound) }) else { return nil }
    let range = SourceRange(file: file, start: place, end: place)
    return Fix.Edit(range: range, replacement: "\n\(source.indentation(ofLine: block.line))end")
  }

  /// The line where a block without `end` probably ends.
  private func lastLine(of opener: Opener) -> Int {
    var lastLine = opener.line
    for token in tokens[opener.token..<max(opener.token, index)]
    where token.startsLine && token.kind != .newline && token.line > opener.line {
      let column = source.column(of: token.range.start)
      if column < opener.column { break }
      if column == opener.column, token.kind != .word("else"), token.kind != .word("otherwise") { break }
      lastLine = token.line
    }
    return lastLine
  }

  // MARK: - bodies

  /// `":" simple { ";" simple } NL | NL { member } "end" [ WORD ] NL`, after a valid header.
  mutating func body(_ opener: Opener) throws(Abandoned) -> [Member] {
    if at(.colon), isColonAtEnd {
      surplusColon(opener.token)
      return block(opener)
    }
    if accept(.colon) {
      return try simples().map { .statement($0) }
    }
    try endHeader(opener)
    return block(opener)
  }

  /// Ends the line of a header; reports and skips a `{` or `then`.
  mutating func endHeader(_ opener: Opener) throws(Abandoned) {
    if isAtLineEnd {
      skipBraceBelow(isCovered: false)
      return
    }
    if at(.openCurly) || word == "then" || word == "do" || word == "begin" {
      report(blocksNeedNo(source.text(token.range)))
      if case .word = kind, following.kind == .symbol(.colon) || following.kind == .newline {
        advance()
        if isAtLineEnd { return }
      }
      skipLine()
      return
    }
    throw leftOver(opener.title)
  }

  /// Reports a `{` on a line of its own below a header.
  /// - Parameter isCovered: Whether the fix for the first `{` of the block removes this one too.
  mutating func skipBraceBelow(isCovered: Bool) {
    guard let brace = braceBelow(index) else { return }
    index = brace
    if !isCovered { report(blocksNeedNo("{")) }
    // Inside a bracket, lines would not end.
    skipLine()
  }

  /// The `{` that is alone on the next line with anything, after the end of a line.
  private func braceBelow(_ end: Int) -> Int? {
    var place = end
    while place < tokens.count, tokens[place].kind == .newline { place += 1 }
    return place > end && place < tokens.count && tokens[place].kind == .symbol(.openCurly) && followsNewline(place) ? place : nil
  }

  /// Skips the `}` before an `else`, which the fix for the `{` of its `if` removes.
  mutating func skipBraceBeforeElse(_ opener: Opener) {
    guard at(.closeCurly), hasCurly(opener) else { return }
    let next = tokens[(index + 1)...].first { $0.kind != .newline }
    guard let next, case .word(let word) = next.kind, word.hasPrefix("els") || word == "elif" else { return }
    advance()
    skipNewlines()
  }

  /// Reports `print 1;`, because a line needs no `;` at its end.
  mutating func lastSemicolon() -> Abandoned {
    let sign = tokens[index - 1].range
    return abandon(
      Diagnostic(
        "T015", "nothing follows this `;`", at: sign, "`;` separates two statements on a line",
        fixes: [.replace(sign, with: "")]))
  }

  /// `simple { ";" simple }` up to the line end.
  mutating func simples() throws(Abandoned) -> [Statement] {
    var list = [try simple()]
    while accept(.semicolon) {
      if isAtLineEnd { throw lastSemicolon() }
      list.append(try simple())
    }
    if !isAtLineEnd { throw leftOver("the statement") }
    return list
  }

  /// The lines of a block and its `end`.
  mutating func block(_ opener: Opener) -> [Member] {
    open(opener)
    let list = members()
    closeBlock()
    return list
  }

  /// The lines of a block, up to its `end` or a word that begins its next part.
  mutating func members(stops: [String] = []) -> [Member] {
    var list: [Member] = []
    let isTry = stops == ["otherwise"]
    while true {
      skipEnd(before: stops)
      if isTry, unwindTo == nil, let opener = openers.last, rescueBrace(opener) != nil { break }
      if isBlockOver() { break }
      if let word, stops.contains(word) { break }
      if word == "else" || word == "otherwise" {
        if strayPart() { break }
        continue
      }
      member(into: &list)
    }
    return list
  }

  /// Reports `end else`, as if the first part of an `if` had an `end` of its own.
  mutating func skipEnd(before stops: [String]) {
    skipNewlines()
    guard unwindTo == nil, word == "end", token.startsLine, case .word(let part) = following.kind, stops.contains(part),
      following.line == token.line
    else { return }
    let owner = openers.last?.word ?? ""
    report(
      Diagnostic(
        "T018", "`\(part)` needs no `end` before it", at: token.range, "one `end` closes the `\(owner)` with its `\(part)`",
        fixes: [.replace(SourceRange(file: file, start: token.range.start, end: following.range.start), with: "")]))
    advance()
  }

  /// Reports an `else` or `otherwise` that its block does not have. Returns true if the blocks
  /// inside its owner must close.
  mutating func strayPart() -> Bool {
    let part = word ?? ""
    let owner = part == "else" ? "if" : "try"
    if let last = openers.last, last.word == "if", owner == "if", closedBlock(owner) == nil {
      report(
        Diagnostic(
          "T021", "this `if` already has an `else`", at: token.range, "only the last part is an `else`; use `else if` before it",
          labels: [Diagnostic.Label(range: last.range, text: "the `if`")]))
      skipLine()
      return false
    }
    if closedBlock(owner) == nil, let outer = openers.lastIndex(where: { $0.word == owner }), let inner = openers.last {
      if !endsInCoveredColon(inner.token) {
        report(
          Diagnostic(
            "T016", "this `\(inner.title)` is not closed before `\(part)`", at: inner.range,
            "`end` is missing before line \(token.line)",
            labels: [
              Diagnostic.Label(range: token.range, text: "this `\(part)` belongs to the `\(owner)` on line \(openers[outer].line)")
            ]))
      }
      unwindTo = outer + 1
      return true
    }
    if part == "else", let last = openers.last, last.word == "try", closedBlock(owner) == nil {
      report(
        Diagnostic(
          "T021", "a `try` has no `else`", at: token.range,
          "`otherwise` handles a failure; what follows without one belongs before it",
          labels: [Diagnostic.Label(range: last.range, text: "the `try`")]))
      skipLine()
      return false
    }
    report(withoutOwner(part, owner))
    let late = closedBlock(owner)
    let opener = opener(part)
    skipLine()
    // Read its lines, if they form a block.
    if tokens[opener.token..<index].last?.kind != .symbol(.colon), !lineHasMoreThanHeader(opener) { _ = block(opener) }
    partEnded(owner, late)
    return false
  }

  /// A block of this kind that was closed just before the current token, in the same block.
  func closedBlock(_ owner: String) -> ClosedBlock? {
    closed.last { block in
      block.opener.word == owner && block.depth == openers.count && block.opener.token > openers.last?.token ?? -1
        && tokens[min(block.next, index)..<index].allSatisfy { $0.kind == .newline }
    }
  }

  /// Allows another late part after this one.
  mutating func partEnded(_ owner: String, _ late: ClosedBlock?) {
    guard let late, let place = closed.lastIndex(where: { $0.opener.token == late.opener.token }) else { return }
    closed[place].next = index
  }

  /// T021: `else` or `otherwise` without its owner.
  func withoutOwner(_ part: String, _ owner: String) -> Diagnostic {
    guard let block = closedBlock(owner) else {
      let note =
        part == "else"
        ? "a body after `:` ends with its line; write a block with `end`, or `a if c else b`"
        : "on one line, put `otherwise` after the action: `try 3 times: connect otherwise stop`"
      return Diagnostic(
        "T021", "this `\(part)` has no `\(owner)`", at: token.range, "a one-line `\(owner)` ends at the end of its line",
        notes: [note])
    }
    let line = source.startOfLine(block.endLine, file: file).to(source.startOfLine(block.endLine + 1, file: file))
    let isAlone = source.text(line).utf8.filter { $0 > 0x20 }.elementsEqual("end".utf8)
    return Diagnostic(
      "T021", "this `\(part)` comes after the `end` of its `\(owner)`", at: token.range,
      "the `\(owner)` on line \(block.opener.line) is already closed by the `end` on line \(block.endLine)",
      labels: [Diagnostic.Label(range: block.end, text: "one `end` closes the `\(owner)` with its `\(part)`")],
      fixes: isAlone ? [Fix(lead: "remove line \(block.endLine)", edits: [Fix.Edit(range: line, replacement: "")])] : [])
  }

  /// Whether something other than a condition follows `else` on its line.
  func lineHasMoreThanHeader(_ opener: Opener) -> Bool {
    let rest = tokens[min(opener.token + 1, index)..<index]
    guard let first = rest.first else { return false }
    return first.kind != .word("if") || rest.contains { $0.kind == .symbol(.colon) }
  }

  /// Whether `on failure` is in the column of the `try` around it.
  private var isRescue: Bool {
    guard let opener = openers.last, opener.word == "try", following.kind == .word("failure") else { return false }
    return source.column(of: token.range.start) <= opener.column
  }

  /// One line (several statements with `;`), one handler or one block. A line with an error adds
  /// nothing.
  mutating func member(into list: inout [Member]) {
    if isCovered {
      skipLine()
      return
    }
    do {
      switch word {
      case "on" where isRescue:
        report(
          Diagnostic(
            "T022", "use `otherwise` to handle a failure", at: token.range.to(following.range),
            "`on failure` handles those that nothing else does, outside of a `try`",
            fixes: [.replace(token.range.to(following.range), with: "otherwise")]))
        skipLine()
        return
      case "on", "every", "after":
        if following.kind != .symbol(.equal) {
          if let handler = try handler() { list.append(.handler(handler)) }
          return
        }
      case "whenever":
        if let whenever = try whenever() { list.append(.whenever(whenever)) }
        return
      default: break
      }
      if let word, Words.topLevel.contains(word), following.kind != .symbol(.equal), !openers.isEmpty {
        misplacedItem(word)
        return
      }
      if let word, isForeignBlock(word) {
        foreignBlock(word)
        return
      }
      if let word, misspeltOpener(word) { return }
      while true {
        if let compound = try compound() {
          list.append(.statement(compound))
          return
        }
        list.append(.statement(try simple()))
        guard accept(.semicolon) else { break }
        if isAtLineEnd { throw lastSemicolon() }
      }
      if !isAtLineEnd { throw leftOver("the statement") }
    } catch {
      // Report at most one error per line.
      skipLine()
    }
  }

  /// Reports `pocedure f()`, a misspelt word with lines and an `end`. Its lines are still parsed,
  /// to find their errors.
  mutating func misspeltOpener(_ word: String) -> Bool {
    if case .symbol(let sign) = following.kind, sign != .colon { return false }
    guard Words.isName(word), !Words.all.contains(word), ForeignWords.statement(word) == nil,
      let near = Spelling.nearest(to: word, among: Words.all)
    else { return false }
    let opener = opener(word)
    let openers = Words.blocks + Words.handlers + ["procedure", "format", "peripheral", "test"]
    guard openers.contains(near), hasEndAhead(of: opener) else { return false }
    _ = noStatement()
    switch near {
    case "format": _ = format()
    case "peripheral": _ = peripheral()
    default:
      skipLine()
      if !lineHasBody(opener) { _ = block(opener) }
    }
    return true
  }

  func isForeignBlock(_ word: String) -> Bool {
    if isFunctionOfC(word) { return true }
    if word == "async", case .word(let next) = following.kind, ForeignWords.statement(next)?.instead == "procedure" { return true }
    guard ForeignWords.opensBlock(word), following.kind != .symbol(.equal) else { return false }
    if ["def", "func", "function", "fn", "proc", "sub", "define"].contains(word) { return followsName }
    return following.kind != .symbol(.openRound) || word == "while" || word == "until" || word == "foreach"
  }

  /// Whether a function as in C begins here, `void setup()`.
  func isFunctionOfC(_ word: String) -> Bool {
    guard word == "void" || ForeignWords.types.contains(word), token.startsLine, followsName else { return false }
    return index + 2 < tokens.count && tokens[index + 2].kind == .symbol(.openRound)
  }

  var followsName: Bool {
    if case .word = following.kind { return true }
    return false
  }

  mutating func foreignBlock(_ word: String) {
    let opener = opener(word)
    _ = noStatement()
    skipLine()
    if lineHasBody(opener) { return }
    _ = block(opener)
  }

  /// Whether the header's line also has its body: a `:` outside brackets with something after it.
  func lineHasBody(_ opener: Opener) -> Bool {
    var level = 0
    for place in opener.token..<index {
      switch tokens[place].kind {
      case .symbol(.openRound), .symbol(.openSquare), .symbol(.openCurly): level += 1
      case .symbol(.closeRound), .symbol(.closeSquare), .symbol(.closeCurly): level -= 1
      case .symbol(.colon) where level == 0: return place + 1 < tokens.count && tokens[place + 1].kind != .newline
      default: break
      }
    }
    return false
  }

  /// Parses the lines after a header with an error, to find their errors.
  mutating func recoverBlock(_ opener: Opener) {
    skipLine()
    if lineHasBody(opener) { return }
    _ = block(opener)
  }
}
