import Exchange
import Vocabulary

/// `if`, `repeat`, `for each`, `try` and `with`.
extension Parser {
  /// A block statement, if one begins here.
  mutating func compound() throws(Abandoned) -> Statement? {
    guard let verb = word, Words.blocks.contains(verb) else { return nil }
    if following.kind == .symbol(.equal) { return nil }
    let start = index
    let id = newID()
    let opener = opener(verb == "for" ? "for each" : verb)
    var header = SourceRange.none
    var text = ""
    var kind: StatementKind?
    do {
      kind = try compoundKind(verb, opener, start, &header, &text)
    } catch {
      return Statement(id: id, kind: .skip, range: token.range, header: token.range, normalized: "")
    }
    guard let kind else { return nil }
    return Statement(id: id, kind: kind, range: range(from: start), header: header, normalized: text)
  }

  /// Ends the header of a block statement, at `:` or at the end of its line.
  mutating func finishHeader(_ opener: Opener, _ start: Int, _ header: inout SourceRange, _ text: inout String)
    throws(Abandoned)
  {
    if !at(.colon) { try endHeader(opener) }
    header = range(from: start)
    text = normalized(from: start)
  }

  mutating func compoundKind(
    _ verb: String, _ opener: Opener, _ start: Int, _ header: inout SourceRange, _ text: inout String
  ) throws(Abandoned) -> StatementKind {
    switch verb {
    case "if": return try ifStatement(opener, start, &header, &text)
    case "try": return try tryStatement(opener, start, &header, &text)
    case "repeat":
      let mode: RepeatStatement.Mode
      let covered = coveredSigns.count
      do {
        advance()
        mode = try repeatMode()
        try finishHeader(opener, start, &header, &text)
      } catch {
        // Without an `end`, its lines are read as those after it.
        if coveredSigns.count > covered { skipLine() } else { recoverBlock(opener) }
        throw error
      }
      return .repeat(RepeatStatement(mode: mode, body: try inlineOrBlock(opener)))
    case "for":
      let name: NameSyntax
      let list: Expression
      var atOnce: ForEachStatement.AtOnce?
      do throws(Abandoned) {
        advance()
        if let foreign = forWithoutEach(start) { throw foreign }
        try expect("each", "expected `each` after `for`")
        name = try self.name("a name for the element")
        try expect("in", "expected `in` and a list after the name")
        list = try expression()
        let place = index
        if accept("at") {
          try expect("once", "expected `once` after `at`")
          var limit: Expression?
          if accept("up") {
            try expect("to", "expected `to` after `up`")
            limit = try expression()
          }
          atOnce = ForEachStatement.AtOnce(upTo: limit, range: range(from: place))
        }
        try finishHeader(opener, start, &header, &text)
      } catch {
        recoverBlock(opener)
        throw error
      }
      return .forEach(ForEachStatement(name: name, list: list, atOnce: atOnce, body: try inlineOrBlock(opener)))
    default:
      let owner: DeviceSyntax
      do {
        advance()
        owner = try device()
        try finishHeader(opener, start, &header, &text)
      } catch {
        recoverBlock(opener)
        throw error
      }
      return .with(device: owner, body: try inlineOrBlock(opener))
    }
  }

  /// A body whose errors do not discard the enclosing statement.
  mutating func inlineOrBlock(_ opener: Opener) throws(Abandoned) -> [Member] {
    do { return try body(opener) } catch {
      skipLine()
      throw error
    }
  }

  mutating func repeatMode() throws(Abandoned) -> RepeatStatement.Mode {
    if accept("forever") { return .forever }
    if accept("while") { return .while(try expression()) }
    if accept("until") { return .until(try expression()) }
    if isAtLineEnd || at(.colon) || at(.openCurly) {
      if let late = repeatWithLateCondition() { throw late }
      throw abandon(
        Diagnostic("T013", "`repeat` needs a count or a condition", at: here, "`forever`, `5 times`, `while …` or `until …`"))
    }
    if word == "for", case .number = following.kind {
      let place = SourceRange(file: file, start: token.range.start, end: following.range.start)
      throw abandon(
        Diagnostic(
          "T013", "the number follows `repeat`", at: token.range, "as in `repeat 3 times`", fixes: [.replace(place, with: "")]))
    }
    let times = try expression()
    try timesWord()
    return .times(times)
  }

