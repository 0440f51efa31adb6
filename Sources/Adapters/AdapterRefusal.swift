package import Linux
package import Recipe

/// Why an adapter cannot be used, with the exit code that follows.
package struct AdapterRefusal: Error {
  package var message: String
  package var hint: String?
  package var exitCode: Int32
  /// The findings of a simulated air's file.
  package var recipe: RecipeRefusal?

  package init(_ message: String, hint: String? = nil, exitCode: Int32 = 9, recipe: RecipeRefusal? = nil) {
    self.message = message
    self.hint = hint
    self.exitCode = exitCode
    self.recipe = recipe
  }
}

extension AdapterRefusal {
  /// Who named no adapter is shown the ones that need none.
  package init(_ fault: AdapterFault, _ name: AdapterName) {
    let hint = [fault.hint, name == .any ? AdapterChoice.others : nil].compactMap { $0 }.joined(separator: "\n")
    self.init(fault.message, hint: hint.isEmpty ? nil : hint)
  }
}
