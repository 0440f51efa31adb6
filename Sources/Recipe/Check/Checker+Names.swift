import Exchange
import Vocabulary

/// Looking up, declaring and changing names.
extension Checker {
  /// Looks up a name that is used as a value.
  @discardableResult
  mutating func look(_ name: String, _ range: SourceRange, _ place: Place, isDevice: Bool = false) -> NameEntry? {
    use(name, range)
    if let entry = scope.find(name) { return entry }
    if place.hasNamesAround, let entry = outer.find(name) ?? recipeScope.find(name) {
      checkTiming(entry, range, place)
      return entry
    }
    if name == "device" {
      if !isDevice { deviceIsThere(range, place) }
      return nil
    }
    if !isDevice, SIGNames.isAny(name) { return nil }
    if name != nameToCome, !place.isHandler, !place.isProcedure, let later = laterName(name) {
      report(
        Diagnostic(
          "T201", "`\(name)` has no value yet", at: range, "it gets one on \(self.place(later, from: range))",
          labels: [Diagnostic.Label(range: later, text: "set only here")]))
      return nil
    }
    unknownName(name, range, isDevice, place)
    return nil
  }

  mutating func laterName(_ name: String) -> SourceRange? {
    if laterNames == nil {
      var names: [String: SourceRange] = [:]
      recipe.body.forEachStatement(handlers: false) { statement in
        for given in statement.kind.givenNames where names[given.text] == nil { names[given.text] = given.range }
      }
      laterNames = names
    }
    return laterNames?[name]
  }

  /// T201 for a word that is alone on a prompt's line, is not a name, and resembles a statement or
  /// a command of the prompt.
  mutating func isMisspeltStatement(_ value: Expression) -> Bool {
    guard case .name(let name) = value.kind, value.range.end - value.range.start == name.utf8.count, name != "device",
      scope.find(name) == nil, recipeScope.find(name) == nil,
      !SIGNames.isAny(name), ForeignWords.value(name) == nil, laterName(name) == nil,
      allNearest(to: name, at: value.range, among: (scope.entries + outer.entries + recipeScope.entries).map(\.name)).isEmpty,
      let near = Spelling.nearest(to: name, among: Words.all + Self.promptWords)
    else { return false }
    report(
      Diagnostic(
        "T201", "there is no name or statement `\(name)`", at: value.range, "did you mean `\(near)`?",
        fixes: Words.all.contains(near) ? [.replace(value.range, with: near)] : []))
    return true
  }

  /// Commands of a prompt that are not statements.
  package static let promptWords = [
    "help", "devices", "services", "handlers", "names", "history", "status", "events", "undo", "retry", "quit",
  ]

  private mutating func unknownName(_ name: String, _ range: SourceRange, _ isDevice: Bool, _ place: Place) {
    let message = isDevice ? "there is no device `\(name)`" : "nothing is named `\(name)`"
    if name == nameToCome {
      return report(
        Diagnostic("T201", message + " here", at: range, "in `where` it is called `it`", fixes: [.replace(range, with: "it")]))
    }
    let known = (scope.entries + outer.entries + recipeScope.entries).filter { !isDevice || mayBeDevice($0) }
    let near = allNearest(to: name, at: range, among: known.map(\.name) + ["device"])
    if !near.isEmpty {
      report(
        Diagnostic(
          "T201", message, at: range, "did you mean \(near.map { "`\($0)`" }.list(by: " or "))?",
          fixes: near.map { .replace(range, with: $0) } + (isDevice ? [] : namingEvent(name, place))))
      return
    }
    if isDevice, let address = Lexer.address(name) {
      report(
        Diagnostic("T201", message, at: range, "an address needs colons", fixes: [.replace(range, with: address)]))
      return
    }
    if let ours = ForeignWords.value(name) {
      report(Diagnostic("T201", message, at: range, "", fixes: [.replace(range, with: ours)]))
      return
    }
    if !isDevice, reportKnownWord(name, message, range) { return }
    if !isDevice,
      let sig = nearest(
        to: name, at: range, among: AssignedNumbers.allNames(.characteristic) + AssignedNumbers.allNames(.service)),
      // An everyday word resembles some SIG name or other.
      name.utf8.contains(UInt8(ascii: "_")) || Spelling.distance(Array(name.utf8), Array(sig.utf8)) == 1
    {
      report(Diagnostic("T201", message, at: range, "did you mean `\(sig)`?", fixes: [.replace(range, with: sig)]))
      return
    }
    if let hidden = symbols.symbols.last(where: { $0.name == name && $0.scope != 0 }) {
      report(
        Diagnostic(
          "T201", message + " here", at: range, "only its own names and the recipe's are visible here",
          labels: [Diagnostic.Label(range: hidden.declaration, text: "visible only in its own block")]))
      return
    }
    if !isDevice, reportDashes(range) { return }
    let naming = isDevice ? [] : namingEvent(name, place)
    if !naming.isEmpty {
      let label = "what arrives is `it`, unless the handler names it"
      return report(Diagnostic("T201", message, at: range, label, fixes: naming))
    }
    report(
      Diagnostic("T201", message, at: range, isDevice ? "nothing gives it a value" : "nothing gives it a value: `let \(name) = …`"))
  }

