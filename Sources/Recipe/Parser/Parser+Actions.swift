import Exchange
import Vocabulary

/// One-line statements.
extension Parser {
  /// `action [ "otherwise" action ]`; the phrase must end after it.
  mutating func simple() throws(Abandoned) -> Statement {
    var statement = try action()
    if accept("otherwise") { statement.otherwise = try action() }
    return statement
  }

  /// One action without `otherwise`. A line end, `;` or `otherwise` must follow.
  mutating func action() throws(Abandoned) -> Statement {
    let start = index
    guard let verb = word ?? (isEntry ? "" : nil) else { throw noStatement() }
    let id = newID()
    let kind = try beginsValue ? .value(expression()) : actionKind(verb, start)
    guard isAtPhraseEnd || word == "otherwise" else { throw leftOver(phraseTitle(verb, kind), kind) }
    let place = range(from: start)
    return Statement(id: id, kind: kind, range: place, header: place, normalized: normalized(from: start))
  }

  /// The name of a phrase in messages.
  func phraseTitle(_ verb: String, _ kind: StatementKind) -> String {
    switch verb {
    case "scan": "scan for"
    case "wait":
      switch kind {
      case .wait(.until): "wait until"
      case .wait(.event): "wait for"
      default: "wait"
      }
    case "subscribe": "subscribe to"
    case "unsubscribe": "unsubscribe from"
    case "open": "open channel"
    case "start": "start recipe"
    default: verb
    }
  }

  mutating func actionKind(_ verb: String, _ start: Int) throws(Abandoned) -> StatementKind {
    if following.kind == .symbol(.equal), !Words.isReserved(verb), verb != "remember" { throw assignment(verb) }
    if let special = increment(verb) ?? product(verb) ?? powerStatement(verb) ?? partAssignment(verb) { throw special }
    switch verb {
    case "scan":
      advance()
      return try scan()
    case "connect":
      advance()
      return try connect()
    case "reconnect":
      advance()
      return try reconnect()
    case "disconnect":
      advance()
      return .disconnect(accept("from") ? try device() : try noDevice("disconnect", "from"))
    case "pair":
      advance()
      let target = accept("with") ? try device() : try noDevice("pair", "with")
      return .pair(PairStatement(device: target, within: try within()))
    case "forget":
      advance()
      return .forget(isAtPhraseEnd || word == "otherwise" ? nil : try device())
    case "discover":
      advance()
      return try discover()
    case "request":
      advance()
      for word in Checker.requestSettings { _ = at(word) }
      let setting = try name("`phy`, `speed`, `interval` or `mtu`")
      return .request(setting: setting, value: try expression())
    case "read":
      advance()
      let raw = accept("raw")
      let attribute = try attribute()
      return .read(ReadStatement(raw: raw, attribute: attribute, within: try within(), name: try asName()))
    case "write":
      advance()
      return try write()
    case "subscribe":
      advance()
      try expect("to", "`subscribe` needs `to`")
      return .subscribe(SubscribeStatement(attributes: try attributes(), within: try within()))
    case "unsubscribe":
      advance()
      try expect("from", "`unsubscribe` needs `from`")
      return .unsubscribe(try attributes())
    case "wait":
      advance()
      return .wait(try wait())
    case "print", "log", "warn", "debug":
      let channel = OutputStatement.Channel(rawValue: verb) ?? .print
      advance()
      var values = [try expression()]
      while accept(.comma) { values.append(try expression()) }
      return .output(OutputStatement(channel: channel, values: values, ending: accept("ending") ? try expression() : nil))
    case "append", "save":
      advance()
      guard word != "to" else {
        throw abandon(
          Diagnostic("T014", "`\(verb)` needs a value before `to`", at: token.range, "put the value to write before `to`"))
      }
      let value = try expression()
      if let special = inForTo(value, verb) { throw special }
      try expect("to", "`\(verb)` needs `to` and a file name")
      let file = try expression()
      return verb == "append" ? .append(value: value, file: file) : .save(value: value, file: file)
    case "progress":
      advance()
      let value = try expression()
      try expect("of", "`progress` needs `of` and the total")
      return .progress(value: value, total: try expression())
    case "run":
      advance()
      let shell = accept("shell")
      if let bare = commandWithoutQuotes() { throw abandon(bare) }
      let command = try expression()
      return .run(RunStatement(shell: shell, command: command, within: try within(), name: try asName(), unsure: try unsure()))
    case "ask":
      advance()
      let secret = accept("secret")
      return .ask(AskStatement(secret: secret, prompt: try expression(), name: try asName()))
    case "let":
      advance()
      return try letStatement()
    case "set":
      advance()
      return try setStatement()
    case "expect":
      advance()
      let condition = try expression()
      return .expect(condition: condition, message: accept(.comma) ? try expression() : nil)
    case "stop":
      advance()
      return .stop(try stop())
    case "fail":
      advance()
      guard word != "with" else {
        throw abandon(
          Diagnostic(
            "T013", "`fail` needs its text before `with code`", at: token.range,
            "as in `fail \"why\" with code 20`; a recipe can use the codes 20 to 99"))
      }
      let message = try expression()
      return .fail(message: message, code: try withCode("fail"))
    case "return":
      advance()
      return .return(isAtPhraseEnd || word == "otherwise" ? nil : try expression())
    case "leave":
      advance()
      return .leave
    case "skip":
      advance()
      return .skip
    case "restart":
      advance()
      return .restart
    case "checkpoint":
      advance()
      return .checkpoint
    case "open":
      advance()
      return try openChannel()
    case "send":
      advance()
      let value = try expression()
      try expect("to", "`send` needs `to` and a channel")
      let channel = try device("a channel")
      return .send(SendStatement(value: value, channel: channel, within: try within(), unsure: try unsure()))
    case "close":
      advance()
      return .close(try device("a channel"))
    case "serve":
      advance()
      return .serve(try name("the name of a peripheral"))
    case "advertise":
      advance()
      return .advertise(try advertise())
    case "notify", "indicate":
      advance()
      let attribute = try attribute()
      try expect("with", "`\(verb)` needs `with` and the value")
      return .notify(NotifyStatement(indicate: verb == "indicate", attribute: attribute, value: try expression()))
    case "update":
      advance()
      let attribute = try attribute()
      try expect("to", "`update` needs `to` and the value")
      return .update(attribute: attribute, value: try expression())
    case "answer":
      advance()
      return .answer(try expression())
    case "refuse":
      advance()
      return .refuse(accept("with") ? try expression() : nil)
    case "simulate":
      advance()
      let peripheral = try name("the name of a peripheral")
      let name = try asName()
      return .simulate(SimulateStatement(peripheral: peripheral, name: name, with: accept("with") ? try expression() : nil))
    case "start":
      advance()
      return try startRecipe()
    case "kill":
      advance()
      return .kill(try name("the name of a started recipe"))
    case "resume":
      advance()
      return .resume(try name("the name of a started recipe"))
    case "make":
      advance()
      return try make()
    default: return try call(verb)
    }
  }

