import Linux
import Recipe
import Session
import Terminal

/// `tooth check`: prints the findings of each file, or that there are none.
struct CheckCommand {
  private let arguments: Arguments
  private let console: Console
  /// Files with more fixes than one command tries.
  private var unfinished: [String] = []

  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    let arguments = try Arguments(line, of: command, inputs: [])
    guard !arguments.words.isEmpty else { throw UsageError("tooth check needs a recipe", hint: HelpText.usage(command)) }
    if arguments.has("fix"), !arguments.has("dry-run"), arguments.words.contains("-") {
      throw UsageError("--fix needs a file to write", hint: "--dry-run shows what it would change")
    }
    var check = CheckCommand(arguments: arguments, console: Console(style: arguments.style()))
    var worst: Int32 = 0
    // Fix all files first, because they may include each other.
    if arguments.has("fix"), !arguments.has("dry-run") {
      for path in arguments.words { worst = max(worst, check.mend(path)) }
    }
    for path in arguments.words { worst = max(worst, check.check(path)) }
    return worst
  }

  /// Fixes a file. If it cannot be read, `check` reports that.
  private mutating func mend(_ path: String) -> Int32 {
    guard var loaded = try? RecipeLoader.load(path: path) else { return 0 }
    return fix(path, &loaded)
  }

  private func load(_ path: String) -> LoadedRecipe? {
    do throws(RecipeUnreadable) {
      return path == "-" ? try RecipeLoader.loadStandardInput() : try RecipeLoader.load(path: path)
    } catch {
      console.complain(error.message, hint: error.hint)
      return nil
    }
  }

  private mutating func check(_ path: String) -> Int32 {
    guard var loaded = load(path) else { return 2 }
    var worst: Int32 = 0
    if arguments.has("dry-run") {
      worst = fix(path, &loaded)
    } else if arguments.has("fix"), !console.style.jsonDiagnostics {
      explainUnappliedFixes(path, loaded)
    }
    loaded.checkLimits()
    let findings = loaded.findings
    console.findings(findings, in: loaded.sources, isStrict: arguments.has("strict"))
    if findings.isEmpty, !console.style.jsonDiagnostics {
      let lines =
        loaded.text.count { $0 == UInt8(ascii: "\n") } + (loaded.text.last.map { $0 == UInt8(ascii: "\n") ? 0 : 1 } ?? 0)
      console.note("\(loaded.name): no problems (\(lines) line\(lines == 1 ? "" : "s"))")
    }
    if !loaded.hasErrors, !console.style.jsonDiagnostics { showFiles(loaded) }
    if loaded.hasErrors || arguments.has("strict") && findings.contains(where: { $0.severity == .warning }) {
      worst = max(worst, 3)
    }
    return worst
  }

  /// Lists the files that the recipe names, and the folder that they are relative to.
  private func showFiles(_ loaded: LoadedRecipe) {
    guard !loaded.files.isEmpty, let here = realPath(".") else { return }
    console.note("\(loaded.name): file names are relative to \(here) in a run that is first started here")
    for file in loaded.files {
      console.note("  \(loaded.sources.place(of: file.range)): \(file.verb.rawValue) \(file.name)")
    }
  }

  /// Explains why displayed fixes were not applied.
  private func explainUnappliedFixes(_ path: String, _ loaded: LoadedRecipe) {
    let own = loaded.findings.filter { $0.range.file == 0 }
    var included: [String] = []
    for finding in loaded.findings where finding.range.file != 0 && !finding.fixes.isEmpty {
      let name = loaded.sources[of: finding.range].name
      if !included.contains(name) { included.append(name) }
    }
    if own.contains(where: { $0.fixes.count > 1 }) {
      console.note("\(path): several fixes are possible and none was applied; choose one")
    }
    if unfinished.contains(path) {
      console.note("\(path): run it again to fix more")
    } else if own.contains(where: { $0.fixes.count == 1 }) {
      console.note("\(path): a fix that is shown was not applied: it would not leave the file with fewer problems")
    }
    for name in included { console.note("\(path): to fix \(name), which it includes, name that file, too") }
  }

  /// Applies fixes if the file then has fewer findings, or fewer errors of syntax, which hide other
  /// findings; a dry run prints the difference.
  private mutating func fix(_ path: String, _ loaded: inout LoadedRecipe) -> Int32 {
    let mending = loaded.mended()
    if mending.isCutShort { unfinished.append(path) }
    guard mending.count > 0 else { return 0 }
    if arguments.has("dry-run") {
      console.print(UnifiedDiff.text(loaded.text, mending.text, name: path == "-" ? "stdin" : path))
      return 0
    }
    do throws(SystemFailure) {
      guard try OrdinaryFile(reading: path, limit: 1 << 24).bytes == loaded.text else {
        console.complain("\(path) was changed in the meantime and is left as it is")
        return 2
      }
      try rewriteFile(path, mending.text)
    } catch {
      console.complain("\(path) cannot be written: \(error.reason)")
      return 2
    }
    guard let written = load(path) else { return 2 }
    loaded = written
    if !console.style.jsonDiagnostics { console.note("\(path): \(mending.count) problem\(mending.count == 1 ? "" : "s") fixed") }
    return 0
  }
}
