import Vocabulary

/// The error codes of ATT (Vol 3, Part F, 3.4.1.1) and the common profile ones (Core Specification
/// Supplement, Part B, 1.2).
package struct ATTError: Hashable, Sendable {
  package var raw: UInt8

  package init(_ raw: UInt8) { self.raw = raw }

  package static let invalidHandle = ATTError(0x01)
  package static let readNotPermitted = ATTError(0x02)
  package static let writeNotPermitted = ATTError(0x03)
  package static let invalidPDU = ATTError(0x04)
  package static let insufficientAuthentication = ATTError(0x05)
  package static let requestNotSupported = ATTError(0x06)
  package static let invalidOffset = ATTError(0x07)
  package static let insufficientAuthorization = ATTError(0x08)
  package static let prepareQueueFull = ATTError(0x09)
  package static let attributeNotFound = ATTError(0x0A)
  package static let attributeNotLong = ATTError(0x0B)
  package static let encryptionKeySizeTooShort = ATTError(0x0C)
  package static let invalidAttributeValueLength = ATTError(0x0D)
  package static let unlikelyError = ATTError(0x0E)
  package static let insufficientEncryption = ATTError(0x0F)
  package static let unsupportedGroupType = ATTError(0x10)
  package static let insufficientResources = ATTError(0x11)
  package static let databaseOutOfSync = ATTError(0x12)
  package static let valueNotAllowed = ATTError(0x13)
  package static let writeRequestRejected = ATTError(0xFC)
  package static let cccImproperlyConfigured = ATTError(0xFD)
  package static let procedureAlreadyInProgress = ATTError(0xFE)
  package static let outOfRange = ATTError(0xFF)

  /// Whether this requires pairing or encryption: authentication, key size or encryption is
  /// insufficient.
  package var needsSecurity: Bool {
    self == .insufficientAuthentication || self == .encryptionKeySizeTooShort || self == .insufficientEncryption
  }

  package var name: String {
    switch raw {
    case 0x01: "invalid handle"
    case 0x02: "read not permitted"
    case 0x03: "write not permitted"
    case 0x04: "invalid PDU"
    case 0x05: "insufficient authentication"
    case 0x06: "request not supported"
    case 0x07: "invalid offset"
    case 0x08: "insufficient authorization"
    case 0x09: "prepare queue full"
    case 0x0A: "attribute not found"
    case 0x0B: "attribute not long"
    case 0x0C: "encryption key size too short"
    case 0x0D: "invalid attribute value length"
    case 0x0E: "unlikely error"
    case 0x0F: "insufficient encryption"
    case 0x10: "unsupported group type"
    case 0x11: "insufficient resources"
    case 0x12: "database out of sync"
    case 0x13: "value not allowed"
    case 0x80...0x9F: "application error"
    case 0xFC: "write request rejected"
    case 0xFD: "client characteristic configuration improperly configured"
    case 0xFE: "procedure already in progress"
    case 0xFF: "out of range"
    case 0xE0...0xFB: "common profile error"
    default: "reserved error"
    }
  }
}

extension ATTError: CustomStringConvertible {
  /// The number and name: `0x05 insufficient authentication`.
  package var description: String { "0x\(Hex.text(raw)) \(name)" }
}
