import Exchange
import Packets
import Vocabulary

/// Pairing and encryption of one link, both roles (Vol 3, Part H), as a value.
///
/// Its inputs are every PDU of channel 6 and every event of encryption; its outputs are what to
/// send, compute, ask and store. It orders one computation at a time, and PDUs wait meanwhile.
struct SecurityManager: Equatable, Sendable {
  let role: LinkRole
  /// The addresses with which the link was made, possibly private ones.
  let own: Address
  let peer: Address
  /// Our identity, for a peer that gets our keys; `nil` offers no keys.
  var identity: LocalIdentity?
  /// How to take part when the central starts; `nil` refuses.
  var acceptance: PairRequest?
  /// The peer's out-of-band data.
  var outOfBand: OutOfBandData?
  /// Our out-of-band data. Even after its use, its owner never pairs with an unauthenticated
  /// device.
  var offer: OutOfBandOffer?
  /// The bond with the peer.
  var bond: Bond?
  private(set) var security = LinkSecurity.open

  var pairing: Pairing?
  /// When encryption with the bond counts as failed, once it was started.
  private var startEndsAt: Moment?
  /// The requested security, while a bond is tried or the central was asked.
  private var wanted: PairRequest?
  /// Whether the peer must be authenticated.
  private var needsAuthentication = false
  /// When a Security Request stops waiting for a `pair`.
  private var requestEndsAt: Moment?
  /// When to ask a bonded central that has not encrypted the link.
  private var asksAt: Moment?
  /// Whether a Security Request was followed on this link, which happens once.
  private var wasAsked = false
  /// Whether a peripheral requests authentication that its bond lacks. Followed once per link.
  private var mustRequestAuthentication = false
  /// Whether the peripheral has requested authentication, which happens once per link.
  private var hasRequestedAuthentication = false
  /// Whether the link is encrypted by a pairing that then failed, so that there is no bond of it.
  private var isUnfinished = false
  /// Whether all communication has ended (3.4).
  private var isSilent = false
  /// The PDUs sent, and how many of them the peer's link layer has.
  private var sent = 0
  private var acknowledged = 0
  /// When Pairing Failed may be sent again outside a pairing.
  private var answersAt = Moment.zero
  private var refusals = RefusalPace()
  /// What begins when the store has said that it can take a bond.
  private var checked: CheckedStart?
  /// When the store may be asked again for a central, after it could not take a bond.
  private var checksAgainAt = Moment.zero
  /// The delay after a failure, for the peer and for us.
  var attempts: PairingAttempts
  /// The delay after failures with our fixed passkey, on any link: a copy of `BondBook.guesses`.
  var guesses = PairingAttempts()
  /// When our own delayed attempt starts.
  private var beginsAt: Moment?

  var now = Instant.simulationStart
  var out: [SecurityEffect] = []  // unsaved: empty between two events

  init(
    role: LinkRole, own: Address, peer: Address, identity: LocalIdentity? = nil, acceptance: PairRequest? = nil, bond: Bond? = nil,
    attempts: PairingAttempts = PairingAttempts(), outOfBand: OutOfBandData? = nil
  ) {
    self.outOfBand = outOfBand
    self.attempts = attempts
    self.role = role
    self.own = own
    self.peer = peer
    self.identity = identity
    self.acceptance = acceptance
    self.bond = bond
  }

  /// The store has answered.
  mutating func know(_ identity: LocalIdentity, _ bond: Bond?) {
    self.identity = identity
    if !isBusy { self.bond = bond }
  }

  /// Whether a pairing is in progress, or waits for the delay after a failed one.
  var isPairing: Bool { pairing != nil || beginsAt != nil || checked != nil }

  /// Whether a bond is starting encryption or a pairing is in progress.
  var isBusy: Bool { isPairing || startEndsAt != nil }

  /// Whether a client lets a bond be replaced that the peer has lost (`--rebond`).
  var replacesLost: Bool { wanted?.replacesLost == true }

