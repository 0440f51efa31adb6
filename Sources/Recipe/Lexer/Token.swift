package import Exchange
package import Vocabulary

/// Signs of the language, and signs of other languages that get a message of their own.
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
  // not ours
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

  /// Whether a line goes on behind it.
  var continuesLine: Bool {
    switch self {
    case .comma, .plus, .minus, .star, .slash, .ampersand, .bar, .caret, .shiftLeft, .shiftRight, .less, .lessOrEqual, .greater,
      .greaterOrEqual, .doubleEqual, .notEqual, .doubleAmpersand, .doubleBar, .percent:
      true
    default: false
    }
  }
}

/// One piece of text.
package struct Token: Equatable, Sendable {
  /// A number before its sign is known.
  package enum Magnitude: Equatable, Sendable {
    case integer(UInt64)
    case real(Double)
  }

  package enum Kind: Equatable, Sendable {
    case word(String)
    case number(Magnitude, isHex: Bool, isDecibel: Bool)
    case duration(TimeSpan)
    /// The text with its quotes; taken apart by the parser.
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
