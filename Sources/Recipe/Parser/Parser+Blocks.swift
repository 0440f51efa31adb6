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

  /// One block deeper; too deep ends the parsing.
  mutating func open(_ opener: Opener) {
    openers.append(opener)
    guard openers.count > Self.maximumBlocks, unwindTo == nil else { return }
    report(Diagnostic("T003", "blocks are nested more than \(Self.maximumBlocks) deep", at: opener.range, "a procedure would help"))
    depth = 0
    index = tokens.count - 1
    unwindTo = 0
  }

  /// Takes the `end` of the innermost block, unless blocks close without theirs.
  mutating func closeBlock() {
    guard let opener = openers.last else { return }
    defer { openers.removeLast() }
    guard unwindTo == nil else { return }
    let endToken = token
    advance()
    if let label = word {
      let place = endToken.range.to(token.range)
      if label != opener.word {
        if let outer = openers.dropLast().lastIndex(where: { $0.word == label }) {
          report(
            Diagnostic(
              "T018", "this `end \(label)` closes the `\(opener.title)` of line \(opener.line)", at: place,
              "its own `end` is missing before it",
              labels: [
                Diagnostic.Label(range: opener.range, text: "opened here"),
                Diagnostic.Label(range: openers[outer].range, text: "`end \(label)` belongs here"),
              ],
              fixes: [
                .insert(
                  source.indentation(ofLine: opener.line) + "end\n", before: source.startOfLine(endToken.line, file: file),
                  lead: "add before it")
              ]))
          unwindTo = outer
        } else {
          report(
            Diagnostic(
              "T018", "`end \(label)` does not fit", at: place, "this closes the `\(opener.title)` of line \(opener.line)",
              labels: [Diagnostic.Label(range: opener.range, text: "opened here")],
              fixes: [.replace(token.range, with: opener.word)]))
        }
      }
      advance()
    }
    if !isAtLineEnd {
      report(Diagnostic("T015", "behind `end` the line is over", at: token.range, "\(shown) does not belong here"))
      skipLine()
    }
  }

  /// After so many errors the rest of the file says nothing new.
  mutating func giveUpWhenFull() {
    guard findings.isFull else { return }
    depth = 0
    index = tokens.count - 1
    unwindTo = 0
  }

  /// Whether the lines of the innermost block are over; goes to the next line.
  mutating func isBlockOver() -> Bool {
    giveUpWhenFull()
    skipNewlines()
    if let target = unwindTo {
      if openers.count > target { return true }
      unwindTo = nil
    }
    if kind == .endOfFile {
      guard !openers.isEmpty else { return true }
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
    return word == "end" && following.kind != .symbol(.openRound) || at(.closeCurly) && followsNewline(index)
  }

  /// A top-level word at column 1, used as one.
  private var beginsTopLevelItem: Bool {
    guard let word, Words.closing.contains(word), source.column(of: token.range.start) == 1 else { return false }
    switch following.kind {
    case .text: return word == "test" || word == "include"
    case .word(let name): return Words.isName(name) && word != "test" && word != "include"
    default: return false
    }
  }

  /// The innermost block never closes; the indentation tells where its `end` was forgotten.
  private mutating func reportUnclosed() {
    guard let opener = openers.last else { return }
    var lastLine = opener.line
    for token in tokens[opener.token..<max(opener.token, index)]
    where token.startsLine && token.kind != .newline && token.line > opener.line {
      let column = source.column(of: token.range.start)
      if column < opener.column { break }
      if column == opener.column, token.kind != .word("else"), token.kind != .word("otherwise") { break }
      lastLine = token.line
    }
    let indent = source.indentation(ofLine: opener.line)
    let place = source.lineSpan(lastLine).map { SourceRange(file: file, start: UInt32($0.upperBound), end: UInt32($0.upperBound)) }
    report(
      Diagnostic(
        "T016", "this `\(opener.title)` is never closed", at: opener.range, "the indentation suggests `end` after line \(lastLine)",
        fixes: place.map { [.insert("\n\(indent)end", after: $0, lead: "add after line \(lastLine)")] } ?? []))
  }

  // MARK: - bodies

  /// `":" simple { ";" simple } NL | NL { member } "end" [ WORD ] NL`, behind a header without fault.
  mutating func body(_ opener: Opener) throws(Abandoned) -> [Member] {
    if accept(.colon) {
      if isAtLineEnd {
        report(
          Diagnostic(
            "T020", "after `:` come actions, on the same line", at: previous.range, "a block needs no `:`",
            fixes: [.replace(previous.range, with: "")]))
        return block(opener)
      }
      return try simples().map { .statement($0) }
    }
    try endHeader(opener)
    return block(opener)
  }

  /// The header's line is over; a `{` or `then` behind it is reported and passed.
  mutating func endHeader(_ opener: Opener) throws(Abandoned) {
    if isAtLineEnd { return }
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

  /// `simple { ";" simple }` up to the line end.
  mutating func simples() throws(Abandoned) -> [Statement] {
    var list = [try simple()]
    while accept(.semicolon) {
      if isAtLineEnd { break }
      list.append(try simple())
    }
    if !isAtLineEnd { throw leftOver("this statement") }
    return list
  }

  /// The lines of a block and its `end`.
  mutating func block(_ opener: Opener) -> [Member] {
    open(opener)
    let list = members()
    closeBlock()
    return list
  }

  /// The lines of a block, up to its `end` or a word that begins another part of it.
  mutating func members(stops: [String] = []) -> [Member] {
    var list: [Member] = []
    while !isBlockOver() {
      if let word, stops.contains(word) { break }
      if word == "else" || word == "otherwise" {
        if strayPart() { break }
        continue
      }
      member(into: &list)
    }
    return list
  }

  /// An `else` or `otherwise` that its block does not know. True when the blocks inside the one it belongs to must close.
  private mutating func strayPart() -> Bool {
    let part = word ?? ""
    let owner = part == "else" ? "if" : "try"
    if let outer = openers.lastIndex(where: { $0.word == owner }), let inner = openers.last {
      report(
        Diagnostic(
          "T016", "this `\(inner.title)` is not closed before `\(part)`", at: inner.range,
          "`end` is missing before line \(token.line)",
          labels: [
            Diagnostic.Label(range: token.range, text: "this `\(part)` belongs to the `\(owner)` of line \(openers[outer].line)")
          ]))
      unwindTo = outer + 1
      return true
    }
    let note =
      part == "else"
      ? "after `:` come actions, and they end with their line: write a block with `end`, or `a if c else b`"
      : "in one line `otherwise` stands behind the action: `try 3 times: connect otherwise stop`"
    report(
      Diagnostic(
        "T021", "this `\(part)` belongs to no `\(owner)`", at: token.range, "a one-line `\(owner)` is over at the end of its line",
        notes: [note]))
    let opener = opener(part)
    skipLine()
    // Its lines, if they are a block.
    if tokens[opener.token..<index].last?.kind != .symbol(.colon), !lineHasMoreThanHeader(opener) { _ = block(opener) }
    return false
  }

  /// Whether something other than a condition stands behind `else` on its line.
  private func lineHasMoreThanHeader(_ opener: Opener) -> Bool {
    let rest = tokens[min(opener.token + 1, index)..<index]
    guard let first = rest.first else { return false }
    return first.kind != .word("if") || rest.contains { $0.kind == .symbol(.colon) }
  }

  /// One line (several statements with `;`), one handler or one block. A line with an error leaves nothing.
  mutating func member(into list: inout [Member]) {
    do {
      switch word {
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
        if isAtLineEnd { break }
      }
      if !isAtLineEnd { throw leftOver("this statement") }
    } catch {
      recover(into: &list)
    }
  }

  /// `pocedure f()`: a misspelt word whose lines and `end` follow. They are read for their own errors.
  private mutating func misspeltOpener(_ word: String) -> Bool {
    guard Words.isName(word), !Words.all.contains(word), following.kind != .symbol(.openRound), following.kind != .symbol(.equal),
      ForeignWords.statement(word) == nil, let near = Spelling.nearest(to: word, among: Words.all)
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

  /// Behind a line with an error: what follows a `;` is read for its own errors.
  private mutating func recover(into list: inout [Member]) {
    skipLine()
  }

  private func isForeignBlock(_ word: String) -> Bool {
    guard ForeignWords.opensBlock(word), following.kind != .symbol(.equal) else { return false }
    if ["def", "func", "function", "fn", "proc", "sub", "define"].contains(word) { return followsName }
    return following.kind != .symbol(.openRound) || word == "while" || word == "until" || word == "foreach"
  }

  private var followsName: Bool {
    if case .word = following.kind { return true }
    return false
  }

  private mutating func foreignBlock(_ word: String) {
    let opener = opener(word)
    _ = noStatement()
    skipLine()
    if lineHasBody(opener) { return }
    _ = block(opener)
  }

  /// Whether the header's line holds its body too: a `:` outside brackets, with something behind it.
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

  /// A header with an error: its lines are still read, for their own errors.
  mutating func recoverBlock(_ opener: Opener) {
    skipLine()
    if lineHasBody(opener) { return }
    _ = block(opener)
  }

  // MARK: - handlers

  private mutating func handler() throws(Abandoned) -> Handler? {
    let start = index
    let id = newID()
    let verb = word ?? ""
    var opener = opener(verb)
    var kind = Handler.Kind.after(Expression(kind: .nothing, range: token.range))
    var condition: Expression?
    var name: NameSyntax?
    var keeping = false
    do {
      advance()
      switch verb {
      case "on":
        if let next = word { opener.title = "on \(next)" }
        opener.range = opener.range.to(token.range)
        kind = .on(try event("`on`"))
        if accept("where") { condition = try expression() }
        name = try asName()
        if name != nil, word == "where" { throw try whereBehindAs() }
        if accept("keeping") {
          try expect("latest", "`keeping` is followed by `latest`")
          keeping = true
        }
      case "every":
        let period = try duration()
        kind = .every(period, at: accept("at") ? try expression() : nil)
        name = try asName()
      default: kind = .after(try duration())
      }
      if !at(.colon) { try endHeader(opener) }
    } catch {
      recoverBlock(opener)
      return nil
    }
    let header = range(from: start)
    let text = normalized(from: start)
    let body = try body(opener)
    return Handler(
      id: id, kind: kind, condition: condition, name: name, keepingLatest: keeping, body: body, range: range(from: start),
      header: header,
      normalized: text)
  }

  private mutating func whenever() throws(Abandoned) -> Whenever? {
    let start = index
    let id = newID()
    let opener = opener("whenever")
    do {
      advance()
      let what = try what()
      let filters = try filters()
      let condition = accept("where") ? try expression() : nil
      try expect("appears", "`whenever` needs `appears` behind what is looked for")
      var again: Expression?
      if accept("again") {
        try expect("after", "`again` is followed by `after`")
        again = try duration()
      }
      let name = try asName()
      if !at(.colon) { try endHeader(opener) }
      let header = range(from: start)
      let text = normalized(from: start)
      let body = try body(opener)
      return Whenever(
        id: id, what: what, filters: filters, condition: condition, again: again, name: name, body: body, range: range(from: start),
        header: header, normalized: text)
    } catch {
      recoverBlock(opener)
      return nil
    }
  }

  /// The words that name events.
  static let events = [
    "notify", "write", "read", "subscribe", "unsubscribe", "connect", "disconnect", "data", "advertisement", "passkey", "line",
    "restore",
    "stop", "failure", "adapter",
  ]

  mutating func event(_ phrase: String) throws(Abandoned) -> EventSyntax {
    let start = index
    let kind = try eventKind(phrase)
    return EventSyntax(kind: kind, range: range(from: start))
  }

  private mutating func eventKind(_ phrase: String) throws(Abandoned) -> EventSyntax.Kind {
    guard let word, Self.events.contains(word) else { throw noEvent(phrase) }
    advance()
    switch word {
    case "connect", "disconnect":
      let owner = accept("of") ? try device() : nil
      return word == "connect" ? .connect(owner) : .disconnect(owner)
    case "data":
      try expect("of", "`data` is followed by `of` and a channel")
      return .data(try device("a channel"))
    case "advertisement":
      try expect("of", "`advertisement` is followed by `of` and what is looked for")
      let what = try what()
      return .advertisement(what, try filters())
    case "passkey":
      for kind in [EventSyntax.Passkey.request, .display, .confirm] where accept(kind.rawValue) { return .passkey(kind) }
      throw wrongChoice("`passkey` is followed by `request`, `display` or `confirm`")
    case "line": return .line
    case "restore": return .restore
    case "stop": return .stop
    case "failure": return .failure
    case "adapter": return .adapter
    default:
      guard let event = EventSyntax.AttributeEvent(rawValue: word) else { throw noEvent(phrase) }
      let raw = accept("raw")
      return .attribute(event, raw: raw, try attribute())
    }
  }

  private mutating func noEvent(_ phrase: String) -> Abandoned {
    if let special = foreignHere() ?? reportedHere() { return special }
    let events = "events are: \(Self.events.joined(separator: ", "))"
    guard let found = word, !Words.isReserved(found) else {
      return abandon(Diagnostic("T031", "\(phrase) is followed by an event", at: here, "instead of \(shown)", notes: [events]))
    }
    let foreign = [
      "notification": "notify", "notifications": "notify", "indicate": "notify", "indication": "notify", "error": "failure",
      "exit": "stop", "quit": "stop", "connected": "connect", "disconnected": "disconnect", "start": "restore", "resume": "restore",
    ]
    let near = foreign[found] ?? Spelling.nearest(to: found, among: Self.events)
    if let near {
      return abandon(
        Diagnostic(
          "T031", "there is no event `\(found)`", at: token.range, "did you mean `\(near)`?",
          fixes: [.replace(token.range, with: near)],
          notes: [events]))
    }
    if SIGNames.isCharacteristic(found) {
      return abandon(
        Diagnostic(
          "T031", "on *what* about \(found)?", at: token.range, "a characteristic is no event",
          fixes: [.insert("notify ", before: token.range)], notes: [events]))
    }
    return abandon(Diagnostic("T031", "there is no event `\(found)`", at: token.range, notes: [events]))
  }

  // MARK: - block statements

  /// A block statement, if one begins here.
  private mutating func compound() throws(Abandoned) -> Statement? {
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

  /// Ends the header of a block statement, which may be a line of its own.
  private mutating func finishHeader(_ opener: Opener, _ start: Int, _ header: inout SourceRange, _ text: inout String)
    throws(Abandoned)
  {
    if !at(.colon) { try endHeader(opener) }
    header = range(from: start)
    text = normalized(from: start)
  }

  private mutating func compoundKind(
    _ verb: String, _ opener: Opener, _ start: Int, _ header: inout SourceRange, _ text: inout String
  ) throws(Abandoned) -> StatementKind {
    switch verb {
    case "if": return try ifStatement(opener, start, &header, &text)
    case "try": return try tryStatement(opener, start, &header, &text)
    case "repeat":
      let mode: RepeatStatement.Mode
      do {
        advance()
        mode = try repeatMode()
        try finishHeader(opener, start, &header, &text)
      } catch {
        recoverBlock(opener)
        throw error
      }
      return .repeat(RepeatStatement(mode: mode, body: try inlineOrBlock(opener)))
    case "for":
      let name: NameSyntax
      let list: Expression
      var atOnce: ForEachStatement.AtOnce?
      do {
        advance()
        try expect("each", "`for` is followed by `each`")
        name = try self.name("the name for one element")
        try expect("in", "behind the name comes `in` and the list")
        list = try expression()
        let place = index
        if accept("at") {
          try expect("once", "`at` is followed by `once`")
          var limit: Expression?
          if accept("up") {
            try expect("to", "`up` is followed by `to`")
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

  /// A body whose own errors never lose the statement around it.
  private mutating func inlineOrBlock(_ opener: Opener) throws(Abandoned) -> [Member] {
    do { return try body(opener) } catch {
      skipLine()
      throw error
    }
  }

  private mutating func repeatMode() throws(Abandoned) -> RepeatStatement.Mode {
    if accept("forever") { return .forever }
    if accept("while") { return .while(try expression()) }
    if accept("until") { return .until(try expression()) }
    if isAtLineEnd || at(.colon) || at(.openCurly) {
      throw abandon(
        Diagnostic("T013", "`repeat` needs to know how often", at: here, "`forever`, `5 times`, `while …` or `until …`"))
    }
    let times = try expression()
    try expect("times", "behind the number comes `times`")
    return .times(times)
  }

  private mutating func ifStatement(
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
      report(
        Diagnostic(
          "T020", "after `:` come actions, on the same line", at: token.range, "a block needs no `:`",
          fixes: [.replace(token.range, with: "")]))
      advance()
    }
    return .if(ifParts(opener, condition))
  }

  private var isColonAtEnd: Bool { following.kind == .newline || following.kind == .endOfFile }

  /// The branches behind the header of an `if`, and its `end`.
  private mutating func ifParts(_ opener: Opener, _ first: Expression?) -> IfStatement {
    open(opener)
    let stops = ["else", "elif", "elsif", "elseif"]
    var branches: [IfStatement.Branch] = []
    var condition = first
    var otherwise: [Member]?
    var isElse = false
    while true {
      let body = members(stops: isElse ? [] : stops)
      if isElse { otherwise = body } else if let condition { branches.append(.init(condition: condition, body: body)) }
      guard unwindTo == nil, let part = word, stops.contains(part), !isElse else { break }
      do {
        (condition, isElse) = try elsePart(part)
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
  private mutating func elsePart(_ part: String) throws(Abandoned) -> (Expression?, isElse: Bool) {
    let place = token
    advance()
    var hasIf = part != "else"
    if hasIf {
      report(
        Diagnostic(
          "T022", "`\(part)` is written `else if`", at: place.range, "", fixes: [.replace(place.range, with: "else if")]))
    } else {
      hasIf = accept("if")
    }
    let condition = hasIf ? try expression() : nil
    if at(.colon), isColonAtEnd {
      report(
        Diagnostic("T020", "`else` needs no `:`", at: token.range, "its lines follow", fixes: [.replace(token.range, with: "")]))
      advance()
    } else if at(.colon) {
      throw abandon(
        Diagnostic("T020", "what follows `else` stands on lines of its own", at: token.range, "`else` has no one-line form"))
    } else if !isAtLineEnd {
      if at(.openCurly) || word == "then" {
        report(blocksNeedNo(source.text(token.range)))
        skipLine()
      } else if hasIf {
        throw leftOver("else if")
      } else {
        throw abandon(
          Diagnostic("T020", "what follows `else` stands on lines of its own", at: token.range, "`else` has no one-line form"))
      }
    }
    return (condition, !hasIf)
  }

  private mutating func tryStatement(
    _ opener: Opener, _ start: Int, _ header: inout SourceRange, _ text: inout String
  ) throws(Abandoned) -> StatementKind {
    var statement = TryStatement(times: nil, every: nil, within: nil, body: [], rescues: [])
    do {
      advance()
      if !isAtLineEnd, !at(.colon), !at("every"), !at("within"), !at(.openCurly) {
        statement.times = try expression()
        try expect("times", "behind the number comes `times`")
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
      report(
        Diagnostic(
          "T020", "after `:` come actions, on the same line", at: token.range, "a block needs no `:`",
          fixes: [.replace(token.range, with: "")]))
      advance()
    }
    tryParts(opener, &statement)
    return .try(statement)
  }

  /// `":" action { ";" action } [ "otherwise" action ]`
  private mutating func inlineTry(_ statement: inout TryStatement) throws(Abandoned) {
    advance()
    repeat {
      if isAtLineEnd { break }
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
  private mutating func tryParts(_ opener: Opener, _ statement: inout TryStatement) {
    open(opener)
    statement.body = members(stops: ["otherwise"])
    while unwindTo == nil, word == "otherwise" {
      let start = index
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

  private mutating func rescueHeader(_ rescue: inout Rescue) throws(Abandoned) {
    advance()
    if accept("if") {
      repeat { rescue.kinds.append(try name("a kind of failure, as in `otherwise if unreachable`")) } while accept("or")
    }
    rescue.name = try asName()
    if isAtLineEnd { return }
    if at(.colon), isColonAtEnd {
      report(
        Diagnostic(
          "T020", "`otherwise` needs no `:`", at: token.range, "its lines follow", fixes: [.replace(token.range, with: "")]))
      advance()
      return
    }
    if at(.openCurly) || word == "then" {
      report(blocksNeedNo(source.text(token.range)))
      skipLine()
      return
    }
    throw abandon(
      Diagnostic(
        "T020", "what follows `otherwise` stands on lines of its own here", at: token.range,
        "in one line: `try: … otherwise …`"))
  }
}
