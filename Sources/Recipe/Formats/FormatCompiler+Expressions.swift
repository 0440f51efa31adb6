import Exchange

/// Expressions in formats: constants are computed here, the rest when the format is used.
extension FormatCompiler {
  mutating func constant(_ expression: Expression) -> Int64? {
    guard let value = arithmetic(expression) else { return nil }
    guard case .constant(let number) = value else {
      report("expected a plain number here", expression.range)
      return nil
    }
    return number
  }

  mutating func real(_ expression: Expression) -> Double? {
    guard let value = Self.real(expression) else {
      report("expected a plain number here", expression.range)
      return nil
    }
    return value
  }

  static func real(_ expression: Expression) -> Double? {
    switch expression.kind {
    case .number(let literal):
      switch literal.value {
      case .integer(let number): return Double(number)
      case .real(let number): return number
      }
    case .unary(.negate, let inner): return real(inner).map { -$0 }
    case .binary(let operation, let left, let right):
      guard let a = real(left), let b = real(right) else { return nil }
      switch operation {
      case .add: return a + b
      case .subtract: return a - b
      case .multiply: return a * b
      case .divide: return b == 0 ? nil : a / b
      default: return nil
      }
    default: return nil
    }
  }

  mutating func arithmetic(_ expression: Expression) -> FormatArithmetic? {
    switch expression.kind {
    case .number(let literal):
      if case .integer(let number) = literal.value { return .constant(number) }
      report("expected a whole number here", expression.range)
      return nil
    case .unary(.negate, let inner):
      guard let value = arithmetic(inner) else { return nil }
      return folded(.subtract, .constant(0), value, expression.range)
    case .name, .member: return reference(expression).map(\.arithmetic)
    case .binary(let operation, let left, let right):
      switch operation {
      case .add, .subtract, .multiply, .modulo, .bitAnd, .bitOr, .bitXor, .shiftLeft, .shiftRight:
        guard let a = arithmetic(left), let b = arithmetic(right) else { return nil }
        return folded(operation, a, b, expression.range)
      default: break
      }
    case .call(let name, let arguments): return ofBefore(name, arguments, expression.range)
    default: break
    }
    report("expected a number or an earlier field here", expression.range)
    return nil
  }

  mutating func folded(_ operation: BinaryOperator, _ a: FormatArithmetic, _ b: FormatArithmetic, _ range: SourceRange)
    -> FormatArithmetic?
  {
    guard case .constant(let x) = a, case .constant(let y) = b else { return .binary(operation, a, b) }
    guard let result = FormatArithmetic.apply(operation, x, y) else {
      report("this number is out of range", range)
      return nil
    }
    return .constant(result)
  }

  /// Compiles `crc16(before)` and `sum(before[1 .. 5])`.
  mutating func ofBefore(_ name: NameSyntax, _ arguments: [ArgumentSyntax], _ range: SourceRange) -> FormatArithmetic? {
    let checksum: FormatChecksum? =
      switch name.text {
      case "crc16": .crc16
      case "crc32": .crc32
      case "sum": .sum
      case "count": .count
      default: nil
      }
    guard let checksum, arguments.count == 1, let argument = arguments.first?.value else {
      report("a format can compute only crc16, crc32, sum and count of `before`", range)
      return nil
    }
    switch argument.kind {
    case .name("before"): return .ofBefore(checksum, from: 0, to: nil)
    case .slice(let whole, let from, let to):
      guard case .name("before") = whole.kind, let start = constant(from), (0...65_535).contains(start) else { break }
      if case .call(let inner, _) = to.kind, inner.text == "count" { return .ofBefore(checksum, from: Int(start), to: nil) }
      guard let end = constant(to), (0...65_535).contains(end) else { break }
      return .ofBefore(checksum, from: Int(start), to: Int(end))
    default: break
    }
    report("`\(name.text)` takes `before`, the bytes so far", argument.range)
    return nil
  }

  struct Reference {
    var arithmetic: FormatArithmetic
    var meanings: [FormatMeaning]
    /// Step and bit, if it is a single bit without meanings.
    var flag: (step: Int, bit: Int)?
  }

  mutating func reference(_ expression: Expression) -> Reference? {
    var found: Place?
    switch expression.kind {
    case .name(let name): found = places.last { $0.name == name }
    case .member(let group, let name):
      if case .name(let groupName) = group.kind { found = places.last { $0.name == name.text && $0.group == groupName } }
    default: break
    }
    // A group that is still being read is not in the plan yet.
    guard let place = found, plan.steps.indices.contains(place.step) else {
      report("a condition or size can only use earlier fields", expression.range)
      return nil
    }
    otherUses[place.step, default: 0] += 1
    switch plan.steps[place.step].kind {
    case .bits(let bits):
      let register = plan.steps[place.step].register ?? 0
      guard let index = place.bit else { return Reference(arithmetic: .register(register), meanings: []) }
      let bit = bits.fields[index]
      return Reference(
        arithmetic: .bits(register: register, shift: bit.shift, mask: bit.mask), meanings: bit.meanings,
        flag: bit.isSingle && bit.meanings.isEmpty ? (place.step, index) : nil)
    case .value(.number(let number), let otherwise):
      guard number.type.isWhole, number.scale == nil, otherwise == nil || otherwise?.isPlainWhole == true else { break }
      let register = plan.steps[place.step].register ?? newRegister()
      plan.steps[place.step].register = register
      return Reference(arithmetic: .register(register), meanings: number.meanings)
    default: break
    }
    report("a condition or size can only use whole numbers and bits", expression.range)
    return nil
  }

