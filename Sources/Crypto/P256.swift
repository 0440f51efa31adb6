import CCrypto

/// The curve P-256 (FIPS 186-4), most significant octet first. Loads libcrypto at the first use.
package enum P256 {
  package struct Point: Equatable, Sendable {
    /// The coordinates, 32 octets each.
    package var x: [UInt8]
    package var y: [UInt8]

    package init(x: [UInt8], y: [UInt8]) {
      self.x = x
      self.y = y
    }
  }

  /// The public key of a private key of 32 octets; `nil` if the private key is 0 or not below the
  /// order of the curve.
  package static func publicKey(of privateKey: [UInt8]) throws(CryptoError) -> Point? {
    try product(privateKey, nil)
  }

  /// The ECDH shared secret with the owner of a public key; `nil` if the public key is not a point
  /// of the curve.
  package static func secret(_ privateKey: [UInt8], with peer: Point) throws(CryptoError) -> [UInt8]? {
    guard peer.x.count == 32, peer.y.count == 32 else { return nil }
    return try product(privateKey, peer)?.x
  }

  private static func product(_ number: [UInt8], _ peer: Point?) throws(CryptoError) -> Point? {
    guard number.count == 32 else { return nil }
    var x = [UInt8](repeating: 0, count: 32)
    var y = [UInt8](repeating: 0, count: 32)
    let answer =
      if let peer { ccrypto_p256(number, peer.x, peer.y, &x, &y) } else { ccrypto_p256(number, nil, nil, &x, &y) }
    switch answer {
    case 0: return Point(x: x, y: y)
    case 1: return nil
    default: throw .unavailable
    }
  }
}
