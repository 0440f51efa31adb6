import Exchange
import Vocabulary

/// The kinds of values, as far as the text shows them.
extension Checker {
  /// The certain kind of a value. A raw value is the kind's name in messages.
  enum Kind: String {
    case number = "a number"
    case duration = "a duration"
    case text = "text"
    case bytes
    case truth = "a truth value"
    case uuid = "a UUID"
    case address = "an address"
    case list = "a list"
    case record = "a record"
    case time = "a time"
    case device = "a device"
    case nothing
  }

  /// The kind of a value; `nil` if it is known only at run time.
  /// - Parameter steps: how many constants to follow.
  func kind(of value: Expression?, steps: Int = 8) -> Kind? {
    guard let value else { return nil }
    switch value.kind {
    case .number: return .number
    case .duration: return .duration
    case .string: return .text
    case .bytes: return .bytes
    case .boolean: return .truth
    case .uuid: return .uuid
    case .address: return .address
    case .list: return .list
    case .record: return .record
    case .name(let name):
      // `let last = nothing` stands for a value to come, perhaps from another file.
      let kind = kind(ofName: name, steps)
      return kind == .nothing ? nil : kind
    case .call(let name, _): return kind(ofCall: name.text)
    case .it: return itKind ?? itFormat.flatMap { kind(ofFormat: $0) }
    case .nothing: return .nothing
    case .unary(.not, _): return .truth
    case .unary(.negate, let operand):
      let kind = kind(of: operand, steps: steps)
      return kind == .number || kind == .duration ? kind : nil
    case .binary(let operation, let left, let right): return kind(of: operation, left, right, steps)
    case .member(let base, let field):
      if let (plan, name) = decoded(value) { return plan.kind(ofField: name) }
      if let known = knownRecord(base) { return known.kind(ofField: field.text) }
      return kind(of: base, steps: steps).flatMap { $0.kind(ofField: field.text) }
    case .method(let base, let name, _):
      guard let method = Method(named: name.text) else { return nil }
      return method.result ?? (method == .function(.reverse) ? kind(of: base, steps: steps) : nil)
    case .index(let base, _):
      switch kind(of: base, steps: steps) {
      case .bytes?: return .number
      case .text?: return .text
      default: return nil
      }
    case .slice(let base, _, _):
      let kind = kind(of: base, steps: steps)
      return kind == .bytes || kind == .text || kind == .list ? kind : nil
    case .conditional(let value, _, let other):
      guard let kind = kind(of: value, steps: steps), kind == self.kind(of: other, steps: steps) else { return nil }
      return kind
    }
  }

  private func kind(of operation: BinaryOperator, _ left: Expression, _ right: Expression, _ steps: Int) -> Kind? {
    switch operation {
    case .or, .and, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .in, .contains, .matches: return .truth
    case .bitAnd, .bitOr, .bitXor, .shiftLeft, .shiftRight: return .number
    case .add, .subtract, .multiply, .modulo, .divide: break
    }
    guard let one = kind(of: left, steps: steps), let other = kind(of: right, steps: steps) else { return nil }
    switch (operation, one, other) {
    case (.subtract, .time, .time): return .duration
    case (.add, .time, .duration), (.add, .duration, .time), (.subtract, .time, .duration): return .time
    case (.multiply, .duration, .number), (.multiply, .number, .duration), (.divide, .duration, .number): return .duration
    case (.divide, .number, .number), (.divide, .duration, .duration): return .number
    case (.add, let kind, other), (.subtract, let kind, other), (.multiply, let kind, other), (.modulo, let kind, other):
      return kind == .time ? nil : kind
    default: return nil
    }
  }

  /// The kind of each element of a list, if certain.
  func kind(ofElements list: Expression) -> Kind? {
    switch list.kind {
    case .list(let items):
      guard let first = items.first.flatMap({ kind(of: $0) }), items.count <= 1024, items.allSatisfy({ kind(of: $0) == first })
      else { return nil }
      return first
    case .name(let name):
      guard knowsNames, !facts.changed.contains(name), let value = facts.value(name),
        recipeScope.entries.isEmpty || recipeScope.find(name)?.id == scope.find(name)?.id,
        case .list(let items) = value.kind, items.allSatisfy({ $0.kind.isLiteral })
      else { return nil }
      return kind(ofElements: value)
    case .call(let name, _): return procedures.named(name.text) == nil && name.text == "devices" ? .device : nil
    case .method(_, let name, _): return ["split", "lines", "keys"].contains(name.text) ? .text : nil
    default: return nil
    }
  }

  private func kind(ofName name: String, _ steps: Int) -> Kind? {
    // Before the walk, only constants are known.
    guard knowsNames else {
      return steps > 0 ? facts.value(name).flatMap { kind(of: $0, steps: steps - 1) } : nil
    }
    let entry = scope.find(name) ?? outer.find(name) ?? recipeScope.find(name)
    guard let entry else { return name == "device" ? .device : SIGNames.isAny(name) ? .uuid : nil }
    // A name of an inner scope may shadow it.
    if !recipeScope.entries.isEmpty, recipeScope.find(name)?.id != entry.id {
      return facts.changed.contains(name) ? nil : value(of: entry)
    }
    if entry.kind == .remembered { return changedKinds[name] }
    guard !facts.changed.contains(name) else { return entry.kind == .variable ? changedKinds[name] : nil }
    return value(of: entry)
  }

  private func value(of entry: NameEntry) -> Kind? { entry.value ?? entry.format.flatMap { kind(ofFormat: $0) } }

