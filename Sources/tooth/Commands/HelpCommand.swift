import Recipe
import Session

/// `tooth help`, `tooth help run`, `tooth help r.ble`, and the man page for packages.
enum HelpCommand {
  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    if line == ["--man"] {
      Console(style: Console.Style()).print(ManPage.text())
      return 0
    }
    if line.count == 2, line[0] == "--man" {
      guard let command = OptionTable.command(line[1]) else { throw UsageError("there is no command \(line[1])") }
      Console(style: Console.Style()).print(ManPage.text(of: command))
      return 0
    }
    let arguments = try Arguments(line, of: command, inputs: [])
    let console = Console(style: arguments.style())
    guard let word = arguments.words.first else {
      console.print(HelpText.overview())
      return 0
    }
    guard arguments.words.count == 1 else { throw UsageError("tooth help takes one command or recipe") }
    if let asked = OptionTable.command(word) {
      console.print(HelpText.command(asked))
      return 0
    }
    if !word.contains("."), !word.contains("/") {
      if let near = Spelling.nearest(to: word, among: OptionTable.commands.map(\.name)) {
        throw UsageError("there is no command \(word) — did you mean \(near)?")
      }
      throw UsageError("there is no command \(word), and no recipe of that name", hint: "tooth help lists the commands")
    }
    let loaded: LoadedRecipe
    do throws(RecipeUnreadable) {
      loaded = try RecipeLoader.load(path: word)
    } catch {
      console.complain(error.message, hint: error.hint)
      return 2
    }
    guard let recipe = loaded.recipe else {
      console.findings(loaded.findings, in: loaded.sources)
      return 3
    }
    console.print(HelpText.recipe(name: word, help: recipe.help, inputs: inputOptions(of: recipe, loaded.sources)))
    return 0
  }
}
