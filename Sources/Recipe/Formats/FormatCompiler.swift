import Exchange

/// Compiles the declaration of a format to a plan.
package struct FormatCompiler {
  /// How deeply formats may use each other.
  static let depthLimit = 8
  /// How deeply lists may nest; with `depthLimit`, values stay well below 64 levels.
  static let listLimit = 4

  var plan: FormatPlan
  var problems: [FormatProblem] = []
  var isBigEndian = false
  /// Uses of a step's number other than as a plain size, by step.
  var otherUses: [Int: Int] = [:]
  var sizeUses: [(step: Int, of: FormatStep.SizeOf)] = []
  /// All names so far, including those of bits.
  var places: [Place] = []
  var outputNames: [String] = []
  let resolve: (String) -> FormatDeclaration?
  let users: [String]

  struct Place {
    var name: String
    /// The group of a bit.
    var group: String?
    var step: Int
    var bit: Int?
  }

  /// The problems of a declaration. `resolve` finds the other formats that it uses.
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

  static func compile(_ declaration: FormatDeclaration, users: [String], resolve: @escaping (String) -> FormatDeclaration?)
    -> Result<FormatPlan, Problems>
  {
    var compiler = FormatCompiler(name: declaration.name.text, users: users + [declaration.name.text], resolve: resolve)
    for field in declaration.fields { compiler.add(field) }
    compiler.finish(declaration)
    return compiler.problems.isEmpty ? .success(compiler.plan) : .failure(Problems(list: compiler.problems))
  }

  init(name: String, users: [String], resolve: @escaping (String) -> FormatDeclaration?) {
    plan = FormatPlan(name: name)
    self.users = users
    self.resolve = resolve
  }

  mutating func report(_ message: String, _ range: SourceRange, hint: String? = nil) {
    problems.append(FormatProblem(message: message, range: range, hint: hint))
  }

  // MARK: Fields

  mutating func add(_ field: FieldSyntax) {
    switch field.kind {
    case .bigEndian: isBigEndian = true
    case .skipBytes(let count): addSkip(count, bits: false, field.range)
    case .skipBits(let count): addSkip(count, bits: true, field.range)
    case .bits(let name, let storage, let fields): addBits(name, storage, fields, field.range)
    case .plain(let name, let type, let modifiers): addPlain(name, type, modifiers, field.range)
    }
  }

  mutating func checkLast(_ range: SourceRange) {
    guard let last = plan.steps.last, case .value(let type, let otherwise) = last.kind else { return }
    guard type.runsToEnd || otherwise?.runsToEnd == true else { return }
    report(
      "`\(last.name)` runs to the end of the value, so nothing can follow it", last.range,
      hint: "give it a size: `bytes(4)`, `list(3) of u8`")
  }

  mutating func addSkip(_ count: Expression, bits: Bool, _ range: SourceRange) {
    checkLast(range)
    guard var size = arithmetic(count) else { return }
    if bits {
      guard case .constant(let number) = size, number % 8 == 0 else {
        report("only whole bytes can be skipped between fields", count.range, hint: "unused bits of a `bits` group need no line")
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

  mutating func addBits(_ name: NameSyntax, _ storage: NameSyntax, _ fields: [BitFieldSyntax], _ range: SourceRange) {
    checkLast(range)
    guard var type = NumberType(named: storage.text), type.kind == .unsigned else {
      report("`bits` needs an unsigned number: `bits(u8)`, `bits(u16)` …", storage.range)
      return
    }
    if isBigEndian { type.isBigEndian = type.size > 1 }
    let step = plan.steps.count
    place(Place(name: name.text, group: nil, step: step, bit: nil), name.range)
    var bits = FormatBits(storage: type, fields: [])
    for field in fields {
      guard let first = constant(field.first), let last = field.last.map({ constant($0) }) ?? first else { continue }
      guard first >= 0, last >= first, last < Int64(type.size * 8) else {
        report(
          last < first && first < Int64(type.size * 8) && last >= 0
            ? "the lower bit comes first: `bits \(last) to \(first)`" : "\(storage.text) has the bits 0 to \(type.size * 8 - 1)",
          field.range)
        continue
      }
      if let other = bits.fields.first(where: { Int64($0.shift) <= last && first < Int64($0.shift + $0.width) }) {
        report("`\(field.name.text)` has a bit of `\(other.name)`", field.range, hint: "each bit belongs to one name")
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

  mutating func addPlain(_ name: NameSyntax, _ syntax: PlainTypeSyntax, _ modifiers: [ModifierSyntax], _ range: SourceRange) {
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
    if let always {
      made.always = self.always(always, type)
      if let constant = made.always { checkFit(of: constant, type, always.range) }
    }
    plan.steps.append(made)
    units.append((name.text, unit))
  }

  var units: [(name: String, unit: String?)] = []

  mutating func place(_ place: Place, _ range: SourceRange) {
    if let other = places.first(where: { $0.name == place.name }) {
      // A group's own name is not part of the value, so a bit may have the same name.
      let isGroup = other.bit == nil && other.name == place.group
      if !isGroup { report("there are two fields named `\(place.name)`", range) }
    }
    places.append(place)
  }

  mutating func newRegister() -> Int {
    plan.registers += 1
    return plan.registers - 1
  }

  // MARK: Finishing

  mutating func finish(_ declaration: FormatDeclaration) {
    if plan.steps.isEmpty, problems.isEmpty { report("a format needs at least one field", declaration.name.range) }
    for use in sizeUses where otherUses[use.step, default: 0] == 0 {
      let step = plan.steps[use.step]
      guard case .value(.number(let number), let otherwise) = step.kind, step.always == nil, number.meanings.isEmpty else {
        continue
      }
      if let otherwise { guard case .number = otherwise else { continue } }
      plan.steps[use.step].sizeOf.append(use.of)
    }
    // Bits come after the other fields, because they usually describe them.
    for index in plan.steps.indices {
      let step = plan.steps[index]
      guard case .value = step.kind, step.sizeOf.isEmpty || step.condition != nil, !step.name.hasPrefix("_") else { continue }
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
