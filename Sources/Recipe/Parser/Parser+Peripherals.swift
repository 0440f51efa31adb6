import Exchange
import Vocabulary

/// Peripherals.
extension Parser {
  mutating func peripheral() -> PeripheralDeclaration? {
    let start = index
    let line = token.line
    let opener = opener("peripheral")
    var declared: NameSyntax?
    var displayName: StringSyntax?
    do {
      advance()
      declared = try name("the name of the peripheral")
      if accept("named") {
        let place = token.range
        displayName = try string()
        if let name = displayName, name.plain == nil {
          report(
            Diagnostic(
              "T207", "the name of a peripheral is fixed text", at: place,
              "`advertise … with {name: …}` in a handler changes it; for a brace write `\\{`"))
        }
      }
      try endHeader(opener)
    } catch { skipLine() }
    let header = range(from: start)
    open(opener)
    var parts: [PeripheralPart] = []
    while !isBlockOver() {
      do {
        let start = index
        if let kind = try part() { parts.append(PeripheralPart(kind: kind, range: range(from: start))) }
      } catch { skipLine() }
    }
    closeBlock()
    guard let declared else { return nil }
    return PeripheralDeclaration(
      name: declared, displayName: displayName, parts: parts, help: help(aboveLine: line), range: range(from: start), header: header
    )
  }

  private mutating func part() throws(Abandoned) -> PeripheralPart.Kind? {
    switch word {
    case "advertise":
      advance()
      let statement = try advertise()
      if !isAtLineEnd { throw leftOver("advertise") }
      return .advertise(statement)
    case "service": return try service(isSecondary: false).map { .service($0) }
    case "secondary":
      advance()
      guard at("service") else { throw wrongChoice("expected `service` after `secondary`") }
      return try service(isSecondary: true).map { .service($0) }
    case "channel":
      advance()
      let name = try name("the name of the channel")
      let psm = accept("psm") ? try expression() : nil
      let need = try need()
      if !isAtLineEnd { throw leftOver("channel") }
      return .channel(ChannelDeclaration(name: name, psm: psm, need: need))
    case "passkey":
      advance()
      let code = try expression()
      if !isAtLineEnd { throw leftOver("passkey") }
      return .passkey(code)
    case "let":
      let statement = try simple()
      if statement.otherwise != nil || !isAtLineEnd { throw leftOver("let") }
      return .variable(statement)
    case "on", "every", "after":
      var list: [Member] = []
      member(into: &list)
      if case .handler(let handler)? = list.first { return .handler(handler) }
      return nil
    case "procedure": return try procedure().map { .procedure($0) }
    default: throw noPart()
    }
  }

  private static let partsOfPeripherals = [
    "advertise", "service", "secondary", "channel", "passkey", "let", "on", "every", "after", "procedure",
  ]

  private mutating func noPart() -> Abandoned {
    if let special = foreignHere() ?? reportedHere() { return special }
    let parts = Self.partsOfPeripherals
    guard let found = word else {
      return abandon(Diagnostic("T014", "expected a part of a peripheral", at: here, "found \(shown)"))
    }
    let place = token.range
    if ["characteristic", "descriptor"].contains(found) {
      return abandon(Diagnostic("T013", "`\(found)` belongs inside a `service`", at: place, "open one before this line"))
    }
    if let near = Spelling.nearest(to: found, among: parts) {
      return abandon(
        Diagnostic(
          "T012", "a peripheral has no part `\(found)`", at: place, "did you mean `\(near)`?", fixes: [.replace(place, with: near)])
      )
    }
    return abandon(
      Diagnostic(
        "T012", "a peripheral has no part `\(found)`", at: place,
        found == "name"
          ? "as in `peripheral lamp named \"Lamp\"`" : Words.all.contains(found) ? "put statements in its handlers" : "",
        notes: ["its parts are \(parts.joined(separator: ", "))"]))
  }

  private mutating func service(isSecondary: Bool) throws(Abandoned) -> ServiceDeclaration? {
    let start = index
    let opener = opener("service")
    var declared: UUIDSyntax?
    do {
      advance()
      declared = try uuid("a service: a name or a UUID")
      try endHeader(opener)
    } catch { skipLine() }
    let header = range(from: start)
    open(opener)
    var attributes: [AttributeDeclaration] = []
    while !isBlockOver() {
      if let word, Self.partsOfPeripherals.contains(word), token.startsLine {
        reportOpen()
        break
      }
      do { attributes.append(try attributeLine()) } catch { skipLine() }
    }
    closeBlock()
    return declared.map { ServiceDeclaration(isSecondary: isSecondary, uuid: $0, attributes: attributes, header: header) }
  }

