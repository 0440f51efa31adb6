package import Vocabulary

/// The cryptographic toolbox of the Security Manager (Vol 3, Part H, 2.2). Octets are as on the
/// air, least significant first. Arguments have the lengths of the specification.
package enum SecurityToolbox {
  /// The confirm value of Secure Connections (2.2.6); u and v are X coordinates of public keys.
  package static func f4(u: [UInt8], v: [UInt8], x: [UInt8], z: UInt8) throws(CryptoError) -> [UInt8] {
    try cmac(x, bigEndian(u) + bigEndian(v) + [z])
  }

  /// The MacKey and LTK of Secure Connections (2.2.7); `first` is the initiator's.
  package static func f5(
    secret: [UInt8], nonces: (first: [UInt8], second: [UInt8]), addresses: (first: Address, second: Address)
  ) throws(CryptoError) -> (macKey: [UInt8], longTermKey: [UInt8]) {
    let salt: [UInt8] = [0x6C, 0x88, 0x83, 0x91, 0xAA, 0xF5, 0xA5, 0x38, 0x60, 0x37, 0x0B, 0xDB, 0x5A, 0x60, 0x83, 0xBE]
    let key = try aesCMAC(key: salt, message: bigEndian(secret))
    let keyID: [UInt8] = [0x62, 0x74, 0x6C, 0x65]
    var rest = keyID + bigEndian(nonces.first) + bigEndian(nonces.second)
    rest += seven(addresses.first) + seven(addresses.second) + [0x01, 0x00]
    return (try aesCMAC(key: key, message: [0] + rest).reversed(), try aesCMAC(key: key, message: [1] + rest).reversed())
  }

  /// The DHKey Check (2.2.8) of the device with the first nonce and address. `features` are its IO
  /// capability, OOB flag and AuthReq, as in its Pairing Request or Response.
  package static func f6(
    macKey: [UInt8], nonces: (first: [UInt8], second: [UInt8]), r: [UInt8], features: [UInt8],
    addresses: (first: Address, second: Address)
  ) throws(CryptoError) -> [UInt8] {
    var message = bigEndian(nonces.first) + bigEndian(nonces.second) + bigEndian(r) + bigEndian(features)
    message += seven(addresses.first) + seven(addresses.second)
    return try cmac(macKey, message)
  }

  /// The number that numeric comparison shows (2.2.9), 0 to 999999.
  package static func g2(u: [UInt8], v: [UInt8], x: [UInt8], y: [UInt8]) throws(CryptoError) -> UInt32 {
    let hash = try cmac(x, bigEndian(u) + bigEndian(v) + bigEndian(y))
    return hash.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) } % 1_000_000
  }

  /// The confirm value of legacy pairing (2.2.3). `request` and `response` are whole PDUs of 7
  /// octets.
  package static func c1(
    key: [UInt8], random: [UInt8], request: [UInt8], response: [UInt8], initiator: Address, responder: Address
  ) throws(CryptoError) -> [UInt8] {
    let p1 = [initiator.kind.rawValue, responder.kind.rawValue] + request + response
    let p2 = six(responder) + six(initiator) + [0, 0, 0, 0]
    return try e(key, xor(try e(key, xor(random, p1)), p2))
  }

  /// The short term key of legacy pairing (2.2.4).
  package static func s1(key: [UInt8], responderRandom: [UInt8], initiatorRandom: [UInt8]) throws(CryptoError) -> [UInt8] {
    try e(key, Array(initiatorRandom.prefix(8) + responderRandom.prefix(8)))
  }

  /// The hash part of a resolvable private address (2.2.2): 24 bits from 24 random bits.
  package static func ah(identityKey: [UInt8], random: UInt32) throws(CryptoError) -> UInt32 {
    let block = [
      UInt8(truncatingIfNeeded: random), UInt8(truncatingIfNeeded: random >> 8), UInt8(truncatingIfNeeded: random >> 16),
    ]
    let hash = try e(identityKey, block + [UInt8](repeating: 0, count: 13))
    return UInt32(hash[0]) | UInt32(hash[1]) << 8 | UInt32(hash[2]) << 16
  }

  /// Whether a resolvable private address was generated with this key (Vol 6, Part B, 1.3.2.3).
  package static func resolves(_ address: Address, identityKey: [UInt8]) throws(CryptoError) -> Bool {
    guard address.isResolvablePrivate else { return false }
    return try ah(identityKey: identityKey, random: UInt32(address.bits >> 24)) == UInt32(address.bits & 0xFF_FFFF)
  }

  // MARK: Octets

  private static func bigEndian(_ octets: [UInt8]) -> [UInt8] { octets.reversed() }

  private static func cmac(_ key: [UInt8], _ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    try aesCMAC(key: key.reversed(), message: message).reversed()
  }

  private static func e(_ key: [UInt8], _ block: [UInt8]) throws(CryptoError) -> [UInt8] {
    try aes(key: key.reversed(), block: block.reversed()).reversed()
  }

  private static func xor(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] { zip(left, right).map { $0 ^ $1 } }

  /// The address as on the air.
  private static func six(_ address: Address) -> [UInt8] {
    (0..<6).map { UInt8(truncatingIfNeeded: address.bits >> UInt64($0 * 8)) }
  }

  /// The address type, then the address, most significant octet first.
  private static func seven(_ address: Address) -> [UInt8] { [address.kind.rawValue] + six(address).reversed() }
}
