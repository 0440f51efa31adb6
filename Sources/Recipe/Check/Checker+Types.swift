import Exchange
import Vocabulary

/// T236: operands that can never go together, as far as the text shows what they are.
extension Checker {
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
      checkMeaning(operation, left, right)
      guard let one = kind(of: left), let other = kind(of: right) else { return }
      let pair: Set = [one, other]
      if pair.contains(.device), one != other, !pair.contains(.nothing) {
        deviceCompared(operation, left, right, one, other)
        return
      }
      if pair == [.text, .bytes] {
        return mismatch(operation, "bytes and text cannot be compared", left, right, one, other)
      }
      // A remembered value may be another program's, and a UUID may be a number.
      if one == other || pair.contains(.nothing) || pair == [.uuid, .number] || isRemembered(left) || isRemembered(right) {
        return
      }
      neverEqual(operation, left, right, one, other)
    }
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
      if other == .record, let one, !Kind.record.indices.contains(one) {
        return report(
          Diagnostic(
            "T236", "a record's key is text, not \(one.rawValue)", at: left.range,
            "`in` looks for a key; `.values()` lists the values"))
      }
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

  /// Checks a count: of `repeat … times`, `try … times`, `at once up to` and `in pieces of`.
  mutating func checkCount(_ number: Expression?, of phrase: String, from least: Double, _ place: Place) {
    guard let number else { return }
    if case .number(let count)? = constant(number, place) {
      guard count < least || count != count.rounded() else { return }
      return report(
        Diagnostic(
          "T215", "`\(phrase)` takes a whole number from \(Int(least))", at: number.range,
          count == count.rounded() ? "" : "`floor(…)` makes it whole"))
    }
    guard let kind = kind(of: number), kind != .number else { return }
    if kind == .uuid, attributeName(number) { return }
    report(
      Diagnostic(
        "T236", "`\(phrase)` takes a whole number, not \(kind.rawValue)", at: number.range,
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

  /// Reports `append x to log.csv`, a file name without quotes.
  /// - Returns: whether it is one.
  mutating func reportBareFileName(_ file: Expression, _ place: Place) -> Bool {
    guard case .member(let base, let ending) = file.kind, case .name(let name) = base.kind, !isVariable(name, place),
      name != "device"
    else { return false }
    report(
      Diagnostic(
        "T236", "write a file name in quotes", at: file.range, "",
        fixes: [.replace(file.range, with: "\"\(name).\(ending.text)\"")]))
    return true
  }

  private func isParameter(_ value: Expression) -> Bool {
    guard case .name(let name) = value.kind else { return false }
    return scope.find(name)?.kind == .parameter
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
    } else if operation == .add, case .string = right.kind,
      pair.contains(.number) || pair.contains(.duration) || pair.contains(.time)
    {
      hint = "put the value inside the text"
      let text = text(right.range)
      if text.hasPrefix("\""), !text.hasPrefix("\"\"\""), !self.text(left.range).utf8.contains(UInt8(ascii: "\"")) {
        fixes = [.replace(whole, with: "\"{\(self.text(left.range))}" + text.dropFirst())]
      }
    } else if pair == [.number, .time], case .number(let literal) = (one == .number ? left : right).kind,
      case .integer(let number) = literal.value, (0...24).contains(number),
      [.less, .lessOrEqual, .greater, .greaterOrEqual].contains(operation)
    {
      hint = "the hour is `.hour`"
      fixes = [.insert(".hour", after: (one == .time ? left : right).range)]
    } else if pair == [.number, .duration] || pair == [.number, .time] {
      hint = "a number needs a unit: `5s`, `5min`"
    } else if operation == .add, one == .list {
      hint = "use `+ [x]` to add an element"
      fixes = [.replace(right.range, with: "[\(self.text(right.range))]")]
    } else if pair == [.text, .number] {
      hint = "use `number(…)` to read a number from text"
    }
    if operation == .add, pair == [.text, .number], fixes.isEmpty {
      hint = "`text(…)` makes text of a number, and `number(…)` reads a number from text"
      fixes = textOfNumber(left, right, isFirst: one == .number)
    }
    report(Diagnostic("T236", message, at: whole, hint, fixes: fixes))
  }

  /// `s + n` as a text, and as a number if the text may be one.
  private func textOfNumber(_ left: Expression, _ right: Expression, isFirst: Bool) -> [Fix] {
    let (number, other) = isFirst ? (left, right) : (right, left)
    let fix = Fix.replace(number.range, with: "text(\(text(number.range)))")
    guard case .name = other.kind else { return [fix] }
    return [fix, .replace(other.range, with: "number(\(text(other.range)))")]
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
  mutating func attributeName(_ value: Expression) -> Bool {
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
      if text(subject.range) != text(value.range) {
        fixes = [.replace(value.range, with: "\(text(subject.range)) is \(text(value.range))")]
      }
    } else if [.list, .record, .text, .bytes].contains(kind) {
      hint = "a condition must be true or false: `count(…) > 0`"
    } else if kind == .uuid {
      if attributeName(value) { return }
    }
    report(Diagnostic("T236", "\(kind.rawValue) is not a condition", at: value.range, hint, fixes: fixes))
  }

  /// Reports fields of values that have none, or none of this name.
  mutating func checkMember(_ base: Expression, _ field: NameSyntax) {
    guard let kind = kind(of: base) else { return }
    if kind == .uuid { return attributeField(base, field) }
    guard let known = kind.fields else { return }
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
