import Exchange
import Vocabulary

/// T237: comparisons of values that are never equal: of two kinds, and with numbers and words that
/// a field never decodes to.
extension Checker {
  func isRemembered(_ value: Expression) -> Bool {
    if case .name(let name) = value.kind { return recipe.remembers.contains { $0.name.text == name } }
    return false
  }

  /// T237: values of two kinds are never equal.
  mutating func neverEqual(
    _ operation: BinaryOperator, _ left: Expression, _ right: Expression, _ one: Kind, _ other: Kind
  ) {
    if one == .uuid && attributeName(left) || other == .uuid && attributeName(right) { return }
    let (foreign, text) = one == .text ? (other, left) : (one, right)
    var hint = ""
    var fixes: [Fix] = []
    if one == .text || other == .text, case .string(let syntax) = text.kind, let plain = syntax.plain {
      let bare =
        switch foreign {
        case .number: DecimalText.parse(plain) != nil
        case .truth: plain == "true" || plain == "false"
        case .address: Address(plain) != nil
        default: false
        }
      if bare {
        hint = "without quotes it is \(foreign.rawValue)"
        fixes = [.replace(text.range, with: plain)]
      }
    }
    if fixes.isEmpty {
      hint =
        switch Set([one, other]) {
        case [.number, .duration]: "`.seconds`, `.ms` … turn a duration into a number"
        case [.number, .text]: "`number(…)` reads a number from text"
        case [.address, .text]: "`address(…)` reads an address from text"
        default: ""
        }
    }
    report(
      Diagnostic(
        "T237", "\(one.rawValue) is never equal to \(other.rawValue), so this is always \(operation.unlike)",
        at: left.range.to(right.range), hint, severity: .warning, fixes: fixes))
  }

  /// Suggests a field in `device is "Strap 7"`.
  mutating func deviceCompared(
    _ operation: BinaryOperator, _ left: Expression, _ right: Expression, _ one: Kind, _ other: Kind
  ) {
    let (value, kind) = one == .device ? (left, other) : (right, one)
    let field = kind == .text ? "name" : kind == .address ? "address" : nil
    report(
      Diagnostic(
        "T237", "a device is never equal to \(kind.rawValue), so this is always \(operation.unlike)",
        at: left.range.to(right.range),
        field.map { "its \($0) is `.\($0)`" } ?? "a device is equal only to itself", severity: .warning,
        fixes: field.map { [.insert(".\($0)", after: value.range)] } ?? []))
  }

  mutating func checkMeaning(_ operation: BinaryOperator, _ left: Expression, _ right: Expression) {
    if let words = meanings(of: left) {
      compare(right, with: words, of: left, operation)
    } else if let words = meanings(of: right) {
      compare(left, with: words, of: right, operation)
    } else if let (subject, given) = weekday(left, right) ?? weekday(right, left) {
      compareWeekday(given, subject, operation)
    }
  }

  private mutating func compare(
    _ given: Expression, with meanings: [FormatMeaning], of subject: Expression, _ operation: BinaryOperator
  ) {
    let subjectText = text(subject.range)
    switch given.kind {
    case .number(let literal):
      guard case .integer(let raw) = literal.value, let meaning = meanings.first(where: { $0.raw == raw }) else { return }
      let word = meaning.word.written
      report(
        Diagnostic(
          "T237", "`\(subjectText)` is \(word) instead of \(raw), so this is always \(operation.unlike)", at: given.range,
          "its format gives \(raw) this meaning", severity: .warning, fixes: [.replace(given.range, with: word)]))
    case .string(let syntax):
      guard let plain = syntax.plain, !meanings.contains(where: { $0.word == .text(plain) }) else { return }
      let words = meanings.compactMap { meaning -> String? in if case .text(let word) = meaning.word { word } else { nil } }
      let near = words.first { $0.lowercased() == plain.lowercased() } ?? nearest(to: plain, at: given.range, among: words)
      report(
        Diagnostic(
          "T237", "`\(subjectText)` is never \"\(plain)\", so this is always \(operation.unlike)", at: given.range,
          near.map { "did you mean `\"\($0)\"`?" } ?? "", severity: .warning,
          fixes: near.map { [.replace(given.range, with: "\"\($0)\"")] } ?? [],
          notes: ["its values are \(meanings.map(\.word.written).joined(separator: ", "))"]))
    default: return
    }
  }

