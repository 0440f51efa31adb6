package import Exchange

/// `if` … `else if` … `else` … `end`
package struct IfStatement: Equatable, Sendable {
  package struct Branch: Equatable, Sendable {
    package var condition: Expression
    package var body: [Member]
    /// The tokens of the `else if` line; empty for the first branch, whose line is the header.
    package var normalized = ""
  }

  /// The `if` and every `else if`, at least one.
  package var branches: [Branch]
  /// The `else`, if present.
  package var otherwise: [Member]?
}

/// `repeat forever | while c | until c | N times` with a body.
package struct RepeatStatement: Equatable, Sendable {
  package enum Mode: Equatable, Sendable {
    case forever
    case `while`(Expression)
    case until(Expression)
    case times(Expression)
  }

  package var mode: Mode
  package var body: [Member]
}

/// `for each x in LIST [at once [up to N]]` with a body.
package struct ForEachStatement: Equatable, Sendable {
  package struct AtOnce: Equatable, Sendable {
    package var upTo: Expression?
    package var range: SourceRange
  }

  package var name: NameSyntax
  package var list: Expression
  package var atOnce: AtOnce?
  package var body: [Member]
}

/// `try [N times] [every D] [within D]` with a body and its rescues, on one line or as a block.
package struct TryStatement: Equatable, Sendable {
  package var times: Expression?
  package var every: Expression?
  package var within: WithinSyntax?
  package var body: [Member]
  package var rescues: [Rescue]
}

/// `otherwise [if KIND or KIND] [as p]` of a `try`.
package struct Rescue: Equatable, Sendable {
  package var id: Int
  /// The kinds of failure that it handles; empty means all.
  package var kinds: [NameSyntax]
  package var name: NameSyntax?
  package var body: [Member]
  package var range: SourceRange
  package var header: SourceRange
  package var normalized: String
}
