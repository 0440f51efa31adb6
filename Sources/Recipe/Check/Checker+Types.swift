import Exchange
import Vocabulary

/// T236: operands that can never go together, as far as the text shows what they are.
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
    case .name(let name): return kind(ofName: name, steps)
    case .call(let name, _): return kind(ofCall: name.text)
    case .unary(.not, _): return .truth
    case .unary(.negate, let operand):
      let kind = kind(of: operand, steps: steps)
      return kind == .number || kind == .duration ? kind : nil
    case .binary(let operation, let left, let right):
      switch operation {
      case .or, .and, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .in, .contains, .matches: return .truth
      case .bitAnd, .bitOr, .bitXor, .shiftLeft, .shiftRight: return .number
      case .add, .subtract, .multiply, .modulo:
        guard let one = kind(of: left, steps: steps), one == kind(of: right, steps: steps) else { return nil }
        return one == .time ? nil : one
      case .divide: return nil
      }
    case .it, .nothing, .member, .method, .index, .slice, .conditional: return nil
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
    if steps > 0, let constant = facts.value(name) { return kind(of: constant, steps: steps - 1) }
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
    if name.hasPrefix(Self.advertisement) { return nil }
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

  /// Whether the value of a format never has fields.
  func isOneValue(_ name: String) -> Bool {
    guard !name.hasPrefix(Self.advertisement), let plan = plan(ofFormat: name), plan.isSingleValue, plan.steps.count == 1,
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
    guard procedures.named(name) == nil, let builtIn = BuiltIn(named: name) else { return nil }
    switch builtIn {
    case .make: return .bytes
    case .function(.count), .function(.number), .function(.crc16), .function(.crc32), .function(.round), .function(.floor),
      .function(.ceil):
      return .number
    case .function(.text): return .text
    case .function(.bytes): return .bytes
    case .function(.now): return .time
    case .function(.address): return .address
    case .function(.uuid): return .uuid
    default: return nil
    }
  }

  // MARK: - operands

  mutating func checkTypes(_ operation: BinaryOperator, _ left: Expression, _ right: Expression) {
    switch operation {
    case .and, .or:
      checkTruth(left, in: nil)
      checkTruth(right, in: operation == .or ? left : nil)
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      guard let one = kind(of: left), let other = kind(of: right) else { return }
      if one == other, [.number, .duration, .text, .time].contains(one) { return }
      for (kind, value) in [(one, left), (other, right)] where kind == .uuid {
        if attributeName(value) { return }
      }
      mismatch(operation, "\(one.rawValue) and \(other.rawValue) cannot be ordered", left, right, one, other)
    case .add, .subtract:
      guard let one = kind(of: left), let other = kind(of: right), one != other || !Self.isAdded(one, operation) else { return }
      let pair: Set = [one, other]
      if pair == [.time, .duration], operation == .add || one == .time { return }
      if pair == [.time], operation == .subtract { return }
      mismatch(
        operation,
        operation == .add
          ? "\(one.rawValue) and \(other.rawValue) cannot be added" : "\(other.rawValue) cannot be subtracted from \(one.rawValue)",
        left, right, one,
        other)
    case .multiply, .divide, .modulo, .bitAnd, .bitOr, .bitXor, .shiftLeft, .shiftRight:
      checkCalculation(operation, left, right)
    case .in, .contains, .matches: checkSearch(operation, left, right)
    case .equal, .notEqual:
      guard let one = kind(of: left), let other = kind(of: right) else { return }
      let pair: Set = [one, other]
      if pair.contains(.device), one != other {
        deviceCompared(left, right, one, other)
        return
      }
      guard pair == [.text, .bytes] else { return }
      mismatch(operation, "bytes and text cannot be compared", left, right, one, other)
    }
  }

  /// Suggests a field in `device is "Strap 7"`.
  private mutating func deviceCompared(_ left: Expression, _ right: Expression, _ one: Kind, _ other: Kind) {
    let (value, kind) = one == .device ? (left, other) : (right, one)
    let field = kind == .text ? "name" : kind == .address ? "address" : nil
    report(
      Diagnostic(
        "T236", "a device is never equal to \(kind.rawValue)", at: left.range.to(right.range),
        field.map { "its \($0) is `.\($0)`" } ?? "a device is equal only to itself",
        fixes: field.map { [.insert(".\($0)", after: value.range)] } ?? []))
  }

  private mutating func checkCalculation(_ operation: BinaryOperator, _ left: Expression, _ right: Expression) {
    let (one, other) = (kind(of: left), kind(of: right))
    let pair = Set([one, other].compactMap { $0 })
    let fits: Bool
    switch operation {
    case .multiply: fits = pair.isSubset(of: [.number, .duration]) && !(one == .duration && other == .duration)
    case .divide: fits = pair.isSubset(of: [.number, .duration]) && !(one == .number && other == .duration)
    case .modulo: fits = pair.isSubset(of: [.number]) || pair.isSubset(of: [.duration])
    default: fits = pair.isSubset(of: [.number])
    }
    if fits { return }
    for (kind, value) in [(one, left), (other, right)] where kind == .uuid {
      if attributeName(value) { return }
    }
    guard let one, let other else {
      // One operand is enough if the operator never takes its kind.
      guard let wrong = pair.first, wrong != .duration else { return }
      let place = one == nil ? right : left
      return report(
        Diagnostic("T236", "`\(operation.rawValue)` does not take \(wrong.rawValue)", at: place.range, hint(operation, wrong)))
    }
    let message: String
    switch operation {
    case .multiply: message = "\(one.rawValue) cannot be multiplied by \(other.rawValue)"
    case .divide, .modulo: message = "\(one.rawValue) cannot be divided by \(other.rawValue)"
    default: message = "`\(operation.rawValue)` works on whole numbers, not on \(one.rawValue) and \(other.rawValue)"
    }
    let wrong = one == .number || one == .duration ? other : one
    report(Diagnostic("T236", message, at: left.range.to(right.range), hint(operation, wrong)))
  }

  private func hint(_ operation: BinaryOperator, _ wrong: Kind) -> String {
    switch wrong {
    case .text where operation == .multiply: "to repeat text, use a loop: `repeat 3 times`"
    case .text: "use `number(…)` to read a number from text"
    case .bytes: "use `.u8(0)`, `.u16(0)` … to read a number from bytes"
    case .truth: "use `and`, `or` and `not` for logic"
    default: ""
    }
  }

  private mutating func checkSearch(_ operation: BinaryOperator, _ left: Expression, _ right: Expression) {
    let (one, other) = (kind(of: left), kind(of: right))
    if operation == .in {
      guard let other, other != .list, other != .record else { return }
      let turned = "\(text(right.range)) contains \(text(left.range))"
      return report(
        Diagnostic(
          "T236", "`in` searches lists and record keys, not \(other.rawValue)", at: right.range,
          other == .text ? "use `contains` to search text" : "",
          fixes: other == .text ? [.replace(left.range.to(right.range), with: turned)] : []))
    }
    let word = operation.rawValue
    if let one, one != .text {
      let turned = "\(text(right.range)) in \(text(left.range))"
      let isCollection = operation == .contains && (one == .list || one == .record)
      return report(
        Diagnostic(
          "T236", "`\(word)` takes text, not \(one.rawValue)", at: left.range,
          isCollection ? "use `in` to search lists and records" : "",
          fixes: isCollection ? [.replace(left.range.to(right.range), with: turned)] : []))
    }
    if let other, other != .text {
      report(Diagnostic("T236", "`\(word)` takes text, not \(other.rawValue)", at: right.range))
    }
  }

  /// Checks the operand of a minus sign, as in `-"a"`.
  mutating func checkNegative(_ operand: Expression) {
    guard let kind = kind(of: operand), kind != .number, kind != .duration else { return }
    if kind == .uuid, attributeName(operand) { return }
    report(
      Diagnostic(
        "T236", "\(kind.rawValue) cannot be negated", at: operand.range, "only a number or a duration can be",
        notes: kind == .text ? ["use `number(…)` to read a number from text"] : []))
  }

  /// Checks the list of `for each x in 5`.
  mutating func checkList(_ list: Expression) {
    guard let kind = kind(of: list), kind != .list else { return }
    var hint = ""
    var fixes: [Fix] = []
    switch kind {
    case .record:
      hint = "use `.keys()` for its keys or `.values()` for its values"
      fixes = [.insert(".keys()", after: list.range), .insert(".values()", after: list.range)]
    case .bytes:
      hint = "use `chunks(…, 1)` to get a list of single bytes"
      fixes = [.replace(list.range, with: "chunks(\(text(list.range)), 1)")]
    case .text:
      hint = "use `.split(…)` or `.lines()` to turn text into a list"
    case .number: hint = "use `repeat … times` to loop that often"
    case .uuid: if attributeName(list) { return }
    default: break
    }
    report(Diagnostic("T236", "`for each` needs a list, not \(kind.rawValue)", at: list.range, hint, fixes: fixes))
  }

  /// Checks the count of `repeat "x" times` and `try "x" times`.
  mutating func checkCount(_ number: Expression?, _ word: String) {
    guard let number, let kind = kind(of: number), kind != .number else { return }
    if kind == .uuid, attributeName(number) { return }
    report(
      Diagnostic(
        "T236", "`\(word) … times` takes a whole number, not \(kind.rawValue)", at: number.range,
        kind == .list || kind == .bytes
          ? "use `count(…)` for its size" : kind == .text ? "use `number(…)` to read a number from text" : ""))
  }

  /// Refuses a list in place of the file name, as in `append 5 to l`.
  mutating func checkFileName(_ file: Expression, _ value: Expression, of statement: SourceRange, isAppend: Bool) {
    guard let kind = kind(of: file) ?? kind(ofPlace: file), kind != .text else { return }
    var hint = "a file name is a text in quotes"
    var fixes: [Fix] = []
    if kind == .list, isAppend, !isParameter(file) {
      hint = "`append` adds a line to a file; a list grows with `set`"
      let name = text(file.range)
      fixes = [.replace(statement.to(file.range), with: "set \(name) to \(name) + [\(text(value.range))]")]
    } else if kind == .list, isAppend {
      hint = "`append` adds a line to a file; return the longer list instead: `return \(text(file.range)) + [\(text(value.range))]`"
    }
    report(Diagnostic("T236", "a file name is text, not \(kind.rawValue)", at: file.range, hint, fixes: fixes))
  }

  private func isParameter(_ value: Expression) -> Bool {
    guard case .name(let name) = value.kind else { return false }
    return scope.find(name)?.kind == .parameter
  }

  /// The kind of a parameter or field with more values than this is not determined.
  private static let mostValues = 64

  /// The kind of a parameter or field, if all values that the recipe gives it have this kind.
  private func kind(ofPlace value: Expression) -> Kind? {
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
    guard others.count <= Self.mostValues, let kind = (first ?? others.first.map(value)).flatMap({ self.kind(of: $0) }),
      others.allSatisfy({ self.kind(of: value($0)) == kind })
    else { return nil }
    return kind
  }

  private static func isAdded(_ kind: Kind, _ operation: BinaryOperator) -> Bool {
    switch kind {
    case .number, .duration: true
    case .text, .bytes, .list: operation == .add
    default: false
    }
  }

  private mutating func mismatch(
    _ operation: BinaryOperator, _ message: String, _ left: Expression, _ right: Expression, _ one: Kind, _ other: Kind
  ) {
    let whole = left.range.to(right.range)
    var hint = ""
    var fixes: [Fix] = []
    let pair: Set = [one, other]
    if pair.contains(.text), pair.contains(.bytes) {
      hint = "`.bytes()` turns text into bytes, `.text()` bytes into text"
    } else if operation == .add, one == .text, case .string = left.kind,
      pair.contains(.number) || pair.contains(.duration) || pair.contains(.time)
    {
      hint = "put the value inside the text"
      let text = text(left.range)
      // Leave multi-line and raw texts to their author.
      if text.hasPrefix("\""), !text.hasPrefix("\"\"\""), !self.text(right.range).utf8.contains(UInt8(ascii: "\"")) {
        fixes = [.replace(whole, with: text.dropLast() + "{\(self.text(right.range))}\"")]
      }
    } else if pair == [.number, .duration] || pair == [.number, .time] {
      hint = "a number needs a unit: `5s`, `5min`"
    } else if operation == .add, one == .list {
      hint = "use `+ [x]` to add an element"
      fixes = [.replace(right.range, with: "[\(self.text(right.range))]")]
    } else if pair == [.text, .number] {
      hint = "use `number(…)` to read a number from text"
    }
    report(Diagnostic("T236", message, at: whole, hint, fixes: fixes))
  }

  /// Refuses `heart_rate_measurement.bpm`, because a SIG name is a UUID and has no fields.
  private mutating func attributeField(_ base: Expression, _ field: NameSyntax) {
    guard case .name(let name) = base.kind, SIGNames.isCharacteristic(name) else {
      report(Diagnostic("T208", "a UUID has no field `\(field.text)`", at: field.range))
      return
    }
    let values = (scope.entries + outer.entries).filter { $0.format == name }.map(\.name)
    var meant = values.last
    if meant == nil, itFormat == name { meant = "it" }
    report(
      Diagnostic(
        "T208", "`\(name)` is the UUID here, not the value", at: base.range,
        meant.map { "its value is called `\($0)` here" } ?? "name the value with `as` where it is read or received",
        fixes: meant.map { [.replace(base.range, with: $0)] } ?? [],
        notes: meant == nil ? ["`read \(name) as value`, `on notify \(name) as value`; then `value.\(field.text)`"] : []))
  }

  /// Reports a SIG name that is used as a value, because its value is the UUID.
  private mutating func attributeName(_ value: Expression) -> Bool {
    guard case .name(let name) = value.kind, SIGNames.isCharacteristic(name), device != .none else { return false }
    report(
      Diagnostic(
        "T236", "`\(name)` is the UUID here, not the value", at: value.range, "read it first and name its value",
        notes: ["write `read \(name) as value` on an earlier line, then `value` here"]))
    return true
  }

  /// Checks a value where `true` or `false` is expected.
  /// - Parameter left: the operand before `or`.
  mutating func checkTruth(_ value: Expression?, in left: Expression? = nil) {
    guard let value, let kind = kind(of: value), kind != .truth else { return }
    var fixes: [Fix] = []
    var hint = "a condition must be true or false: compare it"
    if case .binary(.equal, let subject, _)? = left?.kind {
      hint = "each side of `or` must be a condition of its own"
      fixes = [.replace(value.range, with: "\(text(subject.range)) is \(text(value.range))")]
    } else if [.list, .record, .text, .bytes].contains(kind) {
      hint = "a condition must be true or false: `count(…) > 0`"
    } else if kind == .uuid {
      if attributeName(value) { return }
    }
    report(Diagnostic("T236", "\(kind.rawValue) is not a condition", at: value.range, hint, fixes: fixes))
  }

  /// Reports fields of values that have none, or none of this name.
  mutating func checkMember(_ base: Expression, _ field: NameSyntax) {
    let known: [String]
    guard let kind = kind(of: base) else { return }
    switch kind {
    case .list: known = ["first", "last"]
    case .text, .bytes, .number, .truth, .address: known = []
    case .duration: known = ["ms", "seconds", "minutes", "hours"]
    case .time: known = ["year", "month", "day", "hour", "minute", "second", "weekday", "date", "unix"]
    case .uuid:
      attributeField(base, field)
      return
    case .record, .device: return
    }
    // The fields of its format are already checked.
    if case .name(let name) = base.kind,
      (scope.find(name) ?? outer.find(name) ?? recipeScope.find(name))?.format != nil || ["bytes", "at"].contains(field.text)
    {
      return
    }
    guard !known.contains(field.text) else { return }
    let whole = base.range.to(field.range)
    var hint = known.isEmpty ? "" : "it has \(known.joined(separator: ", "))"
    var fixes: [Fix] = []
    if ["length", "count", "size", "len"].contains(field.text), [.list, .text, .bytes].contains(kind) {
      hint = "use `count(…)` for its size"
      fixes = [.replace(whole, with: "count(\(text(base.range)))")]
    } else if kind == .text, field.text == "text" {
      hint = "it is \(kind.rawValue) already"
      fixes = [.replace(whole, with: text(base.range))]
    } else if Method(named: field.text) != nil {
      hint = "it is a method: `.\(field.text)()`"
      fixes = [.insert("()", after: field.range)]
    } else if let near = nearest(to: field, among: known) {
      fixes = [.replace(field.range, with: near)]
    }
    report(Diagnostic("T208", "\(kind.rawValue) has no field `\(field.text)`", at: field.range, hint, fixes: fixes))
  }
}
