import Exchange
import Vocabulary

/// `switch` and `match` of other languages, which are reported once with all of their cases.
extension Parser {
  private struct Case {
    /// Empty for `default`.
    var values: [String]
    var lines: [String] = []
    var ends = false
  }

  /// Reports `switch n {` and the lines up to its `}`, or those that are indented more.
  mutating func foreignChoice(_ verb: String) -> Abandoned? {
    guard ["switch", "match", "select"].contains(verb), token.startsLine, let why = ForeignWords.explained(verb) else { return nil }
    let place = token.range
    let header = tokens[(index + 1)...].prefix { $0.kind != .newline && $0.kind != .endOfFile }
    guard !header.isEmpty, header.first?.kind != .symbol(.equal), header.first?.kind != .symbol(.dot) else { return nil }
    var last = header.endIndex - 1
    var open: Int?
    if let brace = header.firstIndex(where: { $0.kind == .symbol(.openCurly) }) {
      open = brace
    } else if let below = tokens[header.endIndex...].firstIndex(where: { $0.kind != .newline }),
      tokens[below].kind == .symbol(.openCurly)
    {
      open = below
    }
    if let open {
      guard let close = closingBrace(of: open) else { return nil }
      last = close
    } else if header.first?.kind == .symbol(.openRound), header.last?.kind != .symbol(.colon) {
      return nil
    } else {
      last = indentedEnd(after: header.endIndex - 1)
      guard last > header.endIndex - 1 else { return nil }
    }
    let chain = ifChain(
      header[..<(open.map { min($0, header.endIndex) } ?? header.endIndex)], from: header.endIndex, to: last, open)
    let whole = place.to(tokens[last].range)
    let finding = Diagnostic(
      "T022", why, at: place, "there is no statement `\(verb)`", fixes: chain.map { [.replace(whole, with: $0)] } ?? [])
    // Its cases are no mistakes of their own.
    index = last
    return abandon(finding)
  }

  func closingBrace(of open: Int) -> Int? {
    var level = 0
    return tokens.indices[open...].prefix(4000).first { place in
      if tokens[place].kind == .symbol(.openCurly) { level += 1 }
      if tokens[place].kind == .symbol(.closeCurly) { level -= 1 }
      return level == 0
    }
  }

  /// The last token of the lines that are indented more than the current one, and of their end.
  private func indentedEnd(after header: Int) -> Int {
    let column = source.column(of: token.range.start)
    var last = header
    for place in tokens.indices[(header + 1)...] where tokens[place].kind != .newline {
      if tokens[place].startsLine, source.column(of: tokens[place].range.start) <= column {
        guard source.column(of: tokens[place].range.start) == column, last > header, case .word(let word) = tokens[place].kind
        else {
          break
        }
        return isForeignEnd(word) || word == "end" || word == "endswitch" ? place : last
      }
      if tokens[place].kind == .endOfFile { break }
      last = place
    }
    return last
  }

  /// The cases as `if`, `else if` and `else`; `nil` if a case is more than literals and lines.
  private func ifChain(_ subject: ArraySlice<Token>, from: Int, to last: Int, _ open: Int?) -> String? {
    var subject = subject
    if subject.last?.kind == .symbol(.colon) { subject = subject.dropLast() }
    if subject.first?.kind == .symbol(.openRound), subject.last?.kind == .symbol(.closeRound) {
      subject = subject.dropFirst().dropLast()
    }
    guard let first = subject.first, let final = subject.last,
      subject.allSatisfy({ token in
        switch token.kind {
        case .word, .symbol(.dot): true
        default: false
        }
      }), let cases = cases(from: from, to: last, open)
    else { return nil }
    let value = source.text(first.range.to(final.range))
    let indent = source.indentation(ofLine: token.line)
    var lines: [String] = []
    for (number, one) in cases.enumerated() {
      let condition = one.values.map { "\(value) is \($0)" }.joined(separator: " or ")
      lines.append(number == 0 ? "if \(condition)" : one.values.isEmpty ? "else" : "else if \(condition)")
      lines += one.lines.map { "  \($0)" }
    }
    return (lines + ["end"]).joined(separator: "\n\(indent)")
  }

