import Exchange
package import Recipe
package import Vocabulary

package struct ScanSite: Equatable, Sendable {
  package enum Target: Equatable, Sendable {
    case service(UUID)
    case name(String)
    case address(AddressValue)
    /// What decodes by this format.
    case format(Int)
    /// A computed address, UUID or name pattern.
    case value(Operand)
  }

  package var mode: ScanStatement.Mode
  package var targets: [Target]
  package var named: [String]
  package var strongerThan: [Operand]
  package var madeBy: [UInt16]
  package var soliciting: [UUIDSite] = []
  /// Code that computes what it looks for, where no statement does: of a handler, which has no
  /// fiber yet.
  package var prologue: Int?
  package var predicate: Int?
  package var within: WithinSite
  package var destination: Operand?
  /// What is looked for, as the recipe has it.
  package var text: String
}
