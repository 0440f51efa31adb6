extension FormatArithmetic {
  /// The result of an operation; `nil` if it is out of range or undefined.
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
