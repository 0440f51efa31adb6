import Exchange
import Vocabulary

/// Guesses what was meant by a phrase that goes on too long. A fix is offered only if a trial shows
/// that it works.
extension Parser {
  /// Reports `if a: print 1 else print 2`; the fix makes it a block.
  private mutating func oneLineIf() -> Abandoned? {
    let line = token.line
    guard let first = tokens[..<index].lastIndex(where: { $0.startsLine && $0.kind != .newline }), tokens[first].line == line,
      tokens[first].kind == .word("if"), let colon = tokens[first..<index].firstIndex(where: { $0.kind == .symbol(.colon) })
    else { return nil }
    let indentation = source.indentation(ofLine: line)
    let last = tokens[index...].firstIndex { $0.kind == .newline || $0.kind == .endOfFile } ?? index
    func edit(_ from: UInt32, _ to: UInt32, _ text: String) -> Fix.Edit {
      Fix.Edit(range: SourceRange(file: file, start: from, end: to), replacement: text)
    }
    let end = tokens[last - 1].range.end
    return abandon(
      Diagnostic(
        "T020", "`else` has no one-line form", at: token.range, "use a block with `end`, or `a if c else b` for a value",
        fixes: following.kind == .word("if") || last - 1 == index
          ? []
          : [
            Fix(edits: [
              edit(tokens[colon].range.start, tokens[colon + 1].range.start, "\n\(indentation)  "),
              edit(previous.range.end, following.range.start, "\n\(indentation)else\n\(indentation)  "),
              edit(end, end, "\n\(indentation)end"),
            ])
          ]))
  }

  /// A guess about the current token, which does not belong to the `phrase` before it.
  mutating func guess(_ phrase: String) -> Abandoned? {
    if let special = brokenName() ?? foreignSign(phrase) { return special }
    guard let found = word else { return misplacedValue(phrase) }
    let candidates = expectedAt == index ? expected : []
    if let limit = foreignLimit(found, candidates) { return limit }
    if found == "else", let one = oneLineIf() { return one }
    if candidates.contains("otherwise") || phrase.hasPrefix("the statement") || Words.actions.contains(phrase),
      ["else", "or", "catch", "except"].contains(found), followingIsAction
    {
      return abandon(
        Diagnostic(
          "T022", "use `otherwise` to handle a failure", at: token.range, "found `\(found)`",
          fixes: [.replace(token.range, with: "otherwise")]))
    }
    if Self.headers.contains(phrase) || phrase.hasPrefix("on "), Words.actions.contains(found), !token.startsLine {
      return abandon(
        Diagnostic(
          "T020", "a body on the same line needs `:` before it", at: token.range,
          "or write it on lines of its own and close it with `end`",
          fixes: [.insert(":", after: previous.range)]))
    }
    if found == "else", phrase != "if" {
      return abandon(
        Diagnostic(
          "T020", "`else` has no one-line form", at: token.range, "use a block with `end`, or `a if c else b` for a value"))
    }
    if candidates.contains("as"), ["into", "to", "in", "named", "called"].contains(found), case .word(let name) = following.kind,
      Words.isName(name)
    {
      return abandon(
        Diagnostic(
          "T026", "use `as` to name the result", at: token.range, "found `\(found)`",
          fixes: [.replace(token.range, with: "as")]))
    }
    if candidates.contains("where"), found == "if" || found == "when" {
      return abandon(
        Diagnostic(
          "T026", "use `where` before the condition", at: token.range, "found `\(found)`",
          fixes: [.replace(token.range, with: "where")]))
    }
    if phrase.hasPrefix("write"), found == "if", following.kind == .word("unsure") {
      return abandon(
        Diagnostic(
          "T026", "use `when` before `unsure`", at: token.range, "found `if`", fixes: [.replace(token.range, with: "when")]))
    }
    if found == "between" { return between() }
    if let sign = Self.comparisons[found] {
      return abandon(
        Diagnostic(
          "T024", "`\(found)` is written `\(sign)`", at: token.range, "", fixes: [.replace(token.range, with: sign)]))
    }
    if case .word(let noise) = previous.kind, Self.nouns.contains(noise), SIGNames.isAny(found) {
      let place = SourceRange(file: file, start: previous.range.start, end: token.range.start)
      return abandon(
        Diagnostic(
          "T015", "`\(phrase)` needs no `\(noise)` here", at: previous.range, "the name is enough",
          fixes: [.replace(place, with: "")]))
    }
    if phrase == "scan for", ["strongest", "nearest", "all"].contains(found) {
      let first = found == "all" ? "all" : "strongest"
      let start = tokens.indices.prefix(index).last { tokens[$0].startsLine || tokens[$0].kind == .word("for") }
      var fixes: [Fix] = []
      if let start, tokens[start].kind == .word("for"), start + 1 < index {
        let late = SourceRange(file: file, start: previous.range.end, end: token.range.end)
        let place = SourceRange(file: file, start: tokens[start].range.end, end: tokens[start].range.end)
        fixes = [Fix(edits: [Fix.Edit(range: place, replacement: " \(first)"), Fix.Edit(range: late, replacement: "")])]
      }
      return abandon(
        Diagnostic(
          "T015", "expected `scan for` to end here", at: token.range, "`\(first)` comes first: `scan for \(first) …`", fixes: fixes)
      )
    }
    if phrase == "scan for", found == "and" {
      return abandon(
        Diagnostic(
          "T015", "expected `scan for` to end here", at: token.range,
          "`or` finds a device that has either; a scan cannot require both"))
    }
    if phrase == "on adapter", ["on", "off", "gone"].contains(found) {
      let state = "where it is \"\(found)\""
      return abandon(
        Diagnostic(
          "T015", "expected `on adapter` to end here", at: token.range, "use `\(state)` for one of its states",
          fixes: [.replace(token.range, with: state)]))
    }
    if candidates.contains("as"), Words.isName(found), !SIGNames.isAny(found), followsPhraseEnd(index) {
      return abandon(
        Diagnostic(
          "T015", "expected `\(phrase)` to end here", at: token.range, "use `as` to name its value",
          fixes: Self.adverbs.contains(found.lowercased()) ? [] : [.insert("as ", before: token.range)]))
    }
    return nil
  }

