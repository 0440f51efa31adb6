import Exchange
package import Recipe
package import Runner

/// What the entries of a prompt mean: the program and the names that grow with each.
///
/// A value: an entry with an error changes nothing, its number included.
package struct PromptBook {
  private var compiler: Compiler
  private var checker: EntryChecker
  package private(set) var sources: [SourceText]

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
  }

  package var program: Program { compiler.compiled }

  /// - Parameter number: of the entry, which is told with its lines.
  package mutating func read(_ text: String, number: Int, device: EntryChecker.Device) -> Reading {
    let parsed = ParsedFile(
      Array(text.utf8), name: "entry \(number)", file: compiler.nextFile, firstID: compiler.nextStatement, isEntry: true)
    if parsed.diagnostics.isEmpty, parsed.tree.isEmpty { return .empty }
    var next = checker
    let found = next.check(parsed, device: device)
    let findings = checker.verified(
      found, of: parsed, file: compiler.nextFile, firstID: compiler.nextStatement, device: device)
    if findings.contains(where: { $0.severity == .error }) { return .refused(findings, sources + [parsed.source]) }
    do throws(CompileError) {
      let unit = try compiler.appendEntry(parsed.tree, parsed.source)
      checker = next
      sources.append(parsed.source)
      return .taken(unit: unit, findings)
    } catch {
      return .refused([Diagnostic("T299", error.message, at: error.range)], sources + [parsed.source])
    }
  }

  /// Reads entries of an earlier process again, so that everything has the same number. False when
  /// they mean something else to this version.
  mutating func fold(_ entries: [Entry]) -> Bool {
    for entry in entries {
      guard case .taken(let unit, _) = read(entry.text, number: entry.number, device: .connected), unit == entry.unit else {
        return false
      }
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
