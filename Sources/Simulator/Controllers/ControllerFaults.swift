import Packets
package import Vocabulary

/// The armed faults of one controller.
struct ControllerFaults: Sendable {
  var lostReply: (opcode: UInt8?, then: LostReply)?
  var refusal: (opcode: UInt8?, error: UInt8)?
  var pairing: (code: UInt8?, fault: PairingDisturbance)?
  var encryption: EncryptionDisturbance?
  /// Events of encryption that come late.
  var heldEvents: [HCIEvent] = []
  var refusedCommand: (opcode: HCIOpcode?, status: HCIStatus)?
  /// The number of CONNECT_IND PDUs that it will not receive.
  var missedConnections = 0
  /// The number of CONNECT_IND PDUs that it will receive and then ignore.
  var failedEstablishments = 0
}

/// What happens to a PDU of pairing instead of its delivery.
package enum PairingDisturbance: Equatable, Sendable {
  /// It is lost.
  case loss
  /// It and every later one of this host are lost.
  case silence
  /// Its receiver gets Pairing Failed with this reason.
  case refusal(UInt8)
}

/// What happens to the next event of encryption that a controller has for its host.
package enum EncryptionDisturbance: Equatable, Sendable {
  /// LE Long Term Key Request is lost, so the peripheral never gives its key.
  case keyRequestLost
  /// Encryption Change or Encryption Key Refresh Complete is lost.
  case changeLost
  /// The same event comes so much later than the data that follows it.
  case changeLate(TimeSpan)
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