  /// Whether Enable Encryption was sent and Encryption Change is missing.
  var startsEncryption: Bool { role == .central && (startEndsAt != nil || pairing?.step == .encryption) }

  var nextDeadline: Moment? {
    var earliest = pairing?.endsAt
    earliest.advance(to: pairing?.questionEndsAt)
    earliest.advance(to: startEndsAt)
    earliest.advance(to: beginsAt)
    earliest.advance(to: requestEndsAt)
    earliest.advance(to: asksAt)
    earliest.advance(to: refusals.deadline)
    return earliest
  }

  mutating func handle(_ event: SecurityEvent, at now: Instant) -> [SecurityEffect] {
    self.now = now
    switch event {
    case .pdu(let bytes): if !isSilent { receive(bytes) }
    case .pair(let request, let renews): want(request, renews)
    case .raise(let request): raise(request)
    case .authenticationMissing: requestAuthentication()
    case .cancelled:
      if pairing != nil {
        refuse(.unspecified, as: .cancelled)
      } else if wanted != nil || checked != nil {
        finish(.failed(.cancelled))
      }
      wanted = nil
    case .answered(let answer): take(answer)
    case .computed(let result): if pairing?.step.source == .toolbox { proceed(with: result) }
    case .encryptionChanged(let status, let isOn): encryptionChanged(status, isOn)
    case .keyAsked(let diversifier, let random): keyAsked(diversifier, random)
    case .acknowledged:
      if acknowledged < sent { acknowledged += 1 }
      if pairing?.step == .acknowledgement { completeIfAcknowledged() }
    case .roomChecked(let fault): roomChecked(fault)
    case .stored(let answer): if pairing?.step.source == .store { bondStored(answer) }
    case .centralHeard: if bond != nil, !security.isEncrypted, !isSilent { asksAt = now.moment + SecurityLimits.patience }
    case .deadline: wake()
    case .lost:
      fallSilent()
      if isBusy || wanted != nil { finish(.failed(.lost)) }
    }
    takeWaiting()
    if mustRequestAuthentication, security.isEncrypted, !isBusy {
      mustRequestAuthentication = false
      if !security.isAuthenticated { out.append(.authenticationRequested) }
    }
    var effects: [SecurityEffect] = []
    swap(&effects, &out)
    return effects
  }

  /// Why the pairing or the encryption fails if the link ends with this status.
  func fault(of status: HCIStatus) -> PairingFault {
    guard status == .micFailure else { return .lost }
    return pairing?.step == .encryption ? .newKey(status) : startEndsAt != nil ? .encryption(status) : .lost
  }

  /// Sends nothing more, and stops waiting.
  private mutating func fallSilent() {
    isSilent = true
    requestEndsAt = nil
    asksAt = nil
    refusals.drop()
  }

  // MARK: Requests of clients

  private mutating func want(_ request: PairRequest, _ renews: Bool) {
    guard !isSilent else { return out.append(.finished(.failed(.lost))) }
    guard !isBusy else { return out.append(.finished(.failed(.busy))) }
    if security.isEncrypted, !isUnfinished, security.lack(for: request) == nil, !renews {
      return out.append(.finished(.secured(security)))
    }
    requestEndsAt = nil
    switch role {
    case .peripheral:
      // The central starts (2.4.6).
      acceptance = request
      wanted = request
      check(.securityRequest(request), bonds: request.bonds)
    case .central:
      if let key = bond?.centralKey, !renews, !security.isEncrypted {
        wanted = request
        start(key)
      } else {
        begin(request)
      }
    }
  }

  /// Pairs on an encrypted link. The old bond remains until a better one is on disk.
  private mutating func raise(_ request: PairRequest) {
    guard !isSilent, role == .central else { return out.append(.finished(.failed(.lost))) }
    guard !isBusy else { return out.append(.finished(.failed(.busy))) }
    if security.isAuthenticated { return out.append(.finished(.secured(security))) }
    needsAuthentication = true
    begin(request)
  }