  /// Reports `print 1 -- comment`, which is a difference with a negative value.
  private mutating func reportDashes(_ range: SourceRange) -> Bool {
    let line = sources[of: range].line(of: range.start)
    guard let span = sources[of: range].lineSpan(line), Int(range.end) == span.upperBound else { return false }
    // As it is typed, and as it is formatted.
    for (dashes, from, to) in [(" -- ", 3, 1), (" - -", 3, 0)] as [(String, UInt32, UInt32)] where range.start >= 4 {
      guard text(SourceRange(file: range.file, start: range.start - 4, end: range.start)) == dashes else { continue }
      let place = SourceRange(file: range.file, start: range.start - from, end: range.start - to)
      let sign = to == 0 ? "# " : "#"
      report(Diagnostic("T004", "comments start with `#`", at: place, "not with `--`", fixes: [.replace(place, with: sign)]))
      return true
    }
    return false
  }

  /// Names the value of the event whose handler uses an unknown name, if it has no name yet, as in
  /// `on notify battery_level: print value`.
  private func namingEvent(_ name: String, _ place: Place) -> [Fix] {
    guard case .handler(let handler)? = place.handler, handler.name == nil, !handler.keepingLatest, Words.isName(name),
      case .on(let event) = handler.kind
    else { return [] }
    switch event.kind {
    case .attribute(.notify, _, _), .attribute(.write, _, _), .data, .advertisement, .line:
      return [.insert(" as \(name)", after: handler.header)]
    default: return []
    }
  }

  /// Reports a function without parentheses, a field without its value, and the word of an event.
  /// - Returns: whether it is one.
  private mutating func reportKnownWord(_ name: String, _ message: String, _ range: SourceRange) -> Bool {
    if let builtIn = BuiltIn(named: name) {
      let isAlone = builtIn.arity.contains(0)
      report(
        Diagnostic(
          "T201", message, at: range, isAlone ? "it is a function: `\(name)()`" : "it is a function: `\(name)(…)`",
          fixes: isAlone ? [.insert("()", after: range)] : []))
      return true
    }
    if readsNoFile, KnownRecord.advertisement.fields.contains(name), itFormat.flatMap({ KnownRecord(named: $0) }) == .advertisement
    {
      report(
        Diagnostic(
          "T201", message, at: range, "in `where` it is `it.\(name)`", fixes: [.insert("it.", before: range)]))
      return true
    }
    if ["connect", "disconnect"].contains(name), let current, text(current) == "wait \(name)" {
      report(
        Diagnostic(
          "T201", message, at: range, "`wait for` waits for an event", fixes: [.replace(current, with: "wait for \(name)")]))
      return true
    }
    if DeviceFields.all.contains(name) {
      if let whole = deviceState(range) {
        let owner = text(whole).prefix { $0 != " " }
        report(
          Diagnostic(
            "T201", message, at: range, "a device has it: `\(owner).\(name)`", fixes: [.replace(whole, with: "\(owner).\(name)")]))
        return true
      }
      report(
        Diagnostic(
          "T201", message, at: range, "a device has it: `device.\(name)`",
          fixes: device == .connected || device == .named ? [.insert("device.", before: range)] : []))
      return true
    }
    return false
  }

