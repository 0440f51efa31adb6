import Exchange
import Vocabulary

/// Messages about the first wrong token of a phrase.
extension Parser {
  /// Takes a word of the phrase, or throws the finding that it is missing.
  mutating func expect(_ text: String, _ message: String, code: String = "T013") throws(Abandoned) {
    if accept(text) { return }
    throw missing(text, message, code: code)
  }

  mutating func missing(_ text: String, _ message: String, code: String = "T013") -> Abandoned {
    if let foreign = foreignHere() { return foreign }
    if let found = word, Spelling.nearest(to: found, among: [text]) != nil {
      return abandon(
        Diagnostic(code, message, at: token.range, "did you mean `\(text)`?", fixes: [.replace(token.range, with: text)]))
    }
    var fixes: [Fix] = []
    if let found = word, Self.prepositions.contains(found), Self.insertable.contains(text), found != text {
      fixes = [.replace(token.range, with: text)]
    } else if !isAtPhraseEnd, canFollow(text) {
      fixes = [.insert(text + " ", before: token.range)]
    }
    return abandon(Diagnostic(code, message, at: here, "found \(shown)", fixes: fixes))
  }

  /// Words that are often left out.
  private static let insertable = ["for", "to", "from", "of", "by", "than", "code", "with", "in", "each", "as", "is"]
  /// Words that are often confused with each other.
  private static let prepositions = ["with", "to", "of", "from", "for", "at", "by", "as", "in", "on", "into"]

  /// Whether inserting a word before the current token might fix the phrase.
  private func canFollow(_ text: String) -> Bool {
    guard Self.insertable.contains(text) else { return false }
    return switch kind {
    case .word(let word): !Words.isReserved(word) || word == "it" || word == "hex"
    case .number, .duration, .text, .uuid, .address: true
    case .symbol(.openRound): true
    default: false
    }
  }

  /// Takes a symbol of the phrase, or throws the finding that it is missing.
  mutating func expect(_ symbol: Symbol, _ message: String, code: String = "T013") throws(Abandoned) {
    if accept(symbol) { return }
    if let foreign = foreignHere() { throw foreign }
    throw abandon(Diagnostic(code, message, at: here, "found \(shown)"))
  }

  /// Takes a name; `what` describes it in messages: "a name for the value".
  mutating func name(_ what: String) throws(Abandoned) -> NameSyntax {
    if let text = word, Words.isName(text) {
      let name = NameSyntax(text: text, range: token.range)
      advance()
      return name
    }
    throw noName(what)
  }

  mutating func noName(_ what: String) -> Abandoned {
    if let text = word {
      if Words.isReserved(text) {
        return abandon(
          Diagnostic("T032", "`\(text)` is a reserved word and cannot be a name", at: token.range, "expected \(what)"))
      }
      let lower = snakeCase(text)
      if declares(text), declares(lower) {
        return abandon(
          Diagnostic(
            "T033", "names start with a lowercase letter", at: token.range,
            "`\(lower)` already exists in this file; choose another name"))
      }
      if let places = occurrences(ofDeclared: text), Words.isName(lower) {
        // The fix of the first one renames all of them.
        let isFirst = places.first == token.range
        return abandon(
          Diagnostic(
            "T033", "names start with a lowercase letter", at: token.range, isFirst ? "expected \(what)" : "write `\(lower)`",
            fixes: isFirst ? [Fix(edits: places.map { Fix.Edit(range: $0, replacement: lower) })] : []))
      }
      return abandon(
        Diagnostic(
          "T033", "names start with a lowercase letter", at: token.range, "expected \(what)",
          fixes: Words.isName(lower) ? [.replace(token.range, with: lower)] : []))
    }
    return abandon(Diagnostic("T014", "expected \(what)", at: here, "found \(shown)"))
  }

