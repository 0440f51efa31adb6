import Recipe
import Session

/// An `input` of a recipe as an option: `dry_run` becomes `--dry-run`.
struct InputOption: Equatable, Sendable {
  var name: String
  /// The singular: `address` for `addresses`.
  var type: String
  var repeats: Bool
  var help: String?
  /// The default value as written.
  var initial: String?

  var option: String { String(name.map { $0 == "_" ? "-" : $0 }) }
  var isFlag: Bool { type == "flag" && !repeats }
}

/// The inputs of a recipe as options.
func inputOptions(of recipe: RecipeFile, _ sources: [SourceText]) -> [InputOption] {
  recipe.inputs.map { input in
    let single = InputReader.singular(input.type.text)
    return InputOption(
      name: input.name.text, type: single ?? input.type.text, repeats: single != nil, help: input.help,
      initial: input.initial.map { sources.text($0.range) })
  }
}
