import Exchange
import Packets
import Vocabulary

/// What happens to the security of a link.
enum SecurityEvent: Equatable, Sendable {
  /// One PDU of channel 6.
  case pdu([UInt8])
  /// The link is to be encrypted: with the bond that there is, or by pairing. `renews` pairs
  /// although there is a bond.
  case pair(PairRequest, renews: Bool)
  /// The link is encrypted, and is to be paired with so that the peer proves who it is.
  case raise(PairRequest)
  /// A value of ours was refused over a link whose key proves nothing.
  case proofMissing
  /// Whoever wanted it does not any more.
  case cancelled
  case answered(PairingAnswer)
  case computed(ComputationResult)
  /// Encryption Change, or Encryption Key Refresh Complete.
  case encryptionChanged(HCIStatus, isOn: Bool)
  /// LE Long Term Key Request.
  case keyAsked(diversifier: UInt16, random: UInt64)
  /// The peer's link layer has acknowledged the oldest PDU of ours that was not acknowledged.
  case acknowledged
  /// The bond of `store` is kept, or cannot be.
  case stored(BondAnswer)
  /// The central was heard on the link that it made.
  case centralHeard
  /// `nextDeadline` has come.
  case deadline
  case lost
}

/// What became of a bond.
enum BondAnswer: Equatable, Sendable {
  case kept
  case unwritable
  /// Another device has this identity.
  case foreign
  /// There is a better bond with the device, which came from elsewhere meanwhile.
  case weaker
}

enum SecurityEffect: Equatable, Sendable {
  case send(SMPPDU)
  /// Answered by `computed`, at once. One at a time.
  case compute(Computation)
  /// LE Enable Encryption.
  case encrypt(Bond.LegacyKey)
  /// The answers to LE Long Term Key Request.
  case giveKey([UInt8])
  case refuseKey
  case ask(PairingQuestion)
  /// The question that is open is answered by nobody any more.
  case withdraw
  /// Answered by `stored`.
  case store(Bond)
  /// This bond is worth nothing.
  case drop(Address)
  /// This bond counts, whatever was stored before it; nobody waits for that.
  case keep(Bond)
  case levelChanged(LinkSecurity)
  /// The peer wants a proof of who we are over a link that is encrypted without one. Followed by
  /// `raise`, or by nothing.
  case proofAsked
  /// How the last `pair`, or what the peer began, ended.
  case finished(PairingResult)
  case closeLink(PairingFault)
  /// What we gave away out of band is used by this pairing, and by no later one.
  case spendOffer
}

enum PairingResult: Equatable, Sendable {
  case secured(LinkSecurity)
  case failed(PairingFault)
}

/// Why a proof of who the peer is is wanted.
enum ProofDemand: Sendable, CaseIterable {
  /// Codes can be shown or typed here, and nobody consented to do without.
  case handlers
  /// `use pairing strict`
  case strict
  /// An attribute of the peer asks for it.
  case attribute
}

/// What this end would have to do with a code: a handler of a recipe, or an option.
enum PairingHandler: Sendable, CaseIterable {
  case request, display, confirm
  /// One of the three; which one follows from the peer.
  case any
}

/// Why a link is not encrypted.
enum PairingFault: Error, Equatable, Sendable {
  /// The peer sent Pairing Failed.
  case refusedByPeer(SMPReason)
  /// We sent it.
  case refusedByUs(SMPReason)
  /// Confirm Value Failed, of a pairing without a code; the peer sent it, or we.
  case wrongCheck(PairingMethod, isPeers: Bool)
  /// It gave the identity of another device, which has a bond.
  case foreign(Address)
  /// 30 s without a PDU, or 40 s without the controller's answer.
  case timeout
  /// The link is gone.
  case lost
  /// The controller could not encrypt: 0x06 is a peer that has no key of ours.
  case encryption(HCIStatus)
  /// A pairing is under way already.
  case busy
  case cancelled
  /// It neither shows nor takes a code, and we want one.
  case unproven(ProofDemand)
  /// It could prove who it is, if this end did its part.
  case handlerMissing(PairingHandler)
  /// Nobody consented to a device that cannot prove who it is.
  case declined
  /// It has no Secure Connections, and `use pairing strict` wants them.
  case legacyOnly
  /// What is known out of band is of another device.
  case dataOfAnother(Address)
  /// The new bond would prove less than the one that there is.
  case weakens
  /// Too many attempts have failed: the next one waits so long.
  case tooSoon(TimeSpan)
  /// There is no libcrypto.
  case noToolbox
  /// The bond cannot be written.
  case notStored
}
