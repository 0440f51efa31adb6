package import Exchange

/// A text in quotes, taken apart.
package struct StringSyntax: Equatable, Sendable {
  package enum Part: Equatable, Sendable {
    /// Escapes already resolved.
    case text(String)
    /// `{e}`, `{e:.1}`
    case expression(Expression, format: Format?)
  }

  /// What stands behind `:` inside `{}`.
  package enum Format: Equatable, Sendable {
    /// `.1`: so many digits behind the point.
    case decimals(Int)
    /// `04`: at least so many characters, filled with zeros; `4`: with spaces.
    case padded(Int, zeros: Bool)
    /// `hex`: bytes (or a number) as hex digits.
    case hex
  }

  package enum Quote: Equatable, Sendable {
    /// `"…"`
    case double
    /// `'…'`, raw
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

  /// The text when it holds no expression.
  package var plain: String? {
    var text = ""
    for part in parts {
      guard case .text(let piece) = part else { return nil }
      text += piece
    }
    return text
  }
}
