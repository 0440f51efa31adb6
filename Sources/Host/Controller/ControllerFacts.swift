import Exchange
import Packets
import Vocabulary

/// What initialisation found out about a controller (rule 5).
struct ControllerFacts: Equatable, Sendable {
  /// `nil` if the controller could not report it.
  var commands: SupportedCommands?
  var features = LocalFeatures(mask: 0)
  var version: LocalVersion?
  var publicAddress: Address?
  /// The static random address that the controller was given.
  var randomAddress: Address?
  /// The private address that the controller uses now.
  var privateAddress: Address?
  /// The longest ACL payload in octets, and the number of packets that the controller can hold.
  var aclLength = 0
  var aclCount = 0
  /// Whether LE Read Buffer Size was answered. If so, a zero means that the buffers are shared with
  /// BR/EDR.
  var knowsLEBuffers = false
  var acceptListSize = 0

  func supports(_ opcode: HCIOpcode) -> Bool { commands?.supports(opcode) ?? false }

  /// Whether to use the extended commands, which requires all of them. The two sets are never mixed
  /// (rule 6).
  var isExtended: Bool {
    features.has(.extendedAdvertising)
      && [
        .leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection, .leSetExtendedAdvertisingParameters,
        .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable,
      ].allSatisfy { supports($0) }
  }

  /// Whether the resolving list can be used. Without LE Set Privacy Mode, a listed device is not
  /// found when it advertises its identity address (Vol 4, Part E, 7.8.77).
  var hasResolvingList: Bool {
    features.has(.privacy)
      && [
        .leAddToResolvingList, .leClearResolvingList, .leSetAddressResolutionEnable, .leSetPrivacyMode,
      ].allSatisfy { supports($0) }
  }

  /// Whether LE Coded is available; scanning and initiating on it require the extended commands.
  var hasCodedPHY: Bool { isExtended && features.has(.phyCoded) }

  /// Whether it can advertise on a PHY. All but LE 1M require the extended commands.
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
