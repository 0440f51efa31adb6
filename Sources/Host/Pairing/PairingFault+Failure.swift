import Exchange
import Packets
import Vocabulary

extension PairingFault {
  /// The failure for clients: what is wrong, and what to do.
  /// - Parameter waiting: The delay before the next attempt.
  func failure(with peer: Address, waiting: TimeSpan? = nil) -> Failure {
    var failure = described(peer)
    if let waiting {
      switch self {
      case .wrongCheck(let method, _):
        failure.hint = Self.hint(method, after: "the next attempt may begin in \(waiting.inSeconds)")
      case .refusedByPeer(.confirmValueFailed), .refusedByUs(.confirmValueFailed):
        failure.hint = "check its label or display; the next attempt may begin in \(waiting.inSeconds)"
      case .refusedByPeer(.repeatedAttempts), .refusedByPeer(.busy):
        failure.hint = "wait at least \(waiting.inSeconds), and try again"
      default: break
      }
    }
    return failure
  }

  private func described(_ peer: Address) -> Failure {
    switch self {
    case .refusedByPeer(let reason):
      let (what, hint) = Self.words(reason, peer)
      return Failure(.refused, what, blame: .refused, layer: .smp, code: UInt16(reason.raw), hint: hint)
    case .refusedByUs(let reason):
      let (what, hint) = Self.refusalByUs(reason, peer)
      return Failure(.refused, what, blame: .peer, layer: .smp, code: UInt16(reason.raw), hint: hint)
    case .wrongCheck(let method, let isPeers):
      let what =
        switch method {
        case .outOfBand: "the out-of-band data was wrong"
        case .comparison where isPeers: "the digits were not confirmed there, or the check of the keys was wrong"
        case .justWorks, .comparison, .passkey: "the check of the keys was wrong"
        }
      return Failure(
        .refused, "pairing with \(peer) failed: \(what)", blame: .peer, layer: .smp, code: UInt16(SMPReason.confirmValueFailed.raw),
        hint: Self.hint(method, after: "wait before the next attempt"))
    case .foreign(let identity):
      return Failure(
        .refused, "\(peer) says that it is \(identity), which is already paired", blame: .peer, layer: .smp,
        code: UInt16(SMPReason.keyRejected.raw),
        hint: "if \(identity) was reset, run `tooth forget \(identity)`, and pair again")
    case .timeout:
      return Failure(
        .timeout, "\(peer) did not answer the pairing for 30 s; the link is closed", blame: .peer, layer: .smp,
        hint: "move closer, put the device into pairing mode, and pair again")
    case .silentStart:
      return Failure(
        .timeout, "\(peer) did not begin to encrypt the link for 40 s; the link is closed", blame: .peer, layer: .smp,
        hint: PairingAdvice.silentStart(peer))
    case .lost:
      return Failure(
        .disconnected, "the link to \(peer) was lost during the pairing", blame: .radio, layer: .smp,
        hint: PairingAdvice.lost)
    case .encryption(.keyMissing):
      return Failure(
        .staleBond, "\(peer) does not have our key: it has forgotten the bond, or another device uses its address", blame: .peer,
        layer: .smp, code: UInt16(HCIStatus.keyMissing.raw),
        hint: "if it was reset, use --rebond, or `tooth forget \(peer)` and pair again")
    case .encryption(.micFailure):
      return Failure(
        .refused,
        "the key of \(peer) is no longer valid: the device was paired again since, by another program or with another bond",
        blame: .peer, layer: .smp, code: UInt16(HCIStatus.micFailure.raw),
        hint: "use --rebond, or `tooth forget \(peer)` and pair again; after a run with --direct or --state, "
          + "give `tooth forget` the same options")
    case .newKey(let status):
      let what =
        switch status {
        case .keyMissing: "it refused the new key"
        case .micFailure: "it has another key"
        case .success: "the controller reports that the link is still not encrypted"
        default: "the link could not be encrypted: \(status)"
        }
      return Failure(
        status == .connectionTimeout ? .timeout : .refused, "pairing with \(peer) failed: \(what)", blame: .peer, layer: .smp,
        code: UInt16(status.raw), hint: "pair again; if it fails again, record it with --capture")
    case .encryption(let status):
      let why = status.isSuccess ? "the controller reports that it is still not encrypted" : "\(status)"
      return Failure(
        status == .connectionTimeout ? .timeout : .refused, "the link to \(peer) could not be encrypted: \(why)", blame: .peer,
        layer: .smp, code: UInt16(status.raw), hint: "if it was reset, use --rebond, or `tooth forget \(peer)` and pair again")
    case .busy:
      return Failure(
        .refused, "a pairing with \(peer) is in progress", blame: .ours, layer: .smp, hint: "wait until it ends, and pair again")
    case .cancelled: return Failure(.cancelled, "the pairing with \(peer) was ended", blame: .recipe, layer: .smp)
    case .unproven(let demand):
      let hint =
        switch demand {
        case .handlers:
          "to pair without authentication, give --confirm yes, or add `on passkey confirm` with `answer true` to the recipe; "
            + "--oob gives data of its tag"
        case .strict:
          "`use pairing strict` refuses such a device; remove that line to pair without authentication, or give data of its tag with --oob"
        case .attribute:
          "the attribute needs an authenticated link; this device can be authenticated only with --oob and the data of its tag"
        }
      return Failure(
        .refused, "\(peer) cannot prove who it is: it neither shows nor takes a passkey", blame: .peer, layer: .smp, code: 0x03,
        hint: hint)
    case .handlerMissing(let handler):
      let (what, hint) = Self.words(handler, peer)
      return Failure(
        .refused, what, blame: .recipe, layer: .smp, code: 0x03, hint: hint,
        delivered: handler == .any ? .notSent : nil)
    case .declined:
      return Failure(
        .refused, "\(peer) cannot prove who it is, and pairing was declined", blame: .recipe, layer: .smp, code: 0x03,
        hint: "`answer true` in `on passkey confirm`, or --confirm yes, pairs without authentication")
    case .legacyOnly:
      return Failure(
        .refused, "\(peer) does not support Secure Connections", blame: .peer, layer: .smp, code: 0x03,
        hint:
          "remove `use pairing strict` to pair with it by the older procedure; anyone who records that pairing can find its keys"
      )
    case .dataOfAnother(let other):
      return Failure(
        .refused, "the out-of-band data belong to \(other), but this is \(peer)", blame: .recipe, layer: .smp,
        hint: "give the data of this device with --oob", delivered: .notSent)
    case .weakens:
      return Failure(
        .refused, "the new bond with \(peer) would be weaker than the old one", blame: .peer, layer: .smp, code: 0x03,
        hint: "pair as before, with --passkey or --confirm; if the device has changed, `tooth forget \(peer)` and pair again")
    case .tooSoon(let span):
      return Failure(
        .refused, "too many attempts to pair with \(peer) have failed", blame: .ours, layer: .smp,
        hint: "wait \(span.inSeconds), and try again", delivered: .notSent)
    case .noToolbox:
      return Failure(
        .adapter, "pairing needs libcrypto.so.3, which cannot be loaded", blame: .ours, layer: .os,
        hint: "install the package libssl3 (Debian 13, Ubuntu 24.04: libssl3t64)")
    case .notStored:
      return Failure(
        .file, "the bond with \(peer) cannot be written", blame: .ours, layer: .os,
        hint: "the warning before it names the file and the reason")
    case .noPlace(let reason):
      return Failure(
        .file, "the bond with \(peer) cannot be written: \(reason)", blame: .ours, layer: .os,
        hint: "the pairing has not begun; make this folder writable or free some space, and pair again", delivered: .notSent)
    case .noRoom:
      return Failure(
        .file, "the bond with \(peer) cannot be stored: \(BondBook.most) devices are paired with this adapter, which is the limit",
        blame: .ours, layer: .os,
        hint: "the pairing has not begun; `tooth forget` a device that you no longer use, and pair again", delivered: .notSent)
    }
  }

