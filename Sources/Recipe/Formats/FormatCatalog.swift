package import Vocabulary

/// The built-in formats. Each is parsed only when it is needed.
package enum FormatCatalog {
  /// All names, in the order of the source.
  package static var names: [String] { BuiltInFormats.all.map { $0.name.description } }

  package static func contains(_ name: String) -> Bool { text(of: name) != nil }

  /// The declaration of a format, as a recipe would write it.
  package static func text(of name: String) -> String? {
    for entry in BuiltInFormats.all where entry.name.utf8CodeUnitCount == name.utf8.count {
      if entry.name.description == name { return entry.text.description }
    }
    return nil
  }

  package static func declaration(named name: String) -> FormatDeclaration? {
    guard let text = text(of: name) else { return nil }
    return RecipeFile.parse(Array((text + "\n").utf8), name: name).recipe?.formats.first
  }

  package static func plan(named name: String) -> FormatPlan? {
    guard let declaration = declaration(named: name) else { return nil }
    var plan = plan(of: declaration) { _ in nil }
    plan?.isBuiltIn = true
    return plan
  }

  /// The plan of a format that may use formats of `own` and built-in ones; `nil` if it has errors.
  package static func plan(of declaration: FormatDeclaration, own: (String) -> FormatDeclaration?) -> FormatPlan? {
    try? FormatCompiler.compile(declaration) { own($0) ?? self.declaration(named: $0) }.get()
  }

  /// The problems of a format that may use formats of `own` and built-in ones.
  package static func problems(of declaration: FormatDeclaration, own: (String) -> FormatDeclaration?) -> [FormatProblem] {
    FormatCompiler.problems(of: declaration) { own($0) ?? self.declaration(named: $0) }
  }

  /// The fields of a format's value, for messages; empty if the value is not a record or the format
  /// is unknown.
  package static func fields(of name: String) -> [String] {
    guard let plan = plan(named: name) else { return [] }
    for case .value(.reading(let reading), _) in plan.steps.map(\.kind) where plan.isSingleValue { return reading.fields }
    if plan.isSingleValue { return [] }
    return plan.outputs.map(\.name)
  }

  /// The words for numbers in an attribute's value, if the attribute has a built-in format with a
  /// single number.
  package static func words(ofAttribute path: String) -> [String] {
    guard let name = path.split(separator: "/").last.map(String.init), let plan = plan(named: name), plan.isSingleValue,
      plan.steps.count == 1, case .value(.number(let number), nil) = plan.steps[0].kind
    else { return [] }
    return number.meanings.compactMap { meaning in
      if case .text(let word) = meaning.word { return word }
      return nil
    }
  }

  /// The fields of an attribute's value, if the attribute has a built-in format with several
  /// fields.
  package static func fields(ofAttribute path: String) -> [String] {
    guard let name = path.split(separator: "/").last.map(String.init), let plan = plan(named: name), !plan.isSingleValue else {
      return []
    }
    return plan.outputs.map(\.name)
  }

  /// A short description of a format: `u8 %`, or the names of its fields. `nil` if it is unknown.
  package static func summary(of name: String) -> String? {
    guard let plan = plan(named: name) else { return nil }
    guard plan.isSingleValue else { return plan.outputs.map(\.name).joined(separator: " ") }
    guard let line = text(of: name)?.split(separator: "\n").first(where: { $0.hasPrefix("  value is ") }) else { return nil }
    let type = line.dropFirst("  value is ".count).prefix { $0 != " " }
    if String(line).holds(" meaning ") { return "\(type) meaning" }
    return plan.outputs.first?.unit.map { "\(type) \($0)" } ?? String(type)
  }

  /// The format that decodes a characteristic, which has the same name.
  package static func name(forCharacteristic uuid: UUID) -> String? {
    guard let name = AssignedNumbers.name(ofCharacteristic: uuid), contains(name) else { return nil }
    return name
  }

  package static func plan(forCharacteristic uuid: UUID) -> FormatPlan? {
    name(forCharacteristic: uuid).flatMap { plan(named: $0) }
  }

  /// Whether a name is a format of advertising data: `ibeacon`, `eddystone_url` …
  package static func isAdvertising(_ name: String) -> Bool { advertising.contains(name) }

  /// Names of the advertising formats; `FormatTests` compares them with the declarations.
  package static let advertising = [
    "ibeacon", "eddystone_uid", "eddystone_url", "eddystone_tlm", "bthome", "govee", "mibeacon", "ruuvi", "switchbot",
  ]
}
