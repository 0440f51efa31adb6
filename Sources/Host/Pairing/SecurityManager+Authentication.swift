import Exchange
import Packets
import Vocabulary

/// Phase 2: authentication, and a key that only the two devices have.
extension SecurityManager {
  private static let debugKey = Array<UInt8>([
    0xE6, 0x9D, 0x35, 0x0E, 0x48, 0x01, 0x03, 0xCC, 0xDB, 0xFD, 0xF4, 0xAC, 0x11, 0x91, 0xF4, 0xEF, 0xB9, 0xA5, 0xF9, 0xE9, 0xA7,
    0x83, 0x2C, 0x5E, 0x2C, 0xBE, 0x97, 0xF2, 0xD2, 0x03, 0xB0, 0x20,
  ])

  var isInitiator: Bool { role == .central }

  private mutating func order(_ step: Pairing.Step, _ computation: Computation) {
    pairing?.step = step
    out.append(.compute(computation))
  }

  mutating func order(_ step: Pairing.Step, random count: Int) { order(step, .random(count)) }

  private mutating func order(_ step: Pairing.Step, _ computation: SecurityComputation) { order(step, .security(computation)) }

  mutating func beginPhase2() {
    guard pairing?.isSecure == true else { return prepareCode() }
    guard let used = offeredSecrets else { return order(.privateKey, random: 32) }
    // The peer knows the commitment to this key. Another pairing uses another key.
    offer?.secrets = nil
    out.append(.spendOffer)
    pairing?.privateKey = used.privateKey
    pairing?.ownRandom = used.random
    publicKeyKnown(used.publicKey)
  }

  /// The secrets of our out-of-band data, if the peer reports that it has the data.
  private var offeredSecrets: OutOfBandOffer.Secrets? {
    guard let pairing, pairing.method == .outOfBand else { return nil }
    let theirs = isInitiator ? pairing.responderFeatures : pairing.initiatorFeatures
    return theirs?.hasOutOfBand == true ? offer?.secrets : nil
  }

  private mutating func publicKeyKnown(_ key: PublicKey) {
    pairing?.publicKey = key
    pairing?.step = .peerKey
    if isInitiator { send(.publicKey(x: key.x, y: key.y)) }
  }

  /// Continues with an answer of the toolbox.
  mutating func proceed(with result: ComputationResult) {
    guard let step = pairing?.step else { return }
    switch (step, result) {
    case (_, .unavailable): refuse(.unspecified, as: .noToolbox)
    case (.privateKey, .octets(let key)):
      pairing?.privateKey = key
      order(.publicKey, .publicKey(key))
    case (.publicKey, .publicKey(let key)): publicKeyKnown(key)
    case (.secret, .octets(let secret)):
      pairing?.secret = secret
      pairing?.privateKey = []
      if !isInitiator, let key = pairing?.publicKey { send(.publicKey(x: key.x, y: key.y)) }
      prepareCode()
    // Not on the curve (2.3.5.6.1).
    case (.secret, .invalid): refuse(.dhKeyCheckFailed)
    case (.drawnCode, .octets(let drawn)):
      let number = drawn.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
      show(UInt32(number % 1_000_000))
    case (.nonce, .octets(let nonce)):
      pairing?.nonce = nonce
      if pairing?.commits == true, pairing?.bothCommit == true || !isInitiator {
        commit()
      } else if !isInitiator {
        pairing?.step = .peerRandom
      } else {
        send(.pairingRandom(nonce))
        pairing?.step = .peerRandom
      }
    case (.commitment, .octets(let value)):
      pairing?.commitment = value
      send(.pairingConfirm(value))
      let next: Pairing.Step = isInitiator ? .peerConfirm : .peerRandom
      pairing?.step = next
    case (.verification, .octets(let value)): verified(value)
    case (.givenVerification, .octets(let value)):
      guard value == pairing?.outOfBand?.secure?.confirmation else { return refuse(.confirmValueFailed) }
      order(.nonce, random: 16)
    case (.number, .number(let code)):
      pairing?.code = code
      ask(.comparison(code), .confirmationAsked)
    case (.checks, .keyAndChecks(let key, let initiator, let responder)):
      let (longTermKey, begins) = (shortened(key), isInitiator)
      pairing?.secret = []
      pairing?.key = longTermKey
      pairing?.ownCheck = begins ? initiator : responder
      pairing?.awaitedCheck = begins ? responder : initiator
      if isInitiator { send(.dhKeyCheck(initiator)) }
      pairing?.step = .peerCheck
    case (.shortKey, .octets(let key)):
      let shortTermKey = shortened(key)
      pairing?.key = shortTermKey
      beginEncryption()
    case (.keyMaterial, .octets(let octets)): keysDrawn(octets)
    default: refuse(.unspecified)
    }
  }

