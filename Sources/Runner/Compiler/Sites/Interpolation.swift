import Exchange
package import Recipe
import Vocabulary

package struct Interpolation: Equatable, Sendable {
  package enum Part: Equatable, Sendable {
    case text(String)
    case value(format: StringSyntax.Format?)
  }

  package var parts: [Part]
}
