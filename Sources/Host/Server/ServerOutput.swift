import Exchange
import Packets

/// What our server orders for one link.
enum ServerOutput: Equatable, Sendable {
  case send(ATTPDU)
  case report(OwnerID, HostEvent)
}