  /// A shorter key has zeros in its most significant octets (2.3.4).
  func shortened(_ key: [UInt8]) -> [UInt8] {
    let size = Int(pairing?.keySize ?? 16)
    return key.enumerated().map { $0.offset < size ? $0.element : 0 }
  }

  mutating func peerKeyCame(_ key: PublicKey) {
    guard let pairing, let own = pairing.publicKey else { return }
    // Refuse our own key, its mirror image (CVE-2020-26558), and the well-known debug key.
    guard key.x != own.x, key.x != Self.debugKey else { return refuse(.dhKeyCheckFailed) }
    self.pairing?.peerKey = key
    order(.secret, .secret(pairing.privateKey, with: key))
  }

  // MARK: Codes

  private mutating func prepareCode() {
    guard let pairing else { return }
    switch pairing.method {
    case .justWorks:
      // With Secure Connections, the question precedes the check, as with a comparison.
      if !pairing.isSecure, pairing.request.confirms { return ask(.unproven, .confirmationAsked) }
      beginRound()
    case .comparison: beginRound()
    case .outOfBand:
      guard pairing.isSecure else { return beginRound() }
      // The out-of-band data is a commitment to the received key (2.3.5.6.4).
      guard let given = pairing.outOfBand?.secure, let key = pairing.peerKey else {
        guard pairing.ownRandom != nil else { return refuse(.outOfBandMissing) }
        return order(.nonce, random: 16)
      }
      order(.givenVerification, .f4(u: key.x, v: key.x, x: given.random, z: 0))
    case .passkey(let initiatorShows, let responderShows):
      guard isInitiator ? initiatorShows : responderShows else { return ask(.passkey, .codeAsked) }
      if let fixed = pairing.request.fixedPasskey { show(fixed) } else { order(.drawnCode, random: 8) }
    }
  }

  private mutating func show(_ code: UInt32) {
    pairing?.code = code
    out.append(.ask(.display(code)))
    beginRound()
  }

  private mutating func ask(_ question: PairingQuestion, _ step: Pairing.Step) {
    pairing?.step = step
    let ends = now.moment + SecurityLimits.question
    pairing?.questionEndsAt = ends
    out.append(.ask(question))
  }

  mutating func take(_ answer: PairingAnswer) {
    guard let step = pairing?.step, step.source == .person else { return }
    pairing?.questionEndsAt = nil
    switch (step, answer) {
    case (.codeAsked, .passkey(let code)) where code <= 999_999:
      pairing?.code = code
      beginRound()
    case (.confirmationAsked, .yes):
      // Legacy pairing asks before its first round.
      if pairing?.isSecure == true { orderChecks() } else { beginRound() }
    case (.confirmationAsked, _):
      if pairing?.method == .comparison {
        refuse(.numericComparisonFailed)
      } else {
        refuse(.authenticationRequirements, as: .declined)
      }
    default: refuse(.passkeyEntryFailed)
    }
  }

  // MARK: Rounds

  private mutating func beginRound() {
    guard let pairing else { return }
    // If only one side commits first, it is the responder.
    let begins = pairing.bothCommit ? isInitiator : !isInitiator
    if begins { order(.nonce, random: 16) } else { self.pairing?.step = .peerConfirm }
  }

  private mutating func commit() {
    guard let pairing else { return }
    order(.commitment, confirmation(of: pairing.nonce, by: pairing.publicKey, to: pairing.peerKey))
  }

  /// The confirm value for a nonce and a public key.
  private func confirmation(of nonce: [UInt8], by key: PublicKey?, to other: PublicKey?) -> SecurityComputation {
    if let key, let other, pairing?.isSecure == true {
      return .f4(u: key.x, v: other.x, x: nonce, z: pairing?.committedBit ?? 0)
    }
    let request = pairing.map { SMPPDU.pairingRequest($0.initiatorFeatures).encoded } ?? []
    let response = pairing?.responderFeatures.map { SMPPDU.pairingResponse($0).encoded } ?? []
    return .c1(
      key: pairing?.codeOctets ?? [], random: nonce, request: request, response: response, initiator: isInitiator ? own : peer,
      responder: isInitiator ? peer : own)
  }