  /// Asks the central for a new pairing, because the refusal alone may not show that one would
  /// help. The old bond remains.
  private mutating func requestAuthentication() {
    guard role == .peripheral, !isSilent, !isBusy, security.isEncrypted, !security.isAuthenticated, !hasRequestedAuthentication,
      let request = acceptance
    else { return }
    let requirements = requirements(of: request)
    guard requirements.contains(.authentication) else { return }
    hasRequestedAuthentication = true
    send(.securityRequest(requirements))
  }

  private mutating func start(_ key: Bond.LegacyKey) {
    startEndsAt = now.moment + SecurityLimits.encryption
    out.append(.encrypt(key))
  }

  /// Sends the central's first PDU.
  private mutating func begin(_ request: PairRequest) {
    if let outOfBand, !outOfBand.isOf(peer) { return finish(.failed(.dataOfAnother(outOfBand.address ?? peer))) }
    // A device that can show, type and confirm nothing can authenticate no other.
    if request.isStrict, request.capability == .noInputNoOutput, outOfBand == nil, offer == nil {
      return finish(.failed(.handlerMissing(.any)))
    }
    if let remaining = attempts.remaining(at: now.moment) {
      guard remaining <= SecurityLimits.longestOwnWait else { return finish(.failed(.tooSoon(remaining))) }
      wanted = request
      beginsAt = now.moment + remaining + SecurityLimits.ownMargin
      return
    }
    check(.pairingRequest(request), bonds: request.bonds)
  }

  // MARK: Room for the bond

  /// What to do once it is known that a bond can be stored. Otherwise the peer would keep a key
  /// that we do not have.
  fileprivate enum CheckedStart: Equatable {
    case pairingRequest(PairRequest)
    case securityRequest(PairRequest)
    /// Answers this Pairing Request.
    case pairingResponse([UInt8])
  }

  private mutating func check(_ start: CheckedStart, bonds: Bool) {
    checked = start
    if bonds { out.append(.checkRoom) } else { roomChecked(nil) }
  }

  private mutating func roomChecked(_ fault: PairingFault?) {
    guard let start = checked else { return }
    checked = nil
    guard pairing == nil, !isSilent else { return }
    if let fault {
      guard case .pairingResponse(let request) = start else { return finish(.failed(fault)) }
      checksAgainAt = now.moment + SecurityLimits.firstWait
      let isDue = refusals.refuses(request, at: now.moment)
      if isDue { send(.pairingFailed(.pairingNotSupported)) }
      // The log names the reason once for each refusal.
      if isDue || wanted != nil { finish(.failed(fault)) }
      return
    }
    switch start {
    case .pairingRequest(let request):
      let features = features(of: request)
      pairing = Pairing(request: request, initiatorFeatures: features, endsAt: now.moment + SecurityLimits.transaction)
      send(.pairingRequest(features))
    case .securityRequest(let request):
      startEndsAt = now.moment + SecurityLimits.transaction
      send(.securityRequest(requirements(of: request)))
    case .pairingResponse(let bytes):
      guard case .pairingRequest(let features)? = try? SMPPDU(encoded: bytes, name: "SMP PDU") else { return }
      asked(features, bytes, hasRoom: true)
    }
  }

  func requirements(of request: PairRequest) -> PairingFeatures.Requirements {
    var requirements: PairingFeatures.Requirements = request.bonds ? [.bonding] : []
    if request.offersSecureConnections, usable?.isLegacyOnly != true { requirements.insert(.secureConnections) }
    if request.capability != .noInputNoOutput || usable != nil || offer != nil { requirements.insert(.authentication) }
    return requirements
  }

  /// The out-of-band data, if it is of this peer. A server may have that of another.
  private var usable: OutOfBandData? { outOfBand.flatMap { $0.isOf(peer) ? $0 : nil } }

