import Exchange
import Recipe

/// An order of a test to the simulation.
package enum OrderSite: Equatable, Sendable {
  /// Simulates a declared peripheral under a name.
  case simulate(peripheral: String, name: String, with: Operand?)
  case start(file: String?, with: Operand?)
  case kill(Operand)
  case resume(Operand)
  /// `nil` means the adapter.
  case make(Operand?, Fault)

  package enum Fault: Equatable, Sendable {
    case vanish, appear, drop, reboot, loseNextReply, changeServices, forgetBond
    case slow(by: Operand)
    case refuseNext(TestOrder.Request, with: Operand)
  }
}
