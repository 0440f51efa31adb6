package import Exchange
package import Recipe
import Vocabulary

/// The operators. Each has a function of its own for its instruction, and handles integers first,
/// because they are most frequent.
extension Value {
  /// Applies any operator. `and` and `or` evaluate both sides here, because compiled code uses
  /// jumps for them instead.
  package static func apply(_ operation: BinaryOperator, _ a: Value, _ b: Value) throws(Failure) -> Value {
    switch operation {
    case .add: return try add(a, b)
    case .subtract: return try subtract(a, b)
    case .multiply: return try multiply(a, b)
    case .divide: return try divide(a, b)
    case .modulo: return try modulo(a, b)
    case .bitAnd, .bitOr, .bitXor, .shiftLeft, .shiftRight: return try bits(operation, a, b)
    case .equal: return .bool(try equal(a, b))
    case .notEqual: return .bool(!(try equal(a, b)))
    case .less:
      let order = try order(a, b, "<")
      return .bool(order < 0)
    case .lessOrEqual:
      let order = try order(a, b, "<=")
      return .bool(order <= 0)
    case .greater:
      let order = try order(a, b, ">")
      return .bool(order > 0 && order < unordered)
    case .greaterOrEqual:
      let order = try order(a, b, ">=")
      return .bool(order >= 0 && order < unordered)
    case .in: return .bool(try isIn(a, b))
    case .contains: return .bool(try contains(a, b))
    case .matches: return .bool(try matches(a, b))
    case .and:
      let left = try truth(of: a)
      return .bool(try truth(of: b) && left)
    case .or:
      let left = try truth(of: a)
      return .bool(try truth(of: b) || left)
    }
  }

  /// The truth of a condition, which must be `true` or `false`.
  @inline(__always)
  package static func truth(of value: Value) throws(Failure) -> Bool {
    if case .bool(let flag) = value { return flag }
    return try slowTruth(of: value)
  }

  /// A secret condition may be used, because it is not displayed.
  private static func slowTruth(of value: Value) throws(Failure) -> Bool {
    if case .secret(let secret) = value { return try truth(of: try secret.opened()) }
    throw notACondition(value)
  }

  private static func notACondition(_ value: Value) -> Failure {
    let hint: String? =
      switch value {
      case .nothing: "compare it: `… is nothing`, `… is not nothing`"
      case .int, .real: "compare it: `… is not 0`"
      case .list, .record, .text, .bytes: "compare its size: `count(…) > 0`"
      default: nil
      }
    return .value("a condition is true or false, but this is \(value.typeName)", hint: hint)
  }

  package static func not(_ a: Value) throws(Failure) -> Value {
    let result = Value.bool(!(try truth(of: a)))
    return a.isSecret ? .hidden(result) : result
  }

  package static func negate(_ a: Value) throws(Failure) -> Value {
    switch a {
    case .int(let number):
      if number == .min { throw .value("\(number) without its sign does not fit in a 64-bit number") }
      return .int(-number)
    case .real(let number): return .real(-number)
    case .duration(let span):
      if span.nanoseconds == .min { throw overflow("-", a, a) }
      return .duration(-span)
    case .secret: return try secretly("-", a, .nothing) { (x, _) throws(Failure) in try negate(x) }
    default: throw .value("only a number or a duration can be negative, not \(a.typeName)")
    }
  }

  /// The maximum sizes of values, in octets and in elements, so that a runaway loop fails in its
  /// recipe instead of exhausting the machine's memory.
  static let largestText = 16 << 20
  static let largestList = 1 << 20

  static func checkSize(_ a: Int, _ b: Int, most: Int) throws(Failure) {
    if a + b > most { throw tooLarge(most) }
  }

  static func tooLarge(_ most: Int) -> Failure {
    let limit = most == largestList ? "1,048,576 elements" : "16 MiB"
    return .value("this value would have more than \(limit)", hint: "append it to a file piece by piece")
  }