  private func features(of request: PairRequest) -> PairingFeatures {
    var keys: PairingFeatures.Keys = []
    if request.bonds {
      keys = identity == nil ? [.encryption] : [.encryption, .identity]
    }
    let peers: PairingFeatures.Keys = request.bonds ? [.encryption, .identity] : []
    return PairingFeatures(
      capability: request.capability, hasOutOfBand: usable != nil, requirements: requirements(of: request),
      initiatorKeys: role == .central ? keys : peers,
      responderKeys: role == .central ? peers : keys)
  }

  // MARK: PDUs

  mutating func send(_ pdu: SMPPDU) {
    sent += 1
    // PDUs that were sent before the pairing ended are not answered.
    if case .pairingFailed = pdu { answersAt = now.moment + SecurityLimits.unsolicited }
    let ends = now.moment + SecurityLimits.transaction
    pairing?.endsAt = ends
    out.append(.send(pdu))
  }

  private mutating func receive(_ bytes: [UInt8]) {
    // Pairing Failed ends the pairing at any time and is never answered (3.5.5).
    if bytes.first == SMPPDU.Code.pairingFailed {
      guard isBusy, let reason = bytes.dropFirst().first else { return }
      if pairing != nil || startEndsAt != nil && role == .peripheral { fail(.refusedByPeer(SMPReason(reason))) }
      return
    }
    guard let step = pairing?.step, step.source != .peer else { return process(bytes) }
    // On USB, key PDUs may overtake the event of encryption. Other early PDUs wait for the awaited
    // answer.
    switch step.source {
    case .controller:
      guard let code = bytes.first, pairing?.expected.contains(code) == true, (pairing?.inbox.count ?? 0) < SecurityLimits.earlyKeys
      else { return process(bytes) }
    case .radio: return process(bytes)
    // The central has given up and starts again, because a user may take 28 s.
    case .person where role == .peripheral && bytes.first == SMPPDU.Code.pairingRequest: return process(bytes)
    default: break
    }
    guard (pairing?.inbox.count ?? 0) < SecurityLimits.inbox else { return refuse(.unspecified) }
    pairing?.inbox.append(bytes)
  }

  /// Handles the early PDUs that can be handled now.
  private mutating func takeWaiting() {
    while let step = pairing?.step, step.source == .peer || step.source == .radio, let first = pairing?.inbox.first {
      pairing?.inbox.removeFirst()
      process(first)
    }
  }

  private mutating func process(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    let pdu: SMPPDU
    do { pdu = try SMPPDU(encoded: bytes, name: "SMP PDU") } catch {
      let isRequest = role == .peripheral && bytes.first == SMPPDU.Code.pairingRequest
      return isRequest && pairing == nil ? decline(bytes, .invalidParameters) : refuse(.invalidParameters)
    }
    let ends = now.moment + SecurityLimits.transaction
    // A Security Request changes nothing, so it does not prolong a pairing.
    if case .securityRequest = pdu {} else { pairing?.endsAt = ends }
    switch (pdu, pairing?.step) {
    case (.unknown, _): refuse(.commandNotSupported)
    case (.pairingRequest(let features), nil): asked(features, bytes)
    case (.pairingRequest, _) where role == .central, (.securityRequest, _) where role == .peripheral:
      refuse(.commandNotSupported)
    case (.securityRequest(let requirements), nil): securityAsked(requirements)
    // During a pairing it brings no news (2.4.6).
    case (.securityRequest, _): break
    case (.keypressNotification, .some) where pairing?.isPasskey == true: break
    case (.pairingResponse(let features), .features): answered(features)
    case (.publicKey(let x, let y), .peerKey): peerKeyCame(PublicKey(x: x, y: y))
    case (.pairingConfirm(let value), .peerConfirm): peerConfirmed(value)
    case (.pairingRandom(let value), .peerRandom): peerShowed(value)
    case (.dhKeyCheck(let value), .peerCheck): peerChecked(value)
    case (.encryptionInformation, .peerKeys), (.centralIdentification, .peerKeys), (.identityInformation, .peerKeys),
      (.identityAddressInformation, .peerKeys):
      keyCame(pdu)
    default: refuse(.unspecified)
    }
  }

