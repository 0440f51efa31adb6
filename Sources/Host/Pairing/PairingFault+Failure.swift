import Exchange
import Packets
import Vocabulary

extension PairingFault {
  /// As a client is told: what is wrong, and what cures it.
  /// - Parameter waiting: how long the next attempt waits.
  func failure(with peer: Address, waiting: TimeSpan? = nil) -> Failure {
    var failure = told(peer)
    if let waiting {
      switch self {
      case .refusedByPeer(.confirmValueFailed), .refusedByUs(.confirmValueFailed):
        failure.hint = "read its label again; the next attempt may begin in \(waiting.inSeconds)"
      case .refusedByPeer(.repeatedAttempts), .refusedByPeer(.busy):
        failure.hint = "wait at least \(waiting.inSeconds), and try again"
      default: break
      }
    }
    return failure
  }

  private func told(_ peer: Address) -> Failure {
    switch self {
    case .refusedByPeer(let reason):
      let (what, hint) = Self.words(reason, peer)
      return Failure(.refused, what, blame: .refused, layer: .smp, code: UInt16(reason.raw), hint: hint)
    case .refusedByUs(let reason):
      let (what, hint) = Self.ownWords(reason, peer)
      return Failure(.refused, what, blame: .peer, layer: .smp, code: UInt16(reason.raw), hint: hint)
    case .timeout:
      return Failure(
        .timeout, "\(peer) did not answer the pairing for 30 s; the link is closed", blame: .peer, layer: .smp,
        hint: "is it near, and in pairing mode?")
    case .lost: return Failure(.disconnected, "the link to \(peer) was lost during the pairing", blame: .radio, layer: .smp)
    case .encryption(.keyMissing):
      return Failure(
        .staleBond, "\(peer) has no key of ours: it has forgotten the bond, or another device uses its address", blame: .peer,
        layer: .smp, code: UInt16(HCIStatus.keyMissing.raw),
        hint: "if it was reset, use --rebond, or `tooth forget \(peer)` and pair again")
    case .encryption(.micFailure):
      return Failure(
        .staleBond, "the key of \(peer) is another one: it was paired again since, by another program or with another bond",
        blame: .peer, layer: .smp, code: UInt16(HCIStatus.micFailure.raw),
        hint: "a keeper and runs with --direct have bonds of their own; `tooth forget \(peer)` and pair again")
    case .encryption(let status):
      return Failure(
        status == .connectionTimeout ? .timeout : .refused, "the link to \(peer) could not be encrypted: \(status)", blame: .peer,
        layer: .smp, code: UInt16(status.raw), hint: "if it was reset, use --rebond, or `tooth forget \(peer)` and pair again")
    case .busy:
      return Failure(.refused, "a pairing with \(peer) is under way", blame: .ours, layer: .smp, hint: "wait for its end")
    case .cancelled: return Failure(.cancelled, "the pairing with \(peer) was ended", blame: .recipe, layer: .smp)
    case .unproven:
      return Failure(
        .refused, "\(peer) cannot prove who it is: it neither shows nor takes a passkey", blame: .peer, layer: .smp, code: 0x03,
        hint: "without `on passkey` and --passkey, and without `use pairing strict`, it is paired with as it is")
    case .declined:
      return Failure(
        .refused, "\(peer) cannot prove who it is, and pairing was declined", blame: .recipe, layer: .smp, code: 0x03,
        hint: "`answer true` in `on passkey confirm`, or --confirm yes, pairs with it as it is")
    case .legacyOnly:
      return Failure(
        .refused, "\(peer) has no Secure Connections", blame: .peer, layer: .smp, code: 0x03,
        hint: "without `use pairing strict` it is paired with by the older procedure, which who listens can read")
    case .weakens:
      return Failure(
        .refused, "the new bond with \(peer) would prove less than the old one", blame: .peer, layer: .smp, code: 0x03,
        hint: "if that is right, `tooth forget \(peer)` and pair again")
    case .tooSoon(let span):
      return Failure(
        .refused, "too many attempts to pair with \(peer) have failed", blame: .ours, layer: .smp,
        hint: "wait \(span.inSeconds), and try again", delivered: .notSent)
    case .noToolbox:
      return Failure(
        .adapter, "pairing needs libcrypto.so.3, which cannot be loaded", blame: .ours, layer: .os,
        hint: "install the package libssl3 (Debian 13, Ubuntu 24.04: libssl3t64)")
    case .notStored:
      return Failure(.file, "the bond with \(peer) cannot be written", blame: .ours, layer: .os, hint: "the log says why")
    }
  }

  private static func words(_ reason: SMPReason, _ peer: Address) -> (String, String) {
    switch reason {
    case .passkeyEntryFailed: ("\(peer): the passkey was refused there, or entered too late", "try again; a code holds for 28 s")
    case .outOfBandMissing: ("\(peer) wants out-of-band data", "this version has none to give")
    case .authenticationRequirements:
      (
        "\(peer) wants a proof that we cannot give",
        "let a passkey be entered: `on passkey request` in a recipe, --passkey on a command line"
      )
    case .confirmValueFailed: ("\(peer): the passkey was wrong", "read its label again, and wait before the next attempt")
    case .pairingNotSupported: ("\(peer) pairs with no one now", "set it to pairing mode, or clear its bonds")
    case .encryptionKeySize: ("\(peer) wants a longer key", "it takes no key of ours")
    case .unspecified: ("\(peer) ended the pairing for no stated reason", "try again with `--capture`")
    case .repeatedAttempts: ("\(peer) refuses after too many attempts", "wait, and try again")
    case .dhKeyCheckFailed: ("\(peer) refused our public key or its check", "an attack or a defect: try again with `--capture`")
    case .numericComparisonFailed:
      ("\(peer) did not confirm the numbers", "if they differed, do not pair: another device may be in between")
    case .busy: ("\(peer) is busy", "wait, and try again")
    default: ("\(peer) refused the pairing: \(reason)", "try again with `--capture`")
    }
  }

  private static func ownWords(_ reason: SMPReason, _ peer: Address) -> (String, String) {
    switch reason {
    case .passkeyEntryFailed:
      (
        "no passkey was given for \(peer)",
        "`on passkey request` with `answer` gives its six digits within 28 s, as does --passkey on a command line"
      )
    case .authenticationRequirements:
      ("\(peer) wants to pair in a way that is refused here", "a bond yields only to one that is as good")
    case .confirmValueFailed: ("\(peer): the passkey was wrong", "read its label again, and wait before the next attempt")
    case .encryptionKeySize: ("\(peer) offers only a short key", "it could be broken: this version takes 16 octets")
    case .dhKeyCheckFailed: ("\(peer) sent an invalid public key or check", "an attack or a defect: try again with `--capture`")
    case .numericComparisonFailed:
      ("\(peer): the numbers were not confirmed here", "if they differed, do not pair: another device may be in between")
    case .keyRejected:
      ("\(peer) says that it is a device that is paired already", "if it was reset, remove the bond of that device")
    default: ("\(peer) did not keep to the pairing protocol: \(reason)", "try again with `--capture`")
    }
  }
}

extension TimeSpan {
  /// Whole seconds, rounded up.
  fileprivate var inSeconds: TimeSpan { .seconds((nanoseconds + 999_999_999) / 1_000_000_000) }
}
