import Exchange
import Vocabulary

/// Parts that many phrases share: WHAT, DEV, ATTR, `within`, `as`.
extension Parser {
  mutating func what() throws(Abandoned) -> WhatSyntax {
    let start = index
    if accept("anything") { return WhatSyntax(targets: [], range: range(from: start)) }
    var targets = [try target()]
    while accept("or") { targets.append(try target()) }
    return WhatSyntax(targets: targets, range: range(from: start))
  }

  mutating func target() throws(Abandoned) -> TargetSyntax {
    let place = token.range
    switch kind {
    case .text: return TargetSyntax(kind: .string(try string()), range: place)
    case .address(let address):
      advance()
      return TargetSyntax(kind: .address(address), range: place)
    case .number, .uuid, .word, .duration:
      if let special = unquotedName() ?? filterAlone() ?? anyDevice() { throw special }
      let uuid = try uuid("a service, a name in quotes, an address, a format or `anything`")
      switch uuid.kind {
      case .name(let name): return TargetSyntax(kind: .name(name), range: place)
      case .literal(let value): return TargetSyntax(kind: .uuid(value), range: place)
      }
    default:
      if let special = foreignHere() ?? reportedHere() { throw special }
      throw abandon(
        Diagnostic(
          "T014", "expected something to scan for", at: here, "a service, a name in quotes, an address, a format or `anything`"))
    }
  }

  /// Reports `scan for named "Polar*"` and `scan for all where it.rssi > -60`.
  private mutating func filterAlone() -> Abandoned? {
    let filter = word
    let isFilter =
      switch (filter, following.kind) {
      case ("named", .text), ("stronger", .word("than")), ("made", .word("by")), ("within", .duration): true
      case ("where", .word(let next)): !["or", "named", "stronger", "made", "soliciting", "where", "within", "as"].contains(next)
      default: false
      }
    guard isFilter, let filter else { return nil }
    return abandon(
      Diagnostic(
        "T014", "expected something to scan for before `\(filter)`", at: token.range, "`anything` matches every device",
        fixes: [.insert("anything ", before: token.range)]))
  }

  /// Reports `scan for a device named "X"` and `scan for devices with heart_rate`.
  private mutating func anyDevice() -> Abandoned? {
    let articles = ["a", "an", "any", "the", "some", "all"]
    let nouns = ["device", "devices", "peripheral", "peripherals", "something", "everything"]
    var place = index
    if case .word(let word) = tokens[place].kind, articles.contains(word) { place += 1 }
    guard case .word(let noun) = tokens[place].kind, nouns.contains(noun), !declares(noun), place + 2 < tokens.count,
      case .word(let next) = tokens[place + 1].kind
    else { return nil }
    let words = token.range.to(tokens[place].range)
    let message = "`scan for` needs no `\(source.text(words))`"
    switch (next, tokens[place + 2].kind) {
    case ("named", .text), ("called", .text), ("name", .text):
      return abandon(
        Diagnostic(
          "T015", message, at: words, "`anything` matches every device",
          fixes: [.replace(words.to(tokens[place + 1].range), with: "anything named")]))
    case ("with", .word), ("with", .number), ("with", .uuid):
      var last = place + 1
      if case .word(let kind) = tokens[last + 1].kind, ["service", "the", "uuid"].contains(kind) { last += 1 }
      let surplus = SourceRange(file: file, start: token.range.start, end: tokens[last + 1].range.start)
      return abandon(Diagnostic("T015", message, at: words, "the service is enough", fixes: [.replace(surplus, with: "")]))
    default: return nil
    }
  }

  /// Any number of `named`, `stronger than`, `made by` and `soliciting`.
  mutating func filters() throws(Abandoned) -> [FilterSyntax] {
    var list: [FilterSyntax] = []
    while true {
      let start = index
      if accept("named") {
        guard case .text = kind else {
          throw abandon(Diagnostic("T014", "expected text in quotes after `named`", at: here, "as in `named \"Polar*\"`"))
        }
        let pattern = try string()
        list.append(FilterSyntax(kind: .named(pattern), range: range(from: start)))
      } else if accept("stronger") {
        try expect("than", "expected `than` after `stronger`")
        let limit = try expression()
        list.append(FilterSyntax(kind: .strongerThan(limit), range: range(from: start)))
      } else if accept("made") {
        try expect("by", "expected `by` after `made`")
        list.append(FilterSyntax(kind: .madeBy(try company()), range: range(from: start)))
      } else if accept("soliciting") {
        list.append(FilterSyntax(kind: .soliciting(try uuid("a service, as in `soliciting 0x1805`")), range: range(from: start)))
      } else {
        return list
      }
    }
  }

