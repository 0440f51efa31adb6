import Exchange
import Packets
import Vocabulary

/// Phase 3: distribution of keys over the encrypted link, and the bond.
extension SecurityManager {
  private func keys(of pairing: Pairing, fromInitiator: Bool) -> PairingFeatures.Keys {
    guard let response = pairing.responderFeatures else { return [] }
    var keys = fromInitiator ? response.initiatorKeys : response.responderKeys
    keys.formIntersection(fromInitiator ? pairing.initiatorFeatures.initiatorKeys : pairing.initiatorFeatures.responderKeys)
    // The LTK of Secure Connections is never sent (3.6.1). We use neither signatures nor BR/EDR.
    if pairing.isSecure { keys.remove(.encryption) }
    return keys.intersection([.encryption, .identity])
  }

  /// The codes of the PDUs that the peer must send, in order.
  func awaitedKeys(of pairing: Pairing) -> [UInt8] {
    let keys = keys(of: pairing, fromInitiator: !isInitiator)
    var codes: [UInt8] = []
    if keys.contains(.encryption) { codes += [SMPPDU.Code.encryptionInformation, SMPPDU.Code.centralIdentification] }
    if keys.contains(.identity) { codes += [SMPPDU.Code.identityInformation, SMPPDU.Code.identityAddressInformation] }
    return codes
  }

  private func ownKeys(of pairing: Pairing) -> PairingFeatures.Keys { keys(of: pairing, fromInitiator: isInitiator) }

  mutating func beginPhase3() {
    guard let pairing else { return }
    let ends = now.moment + SecurityLimits.transaction
    self.pairing?.endsAt = ends
    if ownKeys(of: pairing).contains(.encryption) { order(.keyMaterial, random: 26) } else { exchangeKeys() }
  }

  mutating func keysDrawn(_ octets: [UInt8]) {
    guard octets.count >= 26 else { return refuse(.unspecified) }
    let number = octets[18..<26].reduce(0) { $0 << 8 | UInt64($1) }
    let key = Bond.LegacyKey(
      octets: shortened(Array(octets.prefix(16))), diversifier: UInt16(octets[16]) << 8 | UInt16(octets[17]), random: number)
    pairing?.ownKey = key
    exchangeKeys()
  }

  /// Sends our keys. The peripheral's come first.
  private mutating func exchangeKeys() {
    if !isInitiator { sendKeys() }
    if pairing?.expected.isEmpty == false { pairing?.step = .peerKeys } else { keysAreComplete() }
  }

  private mutating func sendKeys() {
    guard let pairing else { return }
    let keys = ownKeys(of: pairing)
    if keys.contains(.encryption), let key = pairing.ownKey {
      send(.encryptionInformation(key.octets))
      send(.centralIdentification(diversifier: key.diversifier, random: key.random))
    }
    if keys.contains(.identity), let identity {
      send(.identityInformation(identity.key))
      send(.identityAddressInformation(identity.address))
    }
    self.pairing?.ownKeysAreSent = true
  }

  /// Takes a key of the peer: exactly those agreed on, in this order.
  mutating func keyCame(_ pdu: SMPPDU) {
    guard let pairing, pairing.expected.first == pdu.code else { return refuse(.unspecified) }
    self.pairing?.expected.removeFirst()
    switch pdu {
    case .encryptionInformation(let key): self.pairing?.peerLongTermKey = key
    case .centralIdentification(let diversifier, let random):
      let key = Bond.LegacyKey(octets: shortened(pairing.peerLongTermKey), diversifier: diversifier, random: random)
      self.pairing?.peerLegacyKey = key
    case .identityInformation(let key):
      // An IRK of zeros means none.
      if key.contains(where: { $0 != 0 }) { self.pairing?.peerIdentityKey = key }
    case .identityAddressInformation(let address):
      guard address.kind == .public || address.isStaticRandom else { return refuse(.invalidParameters) }
      self.pairing?.peerIdentity = address
    default: break
    }
    if self.pairing?.expected.isEmpty == true { keysAreComplete() }
  }

  /// All keys of the peer have arrived. The bond is written before our last keys are sent.
  private mutating func keysAreComplete() {
    guard let pairing else { return }
    let bonds =
      pairing.initiatorFeatures.requirements.contains(.bonding)
      && pairing.responderFeatures?.requirements.contains(.bonding) == true
    guard bonds, var bond = bond(of: pairing) else { return finishKeys() }
    bond.isProvisional = !pairing.ownKeysAreSent && !ownKeys(of: pairing).isEmpty
    self.pairing?.bond = bond
    self.pairing?.step = .storing
    out.append(.store(bond))
  }

  private mutating func finishKeys() {
    if pairing?.ownKeysAreSent == false { sendKeys() }
    awaitAcknowledgement()
  }

  mutating func bondStored(_ answer: BondAnswer) {
    switch answer {
    case .kept: if pairing?.step == .confirming { complete() } else { finishKeys() }
    // The bond is on disk and the peer has it. The next link confirms it.
    case .unwritable where pairing?.step == .confirming: complete()
    case .unwritable: refuse(.unspecified, as: .notStored)
    case .weaker: refuse(.authenticationRequirements, as: .weakens)
    case .foreign: refuse(.keyRejected, as: pairing?.bond.map { .foreign($0.identity) })
    }
  }

  /// Returns the bond; `nil` if it would have no key or no lasting address.
  private func bond(of pairing: Pairing) -> Bond? {
    let identity = pairing.peerIdentity ?? peer
    guard identity.kind == .public || identity.isStaticRandom else { return nil }
    let keys: Bond.Keys =
      pairing.isSecure ? .secureConnections(pairing.key) : .legacy(peer: pairing.peerLegacyKey, own: pairing.ownKey)
    if case .legacy(nil, nil) = keys { return nil }
    return Bond(
      identity: identity, keys: keys, isAuthenticated: pairing.method.isAuthenticated, keySize: pairing.keySize,
      identityKey: pairing.peerIdentityKey, hasOurs: ownKeys(of: pairing).contains(.identity), lastAddress: peer, madeAt: now.wall)
  }
}