  /// All places of a name that this text declares and uses again; `nil` if it does not, or if texts
  /// may contain more of them than can be found.
  private func occurrences(ofDeclared name: String) -> [SourceRange]? {
    guard declares(name) else { return nil }
    var places: [SourceRange] = []
    for token in tokens {
      if case .word(name) = token.kind {
        places.append(token.range)
      } else if case .text = token.kind {
        let text = source.text(token.range)
        guard text.utf8.count < 10_000 else { return nil }
        let bytes = Array(text.utf8)
        let word = Array(name.utf8)
        for start in bytes.indices
        where start + word.count <= bytes.count && bytes[start..<start + word.count].elementsEqual(word) {
          let isWord =
            (start == 0 || !isWordByte(bytes[start - 1]))
            && (start + word.count == bytes.count || !isWordByte(bytes[start + word.count]))
          guard isWord else { continue }
          guard start > 0, bytes[start - 1] == UInt8(ascii: "{") else { return nil }
          let place = token.range.start + UInt32(truncatingIfNeeded: start)
          places.append(SourceRange(file: file, start: place, end: place + UInt32(truncatingIfNeeded: word.count)))
        }
      }
      if places.count > 64 { return nil }
    }
    return places.count > 1 ? places : nil
  }

  /// Whether a word may be a name: declared in this text, in an included file, or at the prompt.
  func mayBeDeclared(_ name: String) -> Bool {
    isEntry || declares(name) || tokens.contains { $0.startsLine && $0.kind == .word("include") }
  }

  /// Whether a word is declared or given a value somewhere in the text.
  func declares(_ name: String) -> Bool {
    var isHeader = false
    for place in tokens.indices {
      if tokens[place].startsLine { isHeader = tokens[place].kind == .word("procedure") }
      guard tokens[place].kind == .word(name), place > 0 else { continue }
      if isHeader { return true }
      guard case .word(let before) = tokens[place - 1].kind else { continue }
      if ["let", "as", "each", "input", "remember", "format", "peripheral"].contains(before) { return true }
    }
    return false
  }

  func snakeCase(_ text: String) -> String {
    var result = ""
    var before = UnicodeScalar("_")
    for scalar in text.unicodeScalars {
      let isUpper = ("A"..."Z").contains(scalar)
      if isUpper, ("a"..."z").contains(before) { result += "_" }
      result += isUpper ? String(scalar).lowercased() : String(scalar)
      before = scalar
    }
    return result
  }

  /// Reports a token after the end of a phrase. One of the `expected` words could have followed.
  mutating func leftOver(_ phrase: String, _ kind: StatementKind? = nil) -> Abandoned {
    let title = phrase.isEmpty ? "the value" : phrase.hasPrefix("the ") ? phrase : "`\(phrase)`"
    if !findings.hasError(onLineOf: token.range),
      let special = lateCondition(phrase) ?? shellSign(phrase) ?? percentSign() ?? parameterOfHandler(phrase)
    {
      return special
    }
    if let special = statementAsValue() ?? awaited() ?? emptyParentheses(phrase) ?? dashesForComment() ?? guessBeforeForeign()
      ?? foreignHere() ?? reportedHere()
    {
      return special
    }
    if let found = word {
      let candidates = expectedAt == index ? expected : []
      let isOrdered = phrase == "simulate" || phrase == "start recipe"
      if let late = lateClause(found, among: isOrdered ? ["as", "with"] : Self.clauses) { return late }
      if let special = spokenComparison() ?? withName() { return special }
      if let glued = gluedWord(found, candidates) ?? doubledWord() { return glued }
      if let special = guess(phrase) { return special }
      if let second = statementAfterThen(found, phrase) { return second }
      if let near = Spelling.nearest(to: found, among: candidates) {
        return abandon(
          Diagnostic(
            "T015", "\(title) cannot be followed by `\(found)`", at: token.range, "did you mean `\(near)`?",
            fixes: [.replace(token.range, with: near)]))
      }
      if found == "from" || found == "on" || found == "at", candidates.contains("of") {
        let follower = following.range
        return abandon(
          Diagnostic(
            "T026", "use `of` before the device", at: token.range, "found `\(found)`",
            fixes: follower.start > token.range.start ? [.replace(token.range, with: "of")] : []))
      }
      if found == "as", !candidates.isEmpty, !candidates.contains("as"), case .word(let name) = following.kind {
        let isSubscribing = phrase == "subscribe to"
        return abandon(
          Diagnostic(
            "T015", "\(title) gives no value to name", at: token.range.to(following.range),
            isSubscribing ? "`on notify …` gets each value, as `it` or `as \(name)`" : ""))
      }
      if found == "then" || found == "do" || found == "begin" {
        return abandon(blocksNeedNo(found))
      }
      if found == "with", candidates.contains("of") || phrase.hasPrefix("write") {
        return abandon(Diagnostic("T015", "expected \(title) to end here", at: token.range, ""))
      }
    }
    if let special = doubledWord() ?? outputOfOthers(phrase) ?? guess(phrase) { return special }
    var notes: [String] = []
    let candidates = expectedAt == index ? expected.filter { $0 != "otherwise" } : []
    if !candidates.isEmpty { notes.append("expected \(list(unique(candidates).map { "`\($0)`" })) or the end of the line") }
    return abandon(Diagnostic("T015", "expected \(title) to end here", at: here, "found \(shown)", notes: notes))
  }

