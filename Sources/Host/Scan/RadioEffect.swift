import Exchange
import Packets
import Vocabulary

/// What the arbiter orders, in order.
enum RadioEffect: Equatable, Sendable {
  /// Its answer comes back as `RadioArbiter.answered`.
  case send(HCICommand)
  case complete(OwnerID, OperationID, Result<Outcome, Failure>)
  case note(LogLevel, String)
  case trouble(AdapterTrouble)
  /// The controller uses this private address from now on.
  case ownAddressChanged(Address)
  /// The controller has begun to scan.
  case scanBegan
  /// Nobody wishes for a link to this peer any more: one that is not ready yet is ended.
  case unwanted(Address)
  /// The controller has refused another link, although it has only those it told of.
  case linksAreFull(HCIStatus)
}