  private mutating func company() throws(Abandoned) -> FilterSyntax.Company {
    if case .number(.integer(let value), _, _) = kind {
      guard let number = UInt16(exactly: value) else {
        throw abandon(Diagnostic("T008", "a company identifier must fit in 16 bits", at: token.range, "0x0000 to 0xFFFF"))
      }
      advance()
      return .number(number)
    }
    if case .text = kind {
      let inside = source.text(token.range).filter { $0 != "\"" && $0 != "'" }.lowercased().map { $0 == " " ? "_" : $0 }
      throw abandon(
        Diagnostic(
          "T014", "write a company without quotes", at: token.range, "as in `made by apple`",
          fixes: AssignedNumbers.company(named: String(inside)) == nil ? [] : [.replace(token.range, with: String(inside))]))
    }
    return .name(try name("a company, as in `made by apple`").text)
  }

  mutating func device(_ what: String = "a device: a name, an address or a value in ( )") throws(Abandoned) -> DeviceSyntax {
    let start = index
    expects(.device)
    switch kind {
    case .address(let address):
      advance()
      return DeviceSyntax(kind: .address(address), range: range(from: start))
    case .symbol(.openRound):
      advance()
      let value = try expression()
      try expect(.closeRound, "this parenthesis is not closed")
      return DeviceSyntax(kind: .expression(value), range: range(from: start))
    case .text:
      if let address = quotedAddress() { throw address }
      let shown = source.text(token.range)
      throw abandon(
        Diagnostic("T031", "to find a device by name, scan for it", at: token.range, "`scan for \(shown)`, then `connect`"))
    default:
      if let address = addressWithoutColons() { throw address }
      return DeviceSyntax(kind: .name(try name(what).text), range: range(from: start))
    }
  }

  /// NAME, UUID or NUMBER.
  mutating func uuid(_ what: String = "a name or a UUID") throws(Abandoned) -> UUIDSyntax {
    let place = token.range
    switch kind {
    case .uuid(let value):
      advance()
      return UUIDSyntax(kind: .literal(value), range: place)
    case .number(let magnitude, let isHex, _):
      let text = source.text(place)
      if isHex, case .integer(let value) = magnitude {
        if let short = UInt16(exactly: value) {
          advance()
          return UUIDSyntax(kind: .literal(UUID(short)), range: place)
        }
        if let long = UInt32(exactly: value) {
          advance()
          return UUIDSyntax(kind: .literal(UUID(short32: long)), range: place)
        }
      }
      if !isHex, text.utf8.count == 4, let value = UInt16(text, radix: 16) {
        throw abandon(
          Diagnostic(
            "T035", "a 16-bit UUID starts with 0x", at: place, SIGNames.name(of: UUID(value)).map { "this is \($0)" } ?? "",
            fixes: [.replace(place, with: "0x" + text)]))
      }
      throw abandon(Diagnostic("T035", "this number is not a UUID", at: place, "0x0000 to 0xFFFF, or 8-4-4-4-12 digits"))
    case .duration:
      // The lexer reads `180d` as 180 days.
      let text = source.text(place)
      guard text.utf8.count == 4, let value = UInt16(text, radix: 16) else { throw noName(what) }
      throw abandon(
        Diagnostic(
          "T035", "a 16-bit UUID starts with 0x", at: place, SIGNames.name(of: UUID(value)).map { "this is \($0)" } ?? "",
          fixes: [.replace(place, with: "0x" + text)]))
    default: return UUIDSyntax(kind: .name(try name(what).text), range: place)
    }
  }

  mutating func attribute() throws(Abandoned) -> AttributePathSyntax {
    let start = index
    let kind = try attributeKind()
    let place = range(from: start)
    let device = accept("of") ? try device() : nil
    return AttributePathSyntax(kind: kind, device: device, range: place)
  }

