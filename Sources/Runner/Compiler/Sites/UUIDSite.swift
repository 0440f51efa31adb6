import Exchange
import Recipe
package import Vocabulary

package enum UUIDSite: Equatable, Sendable {
  case fixed(UUID)
  case value(Operand)
}