  /// Sends Pairing Failed and ends the pairing. Outside a pairing, the specification requires an
  /// answer only to a Pairing Request (3.5.1); other PDUs get one per second.
  mutating func refuse(_ reason: SMPReason, as fault: PairingFault? = nil) {
    guard pairing != nil || answersAt <= now.moment else { return }
    send(.pairingFailed(reason))
    if pairing != nil { fail(fault ?? .refusedByUs(reason)) }
  }

  /// Refuses a Pairing Request, because its central would wait 30 s.
  private mutating func decline(_ request: [UInt8], _ reason: SMPReason) {
    if refusals.refuses(request, at: now.moment) { send(.pairingFailed(reason)) }
  }

  /// Ends the pairing with a fault. The peer must wait before it tries again.
  mutating func fail(_ given: PairingFault) {
    if given == .refusedByPeer(.repeatedAttempts), waitsForPeer() { return }
    var fault = given
    if let pairing {
      if !pairing.isPasskey, [.refusedByPeer(.confirmValueFailed), .refusedByUs(.confirmValueFailed)].contains(given) {
        fault = .wrongCheck(pairing.method, isPeers: given == .refusedByPeer(.confirmValueFailed))
      }
      attempts.failed(at: now.moment)
      if pairing.isEncrypted { isUnfinished = true }
      if pairing.usesFixedPasskey { guesses.failed(at: now.moment, isFixed: true) }
      takeBack(pairing, fault)
    }
    finish(.failed(fault))
  }

  /// Repeats a Pairing Request that the peer refused because of its delay after an earlier attempt,
  /// which another process of ours may have made. Returns false if it takes too long.
  private mutating func waitsForPeer() -> Bool {
    guard role == .central, let pairing, pairing.step == .features else { return false }
    var later = attempts
    later.failed(at: now.moment)
    guard let remaining = later.remaining(at: now.moment), remaining <= SecurityLimits.longestPeerWait else { return false }
    attempts = later
    self.pairing = nil
    begin(pairing.request)
    return true
  }

  /// Drops a stored bond that the peer has refused (such as with Key Rejected). A peer that only
  /// fell silent may have it.
  private mutating func takeBack(_ pairing: Pairing, _ fault: PairingFault) {
    guard pairing.step == .acknowledgement, let made = pairing.bond else { return }
    switch fault {
    case .lost, .timeout, .silentStart, .encryption, .newKey: return
    default: break
    }
    if bond?.identity != made.identity { out.append(.drop(made.identity)) }
    if let bond { out.append(.keep(bond)) }
  }

  /// Ends a pairing because the link is being closed: the PDU that says so. The pairing fails when
  /// the link has ended.
  mutating func takeLeave() -> SMPPDU? {
    // At its end the peer may have finished and would drop its bond.
    guard let step = pairing?.step, step != .acknowledgement, step != .confirming, !isSilent else { return nil }
    fallSilent()
    return .pairingFailed(.unspecified)
  }

  mutating func finish(_ result: PairingResult) {
    if pairing?.questionEndsAt != nil { out.append(.withdraw) }
    pairing = nil
    checked = nil
    startEndsAt = nil
    beginsAt = nil
    wanted = nil
    needsAuthentication = false
    out.append(.finished(result))
  }

  // MARK: Requests of the peer

