import Exchange
import Vocabulary

/// Statements that other languages write as calls: `l.append(x)`, `time.sleep(5)`.
extension Parser {
  static let ownCodes = "its own exit codes are 20 to 99, as in `stop with code 20`"

  /// Reports `l.append(2)`, a value or a call of another language in the place of a statement.
  mutating func methodAlone(_ verb: String) -> Abandoned? {
    // The last name of `System.out.println(…)` is the method.
    var last = index
    while last + 3 < tokens.count, tokens[last + 1].kind == .symbol(.dot), case .word = tokens[last + 2].kind,
      tokens[last + 3].kind == .symbol(.dot)
    {
      last += 2
    }
    guard last + 3 < tokens.count, tokens[last + 1].kind == .symbol(.dot), case .word(let method) = tokens[last + 2].kind,
      tokens[last + 3].kind == .symbol(.openRound)
    else { return nil }
    let rest = tokens[index...].prefix { $0.kind != .newline && $0.kind != .endOfFile && $0.kind != .symbol(.semicolon) }
    guard let end = rest.indices.last, tokens[end].kind == .symbol(.closeRound) else { return nil }
    let owner = source.text(token.range.to(tokens[last].range))
    let values = elements(last + 4..<end)
    let call = MethodCall(
      owner: owner, first: verb, method: method, whole: token.range.to(tokens[end].range),
      argument: source.text(SourceRange(file: file, start: tokens[last + 3].range.end, end: tokens[end].range.start)),
      values: values.map { source.text($0) })
    guard mayBeDeclared(verb) else { return abandon(unknownOwner(call)) }
    guard last == index else { return nil }
    return abandon(ownMethod(call, hasValue: end > last + 4))
  }

  private struct MethodCall {
    var owner: String
    /// The first name of the owner.
    var first: String
    var method: String
    var whole: SourceRange
    var argument: String
    var values: [String]

    var title: String { "`\(owner).\(method)(…)`" }
  }

  private func ownMethod(_ call: MethodCall, hasValue: Bool) -> Diagnostic {
    if ["append", "push", "add", "push_back"].contains(call.method), hasValue {
      return Diagnostic(
        "T023", "use `set` to change a list", at: call.whole, "`l + [x]` is a list with one more element",
        fixes: [.replace(call.whole, with: "set \(call.owner) to \(call.owner) + [\(call.argument)]")])
    }
    if ["forEach", "each", "map"].contains(call.method) {
      return Diagnostic(
        "T012", "\(call.title) is not a statement", at: call.whole, "use a loop: `for each x in \(call.owner)`")
    }
    if let ours = Self.statement(call.method, call.argument, of: call.owner), !call.argument.contains("(") {
      return Diagnostic(
        "T012", "\(call.title) is not a statement", at: call.whole, "statements are words: `\(ours)`",
        fixes: [.replace(call.whole, with: ours)])
    }
    return Diagnostic(
      "T012", "\(call.title) is a value, not a statement", at: call.whole, "`print` it, or name it with `let`",
      notes: ["no method changes its value: `set \(call.owner) to …` does"])
  }

  /// A call whose owner has no name here: `time.sleep(5)`, `client.connect()`.
  private func unknownOwner(_ call: MethodCall) -> Diagnostic {
    let message = "\(call.title) is not a statement"
    if let ours = attributeStatement(call) ?? Self.clientStatement(call.method, call.values) {
      return Diagnostic(
        "T012", message, at: call.whole, "statements are words: `\(ours)`", fixes: [.replace(call.whole, with: ours)])
    }
    let foreign =
      ForeignWords.statement(call.method) ?? ForeignWords.statement(call.method.lowercased()) ?? ForeignWords.statement(call.first)
    if let foreign {
      let code = foreign.instead == "stop" ? UInt64(call.argument) : nil
      let isForeignCode = code.map { ForeignWords.stop(code: $0) == nil } ?? false
      return Diagnostic(
        "T012", message, at: call.whole, isForeignCode ? Self.ownCodes : foreign.reason,
        fixes: fixes(call, foreign.instead).map { .replace(call.whole, with: $0) })
    }
    let reason =
      switch (call.first, call.method) {
      case (_, "start_notify"): "use `subscribe to`, and `on notify … as value` for what happens then"
      case ("asyncio", _): "a recipe begins at its first line"
      case (_, let method) where Words.actions.contains(method): "it is written `\(method) …`"
      default: "nothing is named `\(call.first)`"
      }
    return Diagnostic("T012", message, at: call.whole, reason)
  }

  private func fixes(_ call: MethodCall, _ ours: String) -> [String] {
    switch (ours, call.values.count) {
    case ("wait", 1):
      guard call.values[0].utf8.allSatisfy({ isDigit($0) || $0 == UInt8(ascii: ".") }) else { return [] }
      // Those of Java and Python differ.
      let word = call.first == "Thread" ? "delay" : call.method
      let isSeconds = call.method == "sleep" && ["time", "asyncio", "trio", "anyio"].contains(call.first)
      let units = isSeconds ? ["s"] : ForeignWords.units(ofPause: word, call.values[0])
      return units.map { "wait \(call.values[0])\($0)" }
    case ("print", 1...): return ["print \(call.argument)"]
    case ("stop", 0): return ["stop"]
    case ("stop", 1):
      return UInt64(call.argument).flatMap { ForeignWords.stop(code: $0) }.map { [$0] } ?? []
    default: return []
    }
  }

