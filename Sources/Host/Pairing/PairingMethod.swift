import Exchange
import Packets
import Vocabulary

/// How two devices prove to each other who they are (Vol 3, Part H, 2.3.5.1, table 2.8).
enum PairingMethod: Equatable, Sendable {
  case justWorks
  case comparison
  /// One shows a code and the other takes it in, or both do.
  case passkey(initiatorShows: Bool, responderShows: Bool)

  var isAuthenticated: Bool { self != .justWorks }

  /// Out-of-band data aside, which this host does not have.
  static func choose(_ request: PairingFeatures, _ response: PairingFeatures) -> PairingMethod {
    let isSecure = request.requirements.contains(.secureConnections) && response.requirements.contains(.secureConnections)
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
