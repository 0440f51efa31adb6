package import Exchange
package import Vocabulary

/// Signs of the language, and signs of other languages that have their own message.
package enum Symbol: String, Equatable, Sendable {
  case openRound = "("
  case closeRound = ")"
  case openSquare = "["
  case closeSquare = "]"
  case openCurly = "{"
  case closeCurly = "}"
  case comma = ","
  case colon = ":"
  case semicolon = ";"
  case dot = "."
  case dotDot = ".."
  case plus = "+"
  case minus = "-"
  case star = "*"
  case slash = "/"
  case ampersand = "&"
  case bar = "|"
  case caret = "^"
  case shiftLeft = "<<"
  case shiftRight = ">>"
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case equal = "="
  // Not part of the language.
  case doubleEqual = "=="
  case notEqual = "!="
  case doubleAmpersand = "&&"
  case doubleBar = "||"
  case exclamation = "!"
  case percent = "%"
  case plusEqual = "+="
  case minusEqual = "-="
  case arrow = "->"
  case fatArrow = "=>"

  /// Whether the line continues after it.
  var continuesLine: Bool {
    switch self {
    case .comma, .plus, .minus, .star, .slash, .ampersand, .bar, .caret, .shiftLeft, .shiftRight, .less, .lessOrEqual, .greater,
      .greaterOrEqual, .doubleEqual, .notEqual, .doubleAmpersand, .doubleBar, .percent:
      true
    default: false
    }
  }
}

/// A token with its range.
package struct Token: Equatable, Sendable {
  /// A number without its sign.
  package enum Magnitude: Equatable, Sendable {
    case integer(UInt64)
    case real(Double)
  }

  package enum Kind: Equatable, Sendable {
    case word(String)
    case number(Magnitude, isHex: Bool, isDecibel: Bool)
    case duration(TimeSpan)
    /// A text with its quotes, which the parser takes apart.
    case text(StringSyntax.Quote)
    case uuid(UUID)
    case address(AddressLiteral)
    case symbol(Symbol)
    /// Already reported.
    case bad
    case newline
    case endOfFile
  }

  package var kind: Kind
  package var range: SourceRange
  /// Counts from 1.
  package var line: Int
  /// Whether it is the first token of its line.
  package var startsLine: Bool
}