  private func cases(from: Int, to last: Int, _ open: Int?) -> [Case]? {
    let falls = word == "switch" && open != nil
    let end = open == nil && tokens[last].startsLine && tokens[last].kind != .newline ? last - 1 : open == nil ? last : last - 1
    var found: [Case] = []
    var pending: [String] = []
    var place = max(from, open.map { $0 + 1 } ?? from)
    while place <= end {
      if tokens[place].kind == .newline {
        place += 1
        continue
      }
      guard tokens[place].startsLine else { return nil }
      let line = tokens[place...end].prefix { $0.kind != .newline }
      var body = line
      if let header = caseHeader(line) {
        if !pending.isEmpty, header.values.isEmpty { return nil }
        let values = pending + header.values
        pending = []
        body = header.rest
        // Without braces, nothing says whether it falls through.
        if !falls, body.isEmpty, opensAnotherCase(after: line.endIndex) { return nil }
        if falls, body.isEmpty, !header.values.isEmpty, opensAnotherCase(after: line.endIndex) {
          pending = values
          place = line.endIndex
          continue
        }
        if falls, let before = found.last, !before.ends { return nil }
        guard found.last?.values.isEmpty != true else { return nil }
        found.append(Case(values: values))
      }
      guard !found.isEmpty, add(body, to: &found[found.count - 1]) else { return nil }
      place = line.endIndex
    }
    guard let first = found.first, !first.values.isEmpty, pending.isEmpty else { return nil }
    return found
  }

  private func opensAnotherCase(after end: Int) -> Bool {
    guard let next = tokens[end...].first(where: { $0.kind != .newline }) else { return false }
    return next.kind == .word("case") || next.kind == .word("default")
  }

  /// Adds a line of a case, without its `break`.
  private func add(_ line: ArraySlice<Token>, to one: inout Case) -> Bool {
    var line = line
    while line.last?.kind == .symbol(.semicolon) { line = line.dropLast() }
    if line.last?.kind == .word("break") {
      let before = line.dropLast()
      guard before.isEmpty || before.last?.kind == .symbol(.semicolon) else { return false }
      one.ends = true
      line = before
      while line.last?.kind == .symbol(.semicolon) { line = line.dropLast() }
    } else if line.isEmpty {
      return true
    } else if one.ends {
      return false
    }
    guard let first = line.first, let last = line.last else { return true }
    if line.contains(where: { $0.kind == .word("break") || $0.kind == .symbol(.openCurly) }) { return false }
    if first.kind == .word("return") { one.ends = true }
    // Lines of a block inside keep their indentation.
    one.lines.append(source.text(first.range.to(last.range)))
    return true
  }

  /// The values of `case 1, 2:`, `1 =>` and `default:`, which has none, and what comes after them.
  private func caseHeader(_ line: ArraySlice<Token>) -> (values: [String], rest: ArraySlice<Token>)? {
    guard
      let sign = line.firstIndex(where: { [.symbol(.colon), .symbol(.fatArrow), .symbol(.arrow)].contains($0.kind) }),
      let first = line.first
    else { return nil }
    let isArrow = line[sign].kind != .symbol(.colon)
    var values = line[..<sign]
    if first.kind == .word("case") { values = values.dropFirst() } else if !isArrow, first.kind != .word("default") { return nil }
    let rest = line[(sign + 1)...]
    if [.word("default"), .word("_"), .word("else")].contains(values.first?.kind), values.count == 1 { return ([], rest) }
    var texts: [String] = []
    for (number, token) in values.enumerated() {
      switch token.kind {
      case .number, .text, .duration, .word("true"), .word("false"):
        guard number % 2 == 0 else { return nil }
        texts.append(source.text(token.range))
      case .symbol(.comma), .symbol(.bar): guard number % 2 == 1 else { return nil }
      default: return nil
      }
    }
    return texts.isEmpty ? nil : (texts, rest)
  }
}