  package static func add(_ a: Value, _ b: Value) throws(Failure) -> Value {
    switch (a, b) {
    case (.int(let x), .int(let y)):
      let (sum, isOver) = x.addingReportingOverflow(y)
      if isOver { throw overflow("+", a, b) }
      return .int(sum)
    case (.real(let x), .real(let y)): return .real(x + y)
    case (.int(let x), .real(let y)): return .real(Double(x) + y)
    case (.real(let x), .int(let y)): return .real(x + Double(y))
    case (.text(let x), .text(let y)):
      try checkSize(x.utf8.count, y.utf8.count, most: largestText)
      return .text(x + y)
    case (.bytes(let x), .bytes(let y)):
      try checkSize(x.count, y.count, most: largestText)
      return .bytes(x + y)
    case (.list(let x), .list(let y)):
      try checkSize(x.count, y.count, most: largestList)
      // Counting is no more work than copying, and both lists are copied anyway.
      if try a.parts() + b.parts() > partLimit { throw .tooManyParts }
      return .list(x + y)
    case (.duration(let x), .duration(let y)):
      return .duration(TimeSpan(nanoseconds: try sum(x.nanoseconds, y.nanoseconds, "+", a, b)))
    case (.time(let x), .duration(let y)): return .time(WallTime(nanoseconds: try sum(x.nanoseconds, y.nanoseconds, "+", a, b)))
    case (.duration(let x), .time(let y)): return .time(WallTime(nanoseconds: try sum(x.nanoseconds, y.nanoseconds, "+", a, b)))
    case (.secret, _), (_, .secret): return try secretly("+", a, b) { (x, y) throws(Failure) in try add(x, y) }
    case (.list, _): throw cannot("add", a, b, hint: "to add one element, write `… + [x]`")
    case (.text, .bytes):
      throw cannot("add", a, b, hint: "turn the text into bytes with `.bytes()`, or the bytes into text with `.text()`")
    case (.bytes, .text): throw cannot("add", a, b, hint: "turn the text into bytes with `.bytes()`")
    case (.text, _), (_, .text): throw cannot("add", a, b, hint: "put the value into the text: `\"… {value}\"`")
    case (.bytes, .int), (.int, .bytes): throw cannot("add", a, b, hint: "say how many bytes: `u8(…)`, `u16(…)`")
    case (.duration, .int), (.int, .duration), (.time, .int), (.time, .real):
      throw cannot("add", a, b, hint: "give the number a unit: `5s`")
    case (.time, .time): throw cannot("add", a, b, hint: "a time and a duration make a time; two times can be subtracted")
    default: throw cannot("add", a, b)
    }
  }

  package static func subtract(_ a: Value, _ b: Value) throws(Failure) -> Value {
    switch (a, b) {
    case (.int(let x), .int(let y)):
      let (difference, isOver) = x.subtractingReportingOverflow(y)
      if isOver { throw overflow("-", a, b) }
      return .int(difference)
    case (.real(let x), .real(let y)): return .real(x - y)
    case (.int(let x), .real(let y)): return .real(Double(x) - y)
    case (.real(let x), .int(let y)): return .real(x - Double(y))
    case (.duration(let x), .duration(let y)):
      return .duration(TimeSpan(nanoseconds: try difference(x.nanoseconds, y.nanoseconds, a, b)))
    case (.time(let x), .time(let y)): return .duration(TimeSpan(nanoseconds: try difference(x.nanoseconds, y.nanoseconds, a, b)))
    case (.time(let x), .duration(let y)): return .time(WallTime(nanoseconds: try difference(x.nanoseconds, y.nanoseconds, a, b)))
    case (.secret, _), (_, .secret): return try secretly("-", a, b) { (x, y) throws(Failure) in try subtract(x, y) }
    case (.record, .text): throw cannot("subtract", a, b, hint: "`.without(key)` leaves a key out")
    case (.time, .int), (.duration, .int), (.time, .real): throw cannot("subtract", a, b, hint: "give the number a unit: `5s`")
    default: throw cannot("subtract", a, b)
    }
  }

  package static func multiply(_ a: Value, _ b: Value) throws(Failure) -> Value {
    switch (a, b) {
    case (.int(let x), .int(let y)):
      let (product, isOver) = x.multipliedReportingOverflow(by: y)
      if isOver { throw overflow("*", a, b) }
      return .int(product)
    case (.real(let x), .real(let y)): return .real(x * y)
    case (.int(let x), .real(let y)): return .real(Double(x) * y)
    case (.real(let x), .int(let y)): return .real(x * Double(y))
    case (.duration(let span), .int(let factor)), (.int(let factor), .duration(let span)):
      let (product, isOver) = span.nanoseconds.multipliedReportingOverflow(by: factor)
      if isOver { throw overflow("*", a, b) }
      return .duration(TimeSpan(nanoseconds: product))
    case (.duration(let span), .real(let factor)), (.real(let factor), .duration(let span)):
      return .duration(try duration(nanoseconds: Double(span.nanoseconds) * factor, "*", a, b))
    case (.secret, _), (_, .secret): return try secretly("*", a, b) { (x, y) throws(Failure) in try multiply(x, y) }
    default: throw cannot("multiply", a, b)
    }
  }

