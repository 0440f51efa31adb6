import Exchange
package import Recipe
import Vocabulary

package struct OutputSite: Equatable, Sendable {
  package var channel: OutputStatement.Channel
  package var first: Int
  package var count: Int
  package var ending: Operand?
}