  /// Words that are meant as they are, and not as a name of the value.
  private static let adverbs = [
    "again", "also", "always", "db", "dbm", "first", "forever", "here", "last", "limit", "nearby", "nearest", "now", "once", "only",
    "please", "strongest", "there", "timeout", "too", "twice",
  ]

  private static let nouns = [
    "device", "devices", "service", "services", "characteristic", "descriptor", "uuid", "value", "the", "a",
  ]

  /// Phrases that are followed by a body.
  private static let headers = ["if", "repeat", "for each", "every", "after", "with", "whenever"]

  private static let comparisons = [
    "equals": "is", "equal": "is", "eq": "is", "isnt": "is not", "isn": "is not", "ne": "is not", "like": "matches",
    "includes": "contains", "has": "contains",
  ]

  /// Reports `x between 1 and 5`.
  private mutating func between() -> Abandoned {
    var start = index
    while start > 0, tokens[start - 1].line == token.line {
      switch tokens[start - 1].kind {
      case .symbol(.dot): break
      case .word(let word) where word == "it" || !Words.isReserved(word) && !Self.headers.contains(word) && word != "expect": break
      default: return abandon(between(tokens[start].range.to(previous.range)))
      }
      start -= 1
    }
    return abandon(between(tokens[start].range.to(previous.range)))
  }

  private static let bounds = "write both bounds: `x >= 1 and x <= 5`"

  private func isBound(_ token: Token) -> Bool {
    switch token.kind {
    case .number, .duration: true
    case .word(let word): Words.isName(word)
    default: false
    }
  }

  private func endsBound(_ place: Int) -> Bool {
    guard place < tokens.count else { return true }
    switch tokens[place].kind {
    case .newline, .endOfFile, .symbol(.colon), .symbol(.closeRound), .word("and"), .word("or"): return true
    default: return false
    }
  }

  private func between(_ value: SourceRange) -> Diagnostic {
    let rest = tokens[(index + 1)...].prefix(3)
    var fixes: [Fix] = []
    if rest.count == 3, let low = rest.first, let high = rest.last, rest[index + 2].kind == .word("and"), isBound(low),
      isBound(high), endsBound(index + 4)
    {
      let name = source.text(value)
      fixes = [
        .replace(
          value.to(high.range), with: "\(name) >= \(source.text(low.range)) and \(name) <= \(source.text(high.range))")
      ]
    }
    return Diagnostic("T024", "there is no `between`", at: token.range, Self.bounds, fixes: fixes)
  }