  /// - Parameter hasRoom: Whether a bond can be stored.
  private mutating func asked(_ features: PairingFeatures, _ bytes: [UInt8], hasRoom: Bool = false) {
    guard role == .peripheral else { return refuse(.commandNotSupported) }
    guard let request = acceptance else { return decline(bytes, .pairingNotSupported) }
    // A refused request does not extend the delay (2.3.6).
    guard attempts.remaining(at: now.moment) == nil else { return decline(bytes, .repeatedAttempts) }
    var response = self.features(of: request)
    var started = Pairing(request: request, initiatorFeatures: features, endsAt: now.moment + SecurityLimits.transaction)
    // Distribute only keys that were requested and offered (3.6.1).
    response.initiatorKeys.formIntersection(features.initiatorKeys)
    response.responderKeys.formIntersection(features.responderKeys)
    if !features.requirements.contains(.bonding) { response.requirements.remove(.bonding) }
    if PairingMethod.choose(features, response) == .justWorks { response.requirements.remove(.authentication) }
    started.responderFeatures = response
    if let reason = agree(&started) {
      decline(bytes, reason)
      attempts.failed(at: now.moment)
      // The client that requested this pairing stops waiting.
      if wanted != nil { finish(.failed(reason == .authenticationRequirements ? unproven(started) : .refusedByUs(reason))) }
      return
    }
    if started.usesFixedPasskey, guesses.remaining(at: now.moment) != nil { return decline(bytes, .repeatedAttempts) }
    if let bond, !bond.mayYield(to: promised(started)) {
      decline(bytes, .authenticationRequirements)
      if wanted != nil { finish(.failed(.weakens)) }
      return
    }
    if !hasRoom, response.requirements.contains(.bonding) {
      guard checksAgainAt <= now.moment else {
        decline(bytes, .pairingNotSupported)
        return
      }
      return check(.pairingResponse(bytes), bonds: true)
    }
    startEndsAt = nil
    refusals.drop()
    pairing = started
    send(.pairingResponse(response))
    beginPhase2()
  }

  /// The security of the link if this pairing succeeds.
  func promised(_ pairing: Pairing) -> LinkSecurity {
    LinkSecurity(
      isEncrypted: true, isAuthenticated: pairing.method.isAuthenticated, isSecureConnections: pairing.isSecure,
      keySize: pairing.keySize)
  }

  private mutating func answered(_ features: PairingFeatures) {
    guard var started = pairing else { return }
    started.responderFeatures = features
    if let reason = agree(&started) {
      guard reason == .authenticationRequirements else { return refuse(reason) }
      return refuse(reason, as: unproven(started))
    }
    // The new bond would be weaker than the old one, so it is not made.
    if let bond, !bond.mayYield(to: promised(started)) { return refuse(.authenticationRequirements, as: .weakens) }
    // The response may not contain more than was requested.
    guard features.initiatorKeys.isSubset(of: started.initiatorFeatures.initiatorKeys),
      features.responderKeys.isSubset(of: started.initiatorFeatures.responderKeys)
    else { return refuse(.invalidParameters) }
    pairing = started
    beginPhase2()
  }

  /// Chooses the method from both devices' features. Returns why it is not acceptable.
  private func agree(_ pairing: inout Pairing) -> SMPReason? {
    guard let response = pairing.responderFeatures else { return .unspecified }
    let request = pairing.initiatorFeatures
    let theirs = role == .central ? response : request
    guard 7...16 ~= theirs.keySize else { return .invalidParameters }
    pairing.keySize = min(request.keySize, response.keySize)
    guard pairing.keySize >= pairing.request.smallestKey else { return .encryptionKeySize }
    pairing.isSecure = request.requirements.contains(.secureConnections) && response.requirements.contains(.secureConnections)
    pairing.method = PairingMethod.choose(request, response)
    if pairing.request.isStrict, !pairing.isSecure || !pairing.method.isAuthenticated { return .authenticationRequirements }
    if pairing.method == .outOfBand {
      pairing.outOfBand = usable
      let ours = role == .central ? request : response
      let isMissing =
        pairing.isSecure
        ? theirs.hasOutOfBand && offer?.secrets == nil || ours.hasOutOfBand && usable?.secure == nil : usable?.temporaryKey == nil
      if isMissing { return .outOfBandMissing }
    }
    if needsAuthentication || pairing.request.needsProof, !pairing.method.isAuthenticated { return .authenticationRequirements }
    // A client with codes or out-of-band data but without consent never pairs unauthenticated.
    if pairing.method == .justWorks, pairing.request.enters || usable != nil || offer != nil, !pairing.request.confirms {
      return .authenticationRequirements
    }
    return nil
  }

