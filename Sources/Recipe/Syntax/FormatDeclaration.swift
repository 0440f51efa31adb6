package import Exchange

/// `format NAME [for …]` … `end`
package struct FormatDeclaration: Equatable, Sendable {
  package enum Purpose: Equatable, Sendable {
    case characteristic(UUIDSyntax)
    case serviceData(UUIDSyntax)
    /// The company identifier is the short form of the UUID.
    case manufacturer(UUIDSyntax)
  }

  package var name: NameSyntax
  package var purpose: Purpose?
  package var fields: [FieldSyntax]
  package var help: String?
  package var range: SourceRange
  package var header: SourceRange
}

/// One line of a format (or the lines of a `bits` field).
package struct FieldSyntax: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    /// `NAME is bits(u8)` with its bit fields.
    case bits(name: NameSyntax, storage: NameSyntax, fields: [BitFieldSyntax])
    /// `NAME is TYPE …`
    case plain(name: NameSyntax, type: PlainTypeSyntax, modifiers: [ModifierSyntax])
    /// `skip N bytes`
    case skipBytes(Expression)
    /// `skip N bits`
    case skipBits(Expression)
    /// `big endian`, for the fields after it.
    case bigEndian
  }

  package var kind: Kind
  package var range: SourceRange
}

/// `NAME is bit 0`, `NAME is bits 1 to 2 meaning …`
package struct BitFieldSyntax: Equatable, Sendable {
  package var name: NameSyntax
  package var first: Expression
  /// `nil` for a single bit.
  package var last: Expression?
  package var meanings: [MeaningSyntax]
  package var range: SourceRange
}

/// A type without its modifiers.
package struct PlainTypeSyntax: Equatable, Sendable {
  package indirect enum Kind: Equatable, Sendable {
    /// `list [(count)] of TYPE`
    case list(count: Expression?, PlainTypeSyntax)
    /// `u8`, `bytes(16)`, another format.
    case named(NameSyntax, size: Expression?)
  }

  package var kind: Kind
  package var range: SourceRange
}

/// What follows a type.
package struct ModifierSyntax: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    case times(Expression)
    case plus(Expression)
    case unit(StringSyntax)
    case always(Expression)
    case meaning([MeaningSyntax])
    /// `if c [else TYPE]`
    case condition(Expression, otherwise: PlainTypeSyntax?)
  }

  package var kind: Kind
  package var range: SourceRange
}

/// `good = 3` after `meaning`
package struct MeaningSyntax: Equatable, Sendable {
  package var word: NameSyntax
  package var value: Expression
}
