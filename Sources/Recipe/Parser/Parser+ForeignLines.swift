import Exchange
import Vocabulary

/// Lines of other languages that begin with no word of ours: `a, b = b, a`, `x: int = 5`, `; note`.
extension Parser {
  /// Reports `a, b = b, a`; the fix of a swap takes a name for the old value.
  mutating func severalNames(_ verb: String) -> Abandoned? {
    guard Words.isName(verb), following.kind == .symbol(.comma), token.startsLine else { return nil }
    let line = tokens[index...].prefix { $0.kind != .newline && $0.kind != .endOfFile }
    guard let equal = line.firstIndex(where: { $0.kind == .symbol(.equal) }),
      line[..<equal].allSatisfy({ $0.kind == .symbol(.comma) || isName($0) })
    else { return nil }
    let names = line[..<equal].filter { isName($0) }.map { source.text($0.range) }
    let values = line[(equal + 1)...].map { source.text($0.range) }
    var fixes: [Fix] = []
    if names.count == 2, values == [names[1], ",", names[0]], !declares("old"), names.allSatisfy({ declares($0) }),
      let last = line.last
    {
      let indent = source.indentation(ofLine: token.line)
      let lines = ["let old = \(names[0])", "set \(names[0]) to \(names[1])", "set \(names[1]) to old"]
      fixes = [.replace(token.range.to(last.range), with: lines.joined(separator: "\n\(indent)"))]
    }
    return abandon(
      Diagnostic(
        "T023", "only one name gets a value in a statement", at: token.range.to(tokens[equal - 1].range),
        "use `let` or `set` for each name", fixes: fixes))
  }

  private func isName(_ token: Token) -> Bool {
    guard case .word(let name) = token.kind else { return false }
    return Words.isName(name)
  }

  /// Reports `x: int = 5`.
  mutating func typeBehind(_ verb: String) -> Abandoned? {
    guard Words.isName(verb), index + 3 < tokens.count, tokens[index + 1].kind == .symbol(.colon), isName(tokens[index + 2]),
      tokens[index + 3].kind == .symbol(.equal)
    else { return nil }
    let isOwn = mayBeDeclared(verb)
    let place = token.range.to(tokens[index + 3].range)
    return abandon(
      Diagnostic(
        "T023", "a name cannot have a type", at: tokens[index + 1].range.to(tokens[index + 2].range), "it can hold any value",
        fixes: [.replace(place, with: isOwn ? "set \(verb) to" : "let \(verb) =")]))
  }

  /// Reports the types of `f(a: Int, b: Int)` at the first one; the fix removes them all.
  mutating func typedParameters() -> Abandoned? {
    guard at(.colon), isName(following) else { return nil }
    var edits: [Fix.Edit] = []
    var place = index
    while place + 1 < tokens.count, tokens[place].kind == .symbol(.colon), isName(tokens[place + 1]) {
      edits.append(Fix.Edit(range: tokens[place].range.to(tokens[place + 1].range), replacement: ""))
      place += 2
      guard place + 1 < tokens.count, tokens[place].kind == .symbol(.comma) else { break }
      place += 2
    }
    return abandon(
      Diagnostic(
        "T023", "a parameter cannot have a type", at: token.range.to(following.range), "it can hold any value",
        fixes: [Fix(edits: edits)]))
  }

  /// Reports the result of `f() -> Int`.
  mutating func typedResult() -> Abandoned? {
    guard at(.arrow), isName(following) else { return nil }
    let place = SourceRange(file: file, start: previous.range.end, end: following.range.end)
    return abandon(
      Diagnostic(
        "T023", "a procedure has no type", at: token.range.to(following.range), "`return` can give any value",
        fixes: [.replace(place, with: "")]))
  }

  /// Reports `; a comment`, as in assembler and Lisp.
  mutating func semicolonComment() -> Abandoned? {
    guard at(.semicolon), token.startsLine, case .word(let word) = following.kind, !Words.all.contains(word) else { return nil }
    let fix = Fix.replace(token.range, with: "#")
    // Another `;` begins no statement of a comment.
    while index + 1 < tokens.count, tokens[index + 1].kind != .newline, tokens[index + 1].kind != .endOfFile { index += 1 }
    return abandon(
      Diagnostic("T004", "comments start with `#`", at: fix.edits[0].range, "not with `;`", fixes: [fix]))
  }