  /// Why the two devices cannot authenticate each other.
  private func unproven(_ pairing: Pairing) -> PairingFault {
    if pairing.request.isStrict, !pairing.isSecure { return .legacyOnly }
    if let response = pairing.responderFeatures {
      let (own, peers) = role == .central ? (pairing.initiatorFeatures, response) : (response, pairing.initiatorFeatures)
      let missing = PairingMethod.missing(at: own.capability, towards: peers.capability, isSecure: pairing.isSecure)
      if let missing { return .handlerMissing(missing) }
    }
    return .unproven(needsAuthentication ? .attribute : pairing.request.isStrict ? .strict : .handlers)
  }

  private mutating func securityAsked(_ requirements: PairingFeatures.Requirements) {
    // Never unencrypted: the link is encrypted with the old key first (2.4.6).
    let isProven = security.isEncrypted ? security.isAuthenticated : bond?.isAuthenticated ?? true
    if requirements.contains(.authentication), !isProven, !hasRequestedAuthentication {
      hasRequestedAuthentication = true
      mustRequestAuthentication = true
    }
    guard !security.isEncrypted, !isBusy, !wasAsked, requestEndsAt == nil else { return }
    if let key = bond?.centralKey {
      wasAsked = true
      start(key)
    } else {
      requestEndsAt = now.moment + SecurityLimits.heldRequest
    }
  }

  // MARK: Encryption

  private mutating func encryptionChanged(_ status: HCIStatus, _ isOn: Bool) {
    let started = startEndsAt != nil
    guard status.isSuccess, isOn else {
      security = .open
      if status == .keyMissing, started, let old = bond, old.isProvisional || replacesLost {
        // A provisional bond never reached the peer and was never reported. Any other is replaced
        // only by one that is as strong.
        if old.isProvisional {
          out.append(.drop(old.identity))
          bond = nil
        }
        if let wanted {
          startEndsAt = nil
          self.wanted = nil
          return begin(wanted)
        }
      }
      let fault: PairingFault = pairing?.step == .encryption ? .newKey(status) : .encryption(status)
      if isBusy { fail(fault) }
      fallSilent()
      out.append(.closeLink(fault))
      return
    }
    if pairing?.step == .encryption, let pairing {
      security = promised(pairing)
      out.append(.levelChanged(security))
      self.pairing?.isEncrypted = true
      beginPhase3()
    } else if var bond, pairing == nil {
      if bond.isProvisional {
        // The peer has used it.
        bond.isProvisional = false
        self.bond = bond
        out.append(.keep(bond))
      }
      security = bond.security
      requestEndsAt = nil
      out.append(.levelChanged(security))
      if started { finish(.secured(security)) }
    }
  }

  /// A key is given for a bond, and for a pairing only after its phase 2.
  private mutating func keyAsked(_ diversifier: UInt16, _ random: UInt64) {
    guard role == .peripheral else { return out.append(.refuseKey) }
    if let pairing {
      // A central with all keys may use them at once.
      if pairing.step == .acknowledgement, let key = pairing.bond?.peripheralKey(diversifier: diversifier, random: random) {
        return out.append(.giveKey(key))
      }
      guard pairing.step == .encryption, diversifier == 0, random == 0 else {
        out.append(.refuseKey)
        return refuse(.unspecified)
      }
      return out.append(.giveKey(pairing.key))
    }
    if let key = bond?.peripheralKey(diversifier: diversifier, random: random) { return out.append(.giveKey(key)) }
    out.append(.refuseKey)
  }

  // MARK: Time

