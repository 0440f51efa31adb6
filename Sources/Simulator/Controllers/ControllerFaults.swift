import Packets

/// What was ordered to go wrong next at one controller.
struct ControllerFaults: Sendable {
  var lostReply: (opcode: UInt8?, then: LostReply)?
  var refusal: (opcode: UInt8?, error: UInt8)?
  var refusedCommand: (opcode: HCIOpcode?, status: HCIStatus)?
  /// So many CONNECT_IND to it are not heard.
  var missedConnections = 0
  /// So many CONNECT_IND to it are heard, and then nothing more.
  var failedEstablishments = 0
}

/// What becomes of the link after a reply was lost.
package enum LostReply: Sendable {
  /// Nothing crosses it any more: both sides see it die by supervision timeout.
  case linkTimesOut
  /// Both sides are told of a timeout at once.
  case linkDrops
  /// It stays: the peer's transaction timer has to find out.
  case silence
}
