package import Exchange

/// A quoted text, taken apart.
package struct StringSyntax: Equatable, Sendable {
  package enum Part: Equatable, Sendable {
    /// Text with resolved escapes.
    case text(String)
    /// `{e}`, `{e:.1}`
    case expression(Expression, format: Format?)
  }

  /// The format after `:` inside `{}`.
  package enum Format: Equatable, Sendable {
    /// `.1`: the number of digits after the point.
    case decimals(Int)
    /// `04`: a minimum width, filled with zeros; `4`: filled with spaces.
    case padded(Int, zeros: Bool)
    /// `hex`: bytes (or a number) as hex digits.
    case hex
  }

  package enum Quote: Equatable, Sendable {
    /// `"…"`
    case double
    /// `'…'`, a raw text
    case single
    /// `"""…"""`
    case long
  }

  package var parts: [Part]
  package var quote: Quote
  package var range: SourceRange

  package init(parts: [Part], quote: Quote, range: SourceRange) {
    self.parts = parts
    self.quote = quote
    self.range = range
  }

  /// The text, if it has no expressions.
  package var plain: String? {
    var text = ""
    for part in parts {
      guard case .text(let piece) = part else { return nil }
      text += piece
    }
    return text
  }
}