  private mutating func wake() {
    if let by = beginsAt, by <= now.moment, let request = wanted {
      beginsAt = nil
      wanted = nil
      begin(request)
    }
    if let request = refusals.takeDue(at: now.moment), pairing == nil { process(request) }
    if let by = requestEndsAt, by <= now.moment {
      requestEndsAt = nil
      send(.pairingFailed(.pairingNotSupported))
    }
    if let at = asksAt, at <= now.moment {
      asksAt = nil
      if let bond, !security.isEncrypted, !isBusy {
        var requirements: PairingFeatures.Requirements = [.bonding]
        if bond.isSecureConnections { requirements.insert(.secureConnections) }
        if bond.isAuthenticated { requirements.insert(.authentication) }
        send(.securityRequest(requirements))
      }
    }
    if let by = pairing?.questionEndsAt, by <= now.moment {
      guard pairing?.step == .confirmationAsked else { return refuse(.passkeyEntryFailed) }
      return pairing?.method == .comparison
        ? refuse(.numericComparisonFailed) : refuse(.authenticationRequirements, as: .declined)
    }
    let isLate = [pairing?.endsAt, startEndsAt].contains { $0.map { $0 <= now.moment } ?? false }
    guard isLate else { return }
    let fault = pairing == nil ? PairingFault.silentStart : .timeout
    fallSilent()
    fail(fault)
    out.append(.closeLink(fault))
  }

  private mutating func completeIfAcknowledged() {
    guard acknowledged >= sent, let done = pairing else { return }
    if var bond = done.bond, bond.isProvisional {
      bond.isProvisional = false
      pairing?.bond = bond
      pairing?.step = .confirming
      out.append(.store(bond))
    } else {
      complete()
    }
  }

  mutating func complete() {
    if let kept = pairing?.bond { bond = kept }
    isUnfinished = false
    attempts = PairingAttempts()
    // Only who knows the passkey proves that the guesses before were harmless.
    if pairing?.usesFixedPasskey == true { guesses = PairingAttempts() }
    if let pairing { out.append(.paired(pairing.method, isSecureConnections: pairing.isSecure)) }
    finish(.secured(security))
  }

  /// Waits until the peer has everything. A disconnection before that would cost it its bond.
  mutating func awaitAcknowledgement() {
    pairing?.step = .acknowledgement
    completeIfAcknowledged()
  }
}

extension SecurityManager: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    role = try reader.next()
    own = try reader.next()
    peer = try reader.next()
    identity = try reader.next()
    acceptance = try reader.next()
    outOfBand = try reader.next()
    offer = try reader.next()
    bond = try reader.next()
    security = try reader.next()
    pairing = try reader.next()
    startEndsAt = try reader.next()
    wanted = try reader.next()
    needsAuthentication = try reader.next()
    requestEndsAt = try reader.next()
    asksAt = try reader.next()
    wasAsked = try reader.next()
    mustRequestAuthentication = try reader.next()
    hasRequestedAuthentication = try reader.next()
    isUnfinished = try reader.next()
    isSilent = try reader.next()
    sent = try reader.nextCounter("PDUs that were sent")
    acknowledged = try reader.next(0...sent, "PDUs that were acknowledged")
    answersAt = try reader.next()
    refusals = try reader.next()
    attempts = try reader.next()
    guesses = try reader.next()
    checked = try reader.next()
    checksAgainAt = try reader.next()
    beginsAt = try reader.next()
    now = try reader.next()
  }

  func write(to writer: inout ByteWriter) {
    writer.put(all: role, own, peer, identity, acceptance, outOfBand, offer, bond, security, pairing, startEndsAt, wanted)
    writer.put(
      all: needsAuthentication, requestEndsAt, asksAt, wasAsked, mustRequestAuthentication, hasRequestedAuthentication,
      isUnfinished, isSilent, sent, acknowledged, answersAt, refusals, attempts, guesses, checked, checksAgainAt, beginsAt, now)
  }
}

extension SecurityManager.CheckedStart: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .pairingRequest(try reader.next())
    case 1: self = .securityRequest(try reader.next())
    case 2: self = .pairingResponse(try reader.next())
    case let other: throw .invalid("start of a pairing", UInt64(other))
    }
  }

  func write(to writer: inout ByteWriter) {
    switch self {
    case .pairingRequest(let request): writer.put(all: 0 as UInt8, request)
    case .securityRequest(let request): writer.put(all: 1 as UInt8, request)
    case .pairingResponse(let bytes): writer.put(all: 2 as UInt8, bytes)
    }
  }
}