  /// Reports `repeat`, some lines, and `until c`.
  private mutating func repeatWithLateCondition() -> Abandoned? {
    guard previous.startsLine, previous.kind == .word("repeat"), index > 0 else { return nil }
    let here = index
    index = tokens[..<index].lastIndex { $0.kind == .word("repeat") } ?? index
    defer { index = here }
    guard let loop = loopWithLateCondition() else { return nil }
    return abandon(
      Diagnostic(
        "T022", "there is no loop with its condition at the end", at: token.range, "", fixes: loop.fixes,
        notes: loop.fixes.isEmpty ? [loop.note] : []))
  }

  /// Reports `repeat 3`, where `times` is missing at the end of the line.
  mutating func timesWord() throws(Abandoned) {
    guard isAtLineEnd || at(.colon) || word == "every" || word == "within" else {
      return try expect("times", "expected `times` after the number")
    }
    throw noTimes()
  }

  mutating func noTimes() -> Abandoned {
    let end = SourceRange(file: file, start: lastEnd, end: lastEnd)
    return abandon(
      Diagnostic("T013", "expected `times` after the number", at: here, "found \(shown)", fixes: [.insert(" times", after: end)]))
  }

  mutating func ifStatement(
    _ opener: Opener, _ start: Int, _ header: inout SourceRange, _ text: inout String
  ) throws(Abandoned) -> StatementKind {
    let condition: Expression
    do {
      advance()
      condition = try expression()
      try finishHeader(opener, start, &header, &text)
    } catch {
      skipLine()
      if !lineHasBody(opener) { _ = ifParts(opener, nil) }
      throw error
    }
    if at(.colon), !isColonAtEnd {
      return .if(IfStatement(branches: [.init(condition: condition, body: try inlineOrBlock(opener))], otherwise: nil))
    }
    if at(.colon) {
      surplusColon(opener.token)
    }
    return .if(ifParts(opener, condition))
  }

  var isColonAtEnd: Bool { following.kind == .newline || following.kind == .endOfFile }

  /// The branches after the header of an `if`, and its `end`.
  mutating func ifParts(_ opener: Opener, _ first: Expression?) -> IfStatement {
    open(opener)
    let stops = ["else", "elif", "elsif", "elseif"]
    var branches: [IfStatement.Branch] = []
    var condition = first
    var text = ""
    var otherwise: [Member]?
    var isElse = false
    while true {
      let body = members(stops: isElse ? [] : stops)
      if isElse {
        otherwise = body
      } else if let condition {
        branches.append(.init(condition: condition, body: body, normalized: text))
      }
      if !isElse { skipBraceBeforeElse(opener) }
      guard unwindTo == nil, let part = word, stops.contains(part), !isElse else { break }
      let start = index
      do {
        (condition, isElse) = try elsePart(part)
        text = normalized(from: start)
      } catch {
        condition = nil
        isElse = false
        skipLine()
      }
    }
    closeBlock()
    return IfStatement(branches: branches, otherwise: otherwise)
  }

  /// `else` or `else if c`, up to the line end.
  mutating func elsePart(_ part: String) throws(Abandoned) -> (Expression?, isElse: Bool) {
    let place = token
    let isCovered = openers.last.map(hasCurly) ?? false
    advance()
    var hasIf = part != "else"
    if hasIf, !endsInCoveredColon(index) {
      report(
        Diagnostic(
          "T022", "`\(part)` is written `else if`", at: place.range, "", fixes: [.replace(place.range, with: "else if")]))
    } else {
      hasIf = accept("if")
    }
    let condition = hasIf ? try expression() : nil
    if at(.colon), isColonAtEnd {
      surplusColon(after: "else")
    } else if at(.colon) {
      throw abandon(
        Diagnostic("T020", "the body of `else` must start on the next line", at: token.range, "`else` has no one-line form"))
    } else if !isAtLineEnd {
      if at(.openCurly) || word == "then" {
        if !at(.openCurly) || !isCovered { report(blocksNeedNo(source.text(token.range))) }
        skipLine()
      } else if hasIf {
        throw leftOver("else if")
      } else {
        throw abandon(
          Diagnostic("T020", "the body of `else` must start on the next line", at: token.range, "`else` has no one-line form"))
      }
    }
    skipBraceBelow(isCovered: isCovered)
    return (condition, !hasIf)
  }

