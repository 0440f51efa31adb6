import Exchange
import Vocabulary

/// The top level of a file.
extension Parser {
  mutating func recipe(name: String) -> RecipeFile {
    var recipe = RecipeFile(name: name)
    takeFileHelp(&recipe)
    while true {
      dropLongestQueues()
      skipNewlines()
      unwindTo = nil
      openers = []
      doubts = []
      if kind == .endOfFile { break }
      item(into: &recipe)
    }
    recipe.idCount = nextID
    return recipe
  }

  /// Takes the first `##` lines as the recipe's help, if nothing precedes them.
  private mutating func takeFileHelp(_ recipe: inout RecipeFile) {
    guard let first = helpLines.first else { return }
    if let token = tokens.first(where: { $0.kind != .newline }), token.line < first.line { return }
    var help = ""
    var line = first.line
    for entry in helpLines where entry.line == line {
      if line > first.line { help += "\n" }
      help += entry.text
      line += 1
    }
    fileHelpEnd = line - 1
    recipe.help = help
  }

  private mutating func item(into recipe: inout RecipeFile) {
    lowercaseStatement()
    let start = index
    if at(.closeCurly), followsNewline(index), !isCovered {
      // The `}` of a `{` that is already reported.
      report(Diagnostic("T019", "blocks need no `}`", at: token.range, "they end with `end`"))
      skipLine()
      return
    }
    guard let word else {
      member(into: &recipe.body)
      return
    }
    if word == "end" || word == "else" || word == "otherwise" {
      strayEnd(word)
      return
    }
    guard Words.topLevel.contains(word), following.kind != .symbol(.equal) || word == "remember" else {
      member(into: &recipe.body)
      return
    }
    do {
      switch word {
      case "use": recipe.uses.append(try use(start))
      case "include": recipe.includes.append(try include(start))
      case "input": recipe.inputs.append(try input(start))
      case "remember": recipe.remembers.append(try remember(start))
      case "procedure": if let procedure = try procedure() { recipe.procedures.append(procedure) }
      case "format": if let format = format() { recipe.formats.append(format) }
      case "peripheral": if let peripheral = peripheral() { recipe.peripherals.append(peripheral) }
      default: if let test = test() { recipe.tests.append(test) }
      }
    } catch {
      skipLine()
    }
  }