  /// Division; the result is always real.
  package static func divide(_ a: Value, _ b: Value) throws(Failure) -> Value {
    if case .int(0) = b { throw divisionByZero(a) }
    if case .real(0) = b { throw divisionByZero(a) }
    switch (a, b) {
    case (.int(let x), .int(let y)): return .real(Double(x) / Double(y))
    case (.real(let x), .real(let y)): return .real(x / y)
    case (.int(let x), .real(let y)): return .real(Double(x) / y)
    case (.real(let x), .int(let y)): return .real(x / Double(y))
    case (.duration(let x), .duration(let y)):
      if y.nanoseconds == 0 { throw divisionByZero(a) }
      return .real(Double(x.nanoseconds) / Double(y.nanoseconds))
    case (.duration(let span), .int(let divisor)):
      let (quotient, isOver) = span.nanoseconds.dividedReportingOverflow(by: divisor)
      if isOver { throw overflow("/", a, b) }
      return .duration(TimeSpan(nanoseconds: quotient))
    case (.duration(let span), .real(let divisor)):
      return .duration(try duration(nanoseconds: Double(span.nanoseconds) / divisor, "/", a, b))
    case (.secret, _), (_, .secret): return try secretly("/", a, b) { (x, y) throws(Failure) in try divide(x, y) }
    default: throw cannot("divide", a, b)
    }
  }

  /// Remainder with the sign of the divisor, so that `-1 mod 7` is 6.
  package static func modulo(_ a: Value, _ b: Value) throws(Failure) -> Value {
    switch (a, b) {
    case (.int(let x), .int(let y)): return .int(try floored(x, y, a))
    case (.duration(let x), .duration(let y)): return .duration(TimeSpan(nanoseconds: try floored(x.nanoseconds, y.nanoseconds, a)))
    case (.int, .real), (.real, .int), (.real, .real):
      guard let x = a.double, let y = b.double, y != 0 else { throw divisionByZero(a) }
      let rest = x.truncatingRemainder(dividingBy: y)
      return .real(rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest)
    case (.secret, _), (_, .secret): return try secretly("mod", a, b) { (x, y) throws(Failure) in try modulo(x, y) }
    default: throw cannot("divide", a, b)
    }
  }

  private static func floored(_ x: Int64, _ y: Int64, _ a: Value) throws(Failure) -> Int64 {
    if y == 0 { throw divisionByZero(a) }
    if y == -1 { return 0 }
    let rest = x % y
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest
  }

  package static func bits(_ operation: BinaryOperator, _ a: Value, _ b: Value) throws(Failure) -> Value {
    guard let x = a.whole, let y = b.whole else {
      if a.isSecret || b.isSecret {
        return try secretly(operation.rawValue, a, b) { (x, y) throws(Failure) in try bits(operation, x, y) }
      }
      let isLogic = if case .bool = a { true } else { false }
      throw .value(
        "`\(operation.rawValue)` works on whole numbers, not on \(a.fractionOrType) and \(b.fractionOrType)",
        hint: isLogic ? "logic is `and`, `or`, `not`" : nil)
    }
    switch operation {
    case .bitAnd: return .int(x & y)
    case .bitOr: return .int(x | y)
    case .bitXor: return .int(x ^ y)
    default:
      guard (0..<64).contains(y) else { throw .value("a number has 64 bits; it cannot be shifted by \(y)") }
      if operation == .shiftRight { return .int(x >> y) }
      let shifted = x << y
      if shifted >> y != x { throw overflow("<<", a, b) }
      return .int(shifted)
    }
  }

