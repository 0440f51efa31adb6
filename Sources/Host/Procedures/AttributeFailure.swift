import Exchange
import Packets
import Vocabulary

/// The failures of the attribute layer. The bearer adds the exchange.
enum AttributeFailure {
  /// The peer refused, with the number and name of the error.
  static func refused(_ code: ATTError, _ doing: String) -> Failure {
    if code.needsSecurity {
      return Failure(
        .needsPairing, "\(doing): the device refuses it without pairing (\(code))", blame: .refused, layer: .att,
        code: UInt16(code.raw),
        hint: PairingAdvice.start + PairingAdvice.codes)
    }
    return Failure(.refused, "\(doing): the device refuses it (\(code))", blame: .refused, layer: .att, code: UInt16(code.raw))
  }

  /// The peer violated the protocol.
  static func broken(_ what: String) -> Failure {
    Failure(.refused, "the device violates the attribute protocol: \(what)", blame: .peer, layer: .att)
  }

  static func missing(_ what: String, code: ATTError? = nil) -> Failure {
    Failure(.missing, what, blame: .peer, layer: .att, code: code.map { UInt16($0.raw) })
  }

  static func unexpected(_ answer: ATTPDU) -> Failure { broken("\(ATTOpcode.name(answer.opcode)) does not answer the request") }
}
