import Recipe
import Session

/// `tooth check`: every finding of every file; of a file without any, that there is none.
enum CheckCommand {
  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    let arguments = try Arguments(line, of: command, inputs: [])
    let console = Console(style: arguments.style())
    guard !arguments.words.isEmpty else { throw UsageError("tooth check needs a recipe", hint: HelpText.usage(command)) }
    var worst: Int32 = 0
    for path in arguments.words {
      var loaded: LoadedRecipe
      do throws(RecipeUnreadable) {
        loaded = path == "-" ? try RecipeLoader.loadStandardInput() : try RecipeLoader.load(path: path)
      } catch {
        console.complain(error.message, hint: error.hint)
        worst = max(worst, 2)
        continue
      }
      loaded.checkLimits()
      let findings = loaded.findings
      console.findings(findings, in: loaded.sources, isStrict: arguments.has("strict"))
      if findings.isEmpty, !console.style.jsonDiagnostics {
        let lines =
          loaded.text.count { $0 == UInt8(ascii: "\n") } + (loaded.text.last.map { $0 == UInt8(ascii: "\n") ? 0 : 1 } ?? 0)
        console.note("\(loaded.name): no problems (\(lines) line\(lines == 1 ? "" : "s"))")
      }
      if loaded.hasErrors || arguments.has("strict") && findings.contains(where: { $0.severity == .warning }) { worst = 3 }
    }
    return worst
  }
}
