/// Declarations of binary formats.
extension Checker {
  mutating func checkFormats() {
    for format in recipe.formats {
      switch format.purpose {
      case .characteristic(let uuid)?: self.uuid(uuid, .characteristic, Place())
      case .serviceData(let uuid)?: self.uuid(uuid, .service, Place())
      case .manufacturer, nil: break
      }
      for problem in FormatCatalog.problems(of: format, own: { ownFormat($0) }) {
        report(Diagnostic("T230", problem.message, at: problem.range, problem.hint ?? ""))
      }
      if FormatCatalog.contains(format.name.text) {
        report(Diagnostic("T245", "`\(format.name.text)` replaces the built-in format", at: format.name.range, severity: .note))
      }
    }
  }
}