  /// What to check if no code was entered.
  private static func hint(_ method: PairingMethod, after wait: String) -> String {
    method == .outOfBand
      ? "check that the data is of this device and was not used before; \(wait)"
      : "another device may have interfered: pair again with --capture; \(wait)"
  }

  private static func words(_ handler: PairingHandler, _ peer: Address) -> (String, String) {
    switch handler {
    case .request:
      (
        "\(peer) shows a passkey, but nothing here can enter it",
        "add `on passkey request` to the recipe, or give --passkey"
      )
    case .display:
      (
        "\(peer) takes a passkey, but nothing here can show one",
        "add `on passkey display` to the recipe, or use `tooth pair` at a terminal"
      )
    case .confirm:
      (
        "\(peer) shows digits to compare, but nothing here can confirm them",
        "add `on passkey confirm` to the recipe, or give --confirm yes, or --confirm with the six digits that it must show"
      )
    case .any:
      (
        "pairing with \(peer) must authenticate it, but nothing here can enter, show or confirm a passkey",
        "add `on passkey request`, `display` or `confirm` to the recipe, or give --passkey, --confirm yes or --oob; "
          + "without `use pairing strict`, tooth pairs without authentication"
      )
    }
  }

  private static func words(_ reason: SMPReason, _ peer: Address) -> (String, String) {
    switch reason {
    case .passkeyEntryFailed:
      ("\(peer) refused the passkey, or it was entered too late", "pair again, and enter the passkey within 28 s")
    case .outOfBandMissing:
      (
        "\(peer) has no out-of-band data of ours",
        "data works only once, so give new data of its tag, or leave out --oob to pair in another way"
      )
    case .authenticationRequirements:
      (
        "\(peer) requires authentication that we cannot provide",
        "let a passkey be entered or confirmed: `on passkey request` or `on passkey confirm` in a recipe, "
          + "--passkey or --confirm yes on a command line; with these, it may want a pairing without them"
      )
    case .confirmValueFailed:
      (
        "pairing with \(peer) failed: the passkey was wrong",
        "check its label or display, and wait before the next attempt"
      )
    case .pairingNotSupported: ("\(peer) does not accept pairing now", "set it to pairing mode, or clear its bonds")
    case .encryptionKeySize:
      ("\(peer) requires a key longer than 16 octets", "no key is longer; look for a firmware update of the device")
    case .unspecified:
      ("\(peer) ended the pairing without giving a reason", "pair again; if it fails again, record it with --capture")
    case .repeatedAttempts: ("\(peer) refuses after too many attempts", "wait a minute, and pair again")
    case .dhKeyCheckFailed:
      ("\(peer) refused our public key or its check", "an attack or a defect: pair again with --capture, and look at the packets")
    case .numericComparisonFailed:
      (
        "\(peer) did not confirm the digits",
        "if they are the same on both, confirm them there within 28 s; if they differed, do not pair: another device may be in between"
      )
    case .classicPairingInProgress:
      ("\(peer) is pairing over classic Bluetooth", "wait until it ends, and pair again")
    case .keyRejected:
      (
        "\(peer) says that it already has a bond with this adapter",
        "clear its bonds, and pair again"
      )
    case .busy: ("\(peer) is busy", "wait a minute, and pair again")
    default: ("\(peer) refused the pairing: \(reason)", "pair again; if it fails again, record it with --capture")
    }
  }