  /// Equality as in `is`: numbers by value, lists and records part by part. Fails if bytes are
  /// compared with text.
  package static func equal(_ a: Value, _ b: Value) throws(Failure) -> Bool {
    switch (a, b) {
    case (.int(let x), .int(let y)): return x == y
    case (.text(let x), .text(let y)): return x.isSame(as: y)
    case (.nothing, .nothing): return true
    case (.bool(let x), .bool(let y)): return x == y
    case (.real(let x), .real(let y)): return x == y
    case (.int(let x), .real(let y)), (.real(let y), .int(let x)): return compare(x, y) == 0
    case (.bytes(let x), .bytes(let y)): return x == y
    case (.duration(let x), .duration(let y)): return x == y
    case (.time(let x), .time(let y)): return x == y
    case (.address(let x), .address(let y)): return x.isSame(as: y)
    case (.uuid(let x), .uuid(let y)): return x == y
    case (.uuid(let x), .int(let y)), (.int(let y), .uuid(let x)): return x.short.map { Int64($0) } == y
    case (.device(let x), .device(let y)): return x == y
    case (.unset, .unset): return true
    case (.subject(let x), .subject(let y)): return x == y
    case (.attribute(let x), .attribute(let y)): return x == y
    case (.problem(let x), .problem(let y)): return x == y
    case (.list(let x), .list(let y)):
      guard x.count == y.count else { return false }
      for index in x.indices where !(try equal(x[index], y[index])) { return false }
      return true
    case (.record(let x), .record(let y)):
      guard x.count == y.count else { return false }
      for field in x.fields {
        guard let other = y[field.key], try equal(field.value, other) else { return false }
      }
      return true
    case (.secret, _), (_, .secret): return try openly("is", a, b) { (x, y) throws(Failure) in try equal(x, y) }
    case (.bytes, .text), (.text, .bytes):
      throw .value("bytes and text cannot be compared", hint: "turn the bytes into text with `.text()`")
    default: return false
    }
  }

  /// The result of `order` for NaN, which is neither less, equal nor greater.
  package static let unordered = 2

  /// -1, 0 or 1; `unordered` if one of the numbers is NaN.
  package static func order(_ a: Value, _ b: Value, _ sign: String = "<") throws(Failure) -> Int {
    switch (a, b) {
    case (.int(let x), .int(let y)): return x < y ? -1 : x == y ? 0 : 1
    case (.real(let x), .real(let y)): return x < y ? -1 : x == y ? 0 : x > y ? 1 : unordered
    case (.int(let x), .real(let y)): return compare(x, y)
    case (.real(let x), .int(let y)):
      let order = compare(y, x)
      return order == unordered ? order : -order
    case (.text(let x), .text(let y)):
      if x != y { return x < y ? -1 : 1 }
      return x.isSame(as: y) ? 0 : x.utf8.lexicographicallyPrecedes(y.utf8) ? -1 : 1
    case (.duration(let x), .duration(let y)): return x < y ? -1 : x == y ? 0 : 1
    case (.time(let x), .time(let y)): return x < y ? -1 : x == y ? 0 : 1
    case (.secret, _), (_, .secret): return try openly(sign, a, b) { (x, y) throws(Failure) in try order(x, y, sign) }
    case (.duration, .int), (.int, .duration), (.duration, .real), (.real, .duration):
      throw .value(
        "\(a.typeName) and \(b.typeName) cannot be compared with `\(sign)`",
        hint: "give the number a unit (`5s`), or take `.seconds`")
    case (.time, .duration), (.duration, .time):
      throw .value("\(a.typeName) and \(b.typeName) cannot be compared with `\(sign)`", hint: "`now() - time` is a duration")
    case (.nothing, _), (_, .nothing):
      throw .value("\(a.typeName) and \(b.typeName) cannot be compared with `\(sign)`", hint: "ask `is not nothing` first")
    default: throw .value("\(a.typeName) and \(b.typeName) cannot be compared with `\(sign)`")
    }
  }

  /// Exact, even if a double cannot represent the integer.
  private static func compare(_ x: Int64, _ y: Double) -> Int {
    if y.isNaN { return unordered }
    if y >= 9.3e18 { return -1 }
    if y <= -9.3e18 { return 1 }
    guard let floor = Int64(exactly: y.rounded(.down)) else { return y > 0 ? -1 : 1 }
    if x > floor { return 1 }
    if x < floor { return -1 }
    return Double(floor) == y ? 0 : -1
  }

