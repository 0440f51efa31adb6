import Recipe

/// Operands are evaluated from left to right.
extension Compiler {
  /// The value of an operand. A variable is copied first if a procedure that a later operand calls
  /// may change it.
  mutating func operand(_ expression: Expression, before later: [Expression?]) -> Operand {
    guard later.contains(where: { $0.map(callsProcedure) ?? false }) else { return self.expression(expression) }
    let held = temporary(expression.range)
    _ = self.expression(expression, into: held)
    return held
  }

  func callsProcedure(_ expression: Expression) -> Bool {
    switch expression.kind {
    case .call(let name, let arguments):
      return procedures[name.text] != nil || arguments.contains { callsProcedure($0.value) }
    case .string(let string):
      return string.parts.contains { if case .expression(let part, _) = $0 { callsProcedure(part) } else { false } }
    case .member(let base, _), .unary(_, let base): return callsProcedure(base)
    case .method(let base, _, let arguments): return callsProcedure(base) || arguments.contains { callsProcedure($0.value) }
    case .index(let base, let other), .binary(_, let base, let other): return callsProcedure(base) || callsProcedure(other)
    case .slice(let base, let from, let to): return [base, from, to].contains(where: callsProcedure)
    case .list(let elements): return elements.contains(where: callsProcedure)
    case .record(let entries): return entries.contains { callsProcedure($0.value) }
    case .conditional(let value, let condition, let other): return [value, condition, other].contains(where: callsProcedure)
    case .number, .duration, .uuid, .address, .bytes, .boolean, .nothing, .it, .name: return false
    }
  }
}

extension AttributePathSyntax {
  /// The values that are evaluated to find the attribute.
  var operands: [Expression?] {
    var operands: [Expression?] = []
    if case .expression(let device) = device?.kind { operands.append(device) }
    switch kind {
    case .handle(let value), .value(let value): operands.append(value)
    case .path(let steps): operands += steps.map(\.index)
    }
    return operands
  }
}

extension WithinSyntax {
  var operand: Expression? { if case .duration(let value) = kind { value } else { nil } }
}
