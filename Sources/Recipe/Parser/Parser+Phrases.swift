import Exchange
import Vocabulary

/// The longer phrases of one-line statements.
extension Parser {
  mutating func scan() throws(Abandoned) -> StatementKind {
    if case .word(let state) = kind, ["on", "off", "start", "stop"].contains(state), followsPhraseEnd(index) {
      throw abandon(
        Diagnostic(
          "T013", "expected `for` after `scan`", at: token.range, "`scan for …` listens until it has found what it is for"))
    }
    if let special = scanWithoutFor() { throw special }
    try expect("for", "expected `for` after `scan`")
    if let special = callOfScan() { throw special }
    var mode = ScanStatement.Mode.first
    if accept("all") { mode = .all } else if accept("strongest") { mode = .strongest }
    let what = try what()
    let filters = try filters()
    let condition = accept("where") ? try expression() : nil
    let limit = try within()
    let name = try asName()
    if name != nil, word == "where" { throw try whereAfterAs() }
    return .scan(ScanStatement(mode: mode, what: what, filters: filters, condition: condition, within: limit, name: name))
  }

  mutating func connect() throws(Abandoned) -> StatementKind {
    var target: DeviceSyntax?
    if accept("to") {
      if case .text = kind { throw nameNotFound(from: index - 2) }
      target = try device()
    } else {
      switch kind {
      case .address, .symbol(.openRound):
        throw abandon(
          Diagnostic(
            "T013", "`connect` needs `to` before the device", at: token.range, "", fixes: [.insert("to ", before: token.range)]))
      case .text: throw nameNotFound(from: index - 1)
      case .word(let word)
      where Words.isName(word)
        && !["when", "within", "as", "where", "with", "timeout", "for", "in", "after", "until"].contains(word):
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
      try expect("it", "expected `it appears` after `when`")
      try expect("appears", "expected `appears` after `when it`")
    }
    return .connect(ConnectStatement(device: target, whenItAppears: appears, within: try within()))
  }

  /// Reports `reconnect strap forever`.
  private mutating func reconnectNeedsTo() throws(Abandoned) {
    let goesOn: Bool
    switch following.kind {
    case .word("forever"), .symbol(.comma), .number: goesOn = true
    default: goesOn = false
    }
    switch kind {
    case .text where goesOn: throw nameNotFound(from: index - 1)
    case .address: break
    case .word(let word) where goesOn && Words.isName(word): break
    default: return
    }
    throw abandon(
      Diagnostic(
        "T013", "`reconnect` needs `to` before the device", at: token.range, "", fixes: [.insert("to ", before: token.range)]))
  }

  mutating func reconnect() throws(Abandoned) -> StatementKind {
    var devices: [DeviceSyntax] = []
    if accept("to") {
      devices.append(try device())
      while accept(.comma) { devices.append(try device()) }
    } else {
      try reconnectNeedsTo()
    }
    var times: Expression?
    if !accept("forever") {
      if isAtPhraseEnd || ["always", "ever", "continuously"].contains(word) {
        throw noForever("expected `forever`, or a number and `times`, after `reconnect`")
      }
      if word.map({ Words.isName($0) && Spelling.nearest(to: $0, among: ["forever"]) != nil }) ?? false {
        throw missing("forever", "expected `forever`, or a number and `times`, after `reconnect`")
      }
      times = try expression()
      if isAtPhraseEnd || word == "waiting" { throw noTimes() }
      try expect("times", "expected `times` after the number")
    }
    var waiting: Expression?
    var upTo: Expression?
    if accept("waiting") {
      waiting = try duration()
      if accept("up") {
        try expect("to", "expected `to` after `up`")
        upTo = try duration()
      }
    }
    return .reconnect(ReconnectStatement(devices: devices, times: times, waiting: waiting, upTo: upTo))
  }

  mutating func discover() throws(Abandoned) -> StatementKind {
    var uuids: [UUIDSyntax] = []
    let everything = accept("everything")
    if !everything, !isAtPhraseEnd, word != "of", word != "within", word != "otherwise" {
      uuids.append(try uuid("`everything`, or services and characteristics"))
      while accept(.comma) { uuids.append(try uuid("a service or a characteristic")) }
    }
    let owner = accept("of") ? try device() : nil
    return .discover(DiscoverStatement(everything: everything, uuids: uuids, device: owner, within: try within()))
  }

  /// Reports `write led_control 0x01` and `write led_control = 0x01`.
  private mutating func characteristicFirst(_ first: Expression) -> Abandoned? {
    switch first.kind {
    case .name(let name):
      let isUUID = tokens.indices.dropLast(3).contains { place in
        guard tokens[place].kind == .word("let"), tokens[place + 1].kind == .word(name), case .uuid = tokens[place + 3].kind else {
          return false
        }
        return true
      }
      guard isUUID || SIGNames.isCharacteristic(name) else { return nil }
    case .uuid: break
    case .number(let literal):
      // `write 0xFFF1 0x01`
      guard literal.isHex, source.text(first.range).utf8.count == 6 else { return nil }
    default: return nil
    }
    let start = [.symbol(.equal), .symbol(.colon), .symbol(.comma), .word("with")].contains(kind) ? index + 1 : index
    let ends = ["of", "without", "in", "within", "when", "otherwise"]
    let rest = tokens[start...].prefix { token in
      switch token.kind {
      case .newline, .endOfFile, .symbol(.semicolon): false
      case .word(let word): !ends.contains(word)
      default: true
      }
    }
    guard let from = rest.first, let to = rest.last else { return nil }
    let written = "\(source.text(from.range.to(to.range))) to \(source.text(first.range))"
    return abandon(
      Diagnostic(
        "T013", "`write` takes the value first", at: first.range, "as in `write hex \"01\" to led`",
        fixes: [.replace(first.range.to(to.range), with: written)]))
  }

  mutating func write() throws(Abandoned) -> StatementKind {
    let valueStart = index
    if let list = listOfBytes() { throw list }
    let value = try expression()
    if let special = inForTo(value, "write") { throw special }
    if !at("to") {
      if let bytes = looseBytes(from: valueStart) { throw bytes }
      if let swapped = characteristicFirst(value) { throw swapped }
      if case .name("to") = value.kind, !declares("to") {
        throw abandon(
          Diagnostic(
            "T014", "`write` needs a value before `to`", at: value.range, "as in `write hex \"01\" to led`"))
      }
      throw missing("to", "`write` needs `to` before the characteristic")
    }
    advance()
    var statement = WriteStatement(
      value: value, attribute: try attribute(), withoutResponse: false, pieces: nil, within: nil, unsure: nil)
    while true {
      let start = index
      if accept("without") {
        try expect("response", "expected `response` after `without`")
        guard !statement.withoutResponse else { throw twice("without response", start) }
        statement.withoutResponse = true
      } else if accept("in") {
        try expect("pieces", "expected `pieces` after `in`")
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

  mutating func twice(_ what: String, _ start: Int) -> Abandoned {
    abandon(
      Diagnostic(
        "T036", "`\(what)` appears twice",
        at: SourceRange(file: file, start: tokens[start].range.start, end: max(lastEnd, tokens[start].range.end))))
  }

  /// Reports `write bytes [1, 2] to led`.
  private mutating func listOfBytes() -> Abandoned? {
    guard let verb = word, ["bytes", "bytearray"].contains(verb), following.kind == .symbol(.openSquare), !declares(verb) else {
      return nil
    }
    var place = index + 2
    var numbers: [UInt8] = []
    while place + 1 < tokens.count, case .number(.integer(let number), _, _) = tokens[place].kind,
      let byte = UInt8(exactly: number)
    {
      numbers.append(byte)
      place += 1
      guard tokens[place].kind == .symbol(.comma) else { break }
      place += 1
    }
    // `bytes[0]` is a part of a value.
    guard numbers.count > 1 else { return nil }
    let isClosed = place < tokens.count && tokens[place].kind == .symbol(.closeSquare)
    let digits = Hex.text(numbers)
    return abandon(
      Diagnostic(
        "T030", "write bytes as `hex \"\(digits)\"`", at: token.range, "",
        fixes: isClosed ? [.replace(token.range.to(tokens[place].range), with: "hex \"\(digits)\"")] : []))
  }

  /// Reports `write 01 ff to led`, `write 0x01, 0xff to led` and `write 10 20 to led`.
  mutating func looseBytes(from start: Int) -> Abandoned? {
    var end = start
    var pieces: [String] = []
    while end < tokens.count {
      if [.symbol(.comma), .symbol(.colon)].contains(tokens[end].kind), !pieces.isEmpty {
        end += 1
        continue
      }
      guard isHexPiece(tokens[end]) || isPlainInteger(tokens[end]) else { break }
      pieces.append(String(source.text(tokens[end].range)))
      end += 1
    }
    guard pieces.count > 1 || end > index, end < tokens.count, tokens[end].kind == .word("to") || tokens[end].kind == .newline
    else {
      return nil
    }
    let place = SourceRange(file: file, start: tokens[start].range.start, end: tokens[end - 1].range.end)
    let bytes = LooseBytes(pieces)
    let fixes = bytes.readings.map { Fix.replace(place, with: $0) }
    guard !bytes.areCertainlyHex else {
      return abandon(Diagnostic("T030", "write bytes as `hex \"\(bytes.hexDigits ?? "01 ff")\"`", at: place, "", fixes: fixes))
    }
    return abandon(
      Diagnostic(
        "T030", "these numbers could be hex or decimal", at: place,
        "write bytes as `hex \"01 ff\"`, or join them: `u8(1) + u8(255)`",
        fixes: fixes))
  }

  private func isPlainInteger(_ token: Token) -> Bool {
    guard case .number(.integer, isHex: false, isDecibel: false) = token.kind else { return false }
    return source.text(token.range).utf8.allSatisfy(isDigit)
  }

  mutating func wait() throws(Abandoned) -> WaitStatement {
    if accept("forever") { return .forever }
    if word == "always" || word == "ever" { throw noForever("expected `forever`, a duration, `until` or `for` after `wait`") }
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
            "T013", "`wait for` waits for an event; use `wait` alone to pause", at: number, "",
            fixes: [.replace(SourceRange(file: file, start: previous.range.start, end: number.start), with: "")]))
      default: break
      }
      let event = try event("`wait for`")
      let condition = accept("where") ? try expression() : nil
      let limit = try within()
      let name = try asName()
      if name != nil, word == "where" { throw try whereAfterAs() }
      if name != nil, at("within"), let late = lateClause("within") { throw late }
      return .event(event, condition: condition, within: limit, name: name)
    }
    if isAtPhraseEnd {
      throw abandon(
        Diagnostic("T013", "`wait` needs a duration, a condition or an event", at: here, "`5s`, `forever`, `until …` or `for …`"))
    }
    let start = token.range
    let span = try duration()
    if word == "for" || word == "until", !followsPhraseEnd(index) { throw limitFirst(start.to(previous.range)) }
    return .duration(span)
  }

