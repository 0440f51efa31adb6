import Exchange
import Packets
import Vocabulary

/// How two devices prove to each other who they are (Vol 3, Part H, 2.3.5.1, table 2.8).
enum PairingMethod: Equatable, Sendable {
  case justWorks
  case comparison
  /// One shows a code and the other takes it in, or both do.
  case passkey(initiatorShows: Bool, responderShows: Bool)
  /// What one end gave away otherwise than over the air.
  case outOfBand

  var isAuthenticated: Bool { self != .justWorks }

  static func choose(_ request: PairingFeatures, _ response: PairingFeatures) -> PairingMethod {
    let isSecure = request.requirements.contains(.secureConnections) && response.requirements.contains(.secureConnections)
    // tables 2.6 and 2.7: both ends of a legacy pairing, either of Secure Connections
    if isSecure ? request.hasOutOfBand || response.hasOutOfBand : request.hasOutOfBand && response.hasOutOfBand {
      return .outOfBand
    }
    guard request.requirements.union(response.requirements).contains(.authentication) else { return .justWorks }
    switch (request.capability, response.capability) {
    case (.noInputNoOutput, _), (_, .noInputNoOutput): return .justWorks
    case (.keyboardOnly, .keyboardOnly): return .passkey(initiatorShows: false, responderShows: false)
    case (.keyboardOnly, _): return .passkey(initiatorShows: false, responderShows: true)
    case (_, .keyboardOnly): return .passkey(initiatorShows: true, responderShows: false)
    case (.displayYesNo, .displayYesNo): return isSecure ? .comparison : .justWorks
    case (.displayOnly, .displayOnly), (.displayOnly, .displayYesNo), (.displayYesNo, .displayOnly): return .justWorks
    case (.displayOnly, .keyboardDisplay): return .passkey(initiatorShows: true, responderShows: false)
    case (.keyboardDisplay, .displayOnly): return .passkey(initiatorShows: false, responderShows: true)
    case (.displayYesNo, .keyboardDisplay): return isSecure ? .comparison : .passkey(initiatorShows: true, responderShows: false)
    case (.keyboardDisplay, .displayYesNo): return isSecure ? .comparison : .passkey(initiatorShows: false, responderShows: true)
    case (.keyboardDisplay, .keyboardDisplay): return isSecure ? .comparison : .passkey(initiatorShows: true, responderShows: false)
    }
  }
}

extension PairingMethod {
  /// What one end would have to do so that the other one, which could, proves who it is. Nothing
  /// when it could not.
  static func missing(
    at own: PairingFeatures.Capability, towards peer: PairingFeatures.Capability, isSecure: Bool
  ) -> PairingHandler? {
    switch (own, peer) {
    case (_, .noInputNoOutput): nil
    case (.noInputNoOutput, .keyboardOnly): .display
    case (.noInputNoOutput, .displayYesNo) where isSecure: .confirm
    case (.noInputNoOutput, _), (.displayOnly, .displayOnly), (.displayOnly, .displayYesNo), (.displayYesNo, .displayOnly),
      (.displayYesNo, .displayYesNo):
      .request
    default: nil
    }
  }
}

extension PairRequest {
  /// What we say of ourselves (section 2.3.2): from what can be shown, typed and confirmed.
  var capability: PairingFeatures.Capability {
    if fixedPasskey != nil { return .displayOnly }
    return switch (enters, confirms, displays) {
    case (true, true, _): .keyboardDisplay
    case (true, false, _): .keyboardOnly
    case (false, true, _): .displayYesNo
    case (false, false, true): .displayOnly
    case (false, false, false): .noInputNoOutput
    }
  }
}