  /// Reports `connect then read battery_level`, two statements on one line.
  private mutating func statementAfterThen(_ found: String, _ phrase: String) -> Abandoned? {
    guard found == "then", let first = phrase.split(separator: " ").first, Words.actions.contains(String(first)), followingIsAction
    else { return nil }
    let line = tokens[..<index].last { $0.startsLine }
    let glue = SourceRange(file: file, start: previous.range.end, end: following.range.start)
    let isOwn = line.map { $0.kind == .word(String(first)) } ?? false
    return abandon(
      Diagnostic(
        "T015", "each statement needs a line of its own", at: token.range, "`then` separates statements only in `tooth do`",
        fixes: isOwn ? [.replace(glue, with: "\n" + source.indentation(ofLine: token.line))] : []))
  }

  /// Reports `print 1 -- two words`, a comment as in SQL or Lua, of which the second word is left
  /// over.
  private mutating func dashesForComment() -> Abandoned? {
    guard index > 3, case .word = kind, case .word = previous.kind, case .symbol(.minus) = tokens[index - 2].kind,
      case .symbol(.minus) = tokens[index - 3].kind, tokens[index - 3].line == token.line,
      tokens[index - 3].range.end == tokens[index - 2].range.start, tokens[index - 2].range.end < previous.range.start
    else { return nil }
    let dashes = tokens[index - 3].range.to(tokens[index - 2].range)
    return abandon(
      Diagnostic("T004", "comments start with `#`", at: dashes, "not with `--`", fixes: [.replace(dashes, with: "#")]))
  }

  /// Words that begin a part of a statement.
  static let clauses = ["as", "within", "when", "of"]

  /// Reports `read x as v within 2s`, where a part of a statement is too late.
  mutating func lateClause(_ found: String, among clauses: [String] = Parser.clauses) -> Abandoned? {
    guard clauses.contains(found) else { return nil }
    var start = index - 1
    func opens(_ place: Int) -> String? {
      guard case .word(let word) = tokens[place].kind, clauses.contains(word), tokens[place - 1].kind != .symbol(.dot) else {
        return nil
      }
      return word
    }
    while start > 0, !tokens[start].startsLine, index - start < 32, opens(start) == nil { start -= 1 }
    guard start > 0, start + 1 < index, let earlier = opens(start), earlier != found else { return nil }
    let ends: [Token.Kind] = [.newline, .endOfFile, .symbol(.semicolon), .symbol(.colon), .word("otherwise")]
    var end = index + 1
    while end < tokens.count, !ends.contains(tokens[end].kind) {
      if opens(end) != nil { break }
      end += 1
    }
    guard end > index + 1 else { return nil }
    let late = SourceRange(file: file, start: token.range.start, end: tokens[end - 1].range.end)
    let passed = SourceRange(file: file, start: tokens[start].range.start, end: tokens[index - 1].range.end)
    return abandon(
      Diagnostic(
        "T013", "`\(found)` comes before `\(earlier)`", at: token.range, "",
        fixes: [.replace(passed.to(late), with: "\(source.text(late)) \(source.text(passed))")]))
  }

