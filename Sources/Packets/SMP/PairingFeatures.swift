package import Vocabulary

/// The body of Pairing Request and Pairing Response (Vol 3, Part H, 3.5.1).
package struct PairingFeatures: Hashable, Sendable {
  /// The IO capability of a device (2.3.2).
  package enum Capability: UInt8, Sendable, CaseIterable {
    case displayOnly = 0
    case displayYesNo = 1
    case keyboardOnly = 2
    case noInputNoOutput = 3
    case keyboardDisplay = 4
  }

  /// AuthReq (3.5.1, figure 3.3).
  package struct Requirements: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Replaces the standard library's initialiser, which looks up its types on every call.
    package init(arrayLiteral elements: Requirements...) { self.init(rawValue: elements.reduce(0) { $0 | $1.rawValue }) }
    package static let bonding = Requirements(rawValue: 0x01)
    package static let authentication = Requirements(rawValue: 0x04)
    package static let secureConnections = Requirements(rawValue: 0x08)
    package static let keypress = Requirements(rawValue: 0x10)
    package static let crossTransport2 = Requirements(rawValue: 0x20)
  }

  /// Keys to distribute (3.6.1).
  package struct Keys: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Replaces the standard library's initialiser, which looks up its types on every call.
    package init(arrayLiteral elements: Keys...) { self.init(rawValue: elements.reduce(0) { $0 | $1.rawValue }) }
    package static let encryption = Keys(rawValue: 0x01)
    package static let identity = Keys(rawValue: 0x02)
    package static let signing = Keys(rawValue: 0x04)
    package static let link = Keys(rawValue: 0x08)
  }

  package var capability: Capability
  package var hasOutOfBand: Bool
  package var requirements: Requirements
  /// The longest key that the device accepts, in octets; 7 to 16 is valid.
  package var keySize: UInt8
  package var initiatorKeys: Keys
  package var responderKeys: Keys

  package init(
    capability: Capability, hasOutOfBand: Bool = false, requirements: Requirements, keySize: UInt8 = 16, initiatorKeys: Keys,
    responderKeys: Keys
  ) {
    self.capability = capability
    self.hasOutOfBand = hasOutOfBand
    self.requirements = requirements
    self.keySize = keySize
    self.initiatorKeys = initiatorKeys
    self.responderKeys = responderKeys
  }
}

extension PairingFeatures: Portable {
  /// Accepts invalid key sizes, which the pairing then refuses.
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let raw = try reader.readUInt8()
    guard let capability = Capability(rawValue: raw) else { throw .invalid("IO capability", UInt64(raw)) }
    self.capability = capability
    switch try reader.readUInt8() {
    case 0: hasOutOfBand = false
    case 1: hasOutOfBand = true
    case let other: throw .invalid("OOB data flag", UInt64(other))
    }
    requirements = Requirements(rawValue: try reader.readUInt8())
    keySize = try reader.readUInt8()
    initiatorKeys = Keys(rawValue: try reader.readUInt8())
    responderKeys = Keys(rawValue: try reader.readUInt8())
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(capability.rawValue)
    writer.put(UInt8(hasOutOfBand ? 1 : 0))
    writer.put(requirements.rawValue)
    writer.put(keySize)
    writer.put(initiatorKeys.rawValue)
    writer.put(responderKeys.rawValue)
  }
}
