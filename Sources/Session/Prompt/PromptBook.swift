import Exchange
package import Recipe
package import Runner

/// The meaning of a prompt's entries: the program and the names, which grow with each.
///
/// It is a value: an entry with an error changes nothing and takes no number.
package struct PromptBook {
  private var compiler: Compiler
  private var checker: EntryChecker
  private let base: RecipeFile
  package private(set) var sources: [SourceText]
  /// The declarations of each entry; those of the start have the number 0.
  private var taken: [(number: Int, declarations: EntryDeclarations, isUndone: Bool)]

  /// The most bytes of an entry.
  package static let longestEntry = 1 << 16

  /// The result of reading a text.
  package enum Reading {
    /// The text is now part of the session as this unit; with warnings and notes.
    case taken(unit: Int, [Diagnostic])
    /// The text contains only spaces and comments.
    case empty
    case refused([Diagnostic], [SourceText])
  }

  /// - Parameter base: The declarations and handlers from the start.
  package init(_ base: RecipeFile, sources: [SourceText]) throws(RecipeRefusal) {
    do throws(CompileError) {
      compiler = try Compiler(prompting: base, sources: sources)
    } catch { throw RecipeRefusal(error, sources) }
    checker = EntryChecker(base, sources: sources)
    self.sources = sources
    self.base = base
    taken = sources.first.map { [(0, EntryDeclarations(base, in: $0), false)] } ?? []
  }

  /// The declarations of an entry; `nil` if it is undone.
  package func declarations(of number: Int) -> EntryDeclarations? {
    taken.first { $0.number == number && !$0.isUndone }?.declarations
  }

  /// The procedures that can be called.
  package var procedures: [String] { taken.filter { !$0.isUndone }.flatMap { $0.declarations.procedures.map(\.name) } }

  /// Whether an entry has handlers, even if it is undone.
  package func hadHandlers(_ number: Int) -> Bool { taken.contains { $0.number == number && $0.declarations.hasHandlers } }

  /// What an entry wrote, even if it is undone.
  package func written(by number: Int) -> [String] { taken.first { $0.number == number }?.declarations.written ?? [] }

  /// The recipe that does the same as these entries.
  /// - Parameter renames: see `SessionRecipe.text`.
  package func recipe(
    of entries: [String], renames: Bool, early: [String] = []
  ) -> SessionRecipe.Result {
    SessionRecipe.text(base: base, of: sources.first, entries: entries, renames: renames, early: early)
  }

  /// An entry, or a part of one, that belongs into a saved recipe.
  package struct Used: Sendable {
    package var number: Int
    package var text: String
    package var isUndone: Bool
  }

  /// The completed entries, and those of the undone ones that an entry has used: their procedures
  /// and formats before the undo, and their values also after it, because an earlier name keeps
  /// its newest value. An `undo` that restored an older procedure or format is that text.
  package func used(among entries: [Entry]) -> [Used] {
    var undos: [Int: Int] = [:]
    for entry in entries where entry.state == .done {
      if let target = Self.undone(by: entry.text) { undos[target] = entry.number }
    }
    var chosen = Set(entries.filter { $0.state == .done && Self.undone(by: $0.text) == nil }.map(\.number))
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      for entry in entries.reversed() where entry.state == .undone && entry.code == 0 && !chosen.contains(entry.number) {
        guard let declared = taken.first(where: { $0.number == entry.number })?.declarations, !declared.hasHandlers else {
          continue
        }
        let end = undos[entry.number] ?? .max
        guard
          entries.contains(where: { user in
            // An earlier entry uses it only later, in its procedures and handlers.
            chosen.contains(user.number) && (user.number > entry.number || lasts(user.number))
              && (user.number < end ? declared.areUsed(by: user.text) : declared.valuesAreUsed(by: user.text))
          })
        else { continue }
        chosen.insert(entry.number)
        isGrowing = true
      }
    }
    var list: [Used] = []
    for entry in entries {
      if chosen.contains(entry.number) {
        list.append(Used(number: entry.number, text: entry.text, isUndone: entry.state == .undone))
      } else if let target = Self.undone(by: entry.text), entry.state == .done, chosen.contains(target) {
        for older in restored(by: target, until: entry.number, undos) {
          list.append(Used(number: entry.number, text: older + "\n", isUndone: false))
        }
      }
    }
    return list
  }

  /// Whether something of an entry runs again later.
  private func lasts(_ number: Int) -> Bool {
    taken.contains { $0.number == number && ($0.declarations.hasHandlers || !$0.declarations.procedures.isEmpty) }
  }

  /// The texts of the older procedures and formats that the undo of an entry restored.
  private func restored(by target: Int, until undo: Int, _ undos: [Int: Int]) -> [String] {
    guard let declared = taken.first(where: { $0.number == target })?.declarations else { return [] }
    let others = taken.filter { $0.number != target && $0.number < undo && (undos[$0.number] ?? .max) > undo }
    func older(_ name: String, _ texts: (EntryDeclarations) -> [EntryDeclarations.Text]) -> String? {
      guard let newest = others.last(where: { texts($0.declarations).contains { $0.name == name } }), newest.number < target else {
        return nil
      }
      return texts(newest.declarations).last { $0.name == name }?.text
    }
    return declared.procedures.compactMap { older($0.name, \.procedures) }
      + declared.formats.compactMap { older($0.name, \.formats) }
  }

  /// Whether `undo` removed a name that no later entry has declared again.
  package func isTakenBack(_ name: String) -> Bool {
    taken.contains { $0.isUndone && $0.declarations.names.contains(name) }
      && !taken.contains { !$0.isUndone && $0.declarations.names.contains(name) }
  }

  /// The number of the newest entry with declarations.
  package var newest: Int? { taken.last { $0.number > 0 && !$0.isUndone && !$0.declarations.isEmpty }?.number }

  /// The text of an undo, which is an entry itself, so that reading the session again undoes the
  /// same at the same place.
  package static func undo(_ number: Int) -> String { "undo \(number)\n" }

  /// The entry that such a text undoes.
  package static func undone(by text: String) -> Int? {
    let words = text.split { $0 == " " || $0 == "\n" }
    return words.count == 2 && words[0] == "undo" ? Int(words[1]) : nil
  }

  /// Removes the declarations of an entry and restores those that they had replaced.
  package mutating func undo(_ target: Int, number: Int) -> Reading {
    guard let place = taken.firstIndex(where: { $0.number == target && !$0.isUndone }) else { return .empty }
    let old = taken[place].declarations
    func stays(_ name: String) -> Bool {
      taken.indices.contains { $0 != place && !taken[$0].isUndone && taken[$0].declarations.names.contains(name) }
    }
    /// Returns what applies without this entry, and whether that is a change.
    func earlier(_ name: String, _ list: (EntryDeclarations) -> [EntryDeclarations.Text]) -> (isNewest: Bool, text: String?) {
      let all = taken.indices.filter { !taken[$0].isUndone && list(taken[$0].declarations).contains { $0.name == name } }
      let before = all.last { $0 < place }
      return (all.last == place, before.flatMap { list(taken[$0].declarations).last { $0.name == name }?.text })
    }
    let procedures = old.procedures.map { ($0.name, earlier($0.name) { $0.procedures }) }.filter { $0.1.isNewest }
    let formats = old.formats.map { ($0.name, earlier($0.name) { $0.formats }) }.filter { $0.1.isNewest }
    var next = self
    let names = old.names.filter { !stays($0) }
    let (goneProcedures, goneFormats) = (procedures.filter { $0.1.text == nil }, formats.filter { $0.1.text == nil })
    next.checker.forget(names: names, procedures: goneProcedures.map(\.0), formats: goneFormats.map(\.0))
    next.compiler.forget(names: names, procedures: goneProcedures.map(\.0), formats: goneFormats.map(\.0))
    next.taken[place].isUndone = true
    let again = (procedures + formats).compactMap(\.1.text).map { $0 + "\n" }.joined()
    let reading = next.take(again, number: number, device: .connected)
    guard case .taken = reading else { return reading }
    // Restored declarations belong to the entries that made them.
    next.taken[next.taken.count - 1].declarations = EntryDeclarations()
    self = next
    return reading
  }

  package var program: Program { compiler.compiled }

  /// - Parameter number: The number of the entry, which is shown with its lines.
  package mutating func read(_ text: String, number: Int, device: EntryChecker.Device) -> Reading {
    let parsed = ParsedFile(
      Array(text.utf8), name: "entry \(number)", file: compiler.nextFile, firstID: compiler.nextStatement, isEntry: true)
    if parsed.diagnostics.isEmpty, parsed.tree.isEmpty { return .empty }
    return take(parsed, number: number, device: device)
  }

  private mutating func take(_ text: String, number: Int, device: EntryChecker.Device) -> Reading {
    take(
      ParsedFile(
        Array(text.utf8), name: "entry \(number)", file: compiler.nextFile, firstID: compiler.nextStatement, isEntry: true),
      number: number, device: device)
  }

  private mutating func take(_ parsed: ParsedFile, number: Int, device: EntryChecker.Device) -> Reading {
    var next = checker
    let found = next.check(parsed, device: device)
    let findings = checker.verified(
      found, of: parsed, file: compiler.nextFile, firstID: compiler.nextStatement, device: device)
    if findings.contains(where: { $0.severity == .error }) { return .refused(findings, sources + [parsed.source]) }
    do throws(CompileError) {
      let unit = try compiler.appendEntry(parsed.tree, parsed.source)
      checker = next
      sources.append(parsed.source)
      taken.append((number, EntryDeclarations(parsed.tree, in: parsed.source), false))
      return .taken(unit: unit, findings)
    } catch {
      return .refused([Diagnostic("T299", error.message, at: error.range)], sources + [parsed.source])
    }
  }

  /// Reads entries of an earlier process again, so that all numbers stay the same. Returns false if
  /// this version interprets them differently.
  mutating func fold(_ entries: [Entry]) -> Bool {
    for entry in entries {
      let reading =
        Self.undone(by: entry.text).map { undo($0, number: entry.number) }
        ?? read(entry.text, number: entry.number, device: .connected)
      guard case .taken(let unit, _) = reading, unit == entry.unit else { return false }
    }
    return true
  }
}

