import Exchange

/// From the declaration of a format to its plan.
package struct FormatCompiler {
  /// How deep formats may use each other.
  private static let depthLimit = 8
  /// How many lists may stand in each other; with the limit above, values stay far from 64 deep.
  private static let listLimit = 4

  private var plan: FormatPlan
  private var problems: [FormatProblem] = []
  private var isBigEndian = false
  /// By step: how often its number is used otherwise than as a plain size.
  private var otherUses: [Int: Int] = [:]
  private var sizeUses: [(step: Int, sized: Int, offset: Int64)] = []
  /// Every name so far, bits included.
  private var places: [Place] = []
  private var outputNames: [String] = []
  private let resolve: (String) -> FormatDeclaration?
  private let users: [String]

  private struct Place {
    var name: String
    /// The group it stands in, for bits.
    var group: String?
    var step: Int
    var bit: Int?
  }

  /// All that is wrong with it, or nothing. `resolve` finds the other formats that it uses.
  package static func problems(of declaration: FormatDeclaration, resolve: (String) -> FormatDeclaration?) -> [FormatProblem] {
    switch compile(declaration, resolve: resolve) {
    case .success: []
    case .failure(let problems): problems.list
    }
  }

  package struct Problems: Error {
    package var list: [FormatProblem]
  }

  package static func compile(_ declaration: FormatDeclaration, resolve: (String) -> FormatDeclaration?) -> Result<
    FormatPlan, Problems
  > {
    withoutActuallyEscaping(resolve) { resolve in compile(declaration, users: [], resolve: resolve) }
  }

  private static func compile(_ declaration: FormatDeclaration, users: [String], resolve: @escaping (String) -> FormatDeclaration?)
    -> Result<FormatPlan, Problems>
  {
    var compiler = FormatCompiler(name: declaration.name.text, users: users + [declaration.name.text], resolve: resolve)
    for field in declaration.fields { compiler.add(field) }
    compiler.finish(declaration)
    return compiler.problems.isEmpty ? .success(compiler.plan) : .failure(Problems(list: compiler.problems))
  }

  private init(name: String, users: [String], resolve: @escaping (String) -> FormatDeclaration?) {
    plan = FormatPlan(name: name)
    self.users = users
    self.resolve = resolve
  }

  private mutating func report(_ message: String, _ range: SourceRange, hint: String? = nil) {
    problems.append(FormatProblem(message: message, range: range, hint: hint))
  }

  // MARK: Fields

  private mutating func add(_ field: FieldSyntax) {
    switch field.kind {
    case .bigEndian: isBigEndian = true
    case .skipBytes(let count): addSkip(count, bits: false, field.range)
    case .skipBits(let count): addSkip(count, bits: true, field.range)
    case .bits(let name, let storage, let fields): addBits(name, storage, fields, field.range)
    case .plain(let name, let type, let modifiers): addPlain(name, type, modifiers, field.range)
    }
  }

  private mutating func checkLast(_ range: SourceRange) {
    guard let last = plan.steps.last, case .value(let type, let otherwise) = last.kind else { return }
    guard type.runsToEnd || otherwise?.runsToEnd == true else { return }
    report(
      "`\(last.name)` runs to the end of the value, so nothing can follow it", last.range,
      hint: "give it a size: `bytes(4)`, `list(3) of u8`")
  }

  private mutating func addSkip(_ count: Expression, bits: Bool, _ range: SourceRange) {
    checkLast(range)
    guard var size = arithmetic(count) else { return }
    if bits {
      guard case .constant(let number) = size, number % 8 == 0 else {
        report("between fields only whole bytes can be skipped", count.range, hint: "unused bits of a `bits` group need no line")
        return
      }
      size = .constant(number / 8)
    }
    if case .constant(let number) = size, !(0...65_535).contains(number) {
      report("0 to 65535 bytes can be skipped", count.range)
      return
    }
    plan.steps.append(FormatStep(name: "skip", range: range, kind: .skip(size)))
  }

  private mutating func addBits(_ name: NameSyntax, _ storage: NameSyntax, _ fields: [BitFieldSyntax], _ range: SourceRange) {
    checkLast(range)
    guard var type = NumberType(named: storage.text), type.kind == .unsigned else {
      report("`bits` stands on a number without sign: `bits(u8)`, `bits(u16)` …", storage.range)
      return
    }
    if isBigEndian { type.isBigEndian = type.size > 1 }
    let step = plan.steps.count
    place(Place(name: name.text, group: nil, step: step, bit: nil), name.range)
    var bits = FormatBits(storage: type, fields: [])
    for field in fields {
      guard let first = constant(field.first), let last = field.last.map({ constant($0) }) ?? first else { continue }
      guard first >= 0, last >= first, last < Int64(type.size * 8) else {
        report("\(storage.text) has the bits 0 to \(type.size * 8 - 1)", field.range)
        continue
      }
      place(Place(name: field.name.text, group: name.text, step: step, bit: bits.fields.count), field.name.range)
      bits.fields.append(
        FormatBit(
          name: field.name.text, shift: Int(first), width: Int(last - first) + 1, isSingle: field.last == nil,
          meanings: meanings(field.meanings, within: 0...(last - first >= 62 ? .max : (1 << (last - first + 1)) - 1)), output: nil,
          isDerived: false))
    }
    plan.steps.append(FormatStep(name: name.text, range: range, kind: .bits(bits), register: newRegister()))
  }

  private mutating func addPlain(_ name: NameSyntax, _ syntax: PlainTypeSyntax, _ modifiers: [ModifierSyntax], _ range: SourceRange)
  {
    checkLast(range)
    let step = plan.steps.count
    var number = FormatNumber(type: NumberType(.unsigned, size: 1))
    var factor: Double?
    var offset: Double?
    var unit: String?
    var condition: FormatCondition?
    var otherwise: PlainTypeSyntax?
    var always: Expression?
    for modifier in modifiers {
      switch modifier.kind {
      case .times(let value): factor = real(value)
      case .plus(let value): offset = real(value)
      case .unit(let text): unit = text.plain ?? ""
      case .always(let value): always = value
      case .meaning(let list): number.meanings = meanings(list, within: Self.bounds(of: syntax))
      case .condition(let value, let other):
        condition = self.condition(value)
        otherwise = other
      }
    }
    if let factor, factor == 0 || !factor.isFinite { report("`times` needs a number other than 0", range) }
    if factor != nil || offset != nil { number.scale = FormatScale(factor: factor ?? 1, offset: offset ?? 0) }
    guard let type = type(syntax, number, step: step) else { return }
    let otherType = otherwise.flatMap { self.type($0, number, step: step) }
    if otherwise != nil, otherType == nil { return }
    if factor != nil || offset != nil || !number.meanings.isEmpty, !type.endsInNumber {
      report("`times`, `plus` and `meaning` are for numbers", range)
    }
    place(Place(name: name.text, group: nil, step: step, bit: nil), name.range)
    var made = FormatStep(name: name.text, range: range, kind: .value(type, otherwise: otherType), condition: condition)
    if let always { made.always = self.always(always, type) }
    plan.steps.append(made)
    units.append((name.text, unit))
  }

  private var units: [(name: String, unit: String?)] = []

  private mutating func place(_ place: Place, _ range: SourceRange) {
    if let other = places.first(where: { $0.name == place.name }) {
      // A group's own name is not part of the value, so a bit may bear it.
      let isGroup = other.bit == nil && other.name == place.group
      if !isGroup { report("there are two fields called `\(place.name)`", range) }
    }
    places.append(place)
  }

  private mutating func newRegister() -> Int {
    plan.registers += 1
    return plan.registers - 1
  }

  // MARK: Types

  private mutating func type(_ syntax: PlainTypeSyntax, _ number: FormatNumber, step: Int, lists: Int = 0) -> FormatType? {
    switch syntax.kind {
    case .list(let count, let element):
      if lists == Self.listLimit {
        report("at most \(Self.listLimit) lists can stand in each other", syntax.range)
        return nil
      }
      guard let type = type(element, number, step: step, lists: lists + 1) else { return nil }
      if type.runsToEnd {
        report("the elements of a list need a size", syntax.range)
        return nil
      }
      var size: FormatArithmetic?
      if let count {
        guard let found = self.size(count, step: step) else { return nil }
        size = found
      }
      return .list(count: size, type)
    case .named(let name, let sizeSyntax): return named(name, sizeSyntax, number, step: step)
    }
  }

  private mutating func named(_ name: NameSyntax, _ sizeSyntax: Expression?, _ number: FormatNumber, step: Int) -> FormatType? {
    if var type = NumberType(named: name.text) {
      if sizeSyntax != nil {
        report("`\(name.text)` has its size already", name.range)
        return nil
      }
      if isBigEndian, type.size > 1 { type.isBigEndian = true }
      var number = number
      number.type = type
      return .number(number)
    }
    var size: FormatArithmetic?
    if let sizeSyntax {
      guard ["bytes", "text", "uuid"].contains(name.text) else {
        report("`\(name.text)` takes no size", name.range)
        return nil
      }
      guard let found = self.size(sizeSyntax, step: step) else { return nil }
      size = found
    }
    switch name.text {
    case "bytes": return .bytes(size)
    case "text": return .text(size)
    case "uuid":
      guard let size else { return .uuid(size: 16, isBigEndian: isBigEndian) }
      guard size == .constant(2) || size == .constant(16) else {
        report("a UUID has 2 or 16 bytes", name.range)
        return nil
      }
      return .uuid(size: size == .constant(2) ? 2 : 16, isBigEndian: isBigEndian)
    case "address": return .address(isBigEndian: isBigEndian)
    case "date_time": return .dateTime(isBigEndian: isBigEndian)
    case "eddystone_url_text": return .eddystoneURL
    default: break
    }
    guard let declaration = resolve(name.text) else {
      report("there is no type or format `\(name.text)`", name.range, hint: Self.similarType(name.text))
      return nil
    }
    guard !users.contains(name.text), users.count < Self.depthLimit else {
      report("the format `\(name.text)` would hold itself", name.range)
      return nil
    }
    switch Self.compile(declaration, users: users, resolve: resolve) {
    case .success(let plan): return .format(plan)
    case .failure:
      report("the format `\(name.text)` has errors of its own", name.range)
      return nil
    }
  }

  private static func similarType(_ name: String) -> String? {
    switch name {
    case "int", "int8", "sint8", "byte", "number", "uint8", "char": "a number's type says its size: u8, i16, f32 …"
    case "uint16": "u16"
    case "uint32": "u32"
    case "int16", "sint16": "i16"
    case "int32", "sint32": "i32"
    case "float": "f32"
    case "double": "f64"
    case "string", "str", "utf8": "text"
    case "bool", "boolean", "flag": "`u8 meaning false = 0, true = 1`, or a bit of `bits(u8)`"
    default: nil
    }
  }

  /// What the number at the heart of a type can hold.
  private static func bounds(of syntax: PlainTypeSyntax) -> ClosedRange<Int64> {
    switch syntax.kind {
    case .list(_, let element): bounds(of: element)
    case .named(let name, _): NumberType(named: name.text)?.bounds ?? Int64.min...Int64.max
    }
  }

  private mutating func size(_ expression: Expression, step: Int) -> FormatArithmetic? {
    // A size that is one earlier field, perhaps with a constant added, is derived from what it sizes.
    let before = otherUses
    guard let size = arithmetic(expression) else { return nil }
    if case .constant(let number) = size, !(0...65_535).contains(number) {
      report("a size is 0 to 65535", expression.range)
      return nil
    }
    if let (name, offset) = Self.linear(expression), let place = places.last(where: { $0.name == name && $0.bit == nil }) {
      otherUses = before
      sizeUses.append((place.step, step, -offset))
    }
    return size
  }

  /// `n`, `n + 2`, `n - 2`: the name and what is added.
  private static func linear(_ expression: Expression) -> (name: String, added: Int64)? {
    switch expression.kind {
    case .name(let name): return (name, 0)
    case .binary(let operation, let left, let right):
      guard case .name(let name) = left.kind, case .number(let literal) = right.kind, case .integer(let number) = literal.value,
        number.magnitude < 65_536
      else { return nil }
      switch operation {
      case .add: return (name, number)
      case .subtract: return (name, -number)
      default: return nil
      }
    default: return nil
    }
  }

  private mutating func meanings(_ list: [MeaningSyntax], within bounds: ClosedRange<Int64>) -> [FormatMeaning] {
    var meanings: [FormatMeaning] = []
    for entry in list {
      guard let raw = constant(entry.value) else { continue }
      let word: FormatMeaning.Word =
        switch entry.word.text {
        case "nothing": .nothing
        case "true": .flag(true)
        case "false": .flag(false)
        default: .text(entry.word.text)
        }
      if meanings.contains(where: { $0.word == word || $0.raw == raw }) {
        report("`\(entry.word.text)` or its number stands here twice", entry.word.range)
      }
      if !bounds.contains(raw) {
        report("\(raw) does not fit here (\(bounds.lowerBound) to \(bounds.upperBound))", entry.value.range)
      }
      meanings.append(FormatMeaning(word: word, raw: raw))
    }
    return meanings
  }

  // MARK: Expressions

  private mutating func constant(_ expression: Expression) -> Int64? {
    guard let value = arithmetic(expression) else { return nil }
    guard case .constant(let number) = value else {
      report("a plain number should stand here", expression.range)
      return nil
    }
    return number
  }

  private mutating func real(_ expression: Expression) -> Double? {
    guard let value = Self.real(expression) else {
      report("a plain number should stand here", expression.range)
      return nil
    }
    return value
  }

  private static func real(_ expression: Expression) -> Double? {
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

  private mutating func arithmetic(_ expression: Expression) -> FormatArithmetic? {
    switch expression.kind {
    case .number(let literal):
      if case .integer(let number) = literal.value { return .constant(number) }
      report("a whole number should stand here", expression.range)
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
    report("a number or an earlier field should stand here", expression.range)
    return nil
  }

  private mutating func folded(_ operation: BinaryOperator, _ a: FormatArithmetic, _ b: FormatArithmetic, _ range: SourceRange)
    -> FormatArithmetic?
  {
    guard case .constant(let x) = a, case .constant(let y) = b else { return .binary(operation, a, b) }
    guard let result = FormatArithmetic.apply(operation, x, y) else {
      report("this number is out of range", range)
      return nil
    }
    return .constant(result)
  }

  /// `crc16(before)`, `sum(before[1 .. 5])`
  private mutating func ofBefore(_ name: NameSyntax, _ arguments: [ArgumentSyntax], _ range: SourceRange) -> FormatArithmetic? {
    let checksum: FormatChecksum? =
      switch name.text {
      case "crc16": .crc16
      case "crc32": .crc32
      case "sum": .sum
      case "count": .count
      default: nil
      }
    guard let checksum, arguments.count == 1, let argument = arguments.first?.value else {
      report("in a format only crc16, crc32, sum and count of `before` can be computed", range)
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

  private struct Reference {
    var arithmetic: FormatArithmetic
    var meanings: [FormatMeaning]
    /// Step and bit, when it is one bit without a meaning.
    var flag: (step: Int, bit: Int)?
  }

  private mutating func reference(_ expression: Expression) -> Reference? {
    var found: Place?
    switch expression.kind {
    case .name(let name): found = places.last { $0.name == name }
    case .member(let group, let name):
      if case .name(let groupName) = group.kind { found = places.last { $0.name == name.text && $0.group == groupName } }
    default: break
    }
    // The group that is just being read stands nowhere yet.
    guard let place = found, plan.steps.indices.contains(place.step) else {
      report("a condition or size may only mention fields that stand above", expression.range)
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
    report("a condition or size may only mention whole numbers and bits", expression.range)
    return nil
  }

  private mutating func condition(_ expression: Expression) -> FormatCondition? {
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
      return .truth(reference.arithmetic)
    default: return arithmetic(expression).map { .truth($0) }
    }
    report("this is no condition", expression.range)
    return nil
  }

  /// From now on the bit is not part of the value.
  private mutating func derived(_ flag: (step: Int, bit: Int)) -> FormatCondition? {
    guard case .bits(var bits) = plan.steps[flag.step].kind else { return nil }
    bits.fields[flag.bit].isDerived = true
    plan.steps[flag.step].kind = .bits(bits)
    return .bit(register: plan.steps[flag.step].register ?? 0, bit: bits.fields[flag.bit].shift)
  }

  private mutating func comparison(_ operation: BinaryOperator, _ left: Expression, _ right: Expression) -> FormatCondition? {
    // `flags.wide is true` is `flags.wide`.
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

  private mutating func always(_ expression: Expression, _ type: FormatType) -> FormatConstant? {
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
    report("`always` needs a value of the field's own type", expression.range)
    return nil
  }

  // MARK: The end

  private mutating func finish(_ declaration: FormatDeclaration) {
    if plan.steps.isEmpty, problems.isEmpty { report("a format needs at least one field", declaration.name.range) }
    for use in sizeUses where otherUses[use.step, default: 0] == 0 && plan.steps[use.step].sizeOf == nil {
      let step = plan.steps[use.step]
      guard case .value(.number(let number), nil) = step.kind, step.condition == nil, step.always == nil, number.meanings.isEmpty
      else {
        continue
      }
      plan.steps[use.step].sizeOf = FormatStep.SizeOf(step: use.sized, offset: use.offset)
    }
    // Fields of their own first; what stands in a group of bits says more about them, so it comes behind.
    for index in plan.steps.indices {
      let step = plan.steps[index]
      guard case .value = step.kind, step.sizeOf == nil, !step.name.hasPrefix("_") else { continue }
      plan.steps[index].output = plan.outputs.count
      plan.outputs.append(
        FormatOutput(name: step.name, unit: units.first { $0.name == step.name }?.unit, isOptional: step.isOptional))
    }
    for index in plan.steps.indices {
      guard case .bits(var bits) = plan.steps[index].kind else { continue }
      for bit in bits.fields.indices where !bits.fields[bit].isDerived && !bits.fields[bit].name.hasPrefix("_") {
        bits.fields[bit].output = plan.outputs.count
        plan.outputs.append(FormatOutput(name: bits.fields[bit].name, unit: nil, isOptional: false))
      }
      plan.steps[index].kind = .bits(bits)
    }
    plan.isSingleValue = plan.outputs.count == 1 && plan.outputs[0].name == "value"
  }
}

extension FormatType {
  fileprivate var endsInNumber: Bool {
    switch self {
    case .number: true
    case .list(_, let element): element.endsInNumber
    default: false
    }
  }

  fileprivate var isPlainWhole: Bool {
    if case .number(let number) = self { number.type.isWhole && number.scale == nil } else { false }
  }
}

extension FormatScale {
  package init(factor: Double, offset: Double) {
    self.factor = factor
    self.offset = offset
    multiplier = 0
    addend = 0
    exponent = 0
    factorDigits = 0
    factorExponent = 0
    guard factor.isFinite, offset.isFinite else { return }
    let (m, k) = Self.decimal(factor)
    let (p, kp) = offset == 0 ? (0, k) : Self.decimal(offset)
    if m.magnitude <= 1_000_000_000_000_000 {
      factorDigits = m
      factorExponent = k
    }
    let common = min(k, kp)
    guard let multiplied = Self.shifted(m, k - common), let added = Self.shifted(p, kp - common), common >= -22, common <= 22 else {
      return
    }
    multiplier = multiplied
    addend = added
    exponent = common
  }

  /// The shortest decimal digits of a number and their power of ten.
  private static func decimal(_ number: Double) -> (Int64, Int) {
    var digits: Int64 = 0
    var exponent = 0
    var isBehindPoint = false
    var rest = number.magnitude.description.utf8[...]
    while let character = rest.popFirst() {
      if character == UInt8(ascii: ".") {
        isBehindPoint = true
      } else if character == UInt8(ascii: "e") {
        exponent += Int(String(decoding: rest, as: UTF8.self)) ?? 0
        break
      } else {
        digits = digits &* 10 &+ Int64(character &- UInt8(ascii: "0"))
        if isBehindPoint { exponent -= 1 }
      }
    }
    while digits != 0, digits % 10 == 0 {
      digits /= 10
      exponent += 1
    }
    return (number < 0 ? -digits : digits, digits == 0 ? 0 : exponent)
  }

  private static func shifted(_ number: Int64, _ places: Int) -> Int64? {
    guard places <= 18 else { return nil }
    var result = number
    for _ in 0..<places {
      let (product, isOver) = result.multipliedReportingOverflow(by: 10)
      if isOver { return nil }
      result = product
    }
    return result
  }
}

extension FormatArithmetic {
  /// Nothing when the result is out of range.
  package static func apply(_ operation: BinaryOperator, _ x: Int64, _ y: Int64) -> Int64? {
    switch operation {
    case .add:
      let (sum, isOver) = x.addingReportingOverflow(y)
      return isOver ? nil : sum
    case .subtract:
      let (difference, isOver) = x.subtractingReportingOverflow(y)
      return isOver ? nil : difference
    case .multiply:
      let (product, isOver) = x.multipliedReportingOverflow(by: y)
      return isOver ? nil : product
    case .modulo:
      if y == 0 { return nil }
      if y == -1 { return 0 }
      let rest = x % y
      return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest
    case .bitAnd: return x & y
    case .bitOr: return x | y
    case .bitXor: return x ^ y
    case .shiftLeft: return (0..<63).contains(y) && (x << y) >> y == x ? x << y : nil
    case .shiftRight: return (0..<64).contains(y) ? x >> y : nil
    default: return nil
    }
  }
}
