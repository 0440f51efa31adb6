package import Exchange
package import Vocabulary

/// An address literal, with or without its type.
package struct AddressLiteral: Equatable, Sendable {
  /// `.public` if no type is written.
  package var address: Address
  /// Whether it has `/public` or `/random`.
  package var hasKind: Bool
}

/// The target of a scan: `anything`, or targets joined by `or`.
package struct WhatSyntax: Equatable, Sendable {
  /// Empty means `anything`.
  package var targets: [TargetSyntax]
  package var range: SourceRange
}

/// A service, a format, a name pattern or an address to scan for.
package struct TargetSyntax: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    case name(String)
    case uuid(UUID)
    case address(AddressLiteral)
    case string(StringSyntax)
  }

  package var kind: Kind
  package var range: SourceRange
}

/// `named "…"`, `stronger than e`, `made by company`, `soliciting service`
package struct FilterSyntax: Equatable, Sendable {
  package enum Company: Equatable, Sendable {
    case name(String)
    case number(UInt16)
  }

  package enum Kind: Equatable, Sendable {
    case named(StringSyntax)
    case strongerThan(Expression)
    case madeBy(Company)
    case soliciting(UUIDSyntax)
  }

  package var kind: Kind
  package var range: SourceRange
}

/// A device: a name, an address, or a value in parentheses.
package struct DeviceSyntax: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    case name(String)
    case address(AddressLiteral)
    case expression(Expression)
  }

  package var kind: Kind
  package var range: SourceRange
}

/// A UUID, by name or as a literal; `0x180D` is already converted.
package struct UUIDSyntax: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    case name(String)
    case literal(UUID)
  }

  package var kind: Kind
  package var range: SourceRange

  package init(kind: Kind, range: SourceRange) {
    self.kind = kind
    self.range = range
  }
}

/// ATTR: an attribute and its device.
package struct AttributePathSyntax: Equatable, Sendable {
  /// One part of a path: `heart_rate[1]`.
  package struct Step: Equatable, Sendable {
    package var uuid: UUIDSyntax
    package var index: Expression?
    package var range: SourceRange
  }

  package enum Kind: Equatable, Sendable {
    /// `handle 0x000c`, `handle (e)`
    case handle(Expression)
    /// `service/characteristic/descriptor`: at least one step.
    case path([Step])
    /// `(e)`
    case value(Expression)
  }

  package var kind: Kind
  package var device: DeviceSyntax?
  /// Without the `of DEV`.
  package var range: SourceRange
}

/// `within forever`, `within D`
package struct WithinSyntax: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    case forever
    case duration(Expression)
  }

  package var kind: Kind
  package var range: SourceRange
}

/// What `set` changes: a name, then fields and indices.
package struct PlaceSyntax: Equatable, Sendable {
  package enum Step: Equatable, Sendable {
    case member(NameSyntax)
    case index(Expression)
  }

  package var name: NameSyntax
  package var steps: [Step]
  package var range: SourceRange
}
