import Exchange
import Vocabulary

/// Handlers and their events: `on`, `every`, `after`, `whenever`.
extension Parser {
  mutating func handler() throws(Abandoned) -> Handler? {
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
        if name != nil, word == "where" { throw try whereAfterAs() }
        if accept("keeping") {
          try expect("latest", "expected `latest` after `keeping`")
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

  mutating func whenever() throws(Abandoned) -> Whenever? {
    let start = index
    let id = newID()
    let opener = opener("whenever")
    do {
      advance()
      let what = try what()
      let filters = try filters()
      let condition = accept("where") ? try expression() : nil
      try expect("appears", "`whenever …` needs `appears` after what it scans for")
      var again: Expression?
      if accept("again") {
        try expect("after", "expected `after` after `again`")
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

  /// The words for events.
  static let events = [
    "notify", "write", "read", "subscribe", "unsubscribe", "connect", "disconnect", "data", "advertisement", "passkey", "services",
    "line",
    "restore",
    "stop", "failure", "adapter",
  ]

  mutating func event(_ phrase: String) throws(Abandoned) -> EventSyntax {
    let start = index
    let kind = try eventKind(phrase)
    return EventSyntax(kind: kind, range: range(from: start))
  }

  mutating func eventKind(_ phrase: String) throws(Abandoned) -> EventSyntax.Kind {
    expects(phrase == "`on`" ? .handledEvent : .awaitedEvent)
    guard let word, Self.events.contains(word) else { throw noEvent(phrase) }
    advance()
    if kind == .symbol(.openRound), case .symbol(.closeRound) = following.kind {
      let whole = here.to(following.range)
      report(Diagnostic("T015", "an event takes no parentheses", at: whole, "", fixes: [.replace(whole, with: "")]))
      advance()
      advance()
    }
    switch word {
    case "connect", "disconnect":
      let owner = accept("of") ? try device() : nil
      return word == "connect" ? .connect(owner) : .disconnect(owner)
    case "data":
      try expect("of", "expected `of` and a channel after `data`")
      return .data(try device("a channel"))
    case "advertisement":
      try expect("of", "expected `of` and something to scan for after `advertisement`")
      let what = try what()
      return .advertisement(what, try filters())
    case "passkey":
      for kind in [EventSyntax.Passkey.request, .display, .confirm] where accept(kind.rawValue) { return .passkey(kind) }
      throw wrongChoice("expected `request`, `display` or `confirm` after `passkey`")
    case "services": return .services(accept("of") ? try device() : nil)
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

  mutating func noEvent(_ phrase: String) -> Abandoned {
    if let special = foreignHere() ?? reportedHere() { return special }
    let events = "events are: \(Self.events.joined(separator: ", "))"
    guard let found = word, !Words.isReserved(found) else {
      return abandon(Diagnostic("T031", "expected an event after \(phrase)", at: here, "found \(shown)", notes: [events]))
    }
    let foreign = [
      "notification": "notify", "notifications": "notify", "indicate": "notify", "indication": "notify", "error": "failure",
      "exit": "stop", "quit": "stop", "connected": "connect", "disconnected": "disconnect", "resume": "restore",
      "restart": "restore",
    ]
    if ["start", "boot", "init", "startup", "begin", "ready"].contains(found) {
      return abandon(
        Diagnostic(
          "T031", "there is no event `\(found)`", at: token.range, "the lines of a recipe run when it starts",
          notes: ["`on restore` runs when a killed run continues"]))
    }
    let near = foreign[found] ?? Spelling.nearest(to: found, among: Self.events)
    if let near {
      return abandon(
        Diagnostic(
          "T031", "there is no event `\(found)`", at: token.range, "did you mean `\(near)`?",
          fixes: [.replace(token.range, with: near)],
          notes: [events]))
    }
    if SIGNames.isCharacteristic(found) {
      var fix = Fix.insert("notify ", before: token.range)
      // `on battery_level(v)`
      if index + 3 < tokens.count, following.kind == .symbol(.openRound), case .word(let value) = tokens[index + 2].kind,
        tokens[index + 3].kind == .symbol(.closeRound)
      {
        fix = .replace(token.range.to(tokens[index + 3].range), with: "notify \(found) as \(value)")
      }
      return abandon(
        Diagnostic(
          "T031", "expected an event before `\(found)`", at: token.range, "a characteristic is not an event", fixes: [fix],
          notes: [events]))
    }
    return abandon(Diagnostic("T031", "there is no event `\(found)`", at: token.range, notes: [events]))
  }
}