  /// Reports `wait 5s for notify x`, where the limit comes first.
  private mutating func limitFirst(_ limit: SourceRange) -> Abandoned {
    let rest = tokens[index...].prefix { token in
      ![.newline, .endOfFile, .symbol(.semicolon), .word("otherwise"), .word("as")].contains(token.kind)
    }
    guard let last = rest.last else { return leftOver("wait") }
    let event = token.range.to(last.range)
    return abandon(
      Diagnostic(
        "T013", "the time limit comes after what is waited for", at: limit, "as in `wait for notify x within 5s`",
        fixes: [.replace(limit.to(last.range), with: "\(source.text(event)) within \(source.text(limit))")]))
  }

  /// The range of `my-new-name`, of which the first part is already read.
  private func hyphenated(_ name: NameSyntax) -> SourceRange? {
    var (place, end) = (index, name.range.end)
    while place + 1 < tokens.count, tokens[place].kind == .symbol(.minus), tokens[place].range.start == end,
      case .word = tokens[place + 1].kind, tokens[place + 1].range.start == end + 1
    {
      end = tokens[place + 1].range.end
      place += 2
    }
    guard place > index, place < tokens.count, tokens[place].kind == .symbol(.equal) else { return nil }
    return SourceRange(file: file, start: name.range.start, end: end)
  }

