import Exchange
import Recipe
import Vocabulary

package struct ConnectSite: Equatable, Sendable {
  package var device: DeviceSite
  package var whenItAppears: Bool
  package var within: WithinSite
  /// The ATT_MTU to request; `nil` requests the largest.
  package var mtu: Operand?
}
