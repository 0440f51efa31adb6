package import Vocabulary

/// A PDU of the Security Manager (Vol 3, Part H, 3.5 and 3.6). An unknown code is a case. The
/// octets of keys and random numbers are as on the air, least significant first.
package enum SMPPDU: Equatable, Sendable {
  case pairingRequest(PairingFeatures)
  case pairingResponse(PairingFeatures)
  /// 16 octets.
  case pairingConfirm([UInt8])
  /// 16 octets.
  case pairingRandom([UInt8])
  case pairingFailed(SMPReason)
  /// 16 octets.
  case encryptionInformation([UInt8])
  case centralIdentification(diversifier: UInt16, random: UInt64)
  /// 16 octets.
  case identityInformation([UInt8])
  case identityAddressInformation(Address)
  /// 16 octets.
  case signingInformation([UInt8])
  case securityRequest(PairingFeatures.Requirements)
  /// 32 octets each.
  case publicKey(x: [UInt8], y: [UInt8])
  /// 16 octets.
  case dhKeyCheck([UInt8])
  case keypressNotification(UInt8)
  case unknown(code: UInt8, [UInt8])

  package enum Code {
    package static let pairingRequest: UInt8 = 0x01
    package static let pairingResponse: UInt8 = 0x02
    package static let pairingConfirm: UInt8 = 0x03
    package static let pairingRandom: UInt8 = 0x04
    package static let pairingFailed: UInt8 = 0x05
    package static let encryptionInformation: UInt8 = 0x06
    package static let centralIdentification: UInt8 = 0x07
    package static let identityInformation: UInt8 = 0x08
    package static let identityAddressInformation: UInt8 = 0x09
    package static let signingInformation: UInt8 = 0x0A
    package static let securityRequest: UInt8 = 0x0B
    package static let publicKey: UInt8 = 0x0C
    package static let dhKeyCheck: UInt8 = 0x0D
    package static let keypressNotification: UInt8 = 0x0E
  }

  package var code: UInt8 {
    switch self {
    case .pairingRequest: Code.pairingRequest
    case .pairingResponse: Code.pairingResponse
    case .pairingConfirm: Code.pairingConfirm
    case .pairingRandom: Code.pairingRandom
    case .pairingFailed: Code.pairingFailed
    case .encryptionInformation: Code.encryptionInformation
    case .centralIdentification: Code.centralIdentification
    case .identityInformation: Code.identityInformation
    case .identityAddressInformation: Code.identityAddressInformation
    case .signingInformation: Code.signingInformation
    case .securityRequest: Code.securityRequest
    case .publicKey: Code.publicKey
    case .dhKeyCheck: Code.dhKeyCheck
    case .keypressNotification: Code.keypressNotification
    case .unknown(let code, _): code
    }
  }

  /// Whether a PDU contains a key or helps to reveal one: a fixed passkey follows from Pairing
  /// Confirm and Pairing Random.
  package static func isSecret(code: UInt8) -> Bool {
    switch code {
    case Code.pairingRandom, Code.encryptionInformation, Code.identityInformation, Code.signingInformation: true
    default: false
    }
  }
}

extension SMPPDU: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case Code.pairingRequest: self = .pairingRequest(try PairingFeatures(reading: &reader))
    case Code.pairingResponse: self = .pairingResponse(try PairingFeatures(reading: &reader))
    case Code.pairingConfirm: self = .pairingConfirm(try reader.readBytes(16))
    case Code.pairingRandom: self = .pairingRandom(try reader.readBytes(16))
    case Code.pairingFailed: self = .pairingFailed(SMPReason(try reader.readUInt8()))
    case Code.encryptionInformation: self = .encryptionInformation(try reader.readBytes(16))
    case Code.centralIdentification:
      self = .centralIdentification(diversifier: try reader.readUInt16(), random: try reader.readUInt64())
    case Code.identityInformation: self = .identityInformation(try reader.readBytes(16))
    case Code.identityAddressInformation:
      let raw = try reader.readUInt8()
      guard let kind = Address.Kind(rawValue: raw) else { throw .invalid("address type", UInt64(raw)) }
      let low = UInt64(try reader.readUInt32())
      self = .identityAddressInformation(Address(bits: low | UInt64(try reader.readUInt16()) << 32, kind: kind))
    case Code.signingInformation: self = .signingInformation(try reader.readBytes(16))
    case Code.securityRequest: self = .securityRequest(PairingFeatures.Requirements(rawValue: try reader.readUInt8()))
    case Code.publicKey: self = .publicKey(x: try reader.readBytes(32), y: try reader.readBytes(32))
    case Code.dhKeyCheck: self = .dhKeyCheck(try reader.readBytes(16))
    case Code.keypressNotification: self = .keypressNotification(try reader.readUInt8())
    case let other: self = .unknown(code: other, reader.readRest())
    }
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(code)
    switch self {
    case .pairingRequest(let features), .pairingResponse(let features): features.write(to: &writer)
    case .pairingConfirm(let value), .pairingRandom(let value), .encryptionInformation(let value), .identityInformation(let value),
      .signingInformation(let value), .dhKeyCheck(let value), .unknown(_, let value):
      writer.put(value)
    case .pairingFailed(let reason): writer.put(reason.raw)
    case .centralIdentification(let diversifier, let random):
      writer.put(diversifier)
      writer.put(random)
    case .identityAddressInformation(let address):
      writer.put(address.kind.rawValue)
      writer.put(UInt32(truncatingIfNeeded: address.bits))
      writer.put(UInt16(truncatingIfNeeded: address.bits >> 32))
    case .securityRequest(let requirements): writer.put(requirements.rawValue)
    case .publicKey(let x, let y):
      writer.put(x)
      writer.put(y)
    case .keypressNotification(let kind): writer.put(kind)
    }
  }
}
