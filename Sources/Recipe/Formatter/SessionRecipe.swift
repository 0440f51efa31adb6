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

  /// - Parameters:
  ///   - base: the recipe that the session began with; its body did not run.
  ///   - entries: the completed entries, in order.
  ///   - renames: whether a `let` that repeats the name of an attribute gets a new name. It cannot
  ///     become a `set`, because statements take the name for the attribute.
  /// - Returns: the text, which is not checked yet, and the renamed names.
  package static func text(
    base: RecipeFile?, of source: SourceText?, entries: [String], renames: Bool
  ) -> (text: String, renamed: [(old: String, new: String)]) {
    var recipe = SessionRecipe()
    recipe.renames = renames
    recipe.texts = entries
    let declared = entries.map { entry in
      let parsed = ParsedFile(Array(entry.utf8), name: "", isEntry: true)
      return EntryDeclarations(parsed.tree, in: parsed.source)
    }
    if let base, let source { recipe.take(base, source) }
    for (index, entry) in entries.enumerated() {
      let later = declared[(index + 1)...]
      let text = recipe.renamed.reduce(entry) { renaming($1.old, to: $1.new, in: $0) }
      recipe.take(
        ParsedFile(Array(text.utf8), name: "", isEntry: true),
        replaced: Set(later.flatMap { $0.procedures.map(\.name) }), formats: Set(later.flatMap { $0.formats.map(\.name) }))
    }
    return (recipe.text, recipe.renamed)
  }

  /// Procedures and formats that were replaced, so that the recipe has only the newest. An earlier
  /// entry may have used an older one.
  package static func replaced(in entries: [String]) -> [String] {
    var (seen, again) = (Set<String>(), Set<String>())
    for entry in entries {
      let parsed = ParsedFile(Array(entry.utf8), name: "", isEntry: true)
      let declared = EntryDeclarations(parsed.tree, in: parsed.source)
      for name in (declared.procedures + declared.formats).map(\.name) where !seen.insert(name).inserted { again.insert(name) }
    }
    return again.sorted()
  }

  private var text: String {
    var text = parts.joined(separator: "\n")
    if !text.isEmpty, !text.hasSuffix("\n") { text += "\n" }
    // Handlers need a body that keeps waiting.
    if hasHandlers, !waitsForever { text += connects ? "reconnect forever\n" : "wait forever\n" }
    return text
  }

  /// Adds declarations, handlers and constants of a file.
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

  /// Whether statements take a name of this value for an attribute, as they do for a UUID.
  private func standsForAttribute(_ value: Expression) -> Bool { Facts.uuid(value) != nil }

  private func freeName(for name: String) -> String {
    var number = 2
    while given.contains("\(name)_\(number)") || texts.contains(where: { $0.holds("\(name)_\(number)") }) { number += 1 }
    return "\(name)_\(number)"
  }

  /// The entry after renaming a name that an earlier entry gave. Names that the entry declares
  /// itself, such as parameters, stay.
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