  /// The range of `device is connected`, of which only the last word is given.
  private func deviceState(_ field: SourceRange) -> SourceRange? {
    let start = sources.startOfLine(line(field), in: field).start
    let before = text(SourceRange(file: field.file, start: start, end: field.start))
    let words = before.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count >= 3, words[words.count - 2] == "is", words[words.count - 1].isEmpty else { return nil }
    let owner = words[words.count - 3]
    guard owner == "device" || look(forDevice: String(owner)) else { return nil }
    return SourceRange(file: field.file, start: field.start - UInt32(owner.utf8.count + 4), end: field.end)
  }

  private func look(forDevice name: String) -> Bool {
    (scope.find(name) ?? outer.find(name) ?? recipeScope.find(name)).map { mayBeDevice($0) } ?? false
  }

  /// Whether a name may stand for a device, as far as the text shows.
  private func mayBeDevice(_ entry: NameEntry) -> Bool {
    if let kind = kind(of: Expression(kind: .name(entry.name), range: .none)) { return kind == .device || kind == .address }
    if entry.kind == .input { return recipe.inputs.contains { $0.name.text == entry.name && $0.type.text == "address" } }
    return ![.procedure, .format].contains(entry.kind)
  }

  /// Records a use of a name, whose declaration may come later.
  mutating func use(_ name: String, _ range: SourceRange) {
    let range = withoutParentheses(name, range)
    if let entry = scope.find(name) ?? outer.find(name) ?? recipeScope.find(name) {
      symbols.use(entry.symbol, at: range)
    } else {
      pendingUses.append((name, range))
    }
  }

  /// The name itself in `(name)`.
  private func withoutParentheses(_ name: String, _ range: SourceRange) -> SourceRange {
    guard Int(range.end - range.start) != name.utf8.count else { return range }
    let bytes = sources[of: range].bytes
    var start = range.start
    var isComment = false
    while start < range.end {
      let byte = bytes[Int(start)]
      if isComment {
        isComment = byte != UInt8(ascii: "\n")
      } else if byte == UInt8(ascii: "#") {
        isComment = true
      } else if ![UInt8(ascii: "("), UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n")].contains(byte) {
        break
      }
      start += 1
    }
    return SourceRange(file: range.file, start: start, end: min(range.end, start + UInt32(name.utf8.count)))
  }

  /// A handler may run at the first wait of the body, so a `let` that it uses must come before.
  private mutating func checkTiming(_ entry: NameEntry, _ range: SourceRange, _ place: Place) {
    guard !place.isPeripheral, entry.kind == .variable, entry.range.file == 0, let wait = facts.firstWait, entry.id > wait.id,
      recipeScope.find(entry.name)?.id == entry.id
    else { return }
    report(
      Diagnostic(
        "T219", "`\(entry.name)` may have no value here", at: range,
        "it gets its value on \(self.place(entry.range, from: range)), after the first wait on line \(line(wait.header))",
        labels: [Diagnostic.Label(range: entry.range, text: "move this `let` above line \(line(wait.header))")],
        fixes: movingUp(entry, above: wait)))
  }

  /// Moves a `let` of the body above its first wait, if nothing in between contributes to its
  /// value.
  private func movingUp(_ entry: NameEntry, above wait: Statement) -> [Fix] {
    for member in recipe.body {
      guard case .statement(let statement) = member, statement.id == entry.id, case .let(_, let value) = statement.kind else {
        continue
      }
      let source = sources[of: statement.range]
      let text = source.text(value.range)
      let mentions =
        recipeScope.entries.contains { text.holds($0.name) } || text.holds("device") || facts.isWaitingCall(statement)
      let line = line(statement.range)
      // Elsewhere it would be another time, or another file.
      let dependsOnPlace = ["now", "random", "file", "devices"].contains { text.holds($0) }
      guard !mentions, !dependsOnPlace, let span = source.lineSpan(line),
        source.text(statement.range) == trimmed(source.lineText(line))
      else {
        return []
      }
      let target = source.startOfLine(self.line(wait.header), file: statement.range.file)
      let next = source.startOfLine(line + 1, file: statement.range.file)
      let gone = SourceRange(file: target.file, start: UInt32(truncatingIfNeeded: span.lowerBound), end: next.start)
      return [
        Fix(
          lead: "move it up to line \(self.line(wait.header))",
          edits: [
            Fix.Edit(range: target, replacement: source.text(statement.range) + "\n"), Fix.Edit(range: gone, replacement: ""),
          ])
      ]
    }
    return []
  }

