import Packets
import Vocabulary

/// The initialisation of a controller, one command a step (rule 5). What only links need follows
/// before the first of them.
enum InitialisationStep: UInt8, Comparable, Sendable, CaseIterable {
  case reset, commands, features, version, address, leFeatures, bufferSizeV2, bufferSize, classicBufferSize, acceptListSize,
    resolvingListSize, eventMask,
    leEventMask, randomAddress

  static func < (left: InitialisationStep, right: InitialisationStep) -> Bool { left.rawValue < right.rawValue }

  /// Without these nothing can be done with the controller.
  var isRequired: Bool {
    switch self {
    case .reset, .classicBufferSize, .eventMask, .leEventMask, .randomAddress: true
    case .commands, .features, .version, .address, .leFeatures, .bufferSizeV2, .bufferSize, .acceptListSize, .resolvingListSize:
      false
    }
  }

  /// The next step, leaving out what this controller does not need.
  func next(_ facts: ControllerFacts, needsRandomAddress: Bool) -> InitialisationStep? {
    Self.allCases.first { step in
      guard step > self else { return false }
      switch step {
      case .bufferSizeV2: return facts.supports(.leReadBufferSizeV2)
      case .bufferSize: return !facts.knowsLEBuffers
      case .classicBufferSize: return facts.aclCount == 0
      case .acceptListSize: return facts.commands == nil || facts.supports(.leReadFilterAcceptListSize)
      case .resolvingListSize: return facts.hasResolvingList
      case .randomAddress: return needsRandomAddress
      default: return true
      }
    }
  }

  /// Events of Vol 4, Part E, 7.3.1: disconnection, encryption change, remote version, hardware
  /// error, buffer overflow, key refresh, LE Meta. The rest are on by default in controllers and
  /// never come here.
  static let wantedEvents: UInt64 = 1 << 4 | 1 << 7 | 1 << 11 | 1 << 15 | 1 << 25 | 1 << 47 | 1 << 61

  /// Events of Vol 4, Part E, 7.8.1, by what the controller has: masking in what it does not know
  /// can be refused.
  static func leEventMask(_ facts: ControllerFacts) -> UInt64 {
    var mask: UInt64 = 0x1F
    if facts.features.has(.connectionParametersRequest) { mask |= 1 << 5 }
    if facts.features.has(.dataLengthExtension) { mask |= 1 << 6 }
    // LE Enhanced Connection Complete names the private address that was used
    if facts.resolvingListSize > 0 { mask |= 1 << 9 }
    if facts.features.has(.phy2M) || facts.features.has(.phyCoded) { mask |= 1 << 11 }
    if facts.isExtended { mask |= 1 << 12 | 1 << 17 }
    return mask
  }

  func command(_ facts: ControllerFacts, randomAddress: UInt64) -> HCICommand {
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
    case .resolvingListSize: .leReadResolvingListSize
    case .eventMask: .setEventMask(Self.wantedEvents)
    case .leEventMask: .leSetEventMask(Self.leEventMask(facts))
    case .randomAddress: .leSetRandomAddress(randomAddress)
    }
  }
}
