/// The reason in Pairing Failed (Vol 3, Part H, 3.5.5).
package struct SMPReason: Hashable, Sendable {
  package let raw: UInt8
  package init(_ raw: UInt8) { self.raw = raw }

  package static let passkeyEntryFailed = SMPReason(0x01)
  package static let outOfBandMissing = SMPReason(0x02)
  package static let authenticationRequirements = SMPReason(0x03)
  package static let confirmValueFailed = SMPReason(0x04)
  package static let pairingNotSupported = SMPReason(0x05)
  package static let encryptionKeySize = SMPReason(0x06)
  package static let commandNotSupported = SMPReason(0x07)
  package static let unspecified = SMPReason(0x08)
  package static let repeatedAttempts = SMPReason(0x09)
  package static let invalidParameters = SMPReason(0x0A)
  package static let dhKeyCheckFailed = SMPReason(0x0B)
  package static let numericComparisonFailed = SMPReason(0x0C)
  package static let classicPairingInProgress = SMPReason(0x0D)
  package static let crossTransportNotAllowed = SMPReason(0x0E)
  package static let keyRejected = SMPReason(0x0F)
  package static let busy = SMPReason(0x10)
}

extension SMPReason: CustomStringConvertible {
  package var description: String {
    switch raw {
    case 0x01: "passkey entry failed"
    case 0x02: "out-of-band data is missing"
    case 0x03: "authentication requirements"
    case 0x04: "confirm value failed"
    case 0x05: "pairing is not supported"
    case 0x06: "encryption key size"
    case 0x07: "command not supported"
    case 0x08: "unspecified reason"
    case 0x09: "repeated attempts"
    case 0x0A: "invalid parameters"
    case 0x0B: "DHKey check failed"
    case 0x0C: "numeric comparison failed"
    case 0x0D: "BR/EDR pairing in progress"
    case 0x0E: "cross-transport key derivation is not allowed"
    case 0x0F: "key rejected"
    case 0x10: "busy"
    default: "reason 0x\(String(raw, radix: 16))"
    }
  }
}
