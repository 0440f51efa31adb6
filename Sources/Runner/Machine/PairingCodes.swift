package import Exchange

/// `--passkey`, `--confirm`, `--oob` and `--give-oob`: answers for an unattended run.
package struct PairingCodes: Equatable, Sendable {
  package enum Consent: Equatable, Sendable {
    /// Accepts any code, and devices that cannot authenticate.
    case always
    /// Accepts only if the device displays this code.
    case code(UInt32)
  }

  package var passkey: UInt32?
  package var consent: Consent?
  /// The device's out-of-band data.
  package var outOfBand: OutOfBandData?
  /// The file for our out-of-band data.
  package var offerFile: String?

  package init(passkey: UInt32? = nil, consent: Consent? = nil) {
    self.passkey = passkey
    self.consent = consent
  }

  /// Whether a code or data of the device was given.
  var areProof: Bool {
    if case .code? = consent { return true }
    return passkey != nil || outOfBand != nil
  }

  /// `nil` if a handler must answer.
  func answer(to question: PairingQuestion) -> PairingAnswer? {
    switch (question, consent) {
    case (.passkey, _): passkey.map { .passkey($0) }
    case (.comparison(let code), .code(let wanted)): code == wanted ? .yes : .no
    case (.unproven, .code): .no
    case (.comparison, .always), (.unproven, .always): .yes
    case (.comparison, nil), (.unproven, nil), (.display, _): nil
    }
  }
}
