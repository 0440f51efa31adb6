import Exchange
import Recipe
import Vocabulary

package struct ReconnectSite: Equatable, Sendable {
  package var devices: [DeviceSite]
  package var times: Operand?
  package var waiting: Operand?
  package var upTo: Operand?
}