  func trimmed(_ line: String) -> String {
    var text = line[...]
    while let first = text.first, first == " " || first == "\t" { text = text.dropFirst() }
    while let last = text.last, last == " " || last == "\t" { text = text.dropLast() }
    return String(text)
  }

  /// Declares a name that `as`, `for each` or a parameter gives.
  mutating func give(
    _ name: NameSyntax?, _ kind: DeclaredName.Kind, id: Int, format: String? = nil, value: Kind? = nil, keys: [String]? = nil
  ) {
    guard let name else { return }
    let known = scope.find(name.text)
    let symbol = known?.symbol ?? symbols.declare(name, kind, in: scope.id)
    let isAmbiguous = facts.ambiguous.contains(name.text)
    if let known { symbols.use(known.symbol, at: name.range, isValue: false) }
    // The name may be given twice, with values of two kinds.
    scope.add(
      NameEntry(
        name: name.text, kind: kind, range: name.range, id: id, format: isAmbiguous ? nil : format,
        value: isAmbiguous ? nil : value, keys: isAmbiguous ? nil : keys, symbol: symbol))
  }

  /// Declares the name of a `let`, which must be new.
  mutating func declare(_ name: NameSyntax, _ value: Expression, id: Int, _ place: Place) {
    let kind = facts.changed.contains(name.text) ? nil : self.kind(of: value)
    var keys: [String]?
    if kind == .record, case .record(let entries) = value.kind { keys = entries.map(\.key.text) }
    var first = scope.find(name.text)
    if first == nil, place.isHandler || place.isProcedure || place.isBranch {
      first = recipeScope.find(name.text).flatMap { place.isPeripheral ? nil : $0 }
    }
    if isEntry, !place.isHandler, !place.isProcedure, !place.isBranch {
      return give(name, .variable, id: id, value: kind, keys: keys)
    }
    if let first {
      let letWord = SourceRange(file: name.range.file, start: name.range.start >= 4 ? name.range.start - 4 : 0, end: name.range.end)
      var fixes: [Fix] = []
      // An included file has no statements, so `set` is no option there.
      let isIncluded = name.range.file != 0
      // In another block it may be meant as a name of its own.
      let isInner = scope.find(name.text) == nil
      if !isIncluded, !isInner, text(letWord) == "let \(name.text)", let equal = equalSign(after: name.range) {
        fixes = [.replace(SourceRange(file: name.range.file, start: letWord.start, end: equal), with: "set \(name.text) to")]
      }
      report(
        Diagnostic(
          "T202", "`\(name.text)` already exists", at: name.range,
          isIncluded
            ? "give one of them another name"
            : isInner ? "use `set` to change it, or another name for a value of this block" : "use `set` to change it",
          labels: [Diagnostic.Label(range: first.range, text: "first here")], fixes: fixes))
      return
    }
    give(name, .variable, id: id, value: kind, keys: keys)
  }

  private func equalSign(after range: SourceRange) -> UInt32? {
    var place = Int(range.end)
    let source = sources[of: range]
    while place < source.bytes.count, source.bytes[place] == 0x20 { place += 1 }
    return place < source.bytes.count && source.bytes[place] == UInt8(ascii: "=") ? UInt32(place + 1) : nil
  }

  mutating func deviceIsThere(_ range: SourceRange, _ place: Place) {
    guard device == .none, place.device == .path else { return }
    report(Diagnostic("T211", "there is no device yet", at: range, "use `scan for …` or `connect to …` first"))
  }

