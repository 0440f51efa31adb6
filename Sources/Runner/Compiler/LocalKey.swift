import Exchange
import Recipe

package enum LocalKey: Equatable, Sendable {
  case fixed(Int)
  case named(String)
  case hidden(statement: Int, number: Int)
  case temporary
}