  /// T017: an `end` with no block to close. If an `end` above closed a block of another column,
  /// that one is too many.
  private func surplusEnd() -> Diagnostic {
    func removal(_ place: SourceRange) -> [Fix] {
      let number = source.line(of: place.start)
      let line = source.startOfLine(number, file: file).to(source.startOfLine(number + 1, file: file))
      let words = source.text(line).split { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\n" }
      return words.first == "end" && words.count <= 2 ? [.replace(line, with: "")] : []
    }
    let column = source.column(of: token.range.start)
    var label: String?
    if case .word(let word) = following.kind, following.line == token.line { label = word }
    let lines = tokens[..<index].indices.filter { tokens[$0].startsLine && tokens[$0].kind != .newline }
    // The line above the lines that are indented more than this `end`.
    let above = lines.last { source.column(of: tokens[$0].range.start) <= column }
    let early = earlyEnds.last { end in
      end.opener.column == column && (label == nil || label == end.opener.word) && above == end.opener.token
    }
    if let early {
      // Lines directly above it that are indented more may be those of a block that has ended.
      let number = source.line(of: early.range.start)
      let before = lines.last { tokens[$0].line < number }
      let isClear = before.map { source.column(of: tokens[$0].range.start) <= source.column(of: early.range.start) } ?? true
      return Diagnostic(
        "T017", "there is one `end` too many", at: early.range,
        "by its indentation, it does not belong to the `\(early.opener.title)` on line \(early.opener.line)",
        labels: [Diagnostic.Label(range: token.range, text: "this `end` then closes nothing")],
        fixes: isClear ? removal(early.range) : [])
    }
    guard let last = lines.last, last != above else {
      return Diagnostic(
        "T017", "this `end` closes nothing", at: token.range, "every block above is already closed", fixes: removal(token.range))
    }
    // Indented lines above it look like a block, so removing the `end` may not be meant.
    let body = above.flatMap { first in tokens[first..<last].first { $0.kind == .symbol(.colon) && $0.line == tokens[first].line } }
    return Diagnostic(
      "T017", "this `end` closes nothing", at: token.range, "no block is open above these indented lines",
      labels: body.map { [Diagnostic.Label(range: $0.range, text: "a body after `:` ends with its line")] } ?? [])
  }

  private mutating func strayEnd(_ word: String) {
    if word == "end" {
      report(surplusEnd())
      skipLine()
      return
    }
    let owner = word == "else" ? "if" : "try"
    report(withoutOwner(word, owner))
    let late = closedBlock(owner)
    let opener = opener(word)
    let extra = index
    skipLine()
    // Parse the lines of an `else` with its own `end`, to find their errors.
    let rest = tokens[extra + 1..<max(extra + 1, index)]
    let isBlock = rest.isEmpty || rest.first?.kind == .word("if") && !rest.contains { $0.kind == .symbol(.colon) }
    if isBlock, hasEndAhead(of: opener) { _ = block(opener) }
    partEnded(owner, late)
  }

  /// Whether an `end` follows before any other line that starts at or left of the opener's column.
  func hasEndAhead(of opener: Opener) -> Bool {
    for token in tokens[index...] where token.startsLine && token.kind != .newline && token.line > opener.line {
      let column = source.column(of: token.range.start)
      if token.kind == .word("end"), column <= opener.column { return true }
      if column <= opener.column { return false }
    }
    return false
  }

  /// Reports a declaration inside a block.
  mutating func misplacedItem(_ word: String) {
    report(
      Diagnostic(
        "T029", "`\(word)` belongs at the top level of the file", at: token.range,
        "it is inside the `\(openers.last?.title ?? "block")` on line \(openers.last?.line ?? 0)"))
    var nowhere = RecipeFile(name: "")
    item(into: &nowhere)
  }

  private mutating func lineEnd(_ phrase: String) throws(Abandoned) {
    if !isAtLineEnd { throw leftOver(phrase) }
  }

  private mutating func use(_ start: Int) throws(Abandoned) -> UseDeclaration {
    advance()
    for setting in Checker.useSettings { _ = at(setting) }
    guard let text = word else {
      throw abandon(Diagnostic("T014", "expected a setting after `use`", at: here, "as in `use timeout 20s`"))
    }
    let setting = NameSyntax(text: text, range: token.range)
    advance()
    let value = isAtLineEnd ? nil : try expression()
    try lineEnd("use \(text)")
    return UseDeclaration(setting: setting, value: value, range: range(from: start))
  }

  private mutating func include(_ start: Int) throws(Abandoned) -> IncludeDeclaration {
    advance()
    let file = try string()
    try lineEnd("include")
    return IncludeDeclaration(file: file, range: range(from: start))
  }

  private mutating func input(_ start: Int) throws(Abandoned) -> InputDeclaration {
    let line = token.line
    advance()
    let name = try name("the name of an input")
    if let text = word, Words.isName(text) {
      let end = SourceRange(file: file, start: lastEnd, end: lastEnd)
      throw abandon(
        Diagnostic(
          "T013", "expected `:` and a type after the name of the input", at: here, "found \(shown)",
          fixes: [.insert(":", after: end)]
        ))
    }
    if let untyped = inputWithoutType(name) { throw untyped }
    try expect(.colon, "expected `:` and a type after the name of the input")
    guard let text = word else {
      throw abandon(
        Diagnostic(
          "T014", "expected the type of the input", at: here, "text, number, flag, duration, uuid, address, file, bytes, secret"))
    }
    let type = NameSyntax(text: text, range: token.range)
    advance()
    let initial = accept(.equal) ? try expression() : nil
    var words: String?
    if case .text = kind {
      let text = try string()
      guard let plain = text.plain else {
        throw abandon(Diagnostic("T010", "a help text cannot contain `{}`", at: text.range, "it is shown before the recipe runs"))
      }
      words = plain
    }
    try lineEnd("input \(name.text)")
    return InputDeclaration(
      name: name, type: type, initial: initial, help: words ?? help(aboveLine: line), range: range(from: start))
  }

  /// Reports `input name = "x"`; the value shows which type is meant.
  private mutating func inputWithoutType(_ name: NameSyntax) -> Abandoned? {
    let message = "expected `:` and a type after the name of the input"
    func type(_ kind: Token.Kind) -> String? {
      switch kind {
      case .text: "text"
      case .number: "number"
      case .duration: "duration"
      case .uuid: "uuid"
      case .address: "address"
      case .word("true"), .word("false"): "flag"
      case .word("hex"): "bytes"
      default: nil
      }
    }
    let end = SourceRange(file: file, start: lastEnd, end: lastEnd)
    if at(.equal) {
      var kind = following.kind
      if kind == .symbol(.minus), index + 2 < tokens.count { kind = tokens[index + 2].kind }
      let fixes: [Fix] = type(kind).map { [.insert(": \($0)", after: end)] } ?? []
      return abandon(
        Diagnostic("T013", message, at: token.range, fixes.isEmpty ? "as in `input \(name.text): text = …`" : "", fixes: fixes))
    }
    if case .text = kind { return abandon(Diagnostic("T013", message, at: here, "", fixes: [.insert(": text", after: end)])) }
    guard isAtLineEnd else { return nil }
    return abandon(
      Diagnostic(
        "T013", message, at: here, "as in `input \(name.text): text`", fixes: [.insert(": text", after: end)],
        notes: ["types are text, number, flag, duration, uuid, address, file, bytes, secret"]))
  }

  private mutating func remember(_ start: Int) throws(Abandoned) -> RememberDeclaration {
    let id = newID()
    advance()
    let name = try name("the name to remember")
    try expect(.equal, "expected `=` and a first value after the name")
    let value = try expression()
    try lineEnd("remember")
    return RememberDeclaration(id: id, name: name, initial: value, range: range(from: start), normalized: normalized(from: start))
  }

  mutating func procedure() throws(Abandoned) -> ProcedureDeclaration? {
    let start = index
    let line = token.line
    let id = newID()
    let opener = opener("procedure")
    let declared: NameSyntax
    var parameters: [NameSyntax] = []
    do {
      advance()
      if let text = word, Words.all.contains(text) {
        throw abandon(
          Diagnostic("T032", "a procedure cannot be called `\(text)`", at: token.range, "a statement starts with this word"))
      }
      declared = try name("the name of the procedure")
      if !at(.openRound), let bare = bareParameters() { throw bare }
      try expect(.openRound, "expected `(` after the name of the procedure")
      if !at(.closeRound) {
        repeat {
          parameters.append(try name("the name of a parameter"))
          if let typed = typedParameters() { throw typed }
        } while accept(.comma)
      }
      try expect(.closeRound, "expected `)` after the parameters")
      if let typed = typedResult() { throw typed }
      if !at(.colon) { try endHeader(opener) }
    } catch {
      recoverBlock(opener)
      return nil
    }
    let header = range(from: start)
    let text = normalized(from: start)
    let body: [Member]
    do { body = try self.body(opener) } catch {
      skipLine()
      return nil
    }
    return ProcedureDeclaration(
      id: id, name: declared, parameters: parameters, body: body, help: help(aboveLine: line), range: range(from: start),
      header: header,
      normalized: text)
  }

  private mutating func test() -> TestDeclaration? {
    let start = index
    let opener = opener("test")
    var name: StringSyntax?
    do {
      advance()
      name = try string()
      try endHeader(opener)
    } catch { skipLine() }
    let header = range(from: start)
    let body = block(opener)
    return name.map { TestDeclaration(name: $0, body: body, range: range(from: start), header: header) }
  }
}
