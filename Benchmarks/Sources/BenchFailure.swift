import Session

/// A condition that a measurement relies on does not hold.
struct BenchFailure: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }

  init(_ loaded: LoadedRecipe) { self.init(loaded.findings.first?.message ?? "\(loaded.name) cannot be read") }

  init(_ refusal: StartRefusal) {
    switch refusal {
    case .recipe(let recipe), .changed(let recipe): self.init(recipe.findings.first?.message ?? "the recipe is refused")
    case .journal(let failure): self.init(failure.message)
    case .adapter(let refusal): self.init(refusal.message)
    }
  }
}
