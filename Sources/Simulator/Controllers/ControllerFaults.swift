import Packets

/// The armed faults of one controller.
struct ControllerFaults: Sendable {
  var lostReply: (opcode: UInt8?, then: LostReply)?
  var refusal: (opcode: UInt8?, error: UInt8)?
  var refusedCommand: (opcode: HCIOpcode?, status: HCIStatus)?
  /// The number of CONNECT_IND PDUs that it will not receive.
  var missedConnections = 0
  /// The number of CONNECT_IND PDUs that it will receive and then ignore.
  var failedEstablishments = 0
}

/// What happens to the link after a lost response.
package enum LostReply: Sendable {
  /// Nothing crosses it any more, and both sides see a supervision timeout.
  case linkTimesOut
  /// Both sides get a timeout at once.
  case linkDrops
  /// It stays, and only the peer's transaction timer detects the loss.
  case silence
}