  /// The edits that replace a name such as `my-new-name` everywhere; empty if its replacement is
  /// taken.
  private func occurrences(ofHyphenated name: String) -> [Fix.Edit] {
    let replacement = String(name.map { $0 == "-" ? "_" : $0 })
    let bytes = Array(name.utf8)
    guard Words.isName(replacement), !declares(replacement) else { return [] }
    func isOneName(_ text: ArraySlice<UInt8>, at place: Int) -> Bool {
      let end = place + bytes.count
      guard end <= text.endIndex, text[place..<end].elementsEqual(bytes) else { return false }
      let isPart = { (byte: UInt8) in isWordByte(byte) || byte == UInt8(ascii: "-") }
      return (place == text.startIndex || !isPart(text[place - 1])) && (end == text.endIndex || !isPart(text[end]))
    }
    var edits: [Fix.Edit] = []
    for token in tokens where edits.count < 64 {
      var places: [Int] = []
      let start = Int(token.range.start)
      switch token.kind {
      case .word: if isOneName(source.bytes[...], at: start) { places = [start] }
      case .text:
        let text = source.bytes[start..<Int(token.range.end)]
        // Values in text.
        places = text.indices.dropFirst().filter { text[$0 - 1] == UInt8(ascii: "{") && isOneName(text, at: $0) }
      default: break
      }
      edits += places.map { place in
        let range = SourceRange(file: file, start: UInt32(place), end: UInt32(place + bytes.count))
        return Fix.Edit(range: range, replacement: replacement)
      }
    }
    return edits
  }

