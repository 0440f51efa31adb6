import Exchange
import Vocabulary

/// One-line statements.
extension Parser {
  /// `action [ "otherwise" action ]`; the phrase must be over behind it.
  mutating func simple() throws(Abandoned) -> Statement {
    var statement = try action()
    if accept("otherwise") { statement.otherwise = try action() }
    return statement
  }

  /// One action without `otherwise`. Behind it stands a line end, `;` or `otherwise`.
  mutating func action() throws(Abandoned) -> Statement {
    let start = index
    guard let verb = word else { throw noStatement() }
    let id = newID()
    let kind = try actionKind(verb, start)
    guard isAtPhraseEnd || word == "otherwise" else { throw leftOver(phraseTitle(verb, kind), kind) }
    let place = range(from: start)
    return Statement(id: id, kind: kind, range: place, header: place, normalized: normalized(from: start))
  }

  /// How a message names a phrase.
  private func phraseTitle(_ verb: String, _ kind: StatementKind) -> String {
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

  private mutating func actionKind(_ verb: String, _ start: Int) throws(Abandoned) -> StatementKind {
    if following.kind == .symbol(.equal), !Words.isReserved(verb), verb != "remember" { throw assignment(verb) }
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
      return .pair(accept("with") ? try device() : try noDevice("pair", "with"))
    case "forget":
      advance()
      return .forget(isAtPhraseEnd || word == "otherwise" ? nil : try device())
    case "discover":
      advance()
      return try discover()
    case "request":
      advance()
      let setting = try name("what is asked for: `phy`, `speed`, `interval` or `mtu`")
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
      let value = try expression()
      try expect("to", "`\(verb)` needs `to` and a file name")
      let file = try expression()
      return verb == "append" ? .append(value: value, file: file) : .save(value: value, file: file)
    case "progress":
      advance()
      let value = try expression()
      try expect("of", "`progress` needs `of` and the whole")
      return .progress(value: value, total: try expression())
    case "run":
      advance()
      let shell = accept("shell")
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

  private mutating func call(_ verb: String) throws(Abandoned) -> StatementKind {
    guard Words.isName(verb), following.kind == .symbol(.openRound), !Words.blocks.contains(verb), !Words.topLevel.contains(verb)
    else {
      throw noStatement()
    }
    let name = NameSyntax(text: verb, range: token.range)
    advance()
    let (list, _) = try arguments()
    return .call(name: name, arguments: list)
  }

  /// What begins here is no statement.
  mutating func noStatement() -> Abandoned {
    if let special = reportedHere() { return special }
    guard let verb = word else {
      return abandon(Diagnostic("T014", "here comes a statement", at: here, "instead of \(shown)"))
    }
    let place = token.range
    if Words.blocks.contains(verb) || Words.handlers.contains(verb) {
      return abandon(
        Diagnostic(
          "T020", "`\(verb)` cannot stand here", at: place, "after `:` and `otherwise` come actions, which end with their line",
          notes: ["a block goes over several lines and closes with `end`"]))
    }
    if verb == "end" || verb == "else" || verb == "otherwise" {
      return abandon(Diagnostic("T017", "`\(verb)` has nothing to close here", at: place, "it stands on a line of its own"))
    }
    if Words.topLevel.contains(verb) {
      return abandon(Diagnostic("T029", "`\(verb)` stands on a line of its own at the top level of the file", at: place))
    }
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
          "T033", "statements are written in small letters", at: place, "", fixes: [.replace(place, with: verb.lowercased())]))
    }
    if case .symbol(.plusEqual) = following.kind {
      advance()
      if let special = foreignHere() { return special }
    }
    return abandon(Diagnostic("T012", "there is no statement `\(verb)`", at: place, "a line begins with what is to be done"))
  }

  private func foreignStatement(_ verb: String, _ foreign: (instead: String, reason: String)) -> Diagnostic {
    let place = token.range
    var fixes: [Fix] = []
    if foreign.instead == "wait" {
      if case .number = following.kind {
        let whole = place.to(following.range)
        fixes = [.replace(whole, with: "wait \(source.text(following.range))s")]
      } else if case .duration = following.kind {
        fixes = [.replace(place, with: "wait")]
      }
    } else if foreign.instead.isEmpty {
      fixes = [
        .replace(SourceRange(file: file, start: place.start, end: max(place.end, min(following.range.start, lineEnd))), with: "")
      ]
    } else if foreign.instead == "stop", case .number = following.kind {
      fixes = [.replace(place, with: "stop with code")]
    } else {
      fixes = [.replace(place, with: foreign.instead)]
    }
    return Diagnostic("T022", foreign.reason, at: place, "there is no statement `\(verb)`", fixes: fixes)
  }

  private var lineEnd: UInt32 {
    UInt32(truncatingIfNeeded: source.lineSpan(source.line(of: token.range.start))?.upperBound ?? source.bytes.count)
  }

  /// `x = 5`
  private mutating func assignment(_ name: String) -> Abandoned {
    let place = token.range.to(following.range)
    advance()
    advance()
    let value = source.text(SourceRange(file: file, start: token.range.start, end: max(token.range.start, lineEnd))).prefix {
      $0 != "#" && $0 != ";"
    }
    var shownValue = String(value)
    while shownValue.last == " " { shownValue.removeLast() }
    return abandon(
      Diagnostic(
        "T023", "a name gets its value with `let` or `set`", at: place, "new: `let`; changed: `set … to`",
        fixes: [
          .replace(place, with: "let \(name) ="), .replace(place, with: "set \(name) to"),
        ]))
  }

  // MARK: - the longer phrases

  private mutating func scan() throws(Abandoned) -> StatementKind {
    try expect("for", "`scan` is followed by `for`")
    var mode = ScanStatement.Mode.first
    if accept("all") { mode = .all } else if accept("strongest") { mode = .strongest }
    let what = try what()
    let filters = try filters()
    let condition = accept("where") ? try expression() : nil
    let limit = try within()
    let name = try asName()
    if name != nil, word == "where" { throw try whereBehindAs() }
    return .scan(ScanStatement(mode: mode, what: what, filters: filters, condition: condition, within: limit, name: name))
  }

  private mutating func connect() throws(Abandoned) -> StatementKind {
    var target: DeviceSyntax?
    if accept("to") {
      target = try device()
    } else {
      switch kind {
      case .address, .symbol(.openRound):
        throw abandon(
          Diagnostic(
            "T013", "`connect` needs `to` before the device", at: token.range, "", fixes: [.insert("to ", before: token.range)]))
      case .text: _ = try device()
      case .word(let word) where Words.isName(word) && !["when", "within", "as", "where", "with"].contains(word):
        if Spelling.nearest(to: word, among: ["to", "when"]) == nil || followsNewline(index) {
          throw abandon(
            Diagnostic(
              "T013", "`connect` needs `to` before the device", at: token.range, "", fixes: [.insert("to ", before: token.range)]))
        }
      default: break
      }
    }
    let appears = accept("when")
    if appears {
      try expect("it", "`when` is followed by `it appears`")
      try expect("appears", "`when it` is followed by `appears`")
    }
    return .connect(ConnectStatement(device: target, whenItAppears: appears, within: try within()))
  }

  private mutating func reconnect() throws(Abandoned) -> StatementKind {
    var devices: [DeviceSyntax] = []
    if accept("to") {
      devices.append(try device())
      while accept(.comma) { devices.append(try device()) }
    }
    var times: Expression?
    if !accept("forever") {
      if isAtPhraseEnd || word.map({ Words.isName($0) && Spelling.nearest(to: $0, among: ["forever"]) != nil }) ?? false {
        throw missing("forever", "`reconnect` is followed by `forever` or a number and `times`")
      }
      times = try expression()
      try expect("times", "behind the number comes `times`")
    }
    var waiting: Expression?
    var upTo: Expression?
    if accept("waiting") {
      waiting = try duration()
      if accept("up") {
        try expect("to", "`up` is followed by `to`")
        upTo = try duration()
      }
    }
    return .reconnect(ReconnectStatement(devices: devices, times: times, waiting: waiting, upTo: upTo))
  }

  private mutating func discover() throws(Abandoned) -> StatementKind {
    var uuids: [UUIDSyntax] = []
    let everything = accept("everything")
    if !everything, !isAtPhraseEnd, word != "of", word != "within", word != "otherwise" {
      uuids.append(try uuid("`everything`, or services and characteristics"))
      while accept(.comma) { uuids.append(try uuid("a service or a characteristic")) }
    }
    let owner = accept("of") ? try device() : nil
    return .discover(DiscoverStatement(everything: everything, uuids: uuids, device: owner, within: try within()))
  }

  private mutating func write() throws(Abandoned) -> StatementKind {
    let valueStart = index
    let value = try expression()
    if !at("to") {
      if let bytes = looseHexBytes(from: valueStart) { throw bytes }
      throw missing("to", "`write` needs `to` before the characteristic")
    }
    advance()
    var statement = WriteStatement(
      value: value, attribute: try attribute(), withoutResponse: false, pieces: nil, within: nil, unsure: nil)
    while true {
      let start = index
      if accept("without") {
        try expect("response", "`without` is followed by `response`")
        guard !statement.withoutResponse else { throw twice("without response", start) }
        statement.withoutResponse = true
      } else if accept("in") {
        try expect("pieces", "`in` is followed by `pieces`")
        guard statement.pieces == nil else { throw twice("in pieces", start) }
        let size = accept("of") ? try sum() : nil
        statement.pieces = WriteStatement.Pieces(size: size, range: range(from: start))
      } else if at("within") {
        guard statement.within == nil else { throw twice("within", start) }
        statement.within = try within()
      } else if at("when") {
        guard statement.unsure == nil else { throw twice("when unsure", start) }
        statement.unsure = try unsure()
      } else {
        return .write(statement)
      }
    }
  }

  private mutating func twice(_ what: String, _ start: Int) -> Abandoned {
    abandon(
      Diagnostic(
        "T036", "`\(what)` stands here twice",
        at: SourceRange(file: file, start: tokens[start].range.start, end: max(lastEnd, tokens[start].range.end))))
  }

  /// `write 01 ff to led`
  private mutating func looseHexBytes(from start: Int) -> Abandoned? {
    var end = start
    while end < tokens.count, isHexPiece(tokens[end]) { end += 1 }
    guard end > start + 1 || end > index, end < tokens.count, tokens[end].kind == .word("to") || tokens[end].kind == .newline else {
      return nil
    }
    let place = SourceRange(file: file, start: tokens[start].range.start, end: tokens[end - 1].range.end)
    let text = source.text(place)
    return abandon(
      Diagnostic("T030", "bytes are written `hex \"\(text)\"`", at: place, "", fixes: [.replace(place, with: "hex \"\(text)\"")]))
  }

  private mutating func wait() throws(Abandoned) -> WaitStatement {
    if accept("forever") { return .forever }
    if accept("until") {
      let condition = try expression()
      return .until(condition, within: try within())
    }
    if accept("for") {
      switch kind {
      case .number, .duration:
        let number = token.range
        throw abandon(
          Diagnostic(
            "T013", "`wait for` waits for an event; a pause is `wait` alone", at: number, "",
            fixes: [.replace(SourceRange(file: file, start: previous.range.start, end: number.start), with: "")]))
      default: break
      }
      let event = try event("`wait for`")
      let condition = accept("where") ? try expression() : nil
      let limit = try within()
      let name = try asName()
      if name != nil, word == "where" { throw try whereBehindAs() }
      if name != nil, at("within") {
        throw abandon(Diagnostic("T013", "`within` comes before `as`", at: token.range, "as in `wait for … within 5s as n`"))
      }
      return .event(event, condition: condition, within: limit, name: name)
    }
    if isAtPhraseEnd {
      throw abandon(Diagnostic("T013", "`wait` needs to know for how long", at: here, "`5s`, `forever`, `until …` or `for …`"))
    }
    return .duration(try duration())
  }

  private mutating func letStatement() throws(Abandoned) -> StatementKind {
    let name = try name("a new name")
    if word == "to" {
      throw abandon(
        Diagnostic("T023", "`let` takes `=`", at: token.range, "`set` takes `to`", fixes: [.replace(token.range, with: "=")]))
    }
    if case .word("be") = kind {
      throw abandon(Diagnostic("T023", "`let` takes `=`", at: token.range, "", fixes: [.replace(token.range, with: "=")]))
    }
    try expect(.equal, "behind the new name comes `=` and its value")
    return .let(name: name, value: try expression())
  }

  private mutating func setStatement() throws(Abandoned) -> StatementKind {
    let place = try place()
    if at(.equal) {
      throw abandon(
        Diagnostic("T023", "`set` takes `to`", at: token.range, "`let` takes `=`", fixes: [.replace(token.range, with: "to")]))
    }
    if at(.plusEqual) || at(.minusEqual) {
      let name = source.text(place.range)
      let sign = at(.plusEqual) ? "+" : "-"
      throw abandon(
        Diagnostic(
          "T023", "`\(sign)=` is not part of the language", at: token.range, "a value changes with `set … to`",
          fixes: [.replace(token.range, with: "to \(name) \(sign)")]))
    }
    try expect("to", "`set` needs `to` before the value")
    return .set(place: place, value: try expression())
  }

  private mutating func stop() throws(Abandoned) -> StopStatement {
    if accept("serving") { return .serving(try name("the name of a peripheral")) }
    if accept("advertising") { return .advertising }
    return try withCode("stop").map { .code($0) } ?? .plain
  }

  private mutating func withCode(_ phrase: String) throws(Abandoned) -> Expression? {
    guard accept("with") else { return nil }
    try expect("code", "`\(phrase) … with` is followed by `code`")
    return try expression()
  }

  private mutating func openChannel() throws(Abandoned) -> StatementKind {
    try expect("channel", "`open` is followed by `channel`")
    let psm = try sum()
    let owner = accept("of") ? try device() : nil
    let limit = try within()
    guard let name = try asName() else { throw missing("as", "`open channel` needs `as` and a name") }
    return .openChannel(OpenChannelStatement(psm: psm, device: owner, within: limit, name: name))
  }

  mutating func advertise() throws(Abandoned) -> AdvertiseStatement {
    var targets = [try target()]
    while accept(.comma) { targets.append(try target()) }
    let period = accept("every") ? try duration() : nil
    return AdvertiseStatement(targets: targets, every: period, with: accept("with") ? try expression() : nil)
  }

  private mutating func startRecipe() throws(Abandoned) -> StatementKind {
    try expect("recipe", "`start` is followed by `recipe`")
    var file: StringSyntax?
    if case .text = kind { file = try string() }
    let settings = accept("with") ? try expression() : nil
    return .startRecipe(StartRecipeStatement(file: file, with: settings, name: try asName()))
  }

  private mutating func make() throws(Abandoned) -> StatementKind {
    var target: NameSyntax?
    if !accept("adapter") { target = try name("a peripheral, or `adapter`") }
    return .make(MakeStatement(target: target, fault: try fault()))
  }

  private mutating func fault() throws(Abandoned) -> MakeStatement.Fault {
    if accept("vanish") { return .vanish }
    if accept("appear") { return .appear }
    if accept("drop") { return .drop }
    if accept("reboot") { return .reboot }
    if accept("lose") {
      try expect("next", "`lose` is followed by `next reply`")
      try expect("reply", "`lose next` is followed by `reply`")
      return .loseNextReply
    }
    if accept("slow") {
      try expect("by", "`slow` is followed by `by`")
      return .slow(by: try duration())
    }
    if accept("forget") {
      try expect("bond", "`forget` is followed by `bond` here")
      return .forgetBond
    }
    if accept("change") {
      try expect("services", "`change` is followed by `services`")
      return .changeServices
    }
    if accept("refuse") {
      try expect("next", "`refuse` is followed by `next`")
      for event in [EventSyntax.AttributeEvent.read, .write, .subscribe] where accept(event.rawValue) {
        try expect("with", "`refuse next \(event.rawValue)` is followed by `with`")
        return .refuseNext(event, with: try expression())
      }
      throw wrongChoice("`refuse next` is followed by `read`, `write` or `subscribe`")
    }
    throw wrongChoice("this is nothing that a device can be made to do")
  }

  /// `disconnect strap`, `pair strap`
  private mutating func noDevice(_ verb: String, _ preposition: String) throws(Abandoned) -> DeviceSyntax? {
    let isDevice: Bool
    switch kind {
    case .address, .symbol(.openRound): isDevice = true
    case .word(let word): isDevice = Words.isName(word) && Spelling.nearest(to: word, among: [preposition]) == nil
    default: isDevice = false
    }
    guard isDevice else { return nil }
    throw abandon(
      Diagnostic(
        "T013", "`\(verb)` needs `\(preposition)` before the device", at: token.range, "",
        fixes: [.insert(preposition + " ", before: token.range)]))
  }

  /// `… as v where …`
  mutating func whereBehindAs() throws(Abandoned) -> Abandoned {
    let place = token.range
    guard index >= 2, case .word(let name) = tokens[index - 1].kind, tokens[index - 2].kind == .word("as") else {
      return abandon(Diagnostic("T027", "`where` comes before `as`", at: place))
    }
    let asStart = tokens[index - 2].range.start
    advance()
    let from = index
    let condition = try expression()
    var text = ""
    var last = condition.range.start
    // Inside `where` the candidate is `it`.
    for token in tokens[from..<index] where token.kind == .word(name) {
      text += source.text(SourceRange(file: file, start: last, end: token.range.start)) + "it"
      last = token.range.end
    }
    text += source.text(SourceRange(file: file, start: last, end: max(last, condition.range.end)))
    let whole = SourceRange(file: file, start: asStart, end: condition.range.end)
    return abandon(
      Diagnostic(
        "T027", "`where` comes before `as`", at: place, "inside `where` the value is called `it`",
        fixes: [.replace(whole, with: "where \(text) as \(name)")]))
  }
}