  private mutating func attributeLine() throws(Abandoned) -> AttributeDeclaration {
    let start = index
    for kind in [AttributeDeclaration.Kind.characteristic, .descriptor, .include] where accept(kind.rawValue) {
      var line = AttributeDeclaration(
        kind: kind, uuid: try uuid("a name or a UUID"), properties: [], need: nil, initial: nil, range: token.range)
      if kind == .include {
        if accept(.openSquare) {
          line.instance = try expression()
          try expect(.closeSquare, "expected `]` after the number of the instance")
        }
      } else {
        try properties(of: &line)
      }
      if !isAtLineEnd { throw firstValue() ?? leftOver(kind.rawValue) }
      line.range = range(from: start)
      return line
    }
    let message = "a service can only have `characteristic`, `descriptor` and `include` lines"
    // `battery_level can read`
    if index + 1 < tokens.count, ["can", "needs", "starts"].contains(where: { tokens[index + 1].kind == .word($0) }) {
      throw abandon(
        Diagnostic(
          "T013", message, at: token.range, "found \(shown)", fixes: [.insert("characteristic ", before: token.range)]))
    }
    throw wrongChoice(message)
  }

  private mutating func properties(of line: inout AttributeDeclaration) throws(Abandoned) {
    while true {
      let place = token.range
      if line.properties.isEmpty, let all = propertiesWithoutCan() { throw all }
      if accept("can") {
        guard line.properties.isEmpty else {
          throw abandon(Diagnostic("T036", "`can` appears twice", at: place, "join them with `,`"))
        }
        repeat {
          line.properties.append(try property())
          if let wrong = wrongSeparator() { throw wrong }
        } while accept(.comma)
      } else if at("needs") || at("read") || at("write") {
        let slot: WritableKeyPath<AttributeDeclaration, SecurityNeed?> =
          accept("read") ? \.readNeed : accept("write") ? \.writeNeed : \.need
        guard line[keyPath: slot] == nil else { throw abandon(Diagnostic("T036", "`needs` appears twice", at: place)) }
        guard let need = try need() else { throw wrongChoice("`read` and `write` must come before `needs` or after `can`") }
        line[keyPath: slot] = need
      } else if accept("starts") {
        guard line.initial == nil else { throw abandon(Diagnostic("T036", "`starts as` appears twice", at: place)) }
        try expect("as", "expected `as` after `starts`")
        line.initial = try expression()
      } else {
        return
      }
    }
  }

  /// Reports what is between two properties instead of a comma: `and`, `/`, or nothing.
  private mutating func wrongSeparator() -> Abandoned? {
    let gap: SourceRange
    if word == "and" || at(.slash) || at(.plus) || at(.bar) || at(.ampersand) {
      gap = SourceRange(file: file, start: previous.range.end, end: following.range.start)
    } else if ["read", "write", "notify", "indicate"].contains(word),
      ![.word("needs"), .word("encryption"), .word("authentication")].contains(following.kind)
    {
      gap = SourceRange(file: file, start: previous.range.end, end: token.range.start)
    } else {
      return nil
    }
    return abandon(
      Diagnostic(
        "T015", "properties are separated by `,`", at: token.range, "as in `can read, notify`", fixes: [.replace(gap, with: ", ")]))
  }

  /// Reports `characteristic 0xFFF1 read write notify`.
  private mutating func propertiesWithoutCan() -> Abandoned? {
    let known = ["read", "write", "notify", "indicate"]
    var names: [String] = []
    var place = index
    while place < tokens.count {
      if case .word(let word) = tokens[place].kind, known.contains(word) {
        names.append(word)
      } else if ![.symbol(.comma), .symbol(.slash), .symbol(.bar), .word("and")].contains(tokens[place].kind) {
        break
      }
      place += 1
    }
    // `read needs …` is a part of its own.
    guard place > index, !names.isEmpty,
      ![.word("needs"), .word("encryption"), .word("authentication")].contains(tokens[min(place, tokens.count - 1)].kind)
    else { return nil }
    let whole = token.range.to(tokens[place - 1].range)
    return abandon(
      Diagnostic(
        "T013", "expected `can` before the properties", at: whole, "",
        fixes: [.replace(whole, with: "can \(names.joined(separator: ", "))")]))
  }

  /// Reports `can read value 5` and `can read = 5`.
  private mutating func firstValue() -> Abandoned? {
    let start = index
    var place = index
    if case .word(let word) = tokens[place].kind, ["value", "initial", "initially", "default", "with"].contains(word) {
      place += 1
    }
    if place + 1 < tokens.count {
      switch tokens[place].kind {
      case .symbol(.equal), .word("is"), .word("as"), .word("value"): place += 1
      default: break
      }
    }
    guard place > start, !followsPhraseEnd(place - 1) else { return nil }
    let sign = token.range.to(tokens[place - 1].range)
    return abandon(
      Diagnostic(
        "T026", "use `starts as` before the first value", at: sign, "as in `can read starts as 0`",
        fixes: [.replace(sign, with: "starts as")]))
  }

  private mutating func need() throws(Abandoned) -> SecurityNeed? {
    guard accept("needs") else { return nil }
    for need in [SecurityNeed.encryption, .authentication] where accept(need.rawValue) { return need }
    throw wrongChoice("expected `encryption` or `authentication` after `needs`")
  }

  private mutating func property() throws(Abandoned) -> AttributeDeclaration.Property {
    if accept("read") { return .read }
    if accept("notify") { return .notify }
    if accept("indicate") { return .indicate }
    if accept("write") {
      if accept("reliably") { return .writeReliably }
      guard accept("without") else { return .write }
      try expect("response", "expected `response` after `without`")
      return .writeWithoutResponse
    }
    throw wrongChoice("expected `read`, `write`, `notify` or `indicate` after `can`")
  }
}
