import Crypto
package import Host
package import Vocabulary

/// The source of random octets.
package enum Entropy: Sendable {
  /// The kernel's generator.
  case system
  /// For simulations: the same octets each time.
  case seeded(SplitMix)

  mutating func octets(_ count: Int) -> [UInt8] {
    switch self {
    case .system:
      var source = SystemRandomNumberGenerator()
      var octets: [UInt8] = []
      while octets.count < count {
        let word = source.next()
        for place in 0..<min(8, count - octets.count) { octets.append(UInt8(truncatingIfNeeded: word >> (8 * place))) }
      }
      return octets
    case .seeded(var source):
      let octets = (0..<count).map { _ in UInt8(truncatingIfNeeded: source.next() >> 32) }
      self = .seeded(source)
      return octets
    }
  }
}

/// Performs the computations that a host orders, in a keeper and in a run with its own host.
package struct Toolbox: Sendable {
  private var entropy: Entropy
  private var bonds: BondStore

  package init(entropy: Entropy = .system, bonds: BondStore = .memory(BondMemory())) {
    self.entropy = entropy
    self.bonds = bonds
  }

  package mutating func result(of computation: Computation) -> ComputationResult {
    switch computation {
    case .databaseHash(let message): (try? databaseHash(of: message)).map { .databaseHash($0) } ?? .unavailable
    case .random(let count): .octets(entropy.octets(count))
    case .security(let step): (try? Self.result(of: step)) ?? .unavailable
    case .resolve(let address, let keys): .address(Self.resolve(address, keys))
    case .privateAddress(let key): .address(privateAddress(key))
    case .storedAddress: bonds.storedAddress()
    case .loadBonds(let own): bonds.load(own, &entropy)
    case .refreshBonds(let own): bonds.refresh(own, &entropy)
    case .checkRoom(let own): bonds.checkRoom(own)
    case .keepBond(let bond, let own): bonds.keep(bond, of: own)
    case .forgetBond(let identity, let own): bonds.forget(identity, of: own)
    case .keepMemory(let memory, let own): bonds.keep(memory, of: own)
    }
  }

  private static func resolve(_ address: Address, _ keys: [IdentityKey]) -> Address? {
    keys.first { (try? SecurityToolbox.resolves(address, identityKey: $0.key)) == true }?.identity
  }

  /// A private address whose random part is neither all zeros nor all ones (Vol 6, Part B,
  /// 1.3.2.2).
  private mutating func privateAddress(_ key: [UInt8]) -> Address? {
    var drawn: UInt32 = 0
    while drawn == 0 || drawn == 0x3F_FFFF { drawn = entropy.octets(3).reduce(0) { $0 << 8 | UInt32($1) } & 0x3F_FFFF }
    let random = drawn | 0x40_0000
    guard let hash = try? SecurityToolbox.ah(identityKey: key, random: random) else { return nil }
    return Address(bits: UInt64(random) << 24 | UInt64(hash), kind: .random)
  }

  static func result(of step: SecurityComputation) throws(CryptoError) -> ComputationResult {
    switch step {
    case .publicKey(let key):
      guard let point = try P256.publicKey(of: key.reversed()) else { return .invalid }
      return .publicKey(PublicKey(x: point.x.reversed(), y: point.y.reversed()))
    case .secret(let key, let peer):
      let point = P256.Point(x: peer.x.reversed(), y: peer.y.reversed())
      guard let secret = try P256.secret(key.reversed(), with: point) else { return .invalid }
      return .octets(secret.reversed())
    case .f4(let u, let v, let x, let z): return .octets(try SecurityToolbox.f4(u: u, v: v, x: x, z: z))
    case .g2(let u, let v, let x, let y): return .number(try SecurityToolbox.g2(u: u, v: v, x: x, y: y))
    case .c1(let key, let random, let request, let response, let initiator, let responder):
      return .octets(
        try SecurityToolbox.c1(
          key: key, random: random, request: request, response: response, initiator: initiator, responder: responder))
    case .s1(let key, let responder, let initiator):
      return .octets(try SecurityToolbox.s1(key: key, responderRandom: responder, initiatorRandom: initiator))
    case .keyAndChecks(let known):
      let nonces = (known.initiatorNonce, known.responderNonce)
      let addresses = (known.initiator, known.responder)
      let keys = try SecurityToolbox.f5(secret: known.secret, nonces: nonces, addresses: addresses)
      return .keyAndChecks(
        longTermKey: keys.longTermKey,
        initiatorCheck: try SecurityToolbox.f6(
          macKey: keys.macKey, nonces: nonces, r: known.r, features: known.initiatorFeatures, addresses: addresses),
        responderCheck: try SecurityToolbox.f6(
          macKey: keys.macKey, nonces: (nonces.1, nonces.0), r: known.responderR, features: known.responderFeatures,
          addresses: (addresses.1, addresses.0)))
    }
  }
}
