import Packets
import Vocabulary

/// A step of a controller's initialisation, with one command (rule 5). Commands that are only
/// needed for links are sent before the first link.
enum InitialisationStep: UInt8, Comparable, Sendable, CaseIterable {
  case reset, commands, features, version, address, leFeatures, bufferSizeV2, bufferSize, classicBufferSize, acceptListSize,
    eventMask,
    leEventMask, randomAddress

  static func < (left: InitialisationStep, right: InitialisationStep) -> Bool { left.rawValue < right.rawValue }

  /// Whether the controller is unusable without this step.
  var isRequired: Bool {
    switch self {
    case .reset, .classicBufferSize, .eventMask, .leEventMask, .randomAddress: true
    case .commands, .features, .version, .address, .leFeatures, .bufferSizeV2, .bufferSize, .acceptListSize: false
    }
  }

  /// Returns the next step that this controller needs; `nil` after the last one.
  func next(_ facts: ControllerFacts, needsRandomAddress: Bool) -> InitialisationStep? {
    Self.allCases.first { step in
      guard step > self else { return false }
      switch step {
      case .bufferSizeV2: return facts.supports(.leReadBufferSizeV2)
      case .bufferSize: return !facts.knowsLEBuffers
      case .classicBufferSize: return facts.aclCount == 0
      case .acceptListSize: return facts.commands == nil || facts.supports(.leReadFilterAcceptListSize)
      case .randomAddress: return needsRandomAddress
      default: return true
      }
    }
  }

  /// The event mask (Vol 4, Part E, 7.3.1): disconnection, encryption change, remote version,
  /// hardware error, buffer overflow, key refresh and LE Meta. Other default events are disabled.
  static let wantedEvents: UInt64 = 1 << 4 | 1 << 7 | 1 << 11 | 1 << 15 | 1 << 25 | 1 << 47 | 1 << 61

  /// The LE event mask (Vol 4, Part E, 7.8.1) for this controller. A controller may refuse events
  /// that it does not support.
  static func leEventMask(_ facts: ControllerFacts) -> UInt64 {
    var mask: UInt64 = 0x1F
    if facts.features.has(.connectionParametersRequest) { mask |= 1 << 5 }
    if facts.features.has(.dataLengthExtension) { mask |= 1 << 6 }
    // LE Enhanced Connection Complete includes the private addresses.
    if facts.hasResolvingList { mask |= 1 << 9 }
    if facts.features.has(.phy2M) || facts.features.has(.phyCoded) { mask |= 1 << 11 }
    if facts.isExtended { mask |= 1 << 12 | 1 << 17 }
    return mask
  }

  func command(_ facts: ControllerFacts) -> HCICommand {
    switch self {
    case .reset: .reset
    case .commands: .readLocalSupportedCommands
    case .features: .readLocalSupportedFeatures
    case .version: .readLocalVersion
    case .address: .readAddress
    case .leFeatures: .leReadLocalSupportedFeatures
    case .bufferSizeV2: .leReadBufferSizeV2
    case .bufferSize: .leReadBufferSize
    case .classicBufferSize: .readBufferSize
    case .acceptListSize: .leReadFilterAcceptListSize
    case .eventMask: .setEventMask(Self.wantedEvents)
    case .leEventMask: .leSetEventMask(Self.leEventMask(facts))
    case .randomAddress: .leSetRandomAddress(facts.randomAddress?.bits ?? 0)
    }
  }
}