  mutating func call(_ verb: String) throws(Abandoned) -> StatementKind {
    guard Words.isName(verb), following.kind == .symbol(.openRound), !Words.blocks.contains(verb), !Words.topLevel.contains(verb)
    else {
      throw noStatement()
    }
    if let why = ForeignWords.explainedCall(verb), !mayBeDeclared(verb) {
      throw abandon(Diagnostic("T022", why, at: token.range, "there is no procedure `\(verb)`"))
    }
    if let choice = foreignChoice(verb) { throw choice }
    let name = NameSyntax(text: verb, range: token.range)
    advance()
    let (list, _) = try arguments()
    return .call(name: name, arguments: list)
  }

  /// Reports that no statement begins here.
  mutating func noStatement() -> Abandoned {
    if let special = reportedHere() { return special }
    if let sign = listDash() ?? semicolonComment() { return sign }
    guard let verb = word else {
      return abandon(Diagnostic("T014", "expected a statement", at: here, "found \(shown)"))
    }
    let place = token.range
    if let special = deletedField() ?? methodAlone(verb) ?? severalNames(verb) { return special }
    if Words.blocks.contains(verb) || Words.handlers.contains(verb) {
      return abandon(
        Diagnostic(
          "T020", "`\(verb)` is not allowed here", at: place, "only one-line actions can follow `:` or `otherwise`",
          fixes: asBlock(), notes: ["a block spans several lines and ends with `end`"]))
    }
    if verb == "end" || verb == "else" || verb == "otherwise" {
      return abandon(Diagnostic("T017", "`\(verb)` has nothing to close here", at: place, "it needs a line of its own"))
    }
    if Words.topLevel.contains(verb) {
      return abandon(Diagnostic("T029", "`\(verb)` needs a line of its own at the top level of the file", at: place))
    }
    if [.symbol(.plusEqual), .symbol(.minusEqual)].contains(following.kind), Words.isName(verb) {
      advance()
      if let special = foreignHere() { return special }
    }
    if following.kind == .symbol(.colon), index + 2 < tokens.count, tokens[index + 2].kind == .symbol(.equal), Words.isName(verb) {
      return assignment(verb, last: tokens[index + 2].range)
    }
    if let typed = typeBehind(verb) { return typed }
    if let typed = typeInFront(verb) { return abandon(typed) }
    if verb == "finally" {
      return abandon(
        Diagnostic(
          "T022", "there is no `finally`", at: place, "write its lines after the `end` of the `try`",
          notes: ["the lines of `otherwise` run only after a failure, and end it"]))
    }
    if let call = callWithoutParentheses(verb) { return call }
    if let choice = foreignChoice(verb) { return choice }
    if let why = ForeignWords.explained(verb) {
      return abandon(Diagnostic("T022", why, at: place, "there is no statement `\(verb)`"))
    }
    if following.kind == .word("to"), Words.isName(verb), declares(verb) {
      return abandon(
        Diagnostic(
          "T012", "there is no statement `\(verb)`", at: place, "use `set` to change a name",
          fixes: [.replace(place, with: "set \(verb)")]))
    }
    if let glued = gluedStatement(verb) { return glued }
    let near = Spelling.nearest(to: verb, among: Words.all)
    if let foreign = ForeignWords.statement(verb) {
      return abandon(foreignStatement(verb, foreign))
    }
    if let near {
      return abandon(
        Diagnostic(
          "T012", "there is no statement `\(verb)`", at: place, "did you mean `\(near)`?", fixes: [.replace(place, with: near)]))
    }
    if verb != verb.lowercased(), Words.all.contains(verb.lowercased()) {
      return abandon(
        Diagnostic(
          "T033", "statements are written in lowercase", at: place, "", fixes: [.replace(place, with: verb.lowercased())]))
    }
    return abandon(
      Diagnostic("T012", "there is no statement `\(verb)`", at: place, "start the line with a statement, such as `read`"))
  }