  /// Finds names of the recipe that `set` changes only to values of their own kind.
  mutating func findChangedKinds() {
    knowsNames = false
    defer { knowsNames = true }
    for (name, value) in facts.firstValues { changedKinds[name] = kind(of: value) }
    for (name, value) in facts.assigned {
      guard let known = changedKinds[name], kind(of: value) != known, !keepsKind(value, of: name, known) else { continue }
      changedKinds[name] = nil
    }
  }

  /// Whether a new value has the kind of the name: `n + x` has the kind of `n`, or it fails.
  private func keepsKind(_ value: Expression, of name: String, _ known: Kind) -> Bool {
    guard case .binary(let operation, let left, _) = value.kind, left.kind == .name(name) else { return false }
    switch known {
    case .number: return operation == .subtract
    case .text, .bytes, .list: return operation == .add
    default: return false
    }
  }

  /// The kind of a format's value, if certain.
  func kind(ofFormat name: String) -> Kind? {
    if let known = KnownRecord(named: name) { return known == .advertisement || known == .failure ? nil : .record }
    guard let plan = plan(ofFormat: name) else { return nil }
    guard plan.isSingleValue else { return .record }
    guard plan.steps.count == 1, plan.steps[0].condition == nil, case .value(let type, nil) = plan.steps[0].kind else { return nil }
    switch type {
    case .number(let number): return number.meanings.isEmpty && number.type.isWhole ? .number : nil
    case .text: return .text
    case .bytes: return .bytes
    case .list: return .list
    default: return nil
    }
  }

  /// The record that a value is, if the language gives its fields.
  private func knownRecord(_ value: Expression) -> KnownRecord? {
    switch value.kind {
    case .it: return itKind == nil ? itFormat.flatMap { KnownRecord(named: $0) } : nil
    case .name(let name):
      guard knowsNames, !facts.changed.contains(name) else { return nil }
      return (scope.find(name) ?? outer.find(name) ?? recipeScope.find(name))?.format.flatMap { KnownRecord(named: $0) }
    default: return nil
    }
  }

  /// Whether the value of a format never has fields.
  func isOneValue(_ name: String) -> Bool {
    guard KnownRecord(named: name) == nil, let plan = plan(ofFormat: name), plan.isSingleValue, plan.steps.count == 1,
      case .value(let type, nil) = plan.steps[0].kind
    else { return false }
    switch type {
    case .number, .text, .bytes: return true
    default: return false
    }
  }

  /// The compiled format, compiled at most once per check and only on demand.
  func plan(ofFormat name: String) -> FormatPlan? {
    if let known = plans.known[name] { return known }
    let plan = ownFormat(name).map { FormatCatalog.plan(of: $0, own: { ownFormat($0) }) } ?? FormatCatalog.plan(named: name)
    plans.known[name] = .some(plan)
    return plan
  }

  /// Formats compiled during a check. Dropped when the recipe's formats change.
  final class Plans { var known: [String: FormatPlan?] = [:] }

  private func kind(ofCall name: String) -> Kind? {
    procedures.named(name) == nil ? BuiltIn(named: name)?.result : nil
  }

  /// The kind of a parameter or field with more values than this is not determined.
  private static let mostValues = 64

  /// The kind of a parameter or field, if all values that the recipe gives it have this kind.
  func kind(ofPlace value: Expression) -> Kind? {
    switch value.kind {
    case .name(let name):
      guard scope.find(name)?.kind == .parameter, !facts.changed.contains(name), let procedure,
        let place = procedure.parameters.firstIndex(where: { $0.text == name })
      else { return nil }
      let calls = facts.arguments[procedure.name.text] ?? []
      // A name in an argument may have another meaning here.
      return commonKind(nil, calls) { $0.indices.contains(place) ? $0[place] : value }
    case .member(let base, let field):
      let set = facts.fieldValues[field.text] ?? []
      if kind(of: base) == .device { return facts.indexedNames.isEmpty ? commonKind(nil, set) { $0 } : nil }
      guard case .name(let name) = base.kind, let known = scope.find(name) ?? outer.find(name) ?? recipeScope.find(name),
        recipeScope.entries.isEmpty || recipeScope.find(name)?.id == known.id,
        case .record(let entries)? = (facts.value(name) ?? facts.firstValues[name])?.kind,
        let entry = entries.first(where: { $0.key.text == field.text }), !facts.assignedNames.contains(name),
        !facts.indexedNames.contains(name)
      else { return nil }
      return commonKind(entry.value, set) { $0 }
    default: return nil
    }
  }

  /// The kind of these values, if all have the same and there are not too many.
  private func commonKind<Given>(_ first: Expression?, _ others: [Given], _ value: (Given) -> Expression) -> Kind? {
    /// A value that is computed elsewhere, where `it` and the names around may be others.
    func kindElsewhere(_ value: Expression) -> Kind? {
      switch value.kind {
      case .it, .member, .method, .index, .slice, .conditional: nil
      default: self.kind(of: value)
      }
    }
    guard others.count <= Self.mostValues, let kind = (first ?? others.first.map(value)).flatMap({ kindElsewhere($0) }),
      others.allSatisfy({ kindElsewhere(value($0)) == kind })
    else { return nil }
    return kind
  }
}

extension ExpressionKind {
  /// Whether it means the same everywhere.
  fileprivate var isLiteral: Bool {
    switch self {
    case .number, .duration, .uuid, .address, .bytes, .boolean, .nothing, .string: true
    default: false
    }
  }
}
