package import Exchange

/// `use timeout 20s`
package struct UseDeclaration: Equatable, Sendable {
  package var setting: NameSyntax
  package var value: Expression?
  package var range: SourceRange
}

/// `include "common.ble"`
package struct IncludeDeclaration: Equatable, Sendable {
  package var file: StringSyntax
  package var range: SourceRange
}

/// `input limit: number = 30.0 "Warn above this temperature"`
package struct InputDeclaration: Equatable, Sendable {
  package var name: NameSyntax
  /// `text number flag duration uuid address file bytes secret`, or a plural of these. The check
  /// reports other words.
  package var type: NameSyntax
  package var initial: Expression?
  /// The text after it, otherwise the `##` lines above it.
  package var help: String?
  package var range: SourceRange
}

/// `remember rooms = {}`
package struct RememberDeclaration: Equatable, Sendable {
  package var id: Int
  package var name: NameSyntax
  package var initial: Expression
  package var range: SourceRange
  package var normalized: String
}

/// `procedure command(request_bytes)` … `end`
package struct ProcedureDeclaration: Equatable, Sendable {
  package var id: Int
  package var name: NameSyntax
  package var parameters: [NameSyntax]
  package var body: [Member]
  package var help: String?
  package var range: SourceRange
  package var header: SourceRange
  package var normalized: String
}

/// `test "…"` … `end`
package struct TestDeclaration: Equatable, Sendable {
  package var name: StringSyntax
  package var body: [Member]
  package var range: SourceRange
  package var header: SourceRange
}
