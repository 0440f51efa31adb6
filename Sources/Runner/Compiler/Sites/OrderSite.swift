import Exchange
import Recipe

/// What a statement of a test orders.
package enum OrderSite: Equatable, Sendable {
  /// A declared peripheral, under the name that it is simulated by.
  case simulate(peripheral: String, name: String, with: Operand?)
  case start(file: String?, with: Operand?)
  case kill(Operand)
  case resume(Operand)
  /// Nothing means the adapter.
  case make(Operand?, Fault)

  package enum Fault: Equatable, Sendable {
    case vanish, appear, drop, reboot, loseNextReply, changeServices, forgetBond
    case slow(by: Operand)
    case refuseNext(TestOrder.Request, with: Operand)
  }
}
