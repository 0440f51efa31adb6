import Exchange
package import Recipe
import Vocabulary

package struct CallSite: Equatable, Sendable {
  package var name: String
  package var builtIn: BuiltIn?
  package var method: Method?
  package var count: Int
}
