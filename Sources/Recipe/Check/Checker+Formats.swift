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

  /// Names of formats, and the formats that use them.
  mutating func declareFormats() {
    var own: [String: Int] = [:]
    for format in recipe.formats {
      let symbol = symbols.declare(format.name, .format, in: 0)
      if own[format.name.text] == nil { own[format.name.text] = symbol }
    }
    guard !own.isEmpty else { return }
    for format in recipe.formats {
      for field in format.fields {
        guard case .plain(_, let type, let modifiers) = field.kind else { continue }
        use(type, own)
        for modifier in modifiers { if case .condition(_, let other?) = modifier.kind { use(other, own) } }
      }
    }
  }

  private mutating func use(_ type: PlainTypeSyntax, _ own: [String: Int]) {
    switch type.kind {
    case .list(_, let element): use(element, own)
    case .named(let name, _): if let symbol = own[name.text] { symbols.use(symbol, at: name.range) }
    }
  }
}