  func appended(_ list: String, _ whole: SourceRange) -> Diagnostic {
    var edits = [Fix.Edit(range: whole, replacement: "set \(list) to \(list) + [")]
    let rest = tokens[index...].prefix { $0.kind != .newline && $0.kind != .endOfFile }
    if let last = rest.last {
      edits[0].range.end = max(whole.end, rest.first?.range.start ?? whole.end)
      edits.append(Fix.Edit(range: SourceRange(file: file, start: last.range.end, end: last.range.end), replacement: "]"))
    }
    return Diagnostic(
      "T023", "use `set` to change a list", at: whole, "`l + [x]` is a list with one more element",
      fixes: edits.count == 2 ? [Fix(edits: edits)] : [])
  }

  /// Reports `delete o.a`, `del r["a"]` and `del l[0]`.
  mutating func deletedField() -> Abandoned? {
    guard word == "delete" || word == "del" || word == "unset", index + 3 < tokens.count,
      case .word(let owner) = tokens[index + 1].kind
    else { return nil }
    let isIndex = tokens[index + 2].kind == .symbol(.openSquare)
    let end = isIndex ? index + 4 : index + 3
    guard end < tokens.count, followsPhraseEnd(end), !isIndex || tokens[end].kind == .symbol(.closeSquare) else { return nil }
    let place = token.range.to(tokens[end].range)
    if isIndex, case .number(.integer(let number), _, _) = tokens[index + 3].kind, number < 1000 {
      let rest = "\(owner)[\(number + 1) .. count(\(owner))]"
      return abandon(
        Diagnostic(
          "T023", "use `set` to change a list", at: place, "a slice leaves elements out: `l[1 .. count(l)]`",
          fixes: [.replace(place, with: "set \(owner) to " + (number == 0 ? rest : "\(owner)[0 .. \(number)] + \(rest)"))]))
    }
    let key: String
    switch tokens[index + 3].kind {
    case .word(let field) where tokens[index + 2].kind == .symbol(.dot): key = "\"\(field)\""
    case .text where isIndex: key = source.text(tokens[index + 3].range)
    default: return nil
    }
    return abandon(
      Diagnostic(
        "T023", "use `set` to change a record", at: place, "`r.without(\"a\")` is a record without the field `a`",
        fixes: [.replace(place, with: "set \(owner) to \(owner).without(\(key))")]))
  }

  /// Reports `scan`, `scan 10` and `scan("X")`.
  mutating func scanWithoutFor() -> Abandoned? {
    let example = "as in `scan for heart_rate within 10s`, or `scan for anything`"
    switch kind {
    case .newline, .endOfFile, .symbol(.semicolon), .number(_, isHex: false, _), .duration:
      return abandon(Diagnostic("T013", "expected `for` after `scan`", at: here, example))
    case .symbol(.openRound):
      guard let close = closing(index), close == index + 2, followsPhraseEnd(close), case .text = following.kind else {
        return abandon(Diagnostic("T013", "expected `for` after `scan`", at: here, example))
      }
      return abandon(
        Diagnostic(
          "T013", "expected `for` after `scan`", at: here, "",
          fixes: [.replace(token.range.to(tokens[close].range), with: " for \(source.text(following.range))")]))
    default: return nil
    }
  }

  /// Reports `scan for("X")`.
  mutating func callOfScan() -> Abandoned? {
    guard at(.openRound), let close = closing(index), close == index + 2, followsPhraseEnd(close) else { return nil }
    let glue = touches(index - 1, index) ? " " : ""
    return abandon(
      Diagnostic(
        "T014", "`scan for` needs no parentheses", at: token.range.to(tokens[close].range), "",
        fixes: [.replace(token.range.to(tokens[close].range), with: glue + source.text(following.range))]))
  }
}
