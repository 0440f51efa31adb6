import Recipe
import Stage

/// `tooth check`: every finding of every file, and nothing else.
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
      console.findings(findings, in: [loaded.source])
      if loaded.hasErrors || arguments.has("strict") && findings.contains(where: { $0.severity == .warning }) { worst = 3 }
    }
    return worst
  }
}