  var followingIsAction: Bool {
    guard case .word(let word) = following.kind else { return false }
    return Words.actions.contains(word) || ForeignWords.statement(word) != nil
  }

  func followsPhraseEnd(_ place: Int) -> Bool {
    guard place + 1 < tokens.count else { return true }
    return [.newline, .endOfFile, .symbol(.semicolon), .symbol(.colon)].contains(tokens[place + 1].kind)
  }

  // MARK: - broken names

  /// Reports `battery level` and `heart-rate`: words that form a name when joined with `_`.
  private mutating func brokenName() -> Abandoned? {
    guard index > 0 else { return nil }
    // Go back to the first word of the name, at most two words.
    var first = index
    while first > 0, index - first < 4 {
      if case .word = tokens[first - 1].kind {
        first -= 1
      } else if tokens[first - 1].kind == .symbol(.minus), first > 1 {
        first -= 1
      } else {
        break
      }
    }
    while first < index {
      defer { first += 1 }
      guard case .word = tokens[first].kind else { continue }
      for last in stride(from: min(tokens.count - 1, first + 8), through: max(index, first + 1), by: -1) {
        guard let name = joined(first...last), isKnownName(name) else { continue }
        let place = tokens[first].range.to(tokens[last].range)
        return abandon(
          Diagnostic(
            "T015", "a name must be one word", at: place, "join its parts with `_`: `\(name)`",
            fixes: [.replace(place, with: name)]
          ))
      }
    }
    return nil
  }

  /// The words of some tokens, joined by `_`; `nil` unless they are words with spaces or `-`
  /// between.
  private func joined(_ places: ClosedRange<Int>) -> String? {
    var words: [String] = []
    var isSign = true
    for place in places {
      switch tokens[place].kind {
      case .word(let word):
        words.append(word.lowercased())
        isSign = false
      case .symbol(.minus) where !isSign: isSign = true
      default: return nil
      }
    }
    return isSign || words.count < 2 ? nil : words.joined(separator: "_")
  }

  private func isKnownName(_ name: String) -> Bool {
    SIGNames.isAny(name) || tokens.contains { $0.kind == .word(name) }
  }

  // MARK: - signs

  private mutating func foreignSign(_ phrase: String) -> Abandoned? {
    switch kind {
    case .symbol(.equal) where following.kind == .symbol(.less) && touches(index, index + 1):
      let place = token.range.to(following.range)
      return abandon(Diagnostic("T024", "`=<` is written `<=`", at: place, "", fixes: [.replace(place, with: "<=")]))
    case .symbol(.equal):
      // In `x = y = 5`, it is no comparison.
      let line = tokens[(tokens[..<index].lastIndex { $0.startsLine } ?? 0)..<index]
      let isChain = line.contains { $0.kind == .symbol(.equal) } && !line.contains { $0.kind == .word("let") }
      return abandon(
        Diagnostic(
          "T024", "equality is written `is`", at: token.range, "`=` only sets a value, as in `let n = …`",
          fixes: isChain ? [] : [.replace(token.range, with: needsSpaces("is"))]))
    case .symbol(.fatArrow):
      if previous.kind == .symbol(.closeRound)
        || tokens.indices.prefix(index).last(where: { tokens[$0].startsLine }).map({
          [.word("let"), .word("set")].contains(tokens[$0].kind)
        }) ?? false
      {
        return abandon(
          Diagnostic(
            "T024", "`=>` is not part of the language", at: token.range, "a procedure has a name and lines of its own",
            notes: ["as in `procedure twice(x)`, `return 2 * x` and `end`"]))
      }
      return abandon(
        Diagnostic(
          "T024", "`=>` is written `>=`", at: token.range, "", fixes: [.replace(token.range, with: ">=")]))
    case .symbol(.dotDot): return range()
    case .symbol(.dot):
      guard case .word(let owner) = previous.kind, case .word(let attribute) = following.kind, SIGNames.isCharacteristic(attribute),
        owner == "device" || mayBeDeclared(owner)
      else { return nil }
      return abandon(
        Diagnostic(
          "T026", "use `of` before the device", at: previous.range.to(following.range), "",
          fixes: [.replace(previous.range.to(following.range), with: "\(attribute) of \(owner)")]))
    default: return nil
    }
  }