  private static func refusalByUs(_ reason: SMPReason, _ peer: Address) -> (String, String) {
    switch reason {
    case .passkeyEntryFailed:
      (
        "no passkey was given for \(peer)",
        "`on passkey request` with `answer` gives its six digits within 28 s, as does --passkey on a command line"
      )
    case .authenticationRequirements:
      (
        "\(peer) requests a pairing that is refused here",
        "a bond is replaced only by one at least as strong: pair as before, with --passkey or --confirm"
      )
    case .outOfBandMissing:
      (
        "\(peer) pairs with out-of-band data that we do not have",
        "give its data with --oob, or give it new data of ours with --give-oob; they work only once"
      )
    case .confirmValueFailed:
      (
        "pairing with \(peer) failed: the passkey was wrong",
        "check its label or display, and wait before the next attempt"
      )
    case .encryptionKeySize:
      ("\(peer) offers only a short key", "such a key can be guessed; if you know why it is so short, use `--min-key-size`")
    case .dhKeyCheckFailed:
      ("\(peer) sent an invalid public key or check", "an attack or a defect: pair again with --capture, and look at the packets")
    case .numericComparisonFailed:
      (
        "\(peer): the digits were not confirmed here",
        "if they are the same on both, confirm them with `answer true` in `on passkey confirm`, or --confirm yes; "
          + "if they differ, do not pair: another device may be in between"
      )
    case .keyRejected:
      ("\(peer) says that it is a device that is already paired", "if it was reset, `tooth forget` that device, and pair again")
    default: ("\(peer) violated the pairing protocol: \(reason)", "pair again; if it fails again, record it with --capture")
    }
  }
}

extension TimeSpan {
  /// Rounded up to whole seconds.
  fileprivate var inSeconds: TimeSpan { .seconds((nanoseconds + 999_999_999) / 1_000_000_000) }
}
