import Exchange
import Vocabulary

/// Where settings and declarations may appear: settings only at the top of the recipe; included
/// files contain only declarations.
extension Checker {
  mutating func checkUses() {
    // The first declaration or statement of each file.
    var tops = Array(repeating: SourceRange(start: .max, end: .max), count: sources.count)
    func look(_ range: SourceRange) {
      let file = Int(range.file)
      if tops.indices.contains(file), range.start < tops[file].start {
        tops[file] = SourceRange(file: range.file, start: range.start, end: range.start)
      }
    }
    for input in recipe.inputs { look(input.range) }
    for remember in recipe.remembers { look(remember.range) }
    for procedure in recipe.procedures { look(procedure.range) }
    for format in recipe.formats { look(format.range) }
    for peripheral in recipe.peripherals { look(peripheral.range) }
    for test in recipe.tests { look(test.range) }
    for member in recipe.body { look(member.range) }
    var first: [String: UseDeclaration] = [:]
    for use in recipe.uses {
      let top = tops.indices.contains(Int(use.range.file)) ? tops[Int(use.range.file)] : use.range
      if use.range.start > top.start {
        late(use, top)
      } else if use.range.file != 0, use.setting.text != "language" {
        report(
          Diagnostic(
            "T212", "`use \(use.setting.text)` belongs in the recipe itself", at: use.range,
            "an included file cannot change settings of the whole recipe"))
      } else {
        check(use)
        twice(use, &first)
      }
    }
    for include in recipe.includes where tops.indices.contains(Int(include.range.file)) {
      guard include.range.start > tops[Int(include.range.file)].start else { continue }
      report(Diagnostic("T212", "`include` belongs at the top of the file", at: include.range, "here it has no effect"))
    }
  }

  /// T212: a repeated setting is an error, unless it is wrong in itself, which has its own message.
  private mutating func twice(_ use: UseDeclaration, _ first: inout [String: UseDeclaration]) {
    let setting = use.setting.text
    guard setting != "language", !findings.hasError(onLineOf: use.range) else { return }
    guard let known = first[setting] else {
      first[setting] = use
      return
    }
    report(
      Diagnostic(
        "T212", "`use \(setting)` appears twice", at: use.range, "a recipe can set it only once",
        labels: [Diagnostic.Label(range: known.range, text: "first here")]))
  }

  private mutating func late(_ use: UseDeclaration, _ top: SourceRange) {
    let line = line(use.range)
    let from = sources.startOfLine(line, in: use.range).start
    let to = sources.startOfLine(line + 1, in: use.range).start
    let end = max(use.range.end, sources[of: use.range].lineSpan(line).map { UInt32($0.upperBound) } ?? 0)
    // A comment after it moves too.
    let rest = text(SourceRange(file: use.range.file, start: use.range.end, end: end)).drop { $0 == " " || $0 == "\t" }
    let isAlone = use.range.start == from + UInt32(sources[of: use.range].indentation(ofLine: line).utf8.count)
    let isMovable = use.range.file == 0 && isAlone && (rest.isEmpty || rest.hasPrefix("#"))
    // Above the help of an input.
    var target = self.line(top)
    let source = sources[of: top]
    if recipe.inputs.contains(where: { $0.range.start == top.start }) {
      while target > 1, source.lineText(target - 1).drop(while: { $0 == " " || $0 == "\t" }).hasPrefix("##") { target -= 1 }
    }
    let moved = text(SourceRange(file: use.range.file, start: use.range.start, end: end))
    report(
      Diagnostic(
        "T212", "`use` belongs at the top of the file", at: use.range, "here it has no effect",
        fixes: !isMovable
          ? []
          : [
            Fix(
              lead: "move it to line \(target)",
              edits: [
                Fix.Edit(range: sources.startOfLine(target, in: top), replacement: moved + "\n"),
                Fix.Edit(range: SourceRange(start: from, end: max(from, to)), replacement: ""),
              ])
          ]))
  }

  /// Included files hold only declarations, so that everything happens in the recipe's own order.
  mutating func checkIncluded() {
    guard sources.count > 1 else { return }
    for member in recipe.body where member.range.file != 0 {
      guard case .statement(let statement) = member else { continue }
      if case .let = statement.kind, statement.otherwise == nil {
        guard facts.waits(statement) else { continue }
        report(
          Diagnostic(
            "T250", "this `let` waits, but an included file can only hold declarations", at: statement.header,
            "its value must be known when the recipe starts", notes: [advice(statement)]))
        continue
      }
      report(
        Diagnostic(
          "T250", "an included file can only hold declarations", at: statement.header, "this is a statement",
          notes: [advice(statement)]))
    }
  }

  private func advice(_ statement: Statement) -> String {
    "put it in a procedure and call that from \(sources[of: .none].name)"
  }

  /// Whether one range comes before another; included files come before the recipe.
  func comesBefore(_ range: SourceRange, _ other: SourceRange) -> Bool {
    if isEntry, range.file != other.file { return range.file < other.file }
    return range.file == other.file ? range.start < other.start : other.file == 0
  }
}