  mutating func tryStatement(
    _ opener: Opener, _ start: Int, _ header: inout SourceRange, _ text: inout String
  ) throws(Abandoned) -> StatementKind {
    var statement = TryStatement(times: nil, every: nil, within: nil, body: [], rescues: [])
    do {
      advance()
      if !isAtLineEnd, !at(.colon), !at("every"), !at("within"), !at(.openCurly) {
        statement.times = try expression()
        try timesWord()
      }
      if accept("every") { statement.every = try duration() }
      statement.within = try within()
      try finishHeader(opener, start, &header, &text)
    } catch {
      skipLine()
      if !lineHasBody(opener) { tryParts(opener, &statement) }
      throw error
    }
    if at(.colon), !isColonAtEnd {
      do { try inlineTry(&statement) } catch {
        skipLine()
        throw error
      }
      return .try(statement)
    }
    if at(.colon) {
      surplusColon(opener.token)
    }
    tryParts(opener, &statement)
    return .try(statement)
  }

  /// `":" action { ";" action } [ "otherwise" action ]`
  mutating func inlineTry(_ statement: inout TryStatement) throws(Abandoned) {
    advance()
    repeat {
      if isAtLineEnd { throw lastSemicolon() }
      statement.body.append(.statement(try action()))
    } while accept(.semicolon)
    let start = index
    if accept("otherwise") {
      let id = newID()
      let header = tokens[start].range
      let rescue = try action()
      statement.rescues.append(
        Rescue(
          id: id, kinds: [], name: nil, body: [.statement(rescue)], range: range(from: start), header: header,
          normalized: "otherwise"))
    }
    if !isAtLineEnd { throw leftOver("try") }
  }

  /// The lines of a `try`, its rescues, and its `end`.
  mutating func tryParts(_ opener: Opener, _ statement: inout TryStatement) {
    open(opener)
    statement.body = members(stops: ["otherwise"])
    while unwindTo == nil {
      let start = index
      if rescueBrace(opener) != nil {
        let id = newID()
        statement.rescues.append(foreignRescue(opener, id))
        continue
      }
      guard word == "otherwise" else { break }
      let id = newID()
      var rescue = Rescue(id: id, kinds: [], name: nil, body: [], range: token.range, header: token.range, normalized: "")
      do { try rescueHeader(&rescue) } catch { skipLine() }
      rescue.header = range(from: start)
      rescue.normalized = normalized(from: start)
      rescue.body = members(stops: ["otherwise"])
      rescue.range = range(from: start)
      statement.rescues.append(rescue)
    }
    closeBlock()
  }

  /// Reports `otherwise if timeout, refused`.
  private mutating func kindsWithCommas() -> Abandoned {
    let line = tokens[index...].prefix { $0.kind != .newline && $0.kind != .endOfFile }
    let edits = line.indices.filter { line[$0].kind == .symbol(.comma) && $0 > 0 }.map { place in
      var end = tokens[place].range.end
      if place + 1 < tokens.count, tokens[place + 1].range.start > end { end = tokens[place + 1].range.start }
      return Fix.Edit(range: SourceRange(file: file, start: tokens[place].range.start, end: end), replacement: " or ")
    }
    return abandon(
      Diagnostic(
        "T015", "kinds of failures are joined by `or`", at: token.range, "as in `otherwise if timeout or refused`",
        fixes: [Fix(edits: edits)]))
  }

  mutating func rescueHeader(_ rescue: inout Rescue) throws(Abandoned) {
    advance()
    if accept("if") {
      repeat { rescue.kinds.append(try name("a kind of failure, as in `otherwise if unreachable`")) } while accept("or")
      if at(.comma) { throw kindsWithCommas() }
    }
    rescue.name = try asName()
    if isAtLineEnd { return }
    if at(.colon), isColonAtEnd {
      surplusColon(after: "otherwise")
      return
    }
    if at(.openCurly) || word == "then" {
      report(blocksNeedNo(source.text(token.range)))
      skipLine()
      return
    }
    throw abandon(
      Diagnostic(
        "T020", "the body of this `otherwise` must start on the next line", at: token.range,
        "on one line, write `try: … otherwise …`"))
  }
}
