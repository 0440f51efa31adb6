package import Exchange
package import Vocabulary

/// A value as written.
package struct Expression: Equatable, Sendable {
  package var kind: ExpressionKind
  package var range: SourceRange

  package init(kind: ExpressionKind, range: SourceRange) {
    self.kind = kind
    self.range = range
  }
}

/// Parentheses are not represented; `-7` is a number.
package indirect enum ExpressionKind: Equatable, Sendable {
  case number(NumberLiteral)
  case duration(TimeSpan)
  case string(StringSyntax)
  case uuid(UUID)
  case address(AddressLiteral)
  /// `hex "01 02 ff"`
  case bytes([UInt8])
  case boolean(Bool)
  case nothing
  case it
  case name(String)
  /// A procedure or a built-in: `f(a, b)`.
  case call(NameSyntax, [ArgumentSyntax])
  /// `a.b`
  case member(Expression, NameSyntax)
  /// `a.b(c)`
  case method(Expression, NameSyntax, [ArgumentSyntax])
  /// `a[i]`
  case index(Expression, Expression)
  /// `a[from .. to]`, excluding the second bound.
  case slice(Expression, from: Expression, to: Expression)
  case list([Expression])
  case record([RecordEntry])
  case unary(UnaryOperator, Expression)
  case binary(BinaryOperator, Expression, Expression)
  /// `value if condition else other`
  case conditional(value: Expression, condition: Expression, other: Expression)
}

/// A number, with the parts of its notation that matter.
package struct NumberLiteral: Equatable, Sendable {
  package enum Value: Equatable, Sendable {
    case integer(Int64)
    case real(Double)
  }

  package var value: Value
  /// Whether it is written as `0x…`; such a `let` may stand for a UUID.
  package var isHex = false
  /// Whether it is written with `dBm`.
  package var isDecibel = false

  package init(value: Value, isHex: Bool = false, isDecibel: Bool = false) {
    self.value = value
    self.isHex = isHex
    self.isDecibel = isDecibel
  }
}

package struct ArgumentSyntax: Equatable, Sendable {
  /// The label before `:`, if any.
  package var label: Expression?
  package var value: Expression
}

package struct RecordEntry: Equatable, Sendable {
  package var key: NameSyntax
  package var value: Expression
}

package enum UnaryOperator: String, Equatable, Sendable {
  case negate = "-"
  case not
}

package enum BinaryOperator: String, Equatable, Sendable {
  case or, and
  case equal = "is"
  case notEqual = "is not"
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case `in`, contains, matches
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"
  case modulo = "mod"
  case bitAnd = "&"
  case bitOr = "|"
  case bitXor = "^"
  case shiftLeft = "<<"
  case shiftRight = ">>"

  var isOrdering: Bool { [.less, .lessOrEqual, .greater, .greaterOrEqual].contains(self) }
}