  mutating func peerConfirmed(_ value: [UInt8]) {
    guard let pairing else { return }
    // Our own value, sent back to us.
    if !pairing.commitment.isEmpty, value == pairing.commitment { return refuse(.confirmValueFailed) }
    self.pairing?.peerCommitment = value
    if isInitiator, pairing.bothCommit {
      send(.pairingRandom(pairing.nonce))
      self.pairing?.step = .peerRandom
    } else {
      order(.nonce, random: 16)
    }
  }

  mutating func peerShowed(_ value: [UInt8]) {
    guard let pairing else { return }
    if value == pairing.nonce { return refuse(.confirmValueFailed) }
    self.pairing?.peerNonce = value
    if pairing.commits, pairing.bothCommit || isInitiator {
      order(.verification, confirmation(of: value, by: pairing.peerKey, to: pairing.publicKey))
    } else {
      if !isInitiator { send(.pairingRandom(pairing.nonce)) }
      roundEnded()
    }
  }

  private mutating func verified(_ value: [UInt8]) {
    guard let pairing else { return }
    guard value == pairing.peerCommitment else { return refuse(.confirmValueFailed) }
    if !isInitiator { send(.pairingRandom(pairing.nonce)) }
    roundEnded()
  }

  private mutating func roundEnded() {
    guard let pairing else { return }
    guard pairing.isSecure else {
      return order(
        .shortKey,
        .s1(
          key: pairing.codeOctets, responderRandom: isInitiator ? pairing.peerNonce : pairing.nonce,
          initiatorRandom: isInitiator ? pairing.nonce : pairing.peerNonce))
    }
    switch pairing.method {
    case .passkey where pairing.round < 19:
      self.pairing?.round += 1
      self.pairing?.commitment = []
      beginRound()
    case .passkey, .outOfBand: orderChecks()
    case .comparison:
      guard let own = pairing.publicKey, let peer = pairing.peerKey else { return }
      order(
        .number,
        .g2(
          u: isInitiator ? own.x : peer.x, v: isInitiator ? peer.x : own.x, x: isInitiator ? pairing.nonce : pairing.peerNonce,
          y: isInitiator ? pairing.peerNonce : pairing.nonce))
    case .justWorks: if pairing.request.confirms { ask(.unproven, .confirmationAsked) } else { orderChecks() }
    }
  }

  // MARK: The check of the key

  private mutating func orderChecks() {
    guard let pairing, let response = pairing.responderFeatures else { return }
    let zeros = [UInt8](repeating: 0, count: 16)
    // Each check contains the other side's out-of-band value, if this side has it.
    let given = pairing.outOfBand?.secure?.random ?? zeros
    let ours = pairing.ownRandom ?? zeros
    let (r, responderR): ([UInt8], [UInt8]) =
      switch pairing.method {
      case .passkey: (pairing.codeOctets, pairing.codeOctets)
      case .outOfBand: isInitiator ? (given, ours) : (ours, given)
      case .justWorks, .comparison: (zeros, zeros)
      }
    order(
      .checks,
      .keyAndChecks(
        SecurityComputation.KeyAndChecks(
          secret: pairing.secret, initiatorNonce: isInitiator ? pairing.nonce : pairing.peerNonce,
          responderNonce: isInitiator ? pairing.peerNonce : pairing.nonce, initiator: isInitiator ? own : peer,
          responder: isInitiator ? peer : own, r: r, responderR: responderR,
          initiatorFeatures: Array(pairing.initiatorFeatures.encoded.prefix(3)),
          responderFeatures: Array(response.encoded.prefix(3)))))
  }

  mutating func peerChecked(_ value: [UInt8]) {
    guard let pairing else { return }
    guard !value.isEmpty, value == pairing.awaitedCheck else { return refuse(.dhKeyCheckFailed) }
    if !isInitiator { send(.dhKeyCheck(pairing.ownCheck)) }
    beginEncryption()
  }

  private mutating func beginEncryption() {
    guard let pairing else { return }
    self.pairing?.step = .encryption
    let (expected, ends) = (awaitedKeys(of: pairing), now.moment + SecurityLimits.encryption)
    self.pairing?.expected = expected
    // The controller has a time limit of its own.
    self.pairing?.endsAt = ends
    if isInitiator { out.append(.encrypt(Bond.LegacyKey(octets: pairing.key, diversifier: 0, random: 0))) }
  }
}