  /// Reports `read x asbeat`, where the space after a word is missing.
  private mutating func gluedWord(_ found: String, _ candidates: [String]) -> Abandoned? {
    guard !Words.all.contains(found) else { return nil }
    for word in candidates where found.hasPrefix(word) {
      let rest = String(found.dropFirst(word.count))
      guard word.count > 1, Words.isName(rest), rest.count > 1 else { continue }
      return abandon(
        Diagnostic(
          "T015", "a space is missing after `\(word)`", at: token.range, "",
          fixes: [.replace(token.range, with: "\(word) \(rest)")]))
    }
    return nil
  }

  /// Reports the second word of `to to "x.csv"`, of which the first was taken for a name.
  private mutating func doubledWord() -> Abandoned? {
    guard index > 1, case .word(let word) = tokens[index - 1].kind, tokens[index - 2].kind == .word(word),
      Self.insertable.contains(word), !declares(word)
    else { return nil }
    let place = SourceRange(file: file, start: tokens[index - 2].range.end, end: tokens[index - 1].range.end)
    return abandon(
      Diagnostic(
        "T015", "`\(word)` appears twice", at: tokens[index - 1].range, "", fixes: [.replace(place, with: "")]))
  }

  /// A guess for `=>`, a comparison with its signs swapped, if the phrase can go on.
  private mutating func guessBeforeForeign() -> Abandoned? { at(.fatArrow) ? guess("") : nil }

