import Exchange
import Packets

/// An order of our server for one link.
enum ServerOutput: Equatable, Sendable {
  case send(ATTPDU)
  case report(OwnerID, HostEvent)
}