  private func needsSpaces(_ text: String) -> String {
    let before = token.range.start > 0 && isWordByte(source.bytes[Int(token.range.start) - 1]) ? " " : ""
    let end = Int(token.range.end)
    return before + text + (end < source.bytes.count && source.bytes[end] != 0x20 ? " " : "")
  }

  /// Reports `0..5`.
  private mutating func range() -> Abandoned {
    var fixes: [Fix] = []
    var instead = "write the list, or `repeat 5 times`"
    if case .number(.integer(let from), _, _) = previous.kind, case .number(.integer(let to), _, _) = following.kind {
      let range = previous.range.to(following.range)
      // Languages differ in whether the last number is included.
      fixes = Self.listFix(from, to, at: range) + Self.listFix(from, to &+ 1, at: range)
      if fixes.count == 2 { instead = "write the list, with or without the last number" }
    }
    return abandon(
      Diagnostic(
        "T022", "a range is not a value", at: token.range, instead,
        fixes: fixes, notes: ["inside `[ ]` after a value, `..` makes a slice"]))
  }

  /// A short range as a list.
  static func listFix(_ from: UInt64, _ to: UInt64, at range: SourceRange) -> [Fix] {
    guard from < to, to - from <= 17 else { return [] }
    return [.replace(range, with: "[\((from..<to).map(String.init).joined(separator: ", "))]")]
  }

  // MARK: - limits and codes

  private static let limits = ["timeout", "limit", "deadline"]

  /// Reports `with timeout 5s`, `timeout=5s` and `for 5s` on a statement that takes `within`.
  private mutating func foreignLimit(_ found: String, _ candidates: [String]) -> Abandoned? {
    var next = index + 1
    if ["with", "and"].contains(found), case .word(let limit) = following.kind, Self.limits.contains(limit) {
      next += 1
    } else if !["timeout", "for", "in", "after", "until", "max", "limit"].contains(found) {
      return nil
    }
    guard candidates.contains("within") else { return nil }
    if next < tokens.count, tokens[next].kind == .word("of") { next += 1 }
    while next < tokens.count, tokens[next].kind == .symbol(.equal) || tokens[next].kind == .symbol(.colon) { next += 1 }
    guard next < tokens.count else { return nil }
    let place = SourceRange(file: file, start: token.range.start, end: tokens[next].range.start)
    let fixes: [Fix]
    switch tokens[next].kind {
    case .duration: fixes = [.replace(place, with: "within ")]
    case .number(.integer(let number), _, _):
      // Small numbers are seconds; large ones may be milliseconds.
      fixes = (number < 100 ? ["s"] : ["s", "ms"]).map { .replace(place.to(tokens[next].range), with: "within \(number)\($0)") }
    case .number: fixes = []
    default: return nil
    }
    return abandon(
      Diagnostic("T022", "use `within` for a time limit", at: token.range, "as in `within 5s`", fixes: fixes))
  }

  /// Reports a value after a complete phrase: `stop 25`, `scan for name "Polar"`.
  private mutating func misplacedValue(_ phrase: String) -> Abandoned? {
    switch kind {
    case .number(.integer(let code), _, _) where phrase == "stop":
      let isOwn = ForeignWords.ownCodes.contains(Int(clamping: code))
      return abandon(
        Diagnostic(
          "T015", "use `with code` before an exit code", at: token.range,
          isOwn ? "" : "a recipe can only use exit codes 20 to 99", fixes: isOwn ? [.insert("with code ", before: token.range)] : []
        ))
    case .text:
      guard case .word(let word) = previous.kind, ["name", "named", "device", "devices", "called", "peripheral"].contains(word)
      else {
        return nil
      }
      let place = SourceRange(file: file, start: previous.range.start, end: token.range.start)
      let instead = word == "named" ? "anything named " : ""
      return abandon(
        Diagnostic(
          "T015", "`\(phrase)` needs no `\(word)` here", at: previous.range, "a name in quotes is enough",
          fixes: [.replace(place, with: instead)]))
    default: return nil
    }
  }