  func blocksNeedNo(_ sign: String) -> Diagnostic {
    var place = token.range
    if token.startsLine, sign == "{" {
      place = wholeLine(place)
    } else if place.start > 0, source.bytes[Int(place.start) - 1] == 0x20 {
      place.start -= 1
    }
    // Removing the sign is right only if it is the last one on its line.
    let rest = source.bytes[Int(token.range.end)...].prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "#") }
    let isLast = rest.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r") }
    var edits = isLast ? [Fix.Edit(range: place, replacement: "")] + (sign == "{" ? closingBraces() : []) : []
    var label = token.startsLine ? "the block ends with `end`" : "end the line here and close the block with `end`"
    if !isLast, sign == "then" || sign == "do" || sign == "{" {
      // `if a then: print 1` is the one-line form with a surplus word.
      let hasColon = index + 1 < tokens.count && tokens[index + 1].kind == .symbol(.colon)
      edits = [Fix.Edit(range: place, replacement: hasColon ? "" : ":")]
      if sign == "{" { edits = closingBrace().map { edits + [$0] } ?? rescueOnOneLine().map { edits + $0 } ?? [] }
      label = "an action on the same line comes after `:`"
    }
    return Diagnostic("T019", "blocks need no `\(sign)`", at: token.range, label, fixes: edits.isEmpty ? [] : [Fix(edits: edits)])
  }

  /// The line of a sign that is alone on it, with its end; else the sign.
  private func wholeLine(_ sign: SourceRange) -> SourceRange {
    var (start, end) = (Int(sign.start), Int(sign.end))
    while start > 0, [0x20, 0x09].contains(source.bytes[start - 1]) { start -= 1 }
    while end < source.bytes.count, [0x20, 0x09, 0x0D].contains(source.bytes[end]) { end += 1 }
    guard start == 0 || source.bytes[start - 1] == 0x0A, end < source.bytes.count, source.bytes[end] == 0x0A else { return sign }
    return SourceRange(file: file, start: UInt32(start), end: UInt32(end + 1))
  }

  /// Removes the `}` at the end of the line of the current `{`.
  private func closingBrace() -> Fix.Edit? {
    let end = tokens[index...].firstIndex { $0.kind == .newline || $0.kind == .endOfFile } ?? index
    let braces = tokens[index..<end].filter { $0.kind == .symbol(.openCurly) || $0.kind == .symbol(.closeCurly) }
    guard braces.count == 2, let last = tokens[..<end].last, last.kind == .symbol(.closeCurly) else { return nil }
    // With a `;` before it.
    let before = end > index + 2 && tokens[end - 2].kind == .symbol(.semicolon) ? tokens[end - 3] : tokens[end - 2]
    return Fix.Edit(range: SourceRange(file: file, start: before.range.end, end: last.range.end), replacement: "")
  }

  /// Replaces the `}` of the current `{`: by `end`, or by nothing in `} else {`.
  private func closingBraces() -> [Fix.Edit] {
    var edits: [Fix.Edit] = []
    var level = 0
    var place = index
    while place < tokens.count {
      defer { place += 1 }
      if tokens[place].kind == .symbol(.openCurly) { level += 1 }
      guard tokens[place].kind == .symbol(.closeCurly) else { continue }
      level -= 1
      guard level == 0 else { continue }
      let brace = tokens[place].range
      guard tokens[place].startsLine, place + 1 < tokens.count else { return [] }
      var next = place + 1
      while next + 1 < tokens.count, tokens[next].kind == .newline { next += 1 }
      if next > place + 1, tokens[next].kind == .word("else") {
        // `}` on a line of its own before `else {`, or `else` with `{` below it.
        edits.append(Fix.Edit(range: wholeLine(brace), replacement: ""))
        var opening = tokens[next...].firstIndex { $0.kind == .newline } ?? next
        if tokens[opening - 1].kind == .symbol(.openCurly) {
          opening -= 1
        } else {
          while opening + 1 < tokens.count, tokens[opening].kind == .newline { opening += 1 }
        }
        guard tokens[opening].kind == .symbol(.openCurly), followsNewline(opening) else { return [] }
        let before = tokens[opening - 1]
        let sign =
          before.kind == .newline
          ? wholeLine(tokens[opening].range)
          : SourceRange(file: file, start: before.range.end, end: tokens[opening].range.end)
        edits.append(Fix.Edit(range: sign, replacement: ""))
        place = opening
        level = 1
        continue
      }
      if let rescue = rescueInBraces(place) {
        edits.append(Fix.Edit(range: brace.to(tokens[rescue.brace].range), replacement: "otherwise" + rescue.clause))
        place = rescue.brace
        level = 1
        continue
      }
      if followsNewline(place) { return edits + [Fix.Edit(range: brace, replacement: "end")] }
      guard tokens[place + 1].kind == .word("else") else { return [] }
      edits.append(
        Fix.Edit(range: SourceRange(file: file, start: brace.start, end: tokens[place + 1].range.start), replacement: ""))
      while place + 1 < tokens.count, tokens[place + 1].kind != .newline, tokens[place + 1].kind != .symbol(.openCurly) {
        place += 1
      }
      guard place + 1 < tokens.count, tokens[place + 1].kind == .symbol(.openCurly), followsNewline(place + 1) else { return edits }
      edits.append(
        Fix.Edit(
          range: SourceRange(file: file, start: tokens[place].range.end, end: tokens[place + 1].range.end), replacement: ""))
    }
    return []
  }

  /// Reports `let t = read temperature`, where the value before the current token is the first word
  /// of a statement.
  private mutating func statementAsValue() -> Abandoned? {
    guard index > 0, case .word(let verb) = previous.kind, ["read", "ask", "run", "scan", "connect", "wait"].contains(verb) else {
      return nil
    }
    // At the beginning of a statement, it is a statement.
    guard !previous.startsLine,
      index < 2 || ![.symbol(.semicolon), .symbol(.colon), .word("otherwise")].contains(tokens[index - 2].kind)
    else {
      return nil
    }
    var fixes: [Fix] = []
    // Find the `let` (or `set`) of this line, to correct the whole line.
    var place = index - 1
    while place > 0, !tokens[place].startsLine, tokens[place - 1].kind != .symbol(.semicolon),
      tokens[place - 1].kind != .symbol(.colon)
    {
      place -= 1
    }
    var end = index
    while end < tokens.count - 1, tokens[end].kind != .newline, tokens[end].kind != .symbol(.semicolon) { end += 1 }
    let phrase = SourceRange(file: file, start: previous.range.start, end: tokens[end - 1].range.end)
    let whole = SourceRange(file: file, start: tokens[place].range.start, end: phrase.end)
    if case .word(let first) = tokens[place].kind, first == "let" || first == "set", place + 1 < tokens.count,
      case .word(let name) = tokens[place + 1].kind, verb == "read" || verb == "ask" || verb == "run"
    {
      fixes = [.replace(whole, with: "\(source.text(phrase)) as \(name)")]
    } else if case .word(let first) = tokens[place].kind, ["print", "log", "warn", "debug"].contains(first), place == index - 2,
      verb == "read", tokens[place].startsLine, !declares("value"), tokens[end].kind != .symbol(.semicolon),
      !tokens[index..<end].contains(where: { $0.kind == .symbol(.comma) })
    {
      let indent = source.indentation(ofLine: token.line)
      fixes = [.replace(whole, with: "\(source.text(phrase)) as value\n\(indent)\(first) value")]
    }
    return abandon(
      Diagnostic(
        "T028", "`\(verb)` is a statement, not a value", at: previous.range, "name its result with `as`", fixes: fixes))
  }

  /// An error without a new finding, if this piece of text is already reported.
  mutating func reportedHere() -> Abandoned? {
    kind == .bad || findings.hasError(onLineOf: token.range) ? Abandoned() : nil
  }

  /// Reports a sign or word of another language at the current token.
  mutating func foreignHere() -> Abandoned? {
    switch kind {
    case .bad: return Abandoned()
    case .symbol(.openCurly) where following.kind == .newline || following.kind == .endOfFile || followsNewline(index):
      return abandon(blocksNeedNo("{"))
    case .symbol(let symbol):
      if ForeignWords.operatorWord(symbol) != nil { return abandon(foreignOperator(symbol)) }
      switch symbol {
      case .plusEqual, .minusEqual: return abandon(compoundAssignment(symbol))
      case .arrow, .fatArrow: return abandon(namelessFunction(token))
      default: return nil
      }
    default: return nil
    }
  }

  func followsNewline(_ place: Int) -> Bool { place + 1 < tokens.count && tokens[place + 1].kind == .newline }

  private func compoundAssignment(_ symbol: Symbol) -> Diagnostic {
    let isFirst = previous.startsLine || index > 1 && [.symbol(.colon), .symbol(.semicolon)].contains(tokens[index - 2].kind)
    guard case .word(let name) = previous.kind, isFirst else {
      return Diagnostic("T023", "`\(symbol.rawValue)` is not part of the language", at: token.range, "write `set x to x + 1`")
    }
    let sign = symbol.rawValue.prefix(1)
    return compoundAssignment(symbol.rawValue, "set \(name) to \(name) \(sign)", previous.range.to(token.range))
  }

  /// - Parameters:
  ///   - begin: the beginning of the statement, up to its right-hand side.
  ///   - place: the name and the sign after it.
  ///   - caret: the sign; the current token, if none is given.
  func compoundAssignment(_ sign: String, _ begin: String, _ place: SourceRange, at caret: SourceRange? = nil) -> Diagnostic {
    var edits = [Fix.Edit(range: place, replacement: begin)]
    // The whole right-hand side is added or subtracted.
    let right = tokens[(index + 1)...].prefix { $0.kind != .newline && $0.kind != .endOfFile }
    if right.count > 1, let first = right.first, let last = right.last {
      edits.append(Fix.Edit(range: SourceRange(file: file, start: first.range.start, end: first.range.start), replacement: "("))
      edits.append(Fix.Edit(range: SourceRange(file: file, start: last.range.end, end: last.range.end), replacement: ")"))
    }
    return Diagnostic(
      "T023", "`\(sign)` is not part of the language", at: caret ?? token.range, "use `set … to` to change a value",
      fixes: [Fix(edits: edits)], notes: sign.hasPrefix("%") ? [Self.remainderNote] : [])
  }

  private static let remainderNote = "the sign of `a mod b` is that of `b`, as in Python; that of `a % b` in C is that of `a`"

  /// Reports `==`, `&&` and the like; the fix covers the whole line.
  func foreignOperator(_ symbol: Symbol) -> Diagnostic {
    var edits: [Fix.Edit] = []
    var seen: [(sign: Symbol, text: String)] = []
    for (place, other) in tokens.enumerated() where other.line == token.line {
      // After a text, `%` formats values in other languages, so it is not a remainder.
      if other.kind == .symbol(.percent), place > 0, case .text = tokens[place - 1].kind { return percentFormat(place) }
      guard case .symbol(let sign) = other.kind, let word = ForeignWords.operatorWord(sign) else { continue }
      let isTriple = (sign == .doubleEqual || sign == .notEqual) && isEqualSign(after: other)
      if !seen.contains(where: { $0.sign == sign }) { seen.append((sign, isTriple ? sign.rawValue + "=" : sign.rawValue)) }
      let start = Int(other.range.start)
      let end = Int(other.range.end) + (isTriple ? 1 : 0)
      let before = start > 0 && isWordByte(source.bytes[start - 1]) ? " " : ""
      let after = end < source.bytes.count && source.bytes[end] != 0x20 ? " " : ""
      if sign == .exclamation, let last = negatedOperand(place) {
        // `not` would negate the whole comparison.
        edits.append(Fix.Edit(range: other.range, replacement: before + "(not" + after))
        edits.append(
          Fix.Edit(range: SourceRange(file: file, start: tokens[last].range.end, end: tokens[last].range.end), replacement: ")"))
        continue
      }
      let place = SourceRange(file: file, start: other.range.start, end: UInt32(end))
      edits.append(Fix.Edit(range: place, replacement: before + word + after))
    }
    edits.sort { $0.range.start < $1.range.start }
    let reason = seen.compactMap { entry in ForeignWords.operatorWord(entry.sign).map { "`\(entry.text)` is written `\($0)`" } }
    let isRemainder = seen.contains { $0.sign == .percent }
    return Diagnostic(
      "T024", reason.joined(separator: ", "), at: token.range,
      isRemainder && seen.count == 1 ? "" : "use `is` for equality, and `and`, `or`, `not` for logic",
      fixes: [Fix(edits: edits)],
      notes: isRemainder ? [Self.remainderNote] : [])
  }

  /// Whether an `=` follows directly, because `===` and `!==` are read as two signs.
  private func isEqualSign(after token: Token) -> Bool {
    let end = Int(token.range.end)
    guard end < source.bytes.count, source.bytes[end] == UInt8(ascii: "=") else { return false }
    return end + 1 >= source.bytes.count || source.bytes[end + 1] != UInt8(ascii: "=")
  }

  /// "a, b, c"
  func list(_ items: [String]) -> String { items.joined(separator: ", ") }

  func unique(_ items: [String]) -> [String] {
    var result: [String] = []
    for item in items where !result.contains(item) { result.append(item) }
    return result
  }
}
