package import Vocabulary

/// How well a link is protected.
package struct LinkSecurity: Hashable, Sendable {
  package var isEncrypted: Bool
  /// Whether a code that was compared or entered ruled out a man in the middle.
  package var isAuthenticated: Bool
  package var isSecureConnections: Bool
  /// In octets, 7 to 16; 0 while the link is not encrypted.
  package var keySize: UInt8

  package init(isEncrypted: Bool, isAuthenticated: Bool, isSecureConnections: Bool, keySize: UInt8) {
    self.isEncrypted = isEncrypted
    self.isAuthenticated = isAuthenticated
    self.isSecureConnections = isSecureConnections
    self.keySize = keySize
  }

  /// What `use pairing strict` requires.
  package var isProven: Bool { isEncrypted && isAuthenticated && isSecureConnections }

  package static let open = LinkSecurity(isEncrypted: false, isAuthenticated: false, isSecureConnections: false, keySize: 0)
}

/// Our identity, as paired devices know it.
package struct LocalIdentity: Equatable, Sendable {
  /// A public or a static random address.
  package var address: Address
  /// Our IRK: 16 octets, as on the air.
  package var key: [UInt8]

  package init(address: Address, key: [UInt8]) {
    self.address = address
    self.key = key
  }
}

/// What two paired devices keep of each other (Vol 3, Part H, 2.4). The octets of keys are as on
/// the air.
package struct Bond: Equatable, Sendable {
  /// A key of legacy pairing with the EDIV and Rand that its owner gave it.
  package struct LegacyKey: Equatable, Sendable {
    /// The key, 16 octets.
    package var octets: [UInt8]
    package var diversifier: UInt16
    package var random: UInt64

    package init(octets: [UInt8], diversifier: UInt16, random: UInt64) {
      self.octets = octets
      self.diversifier = diversifier
      self.random = random
    }
  }

  package enum Keys: Equatable, Sendable {
    /// The LTK for both roles; 16 octets.
    case secureConnections([UInt8])
    /// `peer` is used when we are the central, `own` when we are the peripheral.
    case legacy(peer: LegacyKey?, own: LegacyKey?)
  }

  package enum Origin: UInt8, Sendable { case paired, imported }

  package var identity: Address
  package var keys: Keys
  package var isAuthenticated: Bool
  package var keySize: UInt8
  /// The peer's IRK; `nil` if it sent none.
  package var identityKey: [UInt8]?
  /// Whether the peer has our IRK.
  package var hasOurs: Bool
  /// The address at which the peer was last seen.
  package var lastAddress: Address
  package var name: String?
  package var madeAt: WallTime
  package var origin: Origin
  /// Whether the peer may still lack our keys. The pairing is not reported as done until it has
  /// them.
  package var isProvisional: Bool

  package init(
    identity: Address, keys: Keys, isAuthenticated: Bool, keySize: UInt8, identityKey: [UInt8]? = nil, hasOurs: Bool = false,
    lastAddress: Address, name: String? = nil, madeAt: WallTime, origin: Origin = .paired, isProvisional: Bool = false
  ) {
    self.identity = identity
    self.keys = keys
    self.isAuthenticated = isAuthenticated
    self.keySize = keySize
    self.identityKey = identityKey
    self.hasOurs = hasOurs
    self.lastAddress = lastAddress
    self.name = name
    self.madeAt = madeAt
    self.origin = origin
    self.isProvisional = isProvisional
  }

  package var isSecureConnections: Bool { if case .secureConnections = keys { true } else { false } }

  /// The security of a link that this bond encrypts.
  package var security: LinkSecurity {
    LinkSecurity(
      isEncrypted: true, isAuthenticated: isAuthenticated, isSecureConnections: isSecureConnections, keySize: keySize)
  }

  /// The key with which a central starts encryption.
  package var centralKey: LegacyKey? {
    switch keys {
    case .secureConnections(let key): LegacyKey(octets: key, diversifier: 0, random: 0)
    case .legacy(let peer, _): peer
    }
  }

  /// The key that a central requests by this EDIV and Rand; `nil` if it is not ours.
  package func peripheralKey(diversifier: UInt16, random: UInt64) -> [UInt8]? {
    switch keys {
    case .secureConnections(let key): return diversifier == 0 && random == 0 ? key : nil
    case .legacy(_, let own):
      guard let own, own.diversifier == diversifier, own.random == random else { return nil }
      return own.octets
    }
  }

  /// Whether a bond with this security may replace this one: it must be weaker in no respect.
  package func mayYield(to other: LinkSecurity) -> Bool {
    (other.isAuthenticated || !isAuthenticated) && (other.isSecureConnections || !isSecureConnections) && other.keySize >= keySize
  }
}

// MARK: As bytes

extension Bond.LegacyKey: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(octets: try reader.readBytes(16), diversifier: try reader.readUInt16(), random: try reader.readUInt64())
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(octets)
    writer.put(diversifier)
    writer.put(random)
  }
}

extension Bond.Keys: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .secureConnections(try reader.readBytes(16))
    case 1:
      self = .legacy(
        peer: try reader.next(Bond.LegacyKey?.self), own: try reader.next(Bond.LegacyKey?.self))
    case let other: throw .invalid("kind of keys", UInt64(other))
    }
  }

  package func write(to writer: inout ByteWriter) {
    switch self {
    case .secureConnections(let key):
      writer.put(UInt8(0))
      writer.put(key)
    case .legacy(let peer, let own):
      writer.put(UInt8(1))
      writer.put(all: peer)
      writer.put(all: own)
    }
  }
}

extension Bond: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    identity = try Address(reading: &reader)
    keys = try Keys(reading: &reader)
    isAuthenticated = try reader.readBool()
    keySize = try reader.readUInt8()
    guard 7...16 ~= keySize else { throw .invalid("key size", UInt64(keySize)) }
    identityKey = try reader.readBool() ? try reader.readBytes(16) : nil
    hasOurs = try reader.readBool()
    lastAddress = try Address(reading: &reader)
    name = try reader.readBool() ? try reader.readText() : nil
    madeAt = try WallTime(reading: &reader)
    let raw = try reader.readUInt8()
    guard let origin = Origin(rawValue: raw) else { throw .invalid("origin of a bond", UInt64(raw)) }
    self.origin = origin
    isProvisional = try reader.readBool()
  }

  package func write(to writer: inout ByteWriter) {
    identity.write(to: &writer)
    keys.write(to: &writer)
    writer.put(isAuthenticated)
    writer.put(keySize)
    writer.put(identityKey != nil)
    if let identityKey { writer.put(identityKey) }
    writer.put(hasOurs)
    lastAddress.write(to: &writer)
    writer.put(name != nil)
    if let name { writer.put(text: name) }
    madeAt.write(to: &writer)
    writer.put(origin.rawValue)
    writer.put(isProvisional)
  }
}

extension LocalIdentity: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(address: try Address(reading: &reader), key: try reader.readBytes(16))
  }

  package func write(to writer: inout ByteWriter) {
    address.write(to: &writer)
    writer.put(key)
  }
}
