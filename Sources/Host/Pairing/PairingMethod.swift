import Exchange
import Packets
import Vocabulary

/// How two devices authenticate each other (Vol 3, Part H, 2.3.5.1, table 2.8).
enum PairingMethod: Equatable, Sendable {
  case justWorks
  case comparison
  /// One device shows a passkey that is typed at the other, or a user types it at both.
  case passkey(initiatorShows: Bool, responderShows: Bool)
  /// Data that one device gave away out of band.
  case outOfBand

  var isAuthenticated: Bool { self != .justWorks }

  /// The method and its worth, for the log. The key of a legacy pairing follows from what was sent,
  /// unless data came another way (Vol 3, Part H, 2.3.5.1).
  func words(isSecureConnections: Bool) -> String {
    let name =
      switch self {
      case .justWorks: "Just Works, without proof of who the device is"
      case .comparison: "numbers compared"
      case .passkey: "a passkey"
      case .outOfBand: "out-of-band data"
      }
    if isSecureConnections { return name }
    return self == .outOfBand
      ? "\(name), without Secure Connections" : "\(name); without Secure Connections, who listened can read this link"
  }

  static func choose(_ request: PairingFeatures, _ response: PairingFeatures) -> PairingMethod {
    let isSecure = request.requirements.contains(.secureConnections) && response.requirements.contains(.secureConnections)
    // Tables 2.6 and 2.7: legacy pairing needs the data on both sides, Secure Connections on
    // either.
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
  /// The handler that one side lacks to authenticate the other; `nil` if the other side cannot
  /// authenticate at all.
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
  /// Our IO capability (2.3.2), from what can be shown, typed and confirmed.
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
