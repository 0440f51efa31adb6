package import Exchange

/// `peripheral NAME [named "…"]` … `end`
package struct PeripheralDeclaration: Equatable, Sendable {
  package var name: NameSyntax
  package var displayName: StringSyntax?
  package var parts: [PeripheralPart]
  package var help: String?
  package var range: SourceRange
  package var header: SourceRange
}

/// One part of a peripheral, in textual order.
package struct PeripheralPart: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    case advertise(AdvertiseStatement)
    case service(ServiceDeclaration)
    case channel(ChannelDeclaration)
    case passkey(Expression)
    /// Its kind is `let`.
    case variable(Statement)
    case handler(Handler)
    case procedure(ProcedureDeclaration)
  }

  package var kind: Kind
  package var range: SourceRange
}

/// What a link must be before an attribute is given.
package enum SecurityNeed: String, Equatable, Sendable { case encryption, authentication }

/// `service UUID` … `end`
package struct ServiceDeclaration: Equatable, Sendable {
  package var uuid: UUIDSyntax
  package var attributes: [AttributeDeclaration]
  package var header: SourceRange
}

/// One line of a service.
package struct AttributeDeclaration: Equatable, Sendable {
  package enum Kind: String, Equatable, Sendable { case characteristic, descriptor, include }
  package enum Ability: Equatable, Sendable {
    case read, notify, indicate, write, writeWithoutResponse
  }

  package var kind: Kind
  package var uuid: UUIDSyntax
  package var abilities: [Ability]
  package var need: SecurityNeed?
  package var initial: Expression?
  package var range: SourceRange
}

/// `channel NAME [psm N] [needs …]`
package struct ChannelDeclaration: Equatable, Sendable {
  package var name: NameSyntax
  package var psm: Expression?
  package var need: SecurityNeed?
}
