package import Linux
package import Recipe

/// Why an adapter cannot be used, and the exit code for it.
package struct AdapterRefusal: Error {
  package var message: String
  package var hint: String?
  package var exitCode: Int32
  /// The errors in the file of a simulated air.
  package var recipe: RecipeRefusal?

  package init(_ message: String, hint: String? = nil, exitCode: Int32 = 9, recipe: RecipeRefusal? = nil) {
    self.message = message
    self.hint = hint
    self.exitCode = exitCode
    self.recipe = recipe
  }
}

extension AdapterRefusal {
  /// Lists the adapters that need no hardware if the user named none.
  package init(_ fault: AdapterFault, _ name: AdapterName) {
    let hint = [fault.hint, name == .any ? AdapterChoice.others : nil].compactMap { $0 }.joined(separator: "\n")
    self.init(fault.message, hint: hint.isEmpty ? nil : hint)
  }
}
