import Exchange
import Packets

/// What an HCI command was sent for: its answer goes there.
enum CommandPurpose: Equatable, Sendable {
  case initialisation
  /// A step of the radio's procedure.
  case radio
  /// Read RSSI for this operation.
  case rssi(OwnerID, OperationID)
  /// Whether the controller still knows this link.
  case probe(ConnectionHandle)
  case disconnection(ConnectionHandle)
  /// A parameter of the link; the event with what came of it follows, but not after a refusal.
  case adjustment(ConnectionHandle)
  /// Its Encryption Change follows, but not after a refusal.
  case encryption(ConnectionHandle)
  /// Nobody waits for it; a refusal is noted.
  case aside
}
