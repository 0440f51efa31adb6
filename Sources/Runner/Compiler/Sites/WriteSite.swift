import Exchange
package import Recipe
import Vocabulary

package struct WriteSite: Equatable, Sendable {
  package var value: Operand
  package var attribute: AttributeSite
  package var withoutResponse: Bool
  package var within: WithinSite
  package var policy: UnsurePolicy
}
