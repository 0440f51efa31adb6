import Exchange
import Recipe
import Vocabulary

extension Compiler {
  /// Emits code that computes the expression, and returns where its value is. Temporaries above
  /// `unit.top` are free afterwards; use `consecutive` to keep several values.
  mutating func expression(_ expression: Expression, into wanted: Operand? = nil) -> Operand {
    let range = expression.range
    let mark = unit.top
    let found: Operand
    switch expression.kind {
    case .number(let number):
      switch number.value {
      case .integer(let value): found = constant(.int(value), range)
      case .real(let value): found = constant(.real(value), range)
      }
    case .duration(let span): found = constant(.duration(span), range)
    case .uuid(let uuid): found = constant(.uuid(uuid), range)
    case .address(let literal): found = constant(.address(literal.addressValue), range)
    case .bytes(let bytes): found = constant(.bytes(bytes), range)
    case .boolean(let value): found = constant(.bool(value), range)
    case .nothing: found = constant(.nothing, range)
    case .it: found = .it
    case .name(let name): found = variableOperand(name, range)
    case .string(let string):
      if let plain = string.plain {
        found = constant(.text(plain), range)
      } else {
        return interpolation(string, into: wanted)
      }
    default:
      let destination = wanted ?? temporary(range)
      compute(expression, into: destination)
      unit.top = wanted == nil ? destination.index + 1 : mark
      return destination
    }
    if let wanted, wanted != found {
      emit(.move, wanted, found.raw, at: range)
      return wanted
    }
    return found
  }

  private mutating func variableOperand(_ name: String, _ range: SourceRange) -> Operand {
    if let known = lookUp(name) {
      requireValue(of: known, range)
      return known
    }
    if name == "device" { return .device }
    if let uuid = AssignedNumbers.service(named: name) ?? AssignedNumbers.characteristic(named: name)
      ?? AssignedNumbers.descriptor(named: name)
    {
      return constant(.uuid(uuid), range)
    }
    fail("there is no `\(name)` here", range)
    return .it
  }

  /// Lets code fail that reads a name before it has a value, also after an edit that adds it above
  /// the place of a run.
  mutating func requireValue(of operand: Operand, _ range: SourceRange) {
    guard operand.isGlobal else {
      if operand.isLocal, unit.given.contains(operand.index) { emit(.require, operand, at: range) }
      return
    }
    let variable = program.variables[operand.index]
    if !variable.isEarly || variable.mayLackValue { emit(.require, operand, at: range) }
  }

  /// Computes values in consecutive locals and returns the first local.
  mutating func consecutive(_ expressions: [Expression], _ range: SourceRange) -> Operand {
    let first = unit.top
    for expression in expressions {
      let slot = temporary(expression.range)
      _ = self.expression(expression, into: slot)
      unit.top = slot.index + 1
    }
    return .local(first)
  }

  private mutating func interpolation(_ string: StringSyntax, into wanted: Operand?) -> Operand {
    let destination = wanted ?? temporary(string.range)
    let mark = unit.top
    var parts: [Interpolation.Part] = []
    var values: [Expression] = []
    for part in string.parts {
      switch part {
      case .text(let text): parts.append(.text(text))
      case .expression(let inner, let format):
        parts.append(.value(format: format))
        values.append(inner)
      }
    }
    let first = consecutive(values, string.range)
    let site = pooled(\.interpolations, Interpolation(parts: parts), string.range)
    emit(.interpolate, destination, site, first.raw, at: string.range)
    unit.top = mark
    return destination
  }