  mutating func condition(_ expression: Expression) -> FormatCondition? {
    switch expression.kind {
    case .boolean(let flag): return .truth(.constant(flag ? 1 : 0))
    case .unary(.not, let inner): return condition(inner).map { .not($0) }
    case .binary(.and, let left, let right):
      guard let a = condition(left), let b = condition(right) else { return nil }
      return .and(a, b)
    case .binary(.or, let left, let right):
      guard let a = condition(left), let b = condition(right) else { return nil }
      return .or(a, b)
    case .binary(.in, let left, let right):
      guard case .list(let elements) = right.kind else { break }
      var all: FormatCondition = .truth(.constant(0))
      for element in elements {
        guard let one = comparison(.equal, left, element) else { return nil }
        all = .or(all, one)
      }
      return all
    case .binary(let operation, let left, let right):
      switch operation {
      case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: return comparison(operation, left, right)
      default: return arithmetic(expression).map { .truth($0) }
      }
    case .name, .member:
      guard let reference = reference(expression) else { return nil }
      if let flag = reference.flag, let condition = derived(flag) { return condition }
      if case .register = reference.arithmetic {
        report("a condition must be true or false: compare this number", expression.range)
        return nil
      }
      return .truth(reference.arithmetic)
    case .number: break
    default: return arithmetic(expression).map { .truth($0) }
    }
    report("this is not a condition", expression.range)
    return nil
  }

  /// Marks a bit as derived, so that it is no longer part of the value.
  mutating func derived(_ flag: (step: Int, bit: Int)) -> FormatCondition? {
    guard case .bits(var bits) = plan.steps[flag.step].kind else { return nil }
    bits.fields[flag.bit].isDerived = true
    plan.steps[flag.step].kind = .bits(bits)
    return .bit(register: plan.steps[flag.step].register ?? 0, bit: bits.fields[flag.bit].shift)
  }

  mutating func comparison(_ operation: BinaryOperator, _ left: Expression, _ right: Expression) -> FormatCondition? {
    // `flags.wide is true` means `flags.wide`.
    if case .boolean(let flag) = right.kind, operation == .equal || operation == .notEqual {
      return condition(left).map { flag == (operation == .equal) ? $0 : .not($0) }
    }
    if case .string(let string) = right.kind {
      guard let word = string.plain, let reference = reference(left) else { return nil }
      guard let meaning = reference.meanings.first(where: { $0.word == .text(word) }) else {
        report("there is no meaning `\(word)` here", right.range)
        return nil
      }
      return .compare(operation, reference.arithmetic, .constant(meaning.raw))
    }
    guard let a = arithmetic(left), let b = arithmetic(right) else { return nil }
    return .compare(operation, a, b)
  }

  mutating func always(_ expression: Expression, _ type: FormatType) -> FormatConstant? {
    switch (expression.kind, type) {
    case (.bytes(let bytes), .bytes), (.bytes(let bytes), .number): return .bytes(bytes)
    case (.string(let string), .text):
      guard let text = string.plain else { break }
      return .text(text)
    case (.string(let string), .number(let number)):
      guard let word = string.plain, let meaning = number.meanings.first(where: { $0.word == .text(word) }) else { break }
      return .number(.constant(meaning.raw))
    case (_, .number(let number)):
      if number.scale != nil || !number.type.isWhole { return real(expression).map { .real($0) } }
      return arithmetic(expression).map { .number($0) }
    default: break
    }
    report("`always` needs a value of the field's type", expression.range)
    return nil
  }

  /// Reports a constant that the field cannot hold. A computed value, such as the sum of other
  /// fields, is cut to the field's size.
  mutating func checkFit(of constant: FormatConstant, _ type: FormatType, _ range: SourceRange) {
    switch (constant, type) {
    case (.number(.constant(let value)), .number(let number)):
      if !number.type.bounds.contains(value) {
        report("\(value) does not fit in \(number.type.name)", range)
      }
    case (.bytes(let bytes), .number(let number)) where bytes.count != number.type.size:
      report("\(number.type.name) has \(number.type.size) bytes, not \(bytes.count)", range)
    case (.bytes(let bytes), .bytes(.constant(let size)?)) where size != Int64(bytes.count):
      report("the field has \(size) bytes, not \(bytes.count)", range)
    case (.text(let text), .text(.constant(let size)?)) where size < Int64(text.utf8.count):
      report("this text takes \(text.utf8.count) bytes; there is room for \(size)", range)
    default: break
    }
  }
}
