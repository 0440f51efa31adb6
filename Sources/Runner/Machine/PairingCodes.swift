package import Exchange

/// `--passkey`, `--confirm`, `--oob` and `--give-oob`: answers for a run that has no one to ask.
package struct PairingCodes: Equatable, Sendable {
  package enum Consent: Equatable, Sendable {
    /// To any code, and to a device that cannot prove who it is.
    case always
    /// Only when the device shows this code.
    case code(UInt32)
  }

  package var passkey: UInt32?
  package var consent: Consent?
  /// What the device gave away out of band.
  package var outOfBand: OutOfBandData?
  /// The file that gets what we give away out of band.
  package var offerFile: String?

  package init(passkey: UInt32? = nil, consent: Consent? = nil) {
    self.passkey = passkey
    self.consent = consent
  }

  /// Nothing where a handler is asked.
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