  private mutating func attributeKind() throws(Abandoned) -> AttributePathSyntax.Kind {
    expects(.attribute)
    if accept("handle") {
      if accept(.openRound) {
        let value = try expression()
        try expect(.closeRound, "this parenthesis is not closed")
        return .handle(value)
      }
      guard case .number(.integer(let value), let isHex, _) = kind, (1...0xFFFF).contains(value) else {
        throw abandon(
          Diagnostic("T014", "expected a number from 0x0001 to 0xFFFF after `handle`", at: here, "or a value in ( )"))
      }
      let place = token.range
      advance()
      return .handle(Expression(kind: .number(NumberLiteral(value: .integer(Int64(value)), isHex: isHex)), range: place))
    }
    if accept(.openRound) {
      let value = try expression()
      try expect(.closeRound, "this parenthesis is not closed")
      return .value(value)
    }
    if case .text = kind {
      if let file = fileAsAttribute() { throw file }
      let inside = source.text(token.range).filter { $0 != "\"" && $0 != "'" }
      throw abandon(
        Diagnostic(
          "T014", "write a characteristic without quotes", at: token.range, "a name (`battery_level`), 0x2A19 or a UUID",
          fixes: Words.isName(inside) || UUID(inside) != nil ? [.replace(token.range, with: inside)] : []))
    }
    var steps: [AttributePathSyntax.Step] = []
    repeat {
      let start = index
      let uuid = try uuid("a characteristic: a name, 0x2A19 or a UUID")
      var number: Expression?
      if accept(.openSquare) {
        number = try expression()
        try expect(.closeSquare, "expected `]` after the number of the instance")
      }
      steps.append(AttributePathSyntax.Step(uuid: uuid, index: number, range: range(from: start)))
      if steps.count > 3 {
        throw abandon(
          Diagnostic("T013", "a path can have at most three parts", at: range(from: start), "service/characteristic/descriptor"))
      }
    } while accept(.slash)
    return .path(steps)
  }

  mutating func attributes() throws(Abandoned) -> [AttributePathSyntax] {
    var list = [try attribute()]
    while accept(.comma) { list.append(try attribute()) }
    return list
  }

  mutating func within() throws(Abandoned) -> WithinSyntax? {
    let start = index
    guard accept("within") else { return nil }
    if accept("forever") { return WithinSyntax(kind: .forever, range: range(from: start)) }
    let limit = try sum()
    checkUnit(limit)
    return WithinSyntax(kind: .duration(limit), range: range(from: start))
  }

  mutating func asName() throws(Abandoned) -> NameSyntax? {
    guard accept("as") else { return nil }
    return try name("a name for the result")
  }

  /// Reports a plain number in place of a duration: "5 what?"
  mutating func checkUnit(_ value: Expression) {
    guard case .number(let literal) = value.kind else { return }
    let text = source.text(value.range).filter { $0 != "(" && $0 != ")" }
    guard !literal.isHex, !literal.isDecibel else {
      report(Diagnostic("T025", "this is not a duration", at: value.range, "write `5s`, `5ms` or `5min`"))
      return
    }
    // `wait(5)`
    let start = Int(value.range.start)
    let glue = start > 0 && isWordByte(source.bytes[start - 1]) ? " " : ""
    report(
      Diagnostic(
        "T025", "`\(text)` has no unit", at: value.range, "a duration needs a unit",
        fixes: ["s", "ms", "min"].map { .replace(value.range, with: glue + text + $0) }))
  }

  mutating func duration() throws(Abandoned) -> Expression {
    if let span = unitAlone() { return Expression(kind: .duration(span), range: previous.range) }
    let value = try expression()
    checkUnit(value)
    return value
  }

  mutating func unsure() throws(Abandoned) -> UnsureSyntax? {
    let start = index
    guard accept("when") else { return nil }
    try expect("unsure", "expected `unsure` after `when`")
    for policy in [UnsurePolicy.fail, .repeat, .verify, .skip] where accept(policy.rawValue) {
      return UnsureSyntax(policy: policy, range: range(from: start))
    }
    throw wrongChoice("expected `fail`, `repeat`, `verify` or `skip` after `when unsure`")
  }

  /// Reports that none of the expected words is here.
  mutating func wrongChoice(_ message: String) -> Abandoned {
    if let special = foreignHere() { return special }
    if let found = word, expectedAt == index, let near = Spelling.nearest(to: found, among: expected) {
      return abandon(
        Diagnostic("T013", message, at: token.range, "did you mean `\(near)`?", fixes: [.replace(token.range, with: near)]))
    }
    return abandon(Diagnostic("T013", message, at: here, "found \(shown)"))
  }

  mutating func place() throws(Abandoned) -> PlaceSyntax {
    let start = index
    let base = try name("the name to change")
    var steps: [PlaceSyntax.Step] = []
    while steps.count <= 64 {
      if accept(.dot) {
        guard let text = word else {
          throw abandon(Diagnostic("T014", "expected the name of a field after `.`", at: here, "found \(shown)"))
        }
        steps.append(.member(NameSyntax(text: text, range: token.range)))
        advance()
      } else if accept(.openSquare) {
        steps.append(.index(try expression()))
        try expect(.closeSquare, "expected `]` after the index")
      } else {
        return PlaceSyntax(name: base, steps: steps, range: range(from: start))
      }
    }
    throw abandon(Diagnostic("T003", "this place is nested more than 64 deep", at: range(from: start)))
  }
}
