import Linux
import Recipe
import Session

/// `tooth fmt`: formats recipes.
struct FmtCommand {
  private let arguments: Arguments
  private let console: Console

  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    let arguments = try Arguments(line, of: command, inputs: [])
    guard !arguments.words.isEmpty else { throw UsageError("tooth fmt needs a recipe", hint: HelpText.usage(command)) }
    let fmt = FmtCommand(arguments: arguments, console: Console(style: arguments.style()))
    var worst: Int32 = 0
    for path in arguments.words { worst = max(worst, fmt.format(path)) }
    return worst
  }

  private func format(_ path: String) -> Int32 {
    let loaded: LoadedRecipe
    do throws(RecipeUnreadable) {
      loaded = path == "-" ? try RecipeLoader.loadStandardInput() : try RecipeLoader.load(path: path)
    } catch {
      console.complain(error.message, hint: error.hint)
      return 2
    }
    guard let text = RecipeFormatter.formatted(loaded.text) else {
      console.findings(loaded.findings, in: loaded.sources)
      return 3
    }
    guard RecipeFormatter.hasSameMeaning(loaded.text, text) else {
      console.complain("\(loaded.name) would change its meaning and is left as it is; that is a bug in tooth")
      return 12
    }
    if arguments.has("check") {
      guard text != loaded.text else { return 0 }
      console.print("\(loaded.name)\n")
      return 1
    }
    if path == "-" {
      console.print(String(decoding: text, as: UTF8.self))
      return 0
    }
    guard text != loaded.text else { return 0 }
    do throws(SystemFailure) {
      try rewriteFile(path, text)
      console.note("\(path): formatted")
      return 0
    } catch {
      console.complain("\(path) cannot be written: \(error.reason)")
      return 2
    }
  }
}
