import Exchange
package import Recipe
package import Vocabulary

package struct ScanSite: Equatable, Sendable {
  package enum Target: Equatable, Sendable {
    case service(UUID)
    case name(String)
    case address(AddressValue)
    /// Advertisements that this format decodes.
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
  /// Offset of the code that computes the targets of a handler, which has no fiber yet.
  package var prologue: Int?
  package var predicate: Int?
  package var within: WithinSite
  package var destination: Operand?
  /// The targets and filters in words; a condition is not included.
  package var text: String
}