  /// Reports `run echo hi`, as at a shell.
  func commandWithoutQuotes() -> Diagnostic? {
    guard case .word(let program) = kind, !Words.isReserved(program), !followsNewline(index) else { return nil }
    switch following.kind {
    case .word(let next) where ["within", "as", "when", "otherwise"].contains(next) || Words.isReserved(next): return nil
    case .word, .number, .text: break
    default: return nil
    }
    let last = tokens[index...].prefix { $0.line == token.line && $0.kind != .newline && $0.kind != .endOfFile }.last ?? token
    let place = token.range.to(last.range)
    let command = source.text(place)
    let isPlain = !command.utf8.contains { "\"{}#;\\".utf8.contains($0) }
    return Diagnostic(
      "T263", "write the command in quotes", at: place, "as in `run \"\(program) …\"`",
      fixes: isPlain ? [.replace(place, with: "\"\(command)\"")] : [])
  }

  /// Turns a block on the line of another into a block of several lines.
  func asBlock() -> [Fix] {
    guard index > 1, previous.kind == .symbol(.colon) else { return [] }
    let indent = source.indentation(ofLine: token.line)
    var last = index
    while last + 1 < tokens.count, tokens[last + 1].kind != .newline, tokens[last + 1].kind != .endOfFile { last += 1 }
    guard tokens[last].line == token.line else { return [] }
    // The body of `every 5s: if a` is below, and only its author knows which `end` closes what.
    if let verb = word, Words.blocks.contains(verb) || Words.handlers.contains(verb),
      !tokens[index..<last].contains(where: { $0.kind == .symbol(.colon) })
    {
      return []
    }
    let glue = SourceRange(file: file, start: previous.range.start, end: token.range.start)
    let end = SourceRange(file: file, start: tokens[last].range.end, end: tokens[last].range.end)
    return [
      Fix(edits: [Fix.Edit(range: glue, replacement: "\n\(indent)  "), Fix.Edit(range: end, replacement: "\n\(indent)end")])
    ]
  }

  /// Reports `FFF1`, a 16-bit UUID without `0x`. `Cafe` and `FACE` may be names.
  mutating func unmarkedUUID() -> Abandoned? {
    guard let digits = word, digits.utf8.count == 4, let number = UInt16(digits, radix: 16), digits == digits.uppercased(),
      digits.utf8.contains(where: isDigit)
    else { return nil }
    return abandon(
      Diagnostic(
        "T035", "a 16-bit UUID starts with 0x", at: token.range, SIGNames.name(of: UUID(number)).map { "this is \($0)" } ?? "",
        fixes: [.replace(token.range, with: "0x" + digits)]))
  }

  /// Reports `C47C8D6A120F`, which cannot be a name.
  mutating func addressWithoutColons() -> Abandoned? {
    guard let digits = word, !Words.isName(digits), let address = Lexer.address(digits) else { return nil }
    return abandon(
      Diagnostic(
        "T031", "an address needs colons", at: token.range, "as in `C4:7C:8D:6A:12:0F`",
        fixes: [.replace(token.range, with: address)]))
  }

  /// Reports `Polar H10`: an advertised name needs quotes.
  mutating func unquotedName() -> Abandoned? {
    guard let first = word, let letter = first.utf8.first, (0x41...0x5A).contains(letter), !SIGNames.isAny(first.lowercased())
    else {
      return nil
    }
    if let uuid = unmarkedUUID() { return uuid }
    if let address = addressWithoutColons() { return address }
    // A name of the file, a format or a word of the language in other capitals.
    let lower = snakeCase(first)
    if declares(first), Words.isName(lower), !declares(lower) {
      return abandon(
        Diagnostic("T033", "names start with a lowercase letter", at: token.range, "write `\(lower)`"))
    }
    if Words.isName(first.lowercased()) || Words.isReserved(first.lowercased()),
      let meant = [lower, first.lowercased()].first(where: { declares($0) || FormatCatalog.contains($0) })
        ?? ["anything", "all", "strongest", "raw"].first(where: { $0 == first.lowercased() })
    {
      return abandon(
        Diagnostic(
          "T033", "there is no `\(first)`, but there is `\(meant)`", at: token.range, "names are written in lowercase",
          fixes: [.replace(token.range, with: meant)]))
    }
    var last = index
    while last + 1 < tokens.count {
      switch tokens[last + 1].kind {
      case .word(let word) where !["within", "where", "as", "or", "stronger", "named", "made", "otherwise"].contains(word):
        last += 1
      case .number, .duration: last += 1
      default:
        let place = token.range.to(tokens[last].range)
        return abandon(
          Diagnostic(
            "T033", "put the advertised name of a device in quotes", at: place, "",
            fixes: [.replace(place, with: "\"\(source.text(place))\"")]))
      }
    }
    return nil
  }
}