  mutating func letStatement() throws(Abandoned) -> StatementKind {
    let name = try name("a new name")
    if ["mut", "var", "const"].contains(name.text), let next = word, Words.isName(next),
      [.symbol(.equal), .symbol(.colon)].contains(following.kind)
    {
      let place = SourceRange(file: file, start: name.range.start, end: token.range.start)
      throw abandon(
        Diagnostic(
          "T023", "a name needs no `\(name.text)`", at: name.range, "`set` can change every name",
          fixes: [.replace(place, with: "")]))
    }
    if word == "to" {
      throw abandon(
        Diagnostic("T023", "`let` takes `=`", at: token.range, "`set` takes `to`", fixes: [.replace(token.range, with: "=")]))
    }
    if case .word("be") = kind {
      throw abandon(Diagnostic("T023", "`let` takes `=`", at: token.range, "", fixes: [.replace(token.range, with: "=")]))
    }
    if at(.colon), case .word(let type) = following.kind, Words.isName(type) {
      let place = SourceRange(file: file, start: token.range.start, end: following.range.end)
      throw abandon(
        Diagnostic(
          "T023", "a name cannot have a type", at: place, "it can hold any value", fixes: [.replace(place, with: "")]))
    }
    if at(.colon), following.kind == .symbol(.equal) {
      let place = token.range.to(following.range)
      throw abandon(Diagnostic("T023", "`let` takes `=`", at: place, "`set` takes `to`", fixes: [.replace(place, with: "=")]))
    }
    if at(.doubleEqual) {
      throw abandon(Diagnostic("T023", "`let` takes a single `=`", at: token.range, "", fixes: [.replace(token.range, with: "=")]))
    }
    if at(.minus), let whole = hyphenated(name) {
      let edits = occurrences(ofHyphenated: source.text(whole))
      throw abandon(
        Diagnostic("T033", "names use `_`, not `-`", at: whole, "", fixes: edits.isEmpty ? [] : [Fix(edits: edits)]))
    }
    try expect(.equal, "expected `=` and a value after the new name")
    return .let(name: name, value: try expression())
  }

  mutating func setStatement() throws(Abandoned) -> StatementKind {
    expects(.variable)
    let place = try place()
    if at(.equal) {
      throw abandon(
        Diagnostic("T023", "`set` takes `to`", at: token.range, "`let` takes `=`", fixes: [.replace(token.range, with: "to")]))
    }
    if let compound = compoundSet(source.text(place.range)) { throw compound }
    try expect("to", "`set` needs `to` before the value")
    return .set(place: place, value: try expression())
  }

  /// Reports `reconnect` and `reconnect always`.
  private mutating func noForever(_ message: String) -> Abandoned {
    let fix: Fix = isAtPhraseEnd ? .insert(" forever", after: here) : .replace(token.range, with: "forever")
    return abandon(Diagnostic("T013", message, at: here, "found \(shown)", fixes: [fix]))
  }

  /// Reports `connect to "Polar H10"`; an address needs no quotes.
  private mutating func nameNotFound(from start: Int) -> Abandoned {
    let shown = source.text(token.range)
    if let address = quotedAddress(after: tokens[start].range.start == previous.range.start ? "to " : "") { return address }
    let indent = source.indentation(ofLine: token.line)
    let place = SourceRange(file: file, start: tokens[start].range.start, end: token.range.end)
    if tokens[..<start].contains(where: { $0.startsLine && $0.kind == .word("scan") }) {
      return abandon(
        Diagnostic(
          "T031", "to find a device by name, scan for it", at: token.range,
          "`scan for \(shown)`; `connect` alone connects to what a scan found"))
    }
    return abandon(
      Diagnostic(
        "T031", "to find a device by name, scan for it", at: token.range, "`scan for \(shown)`, then `connect`",
        // `connect … when it appears` waits without a limit.
        fixes: [
          .replace(place, with: "scan for \(shown)\(following.kind == .word("when") ? " within forever" : "")\n\(indent)connect")
        ]))
  }

