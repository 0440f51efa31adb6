import Exchange

/// Blocks as in Python: a header that ends with `:`, and lines that are indented more.
extension Parser {
  /// Takes and reports the `:` at the end of a header.
  /// - Parameter header: the first token of its line.
  mutating func surplusColon(_ header: Int) {
    let sign = token.range
    advance()
    guard !coveredColons.contains(sign.start) else { return }
    let edits = withoutColons(from: header)
    let closes = edits.contains { $0.replacement.hasSuffix("end") }
    report(
      Diagnostic(
        "T020", "expected an action after `:` on the same line", at: sign,
        "a block needs no `:`\(closes ? ", and is closed with `end`" : "")",
        fixes: [edits.isEmpty ? .replace(sign, with: "") : Fix(edits: edits)]))
  }

  /// Takes and reports the `:` after `else` or `otherwise` at the end of a line.
  mutating func surplusColon(after part: String) {
    let sign = token.range
    advance()
    guard !coveredColons.contains(sign.start) else { return }
    report(
      Diagnostic(
        "T020", "`\(part)` needs no `:`", at: sign, "its body starts on the next line", fixes: [.replace(sign, with: "")]))
  }

  /// Whether the line of a token ends with a `:` that the fix of an earlier line removes.
  func endsInCoveredColon(_ place: Int) -> Bool {
    if coveredColons.isEmpty { return false }
    let end = tokens[place...].firstIndex { $0.kind == .newline || $0.kind == .endOfFile } ?? place
    return end > 0 && coveredColons.contains(tokens[end - 1].range.start) && tokens[end - 1].kind == .symbol(.colon)
  }

  /// The edits that remove the `:` of a block and of all such blocks in it, and add their `end`.
  mutating func withoutColons(from header: Int) -> [Fix.Edit] {
    var edits: [Fix.Edit] = []
    var open: [(column: Int, line: Int)] = []
    var ends = ""
    var lastLine = 0
    /// Adds the collected `end`s after the last line of the innermost block.
    func close() {
      guard !ends.isEmpty, let span = source.lineSpan(lastLine) else { return }
      let place = UInt32(truncatingIfNeeded: span.upperBound)
      edits.append(Fix.Edit(range: SourceRange(file: file, start: place, end: place), replacement: ends))
      ends = ""
    }
    var place = header
    while place < tokens.count, edits.count < 200 {
      let first = tokens[place]
      if first.kind == .endOfFile { break }
      if first.kind == .newline {
        place += 1
        continue
      }
      let column = source.column(of: first.range.start)
      var isPart = false
      while let block = open.last, column <= block.column {
        if case .word(let word) = first.kind, column == block.column {
          isPart = ["else", "elif", "elsif", "elseif", "otherwise", "except", "catch", "rescue"].contains(word)
          if isPart { break }
          if word == "end" || ForeignWords.statement(word)?.instead == "end" {
            open.removeLast()
            break
          }
        }
        ends += "\n" + source.indentation(ofLine: block.line) + "end"
        open.removeLast()
      }
      if place > header, open.isEmpty { break }
      close()
      let end = tokens[place...].firstIndex { $0.kind == .newline || $0.kind == .endOfFile } ?? tokens.count - 1
      if tokens[end - 1].kind == .symbol(.colon) {
        let sign = tokens[end - 1].range
        coveredColons.insert(sign.start)
        // With the spaces before it.
        let start = place < end - 1 ? tokens[end - 2].range.end : sign.start
        edits.append(Fix.Edit(range: SourceRange(file: file, start: start, end: sign.end), replacement: ""))
        if case .word(let word) = first.kind, isPart, word.hasPrefix("els") || word == "elif", word != "else" {
          edits.append(Fix.Edit(range: first.range, replacement: "else if"))
        }
        if !isPart { open.append((column, first.line)) }
      } else if place == header {
        return []
      }
      lastLine = tokens[end - 1].line
      place = end
    }
    while let block = open.popLast() { ends += "\n" + source.indentation(ofLine: block.line) + "end" }
    close()
    return edits
  }
}