  /// Reports `waitforever` and `connectto strap`, where the space after a statement's first word is
  /// missing.
  private mutating func gluedStatement(_ verb: String) -> Abandoned? {
    guard following.kind != .symbol(.openRound), following.kind != .symbol(.dot) else { return nil }
    for word in Words.actions where verb.hasPrefix(word) {
      let rest = String(verb.dropFirst(word.count))
      guard Words.phrases.contains(rest) || Words.isReserved(rest) || SIGNames.isAny(rest) || rest.count > 1 && declares(rest)
      else {
        continue
      }
      return abandon(
        Diagnostic(
          "T012", "there is no statement `\(verb)`", at: token.range, "a space is missing after `\(word)`",
          fixes: [.replace(token.range, with: "\(word) \(rest)")]))
    }
    return nil
  }

  /// Reports a type before a name: `int x = 5` or `void f()` as in C, or `secret pin` for an input.
  private func typeInFront(_ verb: String) -> Diagnostic? {
    let isOurs = Checker.inputTypes.contains(verb)
    if isFunctionOfC(verb) {
      return Diagnostic(
        "T022", "use `procedure` to declare a procedure", at: token.range, "there is no statement `\(verb)`",
        fixes: [.replace(token.range, with: "procedure")],
        notes: ["a procedure gives its value with `return`, and no type is written"])
    }
    if ForeignWords.types.contains(verb), case .word(let name) = following.kind, index + 2 < tokens.count,
      tokens[index + 2].kind == .symbol(.openSquare)
    {
      return Diagnostic(
        "T023", "use `let` to create a name", at: token.range, "`let \(name) = hex \"01 02\"` are bytes, `[1, 2]` is a list")
    }
    guard isOurs || ForeignWords.types.contains(verb), case .word(let name) = following.kind, Words.isName(name) else { return nil }
    let place = token.range
    if index + 2 < tokens.count, tokens[index + 2].kind == .symbol(.equal) {
      return Diagnostic(
        "T023", "use `let` to create a name", at: place, "a name takes the type of its value", fixes: [.replace(place, with: "let")]
      )
    }
    guard followsNewline(index + 1) || index + 2 >= tokens.count, verb != "list" else { return nil }
    guard isOurs else {
      return Diagnostic(
        "T023", "use `let` to create a name", at: place, "as in `let \(name) = 0`: its value says which type it has")
    }
    return Diagnostic(
      "T022", "use `input` to declare an input", at: place, "there is no statement `\(verb)`",
      fixes: [.replace(place.to(following.range), with: "input \(name): \(verb)")])
  }

  /// Reports `append x in "f.csv"`, where `in` was parsed as an operator.
  mutating func inForTo(_ value: Expression, _ verb: String) -> Abandoned? {
    guard isAtPhraseEnd || word == "within" || word == "otherwise", case .binary(.in, let left, let right) = value.kind else {
      return nil
    }
    let glue = SourceRange(file: file, start: left.range.end, end: right.range.start)
    return abandon(
      Diagnostic(
        "T013", "`\(verb)` needs `to` before the destination", at: glue, "found `in`", fixes: [.replace(glue, with: " to ")]))
  }

  var lineEnd: UInt32 {
    UInt32(truncatingIfNeeded: source.lineSpan(source.line(of: token.range.start))?.upperBound ?? source.bytes.count)
  }
}
