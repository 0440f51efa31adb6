import Exchange

/// `--passkey` and `--confirm`: answers for a run that has no one to ask.
package struct PairingCodes: Equatable, Sendable {
  package enum Consent: Equatable, Sendable {
    /// To any code, and to a device that cannot prove who it is.
    case always
    /// Only when the device shows this code.
    case code(UInt32)
  }

  package var passkey: UInt32?
  package var consent: Consent?

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
