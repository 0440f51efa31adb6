import Exchange
package import Vocabulary

/// What a test asks of the world that it runs in. Peripherals and runs are numbered by the test, in
/// the order in which they came.
package enum TestOrder: Equatable, Sendable {
  package enum Request: Equatable, Sendable { case read, write, subscribe }

  package enum Fault: Equatable, Sendable {
    case vanish, appear, drop, reboot, loseNextReply, changeServices, forgetBond
    case slow(by: TimeSpan)
    case refuseNext(Request, code: UInt8)
  }

  case simulate(subject: Int, peripheral: String, name: String, with: Record)
  /// Without a file it is the recipe that the test stands in.
  case start(subject: Int, file: String?, with: Record)
  case kill(subject: Int)
  case resume(subject: Int)
  /// Nothing means the adapter.
  case make(subject: Int?, Fault)
  /// A `let` of a peripheral.
  case set(subject: Int, name: String, Value)
}