  private mutating func compute(_ expression: Expression, into destination: Operand) {
    let range = expression.range
    let mark = unit.top
    switch expression.kind {
    case .call(let name, let arguments): call(name, arguments, into: destination, range)
    case .member(let base, let field):
      if case .name(let text) = base.kind, text == unit.eventName, field.text == "bytes" || field.text == "at" {
        let value = self.expression(base)
        let fallback: Operand = field.text == "bytes" ? .eventBytes : .eventTime
        emit(.move, destination, fallback.raw, at: range)
        emit(.eventMember, destination, value.raw, self.name(field.text, range), at: range)
      } else if case .name(let name) = base.kind, lookUp(name) == nil, let own = serverVariable(of: name, field) {
        requireValue(of: own, range)
        emit(.move, destination, own.raw, at: range)
      } else if case .name(let name) = base.kind, lookUp(name) == nil, let server = serverIndex(name) {
        emit(.serverMember, destination, UInt16(truncatingIfNeeded: server), self.name(field.text, range), at: range)
      } else {
        let value = self.expression(base)
        emit(.member, destination, value.raw, self.name(field.text, range), at: range)
      }
    case .method(let base, let field, let arguments):
      let first = consecutive([base] + arguments.map(\.value), range)
      guard let method = Method.named(field.text) else {
        fail("there is no `.\(field.text)()`", field.range)
        return
      }
      let site = pooled(\.calls, CallSite(name: field.text, method: method, count: arguments.count), range)
      emit(.method, destination, site, first.raw, at: range)
    case .index(let base, let index):
      let value = operand(base, before: [index])
      let place = self.expression(index)
      emit(.index, destination, value.raw, place.raw, at: range)
    case .slice(let base, let from, let to):
      let value = operand(base, before: [from, to])
      let bounds = consecutive([from, to], range)
      emit(.slice, destination, value.raw, bounds.raw, at: range)
    case .list(let elements):
      let first = consecutive(elements, range)
      emit(.list, destination, first.raw, UInt16(truncatingIfNeeded: elements.count), at: range)
    case .record(let entries):
      let first = consecutive(entries.map(\.value), range)
      let shape = pooled(\.shapes, entries.map(\.key.text), range)
      emit(.record, destination, shape, first.raw, at: range)
    case .unary(let op, let inner):
      let value = self.expression(inner)
      emit(op == .negate ? .negate : .not, destination, value.raw, at: range)
    case .binary(.and, let left, let right): shortCircuit(left, right, .jumpIfFalse, destination, range)
    case .binary(.or, let left, let right): shortCircuit(left, right, .jumpIfTrue, destination, range)
    case .binary(let op, let left, let right):
      let first = operand(left, before: [right])
      let second = self.expression(right)
      // For `set l to l + […]`, avoid building a second list.
      if op == .add, first == destination, case .list = right.kind { program.code[here - 1].code = .extend }
      emit(opCode(op), destination, first.raw, second.raw, at: range)
    case .conditional(let value, let condition, let other):
      let test = self.expression(condition)
      let toOther = emit(.jumpIfFalse, test, at: condition.range)
      unit.top = mark
      _ = self.expression(value, into: destination)
      let toEnd = emit(.jump, at: range)
      patch(toOther)
      unit.top = mark
      _ = self.expression(other, into: destination)
      patch(toEnd)
    case .number, .duration, .string, .uuid, .address, .bytes, .boolean, .nothing, .it, .name:
      _ = self.expression(expression, into: destination)
    }
    unit.top = mark
  }

  private mutating func shortCircuit(
    _ left: Expression, _ right: Expression, _ code: OpCode, _ destination: Operand, _ range: SourceRange
  ) {
    // The right-hand side may read a variable that is the destination, so keep the left value in a
    // temporary.
    let held = temporary(range)
    _ = expression(left, into: held)
    let over = emit(code, held, at: left.range)
    _ = expression(right, into: held)
    emit(.checkTruth, held, at: right.range)
    patch(over)
    emit(.move, destination, held.raw, at: range)
  }

  func opCode(_ op: BinaryOperator) -> OpCode {
    switch op {
    case .or, .and: .checkTruth
    case .equal: .equal
    case .notEqual: .notEqual
    case .less: .less
    case .lessOrEqual: .lessOrEqual
    case .greater: .greater
    case .greaterOrEqual: .greaterOrEqual
    case .in: .isIn
    case .contains: .contains
    case .matches: .matches
    case .add: .add
    case .subtract: .subtract
    case .multiply: .multiply
    case .divide: .divide
    case .modulo: .modulo
    case .bitAnd: .bitAnd
    case .bitOr: .bitOr
    case .bitXor: .bitXor
    case .shiftLeft: .shiftLeft
    case .shiftRight: .shiftRight
    }
  }

  mutating func call(_ name: NameSyntax, _ arguments: [ArgumentSyntax], into destination: Operand, _ range: SourceRange) {
    let values = arguments.map(\.value)
    if let procedure = procedures[name.text] {
      guard values.count == procedure.parameters else {
        let plural = procedure.parameters == 1 ? "value" : "values"
        fail("`\(name.text)` takes \(procedure.parameters) \(plural), not \(values.count)", range)
        return
      }
      let first = consecutive(values, range)
      emit(.call, destination, UInt16(truncatingIfNeeded: procedure.unit), first.raw, at: range)
      return
    }
    if name.text == "now", values.isEmpty {
      emit(.now, destination, at: range)
      return
    }
    if name.text == "devices", values.isEmpty {
      emit(.devices, destination, at: range)
      return
    }
    guard let builtIn = BuiltIn.named(name.text) else {
      fail("there is no procedure `\(name.text)`", name.range)
      return
    }
    guard builtIn.arity.contains(values.count) else {
      fail("`\(name.text)` does not take \(values.count) value\(values.count == 1 ? "" : "s")", range)
      return
    }
    if builtIn == .function(.file) {
      emit(.readFile, destination, expression(values[0]).raw, at: range)
      return
    }
    let first = consecutive(values, range)
    let site = pooled(\.calls, CallSite(name: name.text, builtIn: builtIn, count: values.count), range)
    emit(.builtIn, destination, site, first.raw, at: range)
  }
}