  /// What is written `battery_level.read()` where characteristics are objects.
  private func attributeStatement(_ call: MethodCall) -> String? {
    guard call.owner == call.first, SIGNames.isCharacteristic(call.owner) else { return nil }
    switch (call.method.lowercased(), call.values.count) {
    case ("read", 0), ("readvalue", 0): return "read \(call.owner)"
    case ("write", 1), ("writevalue", 1): return "write \(call.argument) to \(call.owner)"
    case ("subscribe", 0), ("startnotifications", 0): return "subscribe to \(call.owner)"
    case ("unsubscribe", 0), ("stopnotifications", 0): return "unsubscribe from \(call.owner)"
    default: return nil
    }
  }

  /// What a client object does where devices are objects.
  private static func clientStatement(_ method: String, _ values: [String]) -> String? {
    switch (method, values.count) {
    case ("connect", 0), ("disconnect", 0), ("pair", 0): method
    case ("read_gatt_char", 1): attribute(named: values[0]).map { "read \($0)" }
    case ("write_gatt_char", 2): attribute(named: values[0]).map { "write \(values[1]) to \($0)" }
    case ("stop_notify", 1): attribute(named: values[0]).map { "unsubscribe from \($0)" }
    default: nil
    }
  }

  /// The name of `"2a19"` or of the UUID of a characteristic in quotes; a name itself.
  static func attribute(named written: String) -> String? {
    let plain = written.filter { $0 != "\"" && $0 != "'" }
    guard plain != written else { return Words.isName(plain) ? plain : nil }
    let short = plain.utf8.count == 4 ? UInt16(plain, radix: 16).map { UUID($0) } : nil
    guard let uuid = short ?? UUID(plain) else { return nil }
    if let name = SIGNames.name(of: uuid), SIGNames.isCharacteristic(name) { return name }
    return short == nil ? plain : "0x\(plain)"
  }

  /// What is written `strap.connect()` where devices are objects; `nil` if it is something else.
  static func statement(_ method: String, _ argument: String, of device: String) -> String? {
    switch (method, argument.isEmpty) {
    case ("connect", true): "connect to \(device)"
    case ("disconnect", true): "disconnect from \(device)"
    case ("pair", true): "pair with \(device)"
    case ("discover", true): "discover everything of \(device)"
    case ("read", false), ("read_gatt_char", false): "read \(argument) of \(device)"
    case ("subscribe", false), ("start_notify", false): "subscribe to \(argument) of \(device)"
    case ("unsubscribe", false), ("stop_notify", false): "unsubscribe from \(argument) of \(device)"
    default: nil
    }
  }

  /// Reports `let x = await f()` at the word after `await`.
  mutating func awaited() -> Abandoned? {
    guard previous.kind == .word("await"), index > 1, !previous.startsLine, case .word = kind, !declares("await") else {
      return nil
    }
    let place = SourceRange(file: file, start: previous.range.start, end: token.range.start)
    return abandon(
      Diagnostic(
        "T022", "every statement already waits", at: previous.range, "a value needs no `await`", fixes: [.replace(place, with: "")])
    )
  }

  /// Reports `stop()` and `leave()`.
  mutating func emptyParentheses(_ phrase: String) -> Abandoned? {
    guard at(.openRound), following.kind == .symbol(.closeRound),
      ["stop", "leave", "skip", "restart", "checkpoint"].contains(phrase),
      followsPhraseEnd(index + 1)
    else { return nil }
    let place = token.range.to(following.range)
    return abandon(
      Diagnostic("T015", "`\(phrase)` needs no `()`", at: place, "", fixes: [.replace(place, with: "")]))
  }

  /// The text of `raise ValueError("x")` and `throw new Error("x")`, and where it ends.
  func thrownText() -> (text: String, whole: SourceRange)? {
    var place = index + 1
    if place < tokens.count, tokens[place].kind == .word("new") { place += 1 }
    guard place + 2 < tokens.count, case .word(let name) = tokens[place].kind, name.first?.isUppercase ?? false,
      tokens[place + 1].kind == .symbol(.openRound), let close = closing(place + 1), close > place + 2, followsPhraseEnd(close)
    else { return nil }
    let text = source.text(tokens[place + 2].range.to(tokens[close - 1].range))
    return (text, tokens[index].range.to(tokens[close].range))
  }

  /// The fix of `printf "%d\n", n`.
  func printedFormat() -> Fix? {
    guard index + 1 < tokens.count, case .text = tokens[index + 1].kind else { return nil }
    let end = tokens[(index + 1)...].firstIndex { $0.kind == .newline || $0.kind == .endOfFile || $0.kind == .symbol(.semicolon) }
    guard let end else { return nil }
    let values = elements(index + 1..<end).map { source.text($0) }
    guard let line = FilledText.line(values) else { return nil }
    return .replace(token.range.to(tokens[end - 1].range), with: "print \(line)")
  }
}
