import Exchange
import Vocabulary

/// Declarations of binary formats.
extension Checker {
  mutating func checkFormats() {
    for format in recipe.formats {
      switch format.purpose {
      case .characteristic(let uuid)?: self.uuid(uuid, .characteristic, Place())
      case .serviceData(let uuid)?: self.uuid(uuid, .service, Place())
      case .manufacturer(let company)?: self.company(company)
      case nil: break
      }
      for problem in FormatCatalog.problems(of: format, own: { ownFormat($0) }) {
        report(
          Diagnostic("T230", problem.message, at: problem.range, problem.hint ?? "", fixes: commonType(problem.range)))
      }
      if FormatCatalog.contains(format.name.text) {
        report(Diagnostic("T245", "`\(format.name.text)` replaces the built-in format", at: format.name.range, severity: .note))
      }
    }
  }

  /// Checks a company that is given by name or number.
  private mutating func company(_ syntax: UUIDSyntax) {
    switch syntax.kind {
    case .literal(let uuid):
      if uuid.short == nil {
        report(Diagnostic("T206", "a company identifier must fit in 16 bits", at: syntax.range, "as in `for manufacturer 0x0499`"))
      }
    case .name(let name):
      if let constant = facts.constant(name).flatMap({ Facts.uuid($0) }) {
        use(name, syntax.range)
        if constant.short != nil { return }
      }
      if AssignedNumbers.company(named: name) == nil {
        report(Diagnostic("T206", "there is no company `\(name)`", at: syntax.range, "you can also give its number, as in 0x004c"))
      }
    }
  }

  /// Fixes for the type names of other languages: `uint8`, `uint16_t`, `int32_be`.
  private func commonType(_ range: SourceRange) -> [Fix] {
    var name = text(range).lowercased()
    let isBig = name.hasSuffix("be")
    for suffix in ["_be", "be", "_le", "le", "_t"] where name.hasSuffix(suffix) { name.removeLast(suffix.utf8.count) }
    let letter: String
    switch name {
    case "float", "float32": return [.replace(range, with: "f32")]
    case "double", "float64": return [.replace(range, with: "f64")]
    case "byte", "char": return [.replace(range, with: "u8")]
    case "string", "str": return [.replace(range, with: "text")]
    case _ where name.hasPrefix("uint"): letter = "u"
    case _ where name.hasPrefix("int"): letter = "i"
    default: return []
    }
    let type = letter + name.drop { !("0"..."9").contains($0) } + (isBig ? "be" : "")
    return NumberType(named: type) == nil ? [] : [.replace(range, with: type)]
  }

  /// Declares the names of formats, and records which formats use them.
  mutating func declareFormats() {
    var own: [String: Int] = [:]
    for format in recipe.formats {
      let symbol = symbols.declare(format.name, .format, in: 0)
      if own[format.name.text] == nil { own[format.name.text] = symbol }
    }
    guard !own.isEmpty else { return }
    formatSymbols = own
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
