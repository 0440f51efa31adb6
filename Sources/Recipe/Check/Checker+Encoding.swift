import Exchange
import Vocabulary

/// T215: constants that a format cannot write.
extension Checker {
  mutating func encodable(_ value: Expression?, by format: String?, _ place: Place) {
    guard let value, let format, let plan = plan(ofFormat: format) else { return }
    if case .record(let entries) = value.kind, !plan.isSingleValue {
      for entry in entries { field(entry.key, entry.value, of: plan, place) }
      return
    }
    if plan.isSingleValue, plan.steps.count == 1, case .value(let type, nil) = plan.steps[0].kind {
      encodable(value, as: type, "`\(format)`", place)
    }
  }

  private mutating func field(_ key: NameSyntax, _ value: Expression, of plan: FormatPlan, _ place: Place) {
    if key.text == "rest" { return }
    guard let output = plan.output(named: key.text) else {
      let known = plan.outputs.map(\.name)
      let near = nearest(to: key, among: known)
      report(
        Diagnostic(
          "T208", "\(plan.name) has no field `\(key.text)`", at: key.range, near.map { "did you mean `\($0)`?" } ?? "",
          fixes: near.map { [.replace(key.range, with: $0)] } ?? [], notes: ["it has \(known.joined(separator: ", "))"]))
      return
    }
    for step in plan.steps {
      switch step.kind {
      case .value(let type, nil) where step.output == output: encodable(value, as: type, "`\(key.text)` of \(plan.name)", place)
      case .value(let type, let other?) where step.output == output:
        if case .number(let one) = type, case .number(let two) = other {
          encodable(value, as: one.type.size > two.type.size ? type : other, "`\(key.text)` of \(plan.name)", place)
        }
      default: continue
      }
    }
  }

  private mutating func encodable(_ value: Expression, as type: FormatType, _ what: String, _ place: Place) {
    guard case .number(let number) = type else { return }
    let words = number.meanings.compactMap { meaning -> String? in
      if case .text(let word) = meaning.word { return word }
      return nil
    }
    var literal = value
    if case .name(let name) = value.kind, scope.find(name) == nil || recipeScope.entries.isEmpty, let constant = facts.value(name) {
      literal = constant
    }
    if case .string(let text) = literal.kind, let plain = text.plain {
      if words.contains(plain) { return }
      let near = nearest(to: plain, at: value.range, among: words)
      let shown = words.map { "`\"\($0)\"`" }.joined(separator: ", ")
      report(
        Diagnostic(
          "T215", words.isEmpty ? "\(what) is a number, not text" : "\(what) has no word `\(plain)`", at: value.range,
          near.map { "did you mean `\"\($0)\"`?" } ?? (words.isEmpty ? "" : "its words are \(shown)"),
          fixes: near.map { [.replace(value.range, with: "\"\($0)\"")] } ?? [],
          notes: near == nil ? [] : ["its words are \(shown)"]))
      return
    }
    guard number.type.isWhole, case .number(let given)? = constant(value, place) else { return }
    let (factor, offset) = (number.scale?.factor ?? 1, number.scale?.offset ?? 0)
    let bounds = number.type.bounds
    let raw = ((given - offset) / factor).rounded()
    if raw >= Double(bounds.lowerBound), raw <= Double(bounds.upperBound) { return }
    let ends = [Double(bounds.lowerBound) * factor + offset, Double(bounds.upperBound) * factor + offset].sorted()
    report(
      Diagnostic(
        "T215", "\(Self.shown(given)) does not fit in \(what)", at: value.range,
        "\(Self.shown(ends[0])) to \(Self.shown(ends[1]))"))
  }

  private static func shown(_ number: Double) -> String {
    number == number.rounded() && abs(number) < 9e15 ? String(Int64(number)) : DecimalText.text(number)
  }
}
