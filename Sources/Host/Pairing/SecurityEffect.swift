import Exchange
import Packets
import Vocabulary

/// An input of a link's security manager.
enum SecurityEvent: Equatable, Sendable {
  /// One PDU of channel 6.
  case pdu([UInt8])
  /// Encrypts the link with the existing bond or by pairing. `renews` pairs even if there is a
  /// bond.
  case pair(PairRequest, renews: Bool)
  /// Pairs on the encrypted link so that the peer is authenticated.
  case raise(PairRequest)
  /// Our server refused a value because the link's key is unauthenticated.
  case authenticationMissing
  /// The client no longer needs it.
  case cancelled
  case answered(PairingAnswer)
  case computed(ComputationResult)
  /// Encryption Change, or Encryption Key Refresh Complete.
  case encryptionChanged(HCIStatus, isOn: Bool)
  /// LE Long Term Key Request.
  case keyAsked(diversifier: UInt16, random: UInt64)
  /// The peer's link layer has acknowledged our oldest unacknowledged PDU.
  case acknowledged
  /// The bond of `store` is stored or cannot be.
  case stored(BondAnswer)
  /// The answer to `checkRoom`: why no bond can be stored; `nil` if one can.
  case roomChecked(PairingFault?)
  /// The central has sent a packet on its new link.
  case centralHeard
  /// `nextDeadline` is due.
  case deadline
  case lost
}

/// What the store did with a bond.
enum BondAnswer: Equatable, Sendable {
  case kept
  case unwritable
  /// Another device has this identity.
  case foreign
  /// Another process meanwhile stored a better bond with the device.
  case weaker
}

enum SecurityEffect: Equatable, Sendable {
  case send(SMPPDU)
  /// Orders a computation, one at a time. `computed` answers at once.
  case compute(Computation)
  /// LE Enable Encryption.
  case encrypt(Bond.LegacyKey)
  /// Answers LE Long Term Key Request.
  case giveKey([UInt8])
  case refuseKey
  case ask(PairingQuestion)
  /// The open question is withdrawn.
  case withdraw
  /// Asks whether a bond can be stored, before the peer hears of the pairing. `roomChecked` answers
  /// at once.
  case checkRoom
  /// Stores a bond. `stored` answers.
  case store(Bond)
  /// Drops a worthless bond.
  case drop(Address)
  /// Stores a bond over any other; nothing waits for the answer.
  case keep(Bond)
  case levelChanged(LinkSecurity)
  /// The peer requests authentication on a link that is encrypted without it. The host may answer
  /// with `raise`.
  case authenticationRequested
  /// A pairing has succeeded, at either side's request.
  case paired(PairingMethod, isSecureConnections: Bool)
  /// The outcome of the last `pair`, or of what the peer started.
  case finished(PairingResult)
  case closeLink(PairingFault)
  /// This pairing uses our out-of-band data, so no later one may.
  case spendOffer
}

enum PairingResult: Equatable, Sendable {
  case secured(LinkSecurity)
  case failed(PairingFault)
}

/// Why the peer must be authenticated.
enum AuthenticationDemand: Sendable, CaseIterable {
  /// Codes can be shown or typed here, and no handler consented to pair without.
  case handlers
  /// `use pairing strict` requires it.
  case strict
  /// An attribute of the peer requires it.
  case attribute
}

/// The handler of a recipe, or the option, that a code needs on this side.
enum PairingHandler: Sendable, CaseIterable {
  case request, display, confirm
  /// One of the three; the peer decides which.
  case any
}

/// Why a link is not encrypted.
enum PairingFault: Error, Equatable, Sendable {
  /// The peer sent Pairing Failed.
  case refusedByPeer(SMPReason)
  /// We sent Pairing Failed.
  case refusedByUs(SMPReason)
  /// Confirm Value Failed in a pairing without a code, from the peer or from us.
  case wrongCheck(PairingMethod, isPeers: Bool)
  /// The peer claimed the identity of another bonded device.
  case foreign(Address)
  /// 30 s without a PDU, or 40 s without the event that the new key encrypts the link.
  case timeout
  /// 40 s without the event that a bond's key encrypts the link.
  case silentStart
  /// The link is gone.
  case lost
  /// The controller could not encrypt the link. 0x06 means that the peer does not have our key.
  case encryption(HCIStatus)
  /// The controller could not encrypt the link with the key that this pairing has just made.
  case newKey(HCIStatus)
  /// Another pairing is in progress.
  case busy
  case cancelled
  /// The peer can neither show nor type a code, and we require one.
  case unproven(AuthenticationDemand)
  /// The peer could authenticate if this side had the handler.
  case handlerMissing(PairingHandler)
  /// No handler consented to pair with an unauthenticated device.
  case declined
  /// The peer lacks Secure Connections, which `use pairing strict` requires.
  case legacyOnly
  /// The out-of-band data is of another device.
  case dataOfAnother(Address)
  /// The new bond would be weaker than the existing one.
  case weakens
  /// Too many attempts have failed; the next one must wait this long.
  case tooSoon(TimeSpan)
  /// libcrypto is missing.
  case noToolbox
  /// The bond cannot be written.
  case notStored
  /// No bond can be written, for this reason. The pairing has not begun.
  case noPlace(String)
  /// As many devices are paired as possible. The pairing has not begun.
  case noRoom

  /// Whether the peer and this client have no means in common to authenticate each other.
  var isForLackOfMeans: Bool {
    switch self {
    case .unproven, .handlerMissing, .refusedByUs(.authenticationRequirements): true
    default: false
    }
  }

  /// Whether the pairing may succeed for another client, which has other handlers, codes or data.
  var mayBeOfOneClient: Bool {
    switch self {
    case .refusedByPeer(.authenticationRequirements), .refusedByPeer(.outOfBandMissing), .refusedByUs(.passkeyEntryFailed),
      .refusedByUs(.outOfBandMissing), .unproven, .handlerMissing, .declined, .legacyOnly, .dataOfAnother:
      true
    default: false
    }
  }
}

extension LinkSecurity {
  /// What it lacks for a client, as the fault of its pairing. `--min-key-size` refuses a shorter
  /// key. A code or data of the device, if the user gave it, refuses an unauthenticated device.
  /// `use pairing strict` accepts only authenticated Secure Connections.
  func lack(for request: PairRequest) -> PairingFault? {
    guard keySize >= request.smallestKey else { return .refusedByUs(.encryptionKeySize) }
    if request.needsProof, !isAuthenticated { return .unproven(.handlers) }
    guard request.isStrict else { return nil }
    return !isAuthenticated ? .unproven(.strict) : !isSecureConnections ? .legacyOnly : nil
  }
}
