import Exchange
import Packets
import Vocabulary

/// What the initialisation found out about a controller (rule 5).
struct ControllerFacts: Equatable, Sendable {
  /// Nothing when the controller could not say.
  var commands: SupportedCommands?
  var features = LocalFeatures(mask: 0)
  var version: LocalVersion?
  var publicAddress: Address?
  /// The static random address given to the controller.
  var randomAddress: Address?
  /// The private one that it has now.
  var privateAddress: Address?
  /// The longest ACL payload, and how many the controller holds.
  var aclLength = 0
  var aclCount = 0
  /// Whether LE Read Buffer Size was answered: a zero then means that the buffers are shared with
  /// BR/EDR.
  var knowsLEBuffers = false
  var acceptListSize = 0
  /// 0 when there is no list that can be used.
  var resolvingListSize = 0

  func supports(_ opcode: HCIOpcode) -> Bool { commands?.supports(opcode) ?? false }

  /// Extended commands where the controller has all that are needed; never both sets (rule 6).
  var isExtended: Bool {
    features.has(.extendedAdvertising)
      && [
        .leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection, .leSetExtendedAdvertisingParameters,
        .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable,
      ].allSatisfy { supports($0) }
  }

  /// Without LE Set Privacy Mode, peers on the list would not be found under their identities,
  /// which they may advertise too (Vol 4, Part E, 7.8.77).
  var hasResolvingList: Bool {
    features.has(.privacy)
      && [
        .leAddToResolvingList, .leClearResolvingList, .leReadResolvingListSize,
        .leSetAddressResolutionEnable, .leSetPrivacyMode,
      ].allSatisfy { supports($0) }
  }

  /// Scanning and initiating on the LE Coded PHY takes the extended commands.
  var hasCodedPHY: Bool { isExtended && features.has(.phyCoded) }

  /// What goes out on another PHY than LE 1M takes the extended commands.
  func advertises(on phy: LinkRequest.PHY) -> Bool {
    switch phy {
    case .le1M: true
    case .le2M: isExtended && features.has(.phy2M)
    case .coded: hasCodedPHY
    }
  }

  var address: Address { randomAddress ?? publicAddress ?? Address(bits: 0, kind: .public) }

  var ownAddressType: OwnAddressType { privateAddress ?? randomAddress == nil ? .public : .random }

  var info: AdapterInfo {
    AdapterInfo(
      address: address, manufacturer: version?.company ?? 0xFFFF, version: version?.hciVersion ?? 0,
      filterAcceptListSize: UInt8(clamping: acceptListSize), extended: isExtended)
  }
}