  package static func isIn(_ a: Value, _ b: Value) throws(Failure) -> Bool {
    if a.isSecret || b.isSecret { return try openly("in", a, b) { (x, y) throws(Failure) in try isIn(x, y) } }
    switch b {
    case .list(let list):
      for element in list {
        // Bytes and text are simply unequal here, because a list may contain both.
        if case .bytes = a, case .text = element { continue }
        if case .text = a, case .bytes = element { continue }
        if try equal(a, element) { return true }
      }
      return false
    case .record(let record): return record.position(of: try key(a)) != nil
    case .text:
      throw .value("`in` looks into lists and record keys", hint: "for a text write it the other way round: `text contains part`")
    default: throw .value("`in` looks into lists and record keys, not into \(b.typeName)")
    }
  }

  package static func contains(_ a: Value, _ b: Value) throws(Failure) -> Bool {
    switch (a, b) {
    case (.text(let whole), .text(let part)): return TextSearch.first(part, in: whole) != nil
    case (.secret, _), (_, .secret): return try openly("contains", a, b) { (x, y) throws(Failure) in try contains(x, y) }
    case (.list, _), (.record, _):
      throw .value("`contains` looks into a text", hint: "for lists and records write it the other way round: `x in list`")
    default: throw .value("`contains` looks for a text in a text, not for \(b.typeName) in \(a.typeName)")
    }
  }

  package static func matches(_ a: Value, _ b: Value) throws(Failure) -> Bool {
    guard case .text(let text) = a, case .text(let pattern) = b else {
      if a.isSecret || b.isSecret { return try openly("matches", a, b) { (x, y) throws(Failure) in try matches(x, y) } }
      throw .value("`matches` compares a text with a pattern, not \(a.typeName) with \(b.typeName)")
    }
    return Glob.matches(pattern, text)
  }

  /// The number as a double.
  package var double: Double? {
    switch self {
    case .int(let number): Double(number)
    case .real(let number): number
    default: nil
    }
  }

  /// The number as an integer, if it is whole, even if it is a real like 3.0.
  package var whole: Int64? {
    switch self {
    case .int(let number): number
    case .real(let number): Int64(exactly: number)
    default: nil
    }
  }

  /// A value as a record's key: a text, or a value that prints as a single word.
  package static func key(_ value: Value) throws(Failure) -> String {
    switch value {
    case .text(let text): return text
    case .int(let number): return String(number)
    case .address(let address): return address.description
    case .uuid(let uuid): return uuid.description
    case .real(let number) where number == number.rounded() && abs(number) < 1e15: return String(Int64(number))
    default: throw .value("a record's key is a text (or a number, an address, a UUID), not \(value.typeName)")
    }
  }

  private static func sum(_ x: Int64, _ y: Int64, _ sign: String, _ a: Value, _ b: Value) throws(Failure) -> Int64 {
    let (sum, isOver) = x.addingReportingOverflow(y)
    if isOver { throw overflow(sign, a, b) }
    return sum
  }

  private static func difference(_ x: Int64, _ y: Int64, _ a: Value, _ b: Value) throws(Failure) -> Int64 {
    let (difference, isOver) = x.subtractingReportingOverflow(y)
    if isOver { throw overflow("-", a, b) }
    return difference
  }

  private static func duration(nanoseconds: Double, _ sign: String, _ a: Value, _ b: Value) throws(Failure) -> TimeSpan {
    guard let whole = Int64(exactly: nanoseconds.rounded()) else { throw overflow(sign, a, b) }
    return TimeSpan(nanoseconds: whole)
  }

  private static func overflow(_ sign: String, _ a: Value, _ b: Value) -> Failure {
    switch (a, b) {
    case (.int(let x), .int(let y)): .value("\(x) \(sign) \(y) does not fit in a 64-bit number")
    default: .value("the result of `\(sign)` is out of range")
    }
  }

  private static func divisionByZero(_ a: Value) -> Failure { .value("\(a.typeName) cannot be divided by zero") }

  private static func cannot(_ verb: String, _ a: Value, _ b: Value, hint: String? = nil) -> Failure {
    let message =
      switch verb {
      case "subtract": "\(b.typeName) cannot be subtracted from \(a.typeName)"
      case "divide": "\(a.typeName) cannot be divided by \(b.typeName)"
      case "multiply": "\(a.typeName) cannot be multiplied by \(b.typeName)"
      default: "\(a.typeName) and \(b.typeName) cannot be added"
      }
    return .value(message, hint: hint)
  }
}
