package import Exchange

/// `peripheral NAME [named "…"]` … `end`
package struct PeripheralDeclaration: Equatable, Sendable {
  package var name: NameSyntax
  package var displayName: StringSyntax?
  package var parts: [PeripheralPart]
  package var help: String?
  package var range: SourceRange
  package var header: SourceRange

  /// Whether its `advertise` names a PHY.
  package var namesPHY: Bool {
    parts.contains { part in
      guard case .advertise(let statement) = part.kind, case .record(let entries)? = statement.with?.kind else { return false }
      return entries.contains { $0.key.text == "phy" }
    }
  }
}

/// One part of a peripheral, in textual order.
package struct PeripheralPart: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    case advertise(AdvertiseStatement)
    case service(ServiceDeclaration)
    case channel(ChannelDeclaration)
    case passkey(Expression)
    /// A `let` statement.
    case variable(Statement)
    case handler(Handler)
    case procedure(ProcedureDeclaration)
  }

  package var kind: Kind
  package var range: SourceRange
}

/// The security that a link needs for access to an attribute.
package enum SecurityNeed: String, Equatable, Sendable { case encryption, authentication }

/// `[secondary] service UUID` … `end`
package struct ServiceDeclaration: Equatable, Sendable {
  package var isSecondary = false
  package var uuid: UUIDSyntax
  package var attributes: [AttributeDeclaration]
  package var header: SourceRange
}

/// One line of a service.
package struct AttributeDeclaration: Equatable, Sendable {
  package enum Kind: String, Equatable, Sendable { case characteristic, descriptor, include }
  package enum Property: Equatable, Sendable {
    case read, notify, indicate, write, writeWithoutResponse, writeReliably
  }

  package var kind: Kind
  package var uuid: UUIDSyntax
  /// Which of several services with its UUID an `include` means: `include heart_rate[1]`.
  package var instance: Expression?
  package var properties: [Property]
  /// `needs …` applies to reads and writes; `read needs …` and `write needs …` to one of them.
  package var need: SecurityNeed?
  package var readNeed: SecurityNeed?
  package var writeNeed: SecurityNeed?
  package var initial: Expression?
  package var range: SourceRange
}

/// `channel NAME [psm N] [needs …]`
package struct ChannelDeclaration: Equatable, Sendable {
  package var name: NameSyntax
  package var psm: Expression?
  package var need: SecurityNeed?
}