  /// Reports an address in quotes. `word` is what is missing before it.
  mutating func quotedAddress(after word: String = "") -> Abandoned? {
    let inside = String(source.text(token.range).dropFirst().dropLast())
    guard Address(inside) != nil else { return nil }
    return abandon(
      Diagnostic(
        "T031", "write an address without quotes", at: token.range, "", fixes: [.replace(token.range, with: word + inside)]))
  }

  mutating func stop() throws(Abandoned) -> StopStatement {
    if accept("serving") { return .serving(try name("the name of a peripheral")) }
    if accept("advertising") { return .advertising }
    return try withCode("stop").map { .code($0) } ?? .plain
  }

  mutating func withCode(_ phrase: String) throws(Abandoned) -> Expression? {
    guard word != "code" else {
      throw abandon(
        Diagnostic(
          "T013", "use `with code` before an exit code", at: token.range, "`with` is missing",
          fixes: [.insert("with ", before: token.range)]))
    }
    guard accept("with") else { return nil }
    try expect("code", "expected `code` after `\(phrase) … with`")
    return try expression()
  }

  mutating func openChannel() throws(Abandoned) -> StatementKind {
    if let file = fileAsAttribute() { throw file }
    try expect("channel", "expected `channel` after `open`")
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

  mutating func startRecipe() throws(Abandoned) -> StatementKind {
    try expect("recipe", "expected `recipe` after `start`")
    var file: StringSyntax?
    if case .text = kind { file = try string() }
    let settings = accept("with") ? try expression() : nil
    return .startRecipe(StartRecipeStatement(file: file, with: settings, name: try asName()))
  }

  mutating func make() throws(Abandoned) -> StatementKind {
    var target: NameSyntax?
    if !accept("adapter") { target = try name("a peripheral, or `adapter`") }
    return .make(MakeStatement(target: target, fault: try fault()))
  }

  mutating func fault() throws(Abandoned) -> MakeStatement.Fault {
    if accept("vanish") { return .vanish }
    if accept("appear") { return .appear }
    if accept("drop") { return .drop }
    if accept("reboot") { return .reboot }
    if accept("lose") {
      try expect("next", "expected `next reply` after `lose`")
      try expect("reply", "expected `reply` after `lose next`")
      return .loseNextReply
    }
    if accept("slow") {
      try expect("by", "expected `by` after `slow`")
      return .slow(by: try duration())
    }
    if accept("forget") {
      try expect("bond", "expected `bond` after `forget` here")
      return .forgetBond
    }
    if accept("change") {
      try expect("services", "expected `services` after `change`")
      return .changeServices
    }
    if accept("refuse") {
      try expect("next", "expected `next` after `refuse`")
      for event in [EventSyntax.AttributeEvent.read, .write, .subscribe] where accept(event.rawValue) {
        try expect("with", "expected `with` after `refuse next \(event.rawValue)`")
        return .refuseNext(event, with: try expression())
      }
      throw wrongChoice("expected `read`, `write` or `subscribe` after `refuse next`")
    }
    throw wrongChoice("a device cannot be made to do this")
  }

  /// Reports `disconnect strap` and `pair strap`.
  mutating func noDevice(_ verb: String, _ preposition: String) throws(Abandoned) -> DeviceSyntax? {
    let isDevice: Bool
    switch kind {
    case .address, .symbol(.openRound): isDevice = true
    case .word(let found) where ["of", "to", "from", "with"].contains(found) && found != preposition:
      throw abandon(
        Diagnostic(
          "T013", "`\(verb)` needs `\(preposition)` before the device", at: token.range, "found `\(found)`",
          fixes: [.replace(token.range, with: preposition)]))
    case .word(let word): isDevice = Words.isName(word) && Spelling.nearest(to: word, among: [preposition]) == nil
    default: isDevice = false
    }
    guard isDevice else { return nil }
    // `pair(strap)`
    let glue = index > 0 && touches(index - 1, index) ? " " : ""
    throw abandon(
      Diagnostic(
        "T013", "`\(verb)` needs `\(preposition)` before the device", at: token.range, "",
        fixes: [.insert(glue + preposition + " ", before: token.range)]))
  }

  /// Reports `… as v where …`.
  mutating func whereAfterAs() throws(Abandoned) -> Abandoned {
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
    // Inside `where`, the candidate is `it`.
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
