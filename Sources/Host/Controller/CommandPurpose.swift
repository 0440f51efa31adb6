import Exchange
import Packets

/// The purpose of an HCI command, which receives its answer.
enum CommandPurpose: Equatable, Sendable {
  case initialisation
  /// A step of the radio's procedure.
  case radio
  /// Reads the RSSI for this operation.
  case rssi(OwnerID, OperationID)
  /// Checks whether the controller still knows this link.
  case probe(ConnectionHandle)
  case disconnection(ConnectionHandle)
  /// Changes a link parameter. An event with the result follows unless the command is refused.
  case adjustment(ConnectionHandle)
  /// Starts encryption. Encryption Change follows unless the command is refused.
  case encryption(ConnectionHandle)
  /// Nothing waits for the answer; a refusal is logged.
  case aside
}