extension RecipeFile {
  /// Whether there are no declarations.
  fileprivate var isEmpty: Bool {
    body.isEmpty && procedures.isEmpty && formats.isEmpty && inputs.isEmpty && remembers.isEmpty && uses.isEmpty
      && includes.isEmpty && peripherals.isEmpty && tests.isEmpty
  }
}

/// The options of a prompt.
package struct PromptOptions: Sendable {
  /// Whether entries come from a file or program: nothing is asked, and the first failure ends it.
  package var isScript = true
  /// Whether a failure ends only its entry.
  package var keepsGoing = false

  /// Whether a prompt opens after the body.
  package var atEnd = true
  /// Whether a prompt opens when the body fails.
  package var onFailure = false

  /// Whether it scans and discovers attributes between entries, for completion.
  package var listens = false

  /// Whether lines are read without editing and nothing is drawn.
  package var isPlain = false

  /// The name of the adapter in the prompt.
  package var title = ""

  /// The options that give the inputs again, each after a space.
  package var inputs = ""

  package init(isScript: Bool = true, keepsGoing: Bool = false) {
    self.isScript = isScript
    self.keepsGoing = keepsGoing
  }
}

/// The state of a prompt that is not in the checkpoint.
struct Prompt {
  var book: PromptBook
  var options: PromptOptions
  /// The lines of an incomplete entry.
  var draft = ""
  /// Whether a line of it was not UTF-8.
  var isMalformed = false
  /// The corrected form of a refused entry, which Tab inserts.
  var offer: String?
  /// Lines that were given without a descriptor.
  var pending: [String] = []
  var isInputOver = false
  /// The number of the next entry, refused line or word of the prompt.
  var number = 1
  /// Whether input is ignored from now on.
  var isOver = false
  /// The exit code of the first entry that failed.
  var failureCode: Int32?
}