  mutating func set(_ syntax: PlaceSyntax, _ place: Place) {
    let name = syntax.name.text
    for step in syntax.steps { if case .index(let index) = step { expression(index, place) } }
    use(name, syntax.name.range)
    if place.isBranch, scope.find(name) == nil, place.fixed.contains(name) {
      report(
        Diagnostic(
          "T262", "a branch of `at once` cannot change `\(name)`", at: syntax.name.range,
          "declared outside the loop; each branch starts with a copy",
          notes: ["a branch can change names of the recipe itself"]))
      return
    }
    if let entry = scope.find(name)
      ?? (place.hasNamesAround ? outer.find(name) ?? recipeScope.find(name) : nil)
    {
      if entry.kind == .input, syntax.steps.isEmpty {
        report(
          Diagnostic(
            "T203", "`\(name)` is an input and cannot be changed", at: syntax.name.range, "copy it to a new name with `let`"))
      }
      if entry.kind == .peripheral, syntax.steps.isEmpty {
        report(Diagnostic("T203", "`\(name)` is a peripheral and cannot be changed", at: syntax.name.range))
      }
      checkSteps(syntax)
      if entry.kind == .result, let keys = entry.keys, case .member(let field)? = syntax.steps.first {
        let lets = keys.filter { !SubjectFields.run.contains($0) && !SubjectFields.peripheral.contains($0) }
        if !lets.contains(field.text) {
          let near = nearest(to: field, among: lets)
          report(
            Diagnostic(
              "T203", "`\(field.text)` is not a `let` of `\(name)`", at: field.range,
              near.map { "did you mean `\($0)`?" } ?? "a test can only change the `let`s of a peripheral",
              fixes: near.map { [.replace(field.range, with: $0)] } ?? []))
        }
      }
      return
    }
    if name == "device", !syntax.steps.isEmpty {
      checkSteps(syntax)
      return deviceIsThere(syntax.name.range, place)
    }
    let near = allNearest(to: name, at: syntax.name.range, among: (scope.entries + outer.entries).map(\.name))
    if !near.isEmpty {
      report(
        Diagnostic(
          "T203", "nothing is named `\(name)`", at: syntax.name.range,
          "did you mean \(near.map { "`\($0)`" }.list(by: " or "))?",
          fixes: near.map { .replace(syntax.name.range, with: $0) }))
      return
    }
    let text = text(SourceRange(file: syntax.range.file, start: syntax.range.end, end: syntax.range.end + 4))
    var fixes: [Fix] = []
    let start = syntax.range.start
    // What a handler creates is visible only there.
    if syntax.steps.isEmpty, text == " to ", start >= 4, !place.isHandler {
      fixes = [.replace(SourceRange(file: syntax.range.file, start: start - 4, end: syntax.range.end + 3), with: "let \(name) =")]
    }
    report(
      Diagnostic(
        "T203", "there is no `\(name)` to change", at: syntax.name.range,
        place.isHandler ? "create it above with `let`, outside of the handler" : "use `let` to create a name", fixes: fixes))
  }

  /// Reports a field or an element that values of this kind do not have, or that cannot be set.
  private mutating func checkSteps(_ syntax: PlaceSyntax) {
    let base = Expression(kind: .name(syntax.name.text), range: syntax.name.range)
    guard let step = syntax.steps.first, let kind = kind(of: base) else { return }
    switch step {
    case .member(let field):
      switch kind {
      case .record: return
      case .device:
        guard DeviceFields.all.contains(field.text) else { return }
        report(
          Diagnostic(
            "T203", "`.\(field.text)` of a device cannot be changed", at: field.range, "choose another name for a field of your own"
          ))
      case .list where field.text == "first" || field.text == "last":
        let name = syntax.name.text
        let index = field.text == "first" ? "0" : "count(\(name)) - 1"
        report(
          Diagnostic(
            "T203", "`.\(field.text)` cannot be changed", at: field.range, "use the index",
            fixes: [.replace(base.range.to(field.range), with: "\(name)[\(index)]")]))
      default:
        report(
          Diagnostic(
            "T203", "\(kind.rawValue) has no field `\(field.text)` to change", at: field.range,
            kind == .nothing ? "let it begin as a record: `{}`" : "only records and devices have fields that can change"))
      }
    case .index(let index):
      guard ![.record, .list, .bytes].contains(kind) else {
        guard let key = self.kind(of: index), !kind.indices.contains(key) else { return }
        return report(
          Diagnostic(
            "T236", kind == .record ? "a record's key is text, not \(key.rawValue)" : "an index is a number, not \(key.rawValue)",
            at: index.range))
      }
      report(
        Diagnostic(
          "T203", "\(kind.rawValue) has no elements to change", at: index.range,
          kind == .text ? "`.replace(…)` gives a changed text" : "lists, records and bytes have"))
    }
  }
}
