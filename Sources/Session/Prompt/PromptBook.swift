import Exchange
package import Recipe
package import Runner

/// What the entries of a prompt mean: the program and the names that grow with each.
///
/// A value: an entry with an error changes nothing, its number included.
package struct PromptBook {
  private var compiler: Compiler
  private var checker: EntryChecker
  private let base: RecipeFile
  package private(set) var sources: [SourceText]
  /// What each entry has declared; those of the beginning have the number 0.
  private var taken: [(number: Int, declarations: EntryDeclarations, isUndone: Bool)]

  /// An entry has at most so many bytes.
  package static let longestEntry = 1 << 16

  /// What became of a text.
  package enum Reading {
    /// It is part of the session now, under this unit; with warnings and notes.
    case taken(unit: Int, [Diagnostic])
    /// Nothing is in it: spaces, comments.
    case empty
    case refused([Diagnostic], [SourceText])
  }

  /// - Parameter base: the declarations and handlers that are there from the start.
  package init(_ base: RecipeFile, sources: [SourceText]) throws(RecipeRefusal) {
    do throws(CompileError) {
      compiler = try Compiler(prompting: base, sources: sources)
    } catch { throw RecipeRefusal(error, sources) }
    checker = EntryChecker(base, sources: sources)
    self.sources = sources
    self.base = base
    taken = sources.first.map { [(0, EntryDeclarations(base, in: $0), false)] } ?? []
  }

  /// What an entry has declared; nothing of one that is undone.
  package func declarations(of number: Int) -> EntryDeclarations? {
    taken.first { $0.number == number && !$0.isUndone }?.declarations
  }

  /// What an entry wrote, undone or not.
  package func written(by number: Int) -> [String] { taken.first { $0.number == number }?.declarations.written ?? [] }

  /// The recipe that does the same as these entries.
  /// - Parameter renames: see `SessionRecipe.text`.
  package func recipe(of entries: [String], renames: Bool) -> (text: String, remarks: [SessionRecipe.Remark]) {
    SessionRecipe.text(base: base, of: sources.first, entries: entries, renames: renames)
  }

  /// A name that `undo` took back, and that nothing has given since.
  package func isTakenBack(_ name: String) -> Bool {
    taken.contains { $0.isUndone && $0.declarations.names.contains(name) }
      && !taken.contains { !$0.isUndone && $0.declarations.names.contains(name) }
  }

  /// The newest entry that has declared something.
  package var newest: Int? { taken.last { $0.number > 0 && !$0.isUndone && !$0.declarations.isEmpty }?.number }

  /// `undo 6` is an entry itself: whoever reads the session again takes back the same at the same
  /// place.
  package static func undo(_ number: Int) -> String { "undo \(number)\n" }

  /// The entry that such a text takes back.
  package static func undone(by text: String) -> Int? {
    let words = text.split { $0 == " " || $0 == "\n" }
    return words.count == 2 && words[0] == "undo" ? Int(words[1]) : nil
  }

  /// Takes back what an entry has declared. What its declarations had replaced is there again.
  package mutating func undo(_ target: Int, number: Int) -> Reading {
    guard let place = taken.firstIndex(where: { $0.number == target && !$0.isUndone }) else { return .empty }
    let old = taken[place].declarations
    func stays(_ name: String) -> Bool {
      taken.indices.contains { $0 != place && !taken[$0].isUndone && taken[$0].declarations.names.contains(name) }
    }
    /// What counts without this entry, and whether that changes anything.
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
    // What is there again belongs to the entries that declared it first.
    next.taken[next.taken.count - 1].declarations = EntryDeclarations()
    self = next
    return reading
  }

  package var program: Program { compiler.compiled }

  /// - Parameter number: of the entry, which is told with its lines.
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

  /// Reads entries of an earlier process again, so that everything has the same number. False when
  /// they mean something else to this version.
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
  /// Whether nothing is in it.
  fileprivate var isEmpty: Bool {
    body.isEmpty && procedures.isEmpty && formats.isEmpty && inputs.isEmpty && remembers.isEmpty && uses.isEmpty
      && includes.isEmpty && peripherals.isEmpty && tests.isEmpty
  }
}

/// How a prompt is driven.
package struct PromptOptions: Sendable {
  /// Entries come from a file or a program: nothing is asked, and the first failure ends it.
  package var isScript = true
  /// A failure ends only its entry.
  package var keepsGoing = false

  /// A prompt opens when the body is over.
  package var atEnd = true
  /// And where it fails.
  package var onFailure = false

  /// Between entries it listens for devices and discovers attributes, for completion.
  package var listens = false

  /// Lines are read as they come, and nothing is drawn.
  package var isPlain = false

  /// The adapter, as the prompt names it.
  package var title = ""

  package init(isScript: Bool = true, keepsGoing: Bool = false) {
    self.isScript = isScript
    self.keepsGoing = keepsGoing
  }
}

/// The state of a prompt that no checkpoint has.
struct Prompt {
  var book: PromptBook
  var options: PromptOptions
  /// Lines of an entry that is not whole yet.
  var draft = ""
  /// A line of it was no UTF-8.
  var isMalformed = false
  /// The entry that was refused, mended: a line that Tab takes.
  var offer: String?
  /// What the words are that were found for Tab.
  var notes: [String: String] = [:]
  /// Lines that were given without a descriptor.
  var pending: [String] = []
  var isInputOver = false
  /// Of the next entry, line that is refused, or word of the prompt.
  var number = 1
  /// Nothing more is taken.
  var isOver = false
  /// The exit code of the first entry that failed.
  var failureCode: Int32?
}
