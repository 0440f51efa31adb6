import Exchange
import Packets
import Vocabulary

/// An order of the arbiter; the order of effects matters.
enum RadioEffect: Equatable, Sendable {
  /// Sends a command. `RadioArbiter.answered` receives the answer.
  case send(HCICommand)
  case complete(OwnerID, OperationID, Result<Outcome, Failure>)
  case note(LogLevel, String)
  case trouble(AdapterTrouble)
  /// The controller uses this private address from now on.
  case ownAddressChanged(Address)
  /// The controller has started to scan.
  case scanBegan
  /// No client requests a link to this peer any more, so an unready one is closed.
  case unwanted(Address)
  /// The controller has refused another link although it has only those it reported.
  case linksAreFull(HCIStatus)
}
