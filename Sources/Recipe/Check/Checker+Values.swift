import Exchange
import Vocabulary

/// Names and values.
extension Checker {
  static let deviceFields = [
    "name", "address", "identity", "rssi", "heard", "mtu", "phy", "interval", "connected", "bonded", "encrypted", "resumed",
    "services",
  ]

  // MARK: - names

  /// Looks a name up where a value is wanted.
  @discardableResult
  mutating func look(_ name: String, _ range: SourceRange, _ place: Place, isDevice: Bool = false) -> NameEntry? {
    use(name, range)
    if let entry = scope.find(name) { return entry }
    if place.hasNamesAround, let entry = outer.find(name) ?? recipeScope.find(name) {
      checkTiming(entry, range, place)
      return entry
    }
    if name == "device" {
      if device == .none, place.device == .path, !isDevice {
        report(Diagnostic("T211", "there is no device yet", at: range, "`scan for …` or `connect to …` comes first"))
      }
      return nil
    }
    if !isDevice, SIGNames.isAny(name) { return nil }
    if !place.isHandler, !place.isProcedure, let later = laterName(name) {
      report(
        Diagnostic(
          "T201", "`\(name)` has no value yet", at: range, "it gets one in \(self.place(later, from: range))",
          labels: [Diagnostic.Label(range: later, text: "only here")]))
      return nil
    }
    unknownName(name, range, isDevice)
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

  /// T201 for a word that stands alone at a prompt, is no name, and is nearly a statement or a word
  /// of the prompt.
  mutating func isMisspeltStatement(_ value: Expression) -> Bool {
    guard case .name(let name) = value.kind, value.range.end - value.range.start == name.utf8.count, name != "device",
      scope.find(name) == nil, recipeScope.find(name) == nil,
      !SIGNames.isAny(name), ForeignWords.value(name) == nil, laterName(name) == nil,
      allNearest(to: name, at: value.range, among: (scope.entries + outer.entries + recipeScope.entries).map(\.name)).isEmpty,
      let near = Spelling.nearest(to: name, among: Words.all + Self.promptWords)
    else { return false }
    report(
      Diagnostic(
        "T201", "there is no name and no statement `\(name)`", at: value.range, "did you mean `\(near)`?",
        fixes: Words.all.contains(near) ? [.replace(value.range, with: near)] : []))
    return true
  }

  /// Lines of a prompt that are no statements.
  package static let promptWords = [
    "help", "devices", "services", "handlers", "names", "history", "status", "events", "undo", "retry", "quit",
  ]

  mutating func unknownName(_ name: String, _ range: SourceRange, _ isDevice: Bool) {
    let message = isDevice ? "there is no device `\(name)`" : "there is no name `\(name)`"
    let known = (scope.entries + outer.entries + recipeScope.entries).filter { !isDevice || mayBeDevice($0) }
    let near = allNearest(to: name, at: range, among: known.map(\.name) + ["device"])
    if !near.isEmpty {
      report(
        Diagnostic(
          "T201", message, at: range, "did you mean \(near.map { "`\($0)`" }.list(by: " or "))?",
          fixes: near.map { .replace(range, with: $0) }))
      return
    }
    if let ours = ForeignWords.value(name) {
      report(Diagnostic("T201", message, at: range, "", fixes: [.replace(range, with: ours)]))
      return
    }
    if !isDevice,
      let sig = nearest(
        to: name, at: range, among: AssignedNumbers.allNames(.characteristic) + AssignedNumbers.allNames(.service)),
      // A word of everyday language is near to some name or other.
      name.utf8.contains(UInt8(ascii: "_")) || Spelling.distance(Array(name.utf8), Array(sig.utf8)) == 1
    {
      report(Diagnostic("T201", message, at: range, "did you mean `\(sig)`?", fixes: [.replace(range, with: sig)]))
      return
    }
    if let hidden = symbols.symbols.last(where: { $0.name == name && $0.scope != 0 }) {
      report(
        Diagnostic(
          "T201", message + " here", at: range, "a handler or procedure sees its own names and the recipe's",
          labels: [Diagnostic.Label(range: hidden.declaration, text: "seen only in its own block")]))
      return
    }
    report(
      Diagnostic("T201", message, at: range, isDevice ? "nothing gives it a value" : "nothing gives it a value: `let \(name) = …`"))
  }

  /// Whether a name may stand for a device, as far as the text tells.
  func mayBeDevice(_ entry: NameEntry) -> Bool {
    if let kind = kind(of: Expression(kind: .name(entry.name), range: .none)) { return kind == .device || kind == .address }
    if entry.kind == .input { return recipe.inputs.contains { $0.name.text == entry.name && $0.type.text == "address" } }
    return ![.procedure, .format].contains(entry.kind)
  }

  /// A name is meant here; what declares it may stand below.
  mutating func use(_ name: String, _ range: SourceRange) {
    if let entry = scope.find(name) ?? outer.find(name) ?? recipeScope.find(name) {
      symbols.use(entry.symbol, at: range)
    } else {
      pendingUses.append((name, range))
    }
  }

  /// A handler may run as soon as the body waits: a `let` of the body must stand before.
  mutating func checkTiming(_ entry: NameEntry, _ range: SourceRange, _ place: Place) {
    guard !place.isPeripheral, entry.kind == .variable, entry.range.file == 0, let wait = facts.firstWait, entry.id > wait.id,
      recipeScope.find(entry.name)?.id == entry.id
    else { return }
    report(
      Diagnostic(
        "T219", "`\(entry.name)` may have no value here", at: range,
        "it gets its value in \(self.place(entry.range, from: range)), after the first wait in line \(line(wait.header))",
        labels: [Diagnostic.Label(range: entry.range, text: "this `let` belongs above line \(line(wait.header))")],
        fixes: movingUp(entry, above: wait)))
  }

  /// Moves a `let` of the body above its first wait, when its value needs nothing that comes in
  /// between.
  func movingUp(_ entry: NameEntry, above wait: Statement) -> [Fix] {
    for member in recipe.body {
      guard case .statement(let statement) = member, statement.id == entry.id, case .let(_, let value) = statement.kind else {
        continue
      }
      let source = sources[of: statement.range]
      let text = source.text(value.range)
      let mentions =
        recipeScope.entries.contains { text.holds($0.name) } || text.holds("device") || facts.isWaitingCall(statement)
      let line = line(statement.range)
      guard !mentions, let span = source.lineSpan(line), source.text(statement.range) == trimmed(source.lineText(line)) else {
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

  /// A name is given by `as`, `for each`, a parameter.
  mutating func give(
    _ name: NameSyntax?, _ kind: DeclaredName.Kind, id: Int, format: String? = nil, value: Kind? = nil, keys: [String]? = nil
  ) {
    guard let name else { return }
    let known = scope.find(name.text)
    let symbol = known?.symbol ?? symbols.declare(name, kind, in: scope.id)
    if let known { symbols.use(known.symbol, at: name.range, isValue: false) }
    // Given twice, perhaps with values of two kinds.
    scope.add(
      NameEntry(
        name: name.text, kind: kind, range: name.range, id: id, format: format, value: value, keys: keys, symbol: symbol))
  }

  /// `let`: the name must be new.
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
      if text(letWord) == "let \(name.text)", let equal = equalSign(behind: name.range) {
        fixes = [.replace(SourceRange(file: name.range.file, start: letWord.start, end: equal), with: "set \(name.text) to")]
      }
      report(
        Diagnostic(
          "T202", "`\(name.text)` exists already", at: name.range, "to change it, say `set`",
          labels: [Diagnostic.Label(range: first.range, text: "first here")], fixes: fixes))
      return
    }
    give(name, .variable, id: id, value: kind, keys: keys)
  }

  func equalSign(behind range: SourceRange) -> UInt32? {
    var place = Int(range.end)
    let source = sources[of: range]
    while place < source.bytes.count, source.bytes[place] == 0x20 { place += 1 }
    return place < source.bytes.count && source.bytes[place] == UInt8(ascii: "=") ? UInt32(place + 1) : nil
  }

  mutating func set(_ syntax: PlaceSyntax, _ place: Place) {
    let name = syntax.name.text
    for step in syntax.steps { if case .index(let index) = step { expression(index, place) } }
    use(name, syntax.name.range)
    if place.isBranch, scope.find(name) == nil, place.fixed.contains(name) {
      report(
        Diagnostic(
          "T262", "a branch of `at once` cannot change `\(name)`", at: syntax.name.range,
          "this name belongs to what is around the loop; a branch has it as it was at its beginning",
          notes: ["names of the recipe itself can be changed in a branch"]))
      return
    }
    if let entry = scope.find(name)
      ?? (place.hasNamesAround ? outer.find(name) ?? recipeScope.find(name) : nil)
    {
      if entry.kind == .input, syntax.steps.isEmpty {
        report(
          Diagnostic("T203", "`\(name)` is an input and does not change", at: syntax.name.range, "give it another name with `let`"))
      }
      if entry.kind == .peripheral, syntax.steps.isEmpty {
        report(Diagnostic("T203", "`\(name)` is a peripheral and does not change", at: syntax.name.range))
      }
      return
    }
    if name == "device", !syntax.steps.isEmpty { return }
    let near = allNearest(to: name, at: syntax.name.range, among: (scope.entries + outer.entries).map(\.name))
    if !near.isEmpty {
      report(
        Diagnostic(
          "T203", "there is no name `\(name)`", at: syntax.name.range,
          "did you mean \(near.map { "`\($0)`" }.list(by: " or "))?",
          fixes: near.map { .replace(syntax.name.range, with: $0) }))
      return
    }
    let text = text(SourceRange(file: syntax.range.file, start: syntax.range.end, end: syntax.range.end + 4))
    var fixes: [Fix] = []
    let start = syntax.range.start
    if syntax.steps.isEmpty, text == " to ", start >= 4 {
      fixes = [.replace(SourceRange(file: syntax.range.file, start: start - 4, end: syntax.range.end + 3), with: "let \(name) =")]
    }
    report(
      Diagnostic(
        "T203", "there is no name `\(name)` to change", at: syntax.name.range, "a new name begins with `let`", fixes: fixes))
  }

  // MARK: - values

  mutating func expressions(_ list: [Expression], _ place: Place) { for value in list { expression(value, place) } }

  /// What is computed outside of any statement.
  mutating func fixedValue(_ value: Expression?, _ place: Place) {
    readsNoFile = true
    expression(value, place)
    readsNoFile = false
  }

  /// What is asked again and again, outside of any statement: `where …`, `wait until …`.
  mutating func condition(_ value: Expression?, _ place: Place) {
    fixedValue(value, place)
    checkTruth(value)
  }

  /// T260: a file is read by a statement, once.
  private mutating func readsAFile(_ range: SourceRange) {
    guard readsNoFile else { return }
    report(
      Diagnostic(
        "T260", "a file cannot be read here", at: range, "this is computed outside of any statement",
        notes: ["read it before, with `let`, and use that name here"]))
  }

  /// A value; `isWhole` where a call of a procedure may wait.
  mutating func expression(_ value: Expression?, _ place: Place, isWhole: Bool = false) {
    guard let value else { return }
    switch value.kind {
    case .number, .duration, .uuid, .address, .bytes, .boolean, .nothing: return
    case .it: checkDistance(of: value)
    case .string(let text): string(text, place)
    case .name(let name): look(name, value.range, place)
    case .call(let name, let arguments): call(name, arguments, value.range, place, isWhole: isWhole)
    case .member(let base, let field):
      expression(base, place)
      checkField(base, field, place)
      checkMember(base, field)
    case .method(let base, let name, let arguments):
      expression(base, place)
      for argument in arguments { expression(argument.value, place) }
      checkMethod(name, arguments.count)
    case .index(let base, let index):
      expression(base, place)
      expression(index, place)
    case .slice(let base, let from, let to): expressions([base, from, to], place)
    case .list(let items): expressions(items, place)
    case .record(let entries): expressions(entries.map(\.value), place)
    case .unary(let operation, let operand):
      expression(operand, place)
      if operation == .not { checkTruth(operand) } else { checkNegative(operand) }
    case .binary(let operation, let left, let right):
      expressions([left, right], place)
      checkTypes(operation, left, right)
    case .conditional(let value, let condition, let other):
      expressions([value, condition, other], place)
      checkTruth(condition)
    }
  }

  mutating func string(_ text: StringSyntax, _ place: Place) {
    for part in text.parts { if case .expression(let value, _) = part { expression(value, place) } }
  }

  /// A procedure or a built-in is called; `range` is that of the whole call.
  mutating func call(_ name: NameSyntax, _ arguments: [ArgumentSyntax], _ range: SourceRange, _ place: Place, isWhole: Bool) {
    for argument in arguments { expression(argument.value, place) }
    if let procedure = procedures.named(name.text) {
      if let symbol = callables[name.text] { symbols.use(symbol, at: name.range) }
      if procedure.parameters.count != arguments.count {
        report(
          Diagnostic(
            "T205", "`\(name.text)` takes \(count(procedure.parameters.count, "value")), not \(arguments.count)", at: range,
            procedure.parameters.isEmpty ? "" : procedure.parameters.map(\.text).joined(separator: ", "),
            labels: [Diagnostic.Label(range: procedure.header, text: "declared here")]))
      }
      if !isWhole, facts.waitingProcedures.contains(name.text) { waitingCall(name, range) }
      return
    }
    guard let builtIn = BuiltIn(named: name.text) else {
      unknownProcedure(name, arguments, range)
      return
    }
    if builtIn == .function(.file) { readsAFile(range) }
    if !builtIn.arity.contains(arguments.count) {
      let bounds = builtIn.arity
      let wanted =
        bounds.lowerBound == bounds.upperBound
        ? count(bounds.lowerBound, "value")
        : bounds.upperBound == .max
          ? "at least \(count(bounds.lowerBound, "value"))" : "\(bounds.lowerBound) to \(bounds.upperBound) values"
      report(Diagnostic("T205", "`\(name.text)` takes \(wanted), not \(arguments.count)", at: range))
    }
    if case .make(let type) = builtIn, type.isWhole, arguments.count == 1, case .number(let literal) = arguments[0].value.kind,
      case .integer(let number) = literal.value, !type.bounds.contains(number)
    {
      let bounds = type.bounds
      let letter = number < 0 ? "i" : type.kind == .signed ? "i" : "u"
      let suffix = type.isBigEndian ? "be" : ""
      let wider = [8, 16, 24, 32, 40, 48, 56, 64].lazy.compactMap { NumberType(named: "\(letter)\($0)\($0 > 8 ? suffix : "")") }
        .first { $0.bounds.contains(number) && $0.size >= type.size && [8, 16, 32, 64].contains($0.size * 8) }
      report(
        Diagnostic(
          "T215", "\(number) does not fit in \(name.text)", at: arguments[0].value.range,
          "\(bounds.lowerBound) to \(bounds.upperBound)",
          fixes: wider.map { [.replace(name.range, with: $0.name)] } ?? []))
    }
  }

  func count(_ number: Int, _ what: String) -> String {
    number == 1 ? "one \(what)" : number == 0 ? "no \(what)s" : "\(number) \(what)s"
  }

  /// Row 37: a procedure that waits, inside an expression.
  mutating func waitingCall(_ name: NameSyntax, _ range: SourceRange) {
    let line = line(range)
    let visible = scope.entries + outer.entries
    let free = ["answer", "result", "reply", "answer2"].first { candidate in !visible.contains { $0.name == candidate } }
    var fixes: [Fix] = []
    if let free {
      let declaration = "\(sources[of: range].indentation(ofLine: line))let \(free) = \(text(range))\n"
      fixes = [
        Fix(
          lead: "add before it",
          edits: [
            Fix.Edit(range: sources.startOfLine(line, in: range), replacement: declaration),
            Fix.Edit(range: range, replacement: free),
          ])
      ]
    }
    report(
      Diagnostic(
        "T233", "`\(name.text)` waits for a device; it needs a line of its own", at: range,
        "a statement, or the whole of `let x = \(name.text)(…)`",
        fixes: fixes))
  }

  mutating func unknownProcedure(_ name: NameSyntax, _ arguments: [ArgumentSyntax], _ range: SourceRange) {
    if name.text == "range" {
      let numbers = arguments.compactMap { argument -> UInt64? in
        guard case .number(let literal) = argument.value.kind, case .integer(let number) = literal.value else { return nil }
        return UInt64(exactly: number)
      }
      let fixes =
        numbers.count != arguments.count || numbers.isEmpty || numbers.count > 2
        ? [] : Parser.listFix(numbers.count == 2 ? numbers[0] : 0, numbers[numbers.count - 1], at: range)
      report(
        Diagnostic(
          "T204", "there is no procedure `range`", at: name.range, "write the list, or `repeat 5 times`", fixes: fixes))
      return
    }
    let known = procedures.list.map(\.name.text) + BuiltIn.names
    if let near = nearest(to: name, among: known) {
      report(
        Diagnostic(
          "T204", "there is no procedure `\(name.text)`", at: name.range, "did you mean `\(near)`?",
          fixes: [.replace(name.range, with: near)]))
      return
    }
    if Words.actions.contains(name.text) {
      report(Diagnostic("T028", "`\(name.text)` is a statement, not a value", at: name.range, "give its result a name with `as`"))
      return
    }
    if let foreign = [
      "len": "count", "length": "count", "size": "count", "str": "text", "string": "text", "int": "number", "float": "number",
      "avg": "average", "mean": "average", "rand": "random", "time": "now",
    ][name.text] {
      report(
        Diagnostic(
          "T204", "there is no procedure `\(name.text)`", at: name.range, "it is called `\(foreign)`",
          fixes: [.replace(name.range, with: foreign)]))
      return
    }
    if let near = nearest(to: name, among: Words.actions) {
      report(
        Diagnostic(
          "T204", "there is no procedure `\(name.text)`", at: name.range, "did you mean the statement `\(near)`?",
          fixes: [.replace(name.range, with: near)]))
      return
    }
    if let foreign = ForeignWords.statement(name.text) {
      report(Diagnostic("T204", foreign.reason, at: name.range, "there is no procedure `\(name.text)`"))
      return
    }
    report(Diagnostic("T204", "there is no procedure `\(name.text)`", at: name.range, "`procedure \(name.text)(…)` would make one"))
  }

  mutating func checkMethod(_ name: NameSyntax, _ given: Int) {
    guard let method = Method(named: name.text) else {
      let near = nearest(to: name, among: Method.names)
      report(
        Diagnostic(
          "T221", "no value has `.\(name.text)()`", at: name.range, near.map { "did you mean `.\($0)()`?" } ?? "",
          fixes: near.map { [.replace(name.range, with: $0)] } ?? []))
      return
    }
    if !method.arity.contains(given) {
      let bounds = method.arity
      let wanted =
        bounds.lowerBound == bounds.upperBound
        ? count(bounds.lowerBound, "value") : "\(bounds.lowerBound) to \(bounds.upperBound) values"
      report(Diagnostic("T205", "`.\(name.text)()` takes \(wanted), not \(given)", at: name.range))
    }
  }

  // MARK: - fields

  /// Fields of devices and of values with a known format.
  mutating func checkField(_ base: Expression, _ field: NameSyntax, _ place: Place) {
    switch base.kind {
    case .name("device") where scope.find("device") == nil:
      if field.text == "services", !facts.discoversEverything {
        report(
          Diagnostic(
            "T246", "`device.services` needs `discover everything` above", at: field.range,
            "otherwise only what is used is discovered"))
        return
      }
      guard !Self.deviceFields.contains(field.text), !facts.deviceFields.contains(field.text) else { return }
      let known = Self.deviceFields + facts.deviceFields.sorted()
      let near = nearest(to: field, among: known)
      report(
        Diagnostic(
          "T208", "a device has no field `\(field.text)`", at: field.range,
          near.map { "did you mean `\($0)`?" } ?? "nothing sets it",
          fixes: near.map { [.replace(field.range, with: $0)] } ?? [],
          notes: ["it has \(Self.deviceFields.joined(separator: ", "))"]))
    case .name(let name):
      let entry = scope.find(name) ?? (place.hasNamesAround ? outer.find(name) : nil)
      if let format = entry?.format { check(field, in: format) }
      if let keys = entry?.keys ?? recordKeys(name, entry), !keys.contains(field.text) {
        let near = nearest(to: field, among: keys)
        report(
          Diagnostic(
            "T208", "`\(name)` has no field `\(field.text)`", at: field.range, near.map { "did you mean `\($0)`?" } ?? "",
            fixes: near.map { [.replace(field.range, with: $0)] } ?? [],
            notes: keys.isEmpty ? [] : ["it has \(keys.joined(separator: ", "))"]))
      }
    case .record(let entries):
      let keys = entries.map(\.key.text)
      guard !keys.contains(field.text) else { return }
      report(
        Diagnostic(
          "T208", "this record has no field `\(field.text)`", at: field.range,
          keys.isEmpty ? "" : "it has \(keys.joined(separator: ", "))"))
    case .it:
      if let itFormat { check(field, in: itFormat) }
    case .member(let advertisement, let value) where value.text == "value":
      // `a.value.major`: of the format that is listened to
      let known: String? =
        switch advertisement.kind {
        case .it: itFormat
        case .name(let name): (scope.find(name) ?? (place.isHandler || place.isProcedure ? outer.find(name) : nil))?.format
        default: nil
        }
      guard let known, known.hasPrefix("\(Self.advertisement) of ") else { return }
      check(field, in: String(known.dropFirst(Self.advertisement.count + 4)))
    default: return
    }
  }

  /// The keys of a constant record of the recipe.
  private func recordKeys(_ name: String, _ entry: NameEntry?) -> [String]? {
    guard entry == nil || recipeScope.entries.isEmpty || recipeScope.find(name)?.id == entry?.id,
      case .record(let entries)? = facts.value(name)?.kind
    else { return nil }
    return entries.map(\.key.text)
  }

  mutating func check(_ field: NameSyntax, in format: String) {
    let fields = fields(ofFormat: format)
    if fields.isEmpty, isOneValue(format), !["bytes", "at", "rest", "first", "last"].contains(field.text) {
      report(
        Diagnostic(
          "T208", "\(format) has no field `\(field.text)`", at: field.range, "its value is one value, without fields"))
      return
    }
    guard !fields.isEmpty, !fields.contains(field.text), !["bytes", "at", "rest"].contains(field.text) else { return }
    let near = nearest(to: field, among: fields)
    report(
      Diagnostic(
        "T208", "\(format) has no field `\(field.text)`", at: field.range, near.map { "did you mean `\($0)`?" } ?? "",
        fixes: near.map { [.replace(field.range, with: $0)] } ?? [], notes: ["it has \(fields.sorted().joined(separator: ", "))"]))
  }

  /// Empty when the value is no record.
  mutating func fields(ofFormat name: String) -> [String] {
    // A format is a text that is parsed, and a tenth of a start when it is done for each field.
    if let known = knownFields.first(where: { $0.format == name }) { return known.fields }
    let fields = findFields(ofFormat: name)
    knownFields.append((name, fields))
    return fields
  }

  private func findFields(ofFormat name: String) -> [String] {
    if name.hasPrefix(Self.advertisement) { return Self.advertisementFields }
    guard ownFormat(name) != nil else { return FormatCatalog.fields(of: name) }
    guard let plan = plan(ofFormat: name), !plan.isSingleValue else { return [] }
    return plan.outputs.map(\.name)
  }

  func ownFormat(_ name: String) -> FormatDeclaration? { recipe.formats.first { $0.name.text == name } }

  /// The format by which an attribute's value is decoded, if that is known.
  func format(of path: AttributePathSyntax) -> String? {
    guard case .path(let steps) = path.kind, let last = steps.last else { return nil }
    let uuid: UUID?
    switch last.uuid.kind {
    case .literal(let literal): uuid = literal
    case .name(let name):
      let constant = facts.constant(name)
      uuid = constant.map { Facts.uuid($0) } ?? AssignedNumbers.characteristic(named: name)
    }
    for declared in recipe.formats {
      guard case .characteristic(let target)? = declared.purpose else { continue }
      switch target.kind {
      case .literal(let literal): if literal == uuid { return declared.name.text }
      case .name(let name):
        if case .name(name) = last.uuid.kind { return declared.name.text }
        let meant = facts.constant(name).map { Facts.uuid($0) } ?? AssignedNumbers.characteristic(named: name)
        if let meant, meant == uuid { return declared.name.text }
      }
    }
    guard let name = uuid.flatMap({ AssignedNumbers.name(ofCharacteristic: $0) }) else { return nil }
    return ownFormat(name) != nil || FormatCatalog.contains(name) ? name : nil
  }
}

extension StatementKind {
  /// The names it gives with `let`, `as` or `for each`.
  var givenNames: [NameSyntax] {
    switch self {
    case .let(let name, _): [name]
    case .scan(let scan): scan.name.map { [$0] } ?? []
    case .read(let read): read.name.map { [$0] } ?? []
    case .wait(.event(_, _, _, let name)): name.map { [$0] } ?? []
    case .run(let run): run.name.map { [$0] } ?? []
    case .ask(let ask): ask.name.map { [$0] } ?? []
    case .openChannel(let channel): [channel.name]
    case .simulate(let simulate): simulate.name.map { [$0] } ?? []
    case .startRecipe(let start): start.name.map { [$0] } ?? []
    case .forEach(let loop): loop.atOnce == nil ? [loop.name] : []
    case .try(let attempt): attempt.rescues.compactMap(\.name)
    default: []
    }
  }
}