  /// The meanings of a field of a decoded value, or of a value that is a single number.
  private func meanings(of value: Expression) -> [FormatMeaning]? {
    guard let (plan, field) = decoded(value) else { return nil }
    let found = plan.meanings(ofField: field)
    return found.isEmpty ? nil : found
  }

  /// The format of a value that was decoded, and the field that the expression reads.
  func decoded(_ value: Expression) -> (plan: FormatPlan, field: String)? {
    let base: Expression
    var field: String?
    if case .member(let inner, let name) = value.kind { (base, field) = (inner, name.text) } else { base = value }
    let format: String?
    switch base.kind {
    case .it: format = itFormat
    case .name(let name):
      guard knowsNames, !facts.changed.contains(name) else { return nil }
      format = (scope.find(name) ?? outer.find(name) ?? recipeScope.find(name))?.format
    default: format = nil
    }
    guard let format, KnownRecord(named: format) == nil, let plan = plan(ofFormat: format), plan.isSingleValue == (field == nil)
    else {
      return nil
    }
    return (plan, field ?? "value")
  }

  /// `now().weekday` and what it is compared with.
  private func weekday(_ subject: Expression, _ given: Expression) -> (Expression, Expression)? {
    guard case .member(let base, let field) = subject.kind, field.text == "weekday", kind(of: base) == .time else { return nil }
    return (subject, given)
  }

  private mutating func compareWeekday(_ given: Expression, _ subject: Expression, _ operation: BinaryOperator) {
    let days = CivilTime.Weekday.allCases.map(\.name)
    guard case .string(let syntax) = given.kind, let plain = syntax.plain, !days.contains(plain) else { return }
    let near =
      days.first { $0 == plain.lowercased() || plain.utf8.count >= 2 && $0.hasPrefix(plain.lowercased()) }
      ?? nearest(to: plain, at: given.range, among: days)
    report(
      Diagnostic(
        "T237", "a weekday is never \"\(plain)\", so this is always \(operation.unlike)", at: given.range,
        near.map { "did you mean `\"\($0)\"`?" } ?? "", severity: .warning,
        fixes: near.map { [.replace(given.range, with: "\"\($0)\"")] } ?? [],
        notes: ["weekdays are \(days.joined(separator: ", "))"]))
  }
}

extension BinaryOperator {
  /// What `is` or `is not` gives for values that are never equal.
  fileprivate var unlike: String { self == .equal ? "false" : "true" }
}

extension FormatPlan {
  /// The kind of a field, if certain; it may also be `nothing`.
  func kind(ofField name: String) -> Checker.Kind? {
    for step in steps {
      switch step.kind {
      case .value(let type, let otherwise) where step.name == name && step.output != nil:
        guard let kind = type.kind, otherwise.map({ $0.kind == kind }) ?? true else { return nil }
        return kind
      case .bits(let bits):
        guard let bit = bits.fields.first(where: { $0.name == name && $0.output != nil }) else { continue }
        return bit.meanings.isEmpty ? bit.isSingle ? .truth : .number : nil
      default: continue
      }
    }
    return nil
  }

  /// What the numbers of a field mean; empty if any number of it stays a number.
  fileprivate func meanings(ofField name: String) -> [FormatMeaning] {
    for step in steps {
      switch step.kind {
      case .value(.number(let number), nil) where step.name == name && step.output != nil: return number.meanings
      case .bits(let bits): if let bit = bits.fields.first(where: { $0.name == name && $0.output != nil }) { return bit.meanings }
      default: continue
      }
    }
    return []
  }
}

extension FormatType {
  /// The kind of its values, if certain; some may also be `nothing`.
  fileprivate var kind: Checker.Kind? {
    switch self {
    case .number(let number): number.meanings.isEmpty ? .number : nil
    case .bytes: .bytes
    case .text, .eddystoneURL: .text
    case .uuid: .uuid
    case .address: .address
    case .dateTime: .time
    case .list: .list
    case .format(let plan): plan.isSingleValue ? nil : .record
    case .reading: nil
    }
  }
}

extension FormatMeaning.Word {
  /// As written in a recipe.
  fileprivate var written: String {
    switch self {
    case .text(let text): "\"\(text)\""
    case .nothing: "nothing"
    case .flag(let flag): "\(flag)"
    }
  }
}
