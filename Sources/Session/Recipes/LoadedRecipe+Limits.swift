import Recipe
import Runner

extension LoadedRecipe {
  /// Adds errors for what the compiler cannot represent: too many names, values or statements.
  ///
  /// A run reports these when it compiles; `tooth check` must report them too.
  package mutating func checkLimits() {
    guard let recipe, !hasErrors else { return }
    for peripheral in [nil] + recipe.peripherals.map({ Optional($0.name.text) }) {
      guard case .failure(let error) = Compiler.compile(recipe, sources: sources, peripheral: peripheral) else { continue }
      findings += RecipeRefusal(error, sources).findings
      return
    }
    for test in recipe.tests {
      guard case .failure(let error) = Compiler.compile(recipe, sources: sources, test: test) else { continue }
      findings += RecipeRefusal(error, sources).findings
      return
    }
  }
}
