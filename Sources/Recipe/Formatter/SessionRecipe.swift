import Exchange
import Vocabulary

/// Builds a recipe that does what the entries of a prompt did.
package struct SessionRecipe {
  private var given: Set<String> = []
  private var renames = false
  private var texts: [String] = []
  private var attributes: Set<String> = []
  private var renamed: [(old: String, new: String)] = []
  private var parts: [String] = []
  private var hasHandlers = false
  private var connects = false
  private var waitsForever = false

  /// A difference between the recipe and the entries.
  package enum Remark: Equatable, Sendable {
    /// The value of an entry's `let` has a new name in the recipe. Handlers and procedures of the
    /// earlier entries `users` still use an older name.
    case renamed(String, to: String, entry: Int, users: [Int])
    /// An entry declared a procedure or format again. The earlier entries `users` used an older one
    /// until then, but use the newest one in the recipe.
    case replaced(String, entry: Int, users: [Int])
    /// Handlers of these entries were active from then on, but in the recipe from its start.
    case active([Int])
  }

  package struct Result {
    /// The text, which is not checked yet.
    package var text: String
    package var remarks: [Remark]
    /// The entries of which something is in the text.
    package var contributors: [Int]
    /// Where in the text each of these begins, in bytes.
    package var starts: [Int]
  }

  /// - Parameters:
  ///   - base: the recipe that the session began with; its body did not run.
  ///   - entries: the completed entries, in order.
  ///   - renames: whether a `let` that repeats the name of an attribute gets a new name. It cannot
  ///     become a `set`, because statements use the name for the attribute.
  ///   - early: names that handlers or procedures use, but that get their values only after a wait.
  ///     At a prompt, the handler came later; in the recipe they begin with `nothing`.
  package static func text(
    base: RecipeFile?, of source: SourceText?, entries: [String], renames: Bool, early: [String] = []
  ) -> Result {
    var recipe = SessionRecipe()
    recipe.renames = renames
    recipe.texts = entries
    let kept = recipe.keepingOlderProcedures(entries)
    let declared = kept.map { entry in
      let parsed = ParsedFile(Array(entry.utf8), name: "", isEntry: true)
      return EntryDeclarations(parsed.tree, in: parsed.source)
    }
    if let base, let source { recipe.take(base, source) }
    recipe.parts += early.map { "let \($0) = nothing" }
    recipe.given.formUnion(early)
    var remarks: [Remark] = []
    var contributors: [Int] = []
    var starts: [Int] = []
    var length = 0
    var measured = 0
    var late: [Int] = []
    var hasWaited = false
    for (index, entry) in kept.enumerated() {
      let later = declared[(index + 1)...]
      let text = recipe.renamed.reduce(entry) { renaming($1.old, to: $1.new, in: $0) }
      let before = recipe.renamed.map(\.new)
      let parsed = ParsedFile(Array(text.utf8), name: "", isEntry: true)
      let parts = recipe.parts.count
      // Parts are joined by a line end.
      length += recipe.parts[measured...].reduce(0) { $0 + $1.utf8.count + 1 }
      measured = parts
      recipe.take(
        parsed,
        replaced: Set(later.flatMap { $0.procedures.map(\.name) }), formats: Set(later.flatMap { $0.formats.map(\.name) }))
      if recipe.parts.count > parts {
        contributors.append(index)
        starts.append(length)
      }
      if hasWaited, declared[index].hasHandlers { late.append(index) }
      hasWaited = hasWaited || parsed.tree.body.anyStatement(handlers: false) { $0.kind.waits }
      for (old, new) in recipe.renamed where !before.contains(new) {
        let users = entries[..<index].indices.filter { lasting(in: entries[$0]).contains { $0.hasWord(old) } }
        remarks.append(.renamed(old, to: new, entry: index, users: users))
      }
    }
    if !late.isEmpty { remarks.append(.active(late)) }
    return Result(text: recipe.text, remarks: remarks + replacements(in: entries), contributors: contributors, starts: starts)
  }

  /// The texts of the handlers and procedures of an entry.
  private static func lasting(in entry: String) -> [String] {
    let parsed = ParsedFile(Array(entry.utf8), name: "", isEntry: true)
    var ranges = parsed.tree.procedures.map(\.range)
    for member in parsed.tree.body {
      if case .statement = member { continue }
      ranges.append(member.range)
    }
    return ranges.map { parsed.source.text($0) }
  }

  private static func replacements(in entries: [String]) -> [Remark] {
    let declared = entries.map { entry in
      let parsed = ParsedFile(Array(entry.utf8), name: "", isEntry: true)
      return EntryDeclarations(parsed.tree, in: parsed.source)
    }
    let procedures = newest(of: declared.map { $0.procedures.map(\.name) }).compactMap { name, first, last -> Remark? in
      // An entry that declares the procedure itself and has no handlers does not count as a user.
      let users = entries[..<last].indices.filter { index in
        guard !declared[index].procedures.contains(where: { $0.name == name }) || declared[index].hasHandlers else { return false }
        return lasting(in: entries[index]).contains { $0.hasWord(name) }
      }
      return users.isEmpty ? nil : .replaced(name, entry: last, users: users)
    }
    let formats = newest(of: declared.map { $0.formats.map(\.name) }).compactMap { name, first, last -> Remark? in
      let users = entries[..<last].indices.filter { index in
        index > first && !declared[index].formats.contains { $0.name == name } && entries[index].hasWord(name)
      }
      return users.isEmpty ? nil : .replaced(name, entry: last, users: users)
    }
    return procedures + formats
  }

  /// The names that several entries declare, with the first and the last of these entries.
  private static func newest(of names: [[String]]) -> [(name: String, first: Int, last: Int)] {
    var known: [String] = []
    for name in names.joined() where !known.contains(name) { known.append(name) }
    return known.compactMap { name in
      let places = names.indices.filter { names[$0].contains(name) }
      return places.count > 1 ? (name: name, first: places[0], last: places[places.count - 1]) : nil
    }
  }

  /// The entries after renaming each procedure that statements call before a later entry declares
  /// it again.
  private mutating func keepingOlderProcedures(_ entries: [String]) -> [String] {
    var kept = entries
    let declared = entries.map { entry in
      ParsedFile(Array(entry.utf8), name: "", isEntry: true).tree.procedures.map(\.name.text)
    }
    for (name, _, last) in Self.newest(of: declared) {
      let versions = declared.indices.filter { declared[$0].contains(name) }
      for (place, next) in zip(versions, versions.dropFirst()) where place < last {
        let calls = (place..<next).map { index in
          (index, Self.calls(of: name, in: kept[index], declaring: index == place))
        }
        guard calls.contains(where: { $0.1.hasStatements }) else { continue }
        let new = freeName(for: name)
        given.insert(new)
        for (index, found) in calls {
          var bytes = Array(kept[index].utf8)
          for range in found.ranges.sorted(by: { $0.lowerBound > $1.lowerBound }) {
            bytes.replaceSubrange(range, with: Array(new.utf8))
          }
          kept[index] = String(decoding: bytes, as: UTF8.self)
        }
      }
    }
    return kept
  }

  /// The ranges in an entry that name a procedure: in statements outside handlers, and in its own
  /// declaration. Also whether there are such statements.
  private static func calls(
    of name: String, in entry: String, declaring: Bool
  ) -> (ranges: [Range<Int>], hasStatements: Bool) {
    let first = declaring ? "" : "procedure \(name)(): return\n"
    let parsed = ParsedFile(Array((first + entry).utf8), name: "", isEntry: true)
    var checker = Checker(parsed.tree, sources: [parsed.source])
    checker.run()
    guard let own = checker.symbols.symbols.firstIndex(where: { $0.name == name && $0.kind == .procedure }) else {
      return ([], false)
    }
    func holds(_ outer: SourceRange, _ range: SourceRange) -> Bool { outer.start <= range.start && range.end <= outer.end }
    var statements: [SourceRange] = []
    for member in parsed.tree.body { if case .statement = member { statements.append(member.range) } }
    let uses = checker.symbols.uses(of: own)
    let called = uses.filter { use in statements.contains { holds($0, use) } }
    var ranges = called
    if declaring, let procedure = parsed.tree.procedures.last(where: { $0.name.text == name }) {
      ranges += [procedure.name.range] + uses.filter { holds(procedure.range, $0) }
    }
    let shift = first.utf8.count
    return (ranges.map { Int($0.start) - shift..<Int($0.end) - shift }, !called.isEmpty)
  }

  private var text: String {
    var text = parts.joined(separator: "\n")
    if !text.isEmpty, !text.hasSuffix("\n") { text += "\n" }
    // Handlers need a body that keeps waiting.
    if hasHandlers, !waitsForever { text += connects ? "reconnect forever\n" : "wait forever\n" }
    return text
  }

  /// Adds the declarations, handlers and constants of the recipe that the session began with.
  private mutating func take(_ base: RecipeFile, _ source: SourceText) {
    var pieces: [(range: SourceRange, text: String)] = []
    func add(_ range: SourceRange) { if range.file == 0 { pieces.append((range, source.text(range))) } }
    for use in base.uses { add(use.range) }
    for include in base.includes { add(include.range) }
    for input in base.inputs { add(input.range) }
    for remembered in base.remembers { add(remembered.range) }
    for procedure in base.procedures { add(procedure.range) }
    for format in base.formats { add(format.range) }
    for member in base.body {
      add(member.range)
      switch member {
      case .statement(let statement):
        for name in statement.kind.givenNames { given.insert(name.text) }
        if case .let(let name, let value) = statement.kind, standsForAttribute(value) { attributes.insert(name.text) }
      case .handler, .whenever: hasHandlers = true
      }
    }
    parts += pieces.sorted { $0.range.start < $1.range.start }.map(\.text)
  }

  /// Whether statements use a name with this value for an attribute, as they do with a UUID.
  private func standsForAttribute(_ value: Expression) -> Bool { Facts.uuid(value) != nil }

  private func freeName(for name: String) -> String {
    var number = 2
    while given.contains("\(name)_\(number)") || texts.contains(where: { $0.holds("\(name)_\(number)") }) { number += 1 }
    return "\(name)_\(number)"
  }

  /// The entry after renaming a name that an earlier entry declared. Names that the entry declares
  /// itself, such as parameters, are unchanged.
  private static func renaming(_ old: String, to new: String, in entry: String) -> String {
    let first = "let \(old) = 0x2a00\n"
    let parsed = ParsedFile(Array((first + entry).utf8), name: "", isEntry: true)
    var checker = Checker(parsed.tree, sources: [parsed.source])
    checker.run()
    let own = checker.symbols.symbols.firstIndex { $0.name == old && $0.declaration.start < first.utf8.count }
    guard let own else { return entry }
    var bytes = parsed.source.bytes
    for use in checker.symbols.uses(of: own).sorted(by: { $0.start > $1.start }) {
      bytes.replaceSubrange(Int(use.start)..<Int(use.end), with: Array(new.utf8))
    }
    return String(decoding: bytes.dropFirst(first.utf8.count), as: UTF8.self)
  }

  /// Whether an entry uses what an earlier one declared under this name. A word in a text is no
  /// use, and neither is what the entry declares itself.
  package static func uses(_ name: String, isProcedure: Bool = false, in entry: String) -> Bool {
    guard entry.hasWord(name) else { return false }
    let first = isProcedure ? "procedure \(name)(): return\n" : "let \(name) = 0x2a00\n"
    let parsed = ParsedFile(Array((first + entry).utf8), name: "", isEntry: true)
    var checker = Checker(parsed.tree, sources: [parsed.source])
    checker.run()
    let own = checker.symbols.symbols.firstIndex { $0.name == name && $0.declaration.start < first.utf8.count }
    guard let own else { return false }
    // `let` again counts as a use of the same name, and so does what follows.
    var again: Set<SourceRange> = []
    parsed.tree.body.forEachStatement(handlers: true) { statement in
      for given in statement.kind.givenNames where given.text == name { again.insert(given.range) }
    }
    var replaced: [SourceRange] = []
    for case .statement(let statement) in parsed.tree.body where statement.range.start >= first.utf8.count {
      guard let given = statement.kind.givenNames.first(where: { $0.text == name }) else { continue }
      switch statement.kind {
      case .forEach: replaced.append(SourceRange(file: 0, start: given.range.end, end: statement.range.end))
      case .try: continue
      default: replaced.append(SourceRange(file: 0, start: statement.range.end, end: .max))
      }
    }
    return checker.symbols.uses(of: own).contains { use in
      !again.contains(use) && !replaced.contains { $0.start <= use.start && use.end <= $0.end }
    }
  }

  private mutating func take(_ entry: ParsedFile, replaced: Set<String>, formats: Set<String>) {
    var edits: [(range: SourceRange, text: String)] = []
    for procedure in entry.tree.procedures where replaced.contains(procedure.name.text) { edits.append((procedure.range, "")) }
    for format in entry.tree.formats where formats.contains(format.name.text) { edits.append((format.range, "")) }
    let before = given
    var names: [String] = []
    for member in entry.tree.body {
      switch member {
      case .statement(let statement):
        // Leave out values that were only displayed.
        if case .value(let value) = statement.kind, !value.isProcedureCall {
          edits.append((statement.range, ""))
          continue
        }
      case .handler, .whenever: hasHandlers = true
      }
    }
    entry.tree.body.forEachStatement(handlers: true) { statement in
      if case .connect = statement.kind { connects = true }
      if case .reconnect(let reconnect) = statement.kind, reconnect.times == nil { waitsForever = true }
      guard case .value(let value) = statement.kind, !value.isProcedureCall,
        !edits.contains(where: { $0.range == statement.range })
      else { return }
      edits.append((SourceRange(file: 0, start: statement.range.start, end: statement.range.start), "print "))
    }
    entry.tree.body.forEachStatement(handlers: false) { statement in
      for name in statement.kind.givenNames { names.append(name.text) }
      guard case .let(let name, let value) = statement.kind else { return }
      let isAttribute = standsForAttribute(value)
      if renames, entry.tree.body.count == 1, before.contains(name.text), isAttribute || attributes.contains(name.text) {
        let new = freeName(for: name.text)
        edits.append((name.range, new))
        names.append(new)
        renamed.removeAll { $0.old == name.text }
        renamed.append((name.text, new))
        if isAttribute { attributes.formUnion([name.text, new]) } else { attributes.remove(name.text) }
        return
      }
      if isAttribute { attributes.insert(name.text) }
      guard before.contains(name.text) else { return }
      let head = SourceRange(file: 0, start: statement.range.start, end: value.range.start)
      let meant = renamed.first { $0.old == name.text }?.new ?? name.text
      edits.append((head, "set \(meant) to "))
    }
    given.formUnion(names)
    var bytes = entry.source.bytes
    for edit in edits.sorted(by: { $0.range.start > $1.range.start }) {
      bytes.replaceSubrange(Int(edit.range.start)..<min(Int(edit.range.end), bytes.count), with: Array(edit.text.utf8))
    }
    var text = String(decoding: bytes, as: UTF8.self)
    while text.last?.isWhitespace ?? false { text.removeLast() }
    if text.contains(where: { !$0.isWhitespace }) { parts.append(text) }
  }
}

extension Expression {
  /// Whether it calls a procedure, which may have an effect.
  fileprivate var isProcedureCall: Bool {
    guard case .call(let name, _) = kind else { return false }
    return BuiltIn.named(name.text) == nil
  }
}

extension String {
  /// Whether the text contains a name as a whole word.
  package func hasWord(_ word: String) -> Bool {
    utf8.split { !isWordByte($0) }.contains { $0.elementsEqual(word.utf8) }
  }
}
