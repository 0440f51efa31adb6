import Exchange
package import Vocabulary

/// A request of a test to its simulated world. Peripherals and runs are numbered in the order in
/// which the test creates them.
package enum TestOrder: Equatable, Sendable {
  package enum Request: Equatable, Sendable { case read, write, subscribe }

  package enum Fault: Equatable, Sendable {
    case vanish, appear, drop, reboot, loseNextReply, changeServices, forgetBond
    case slow(by: TimeSpan)
    case refuseNext(Request, code: UInt8)
  }

  case simulate(subject: Int, peripheral: String, name: String, with: Record)
  /// Without a file, starts the recipe that contains the test.
  case start(subject: Int, file: String?, with: Record)
  case kill(subject: Int)
  case resume(subject: Int)
  /// `nil` means the adapter.
  case make(subject: Int?, Fault)
  /// Sets a `let` of a peripheral.
  case set(subject: Int, name: String, Value)
}
