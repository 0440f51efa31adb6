package import Packets

/// The properties of a virtual controller.
package struct ControllerModel: Hashable, Sendable {
  /// Whether it supports Bluetooth 5 with extended advertising, scanning and initiating, and the
  /// PHY commands.
  package var isExtended: Bool
  /// Whether it also scans, initiates, advertises and keeps links on the LE Coded PHY.
  package var hasCodedPHY: Bool
  /// The most data octets in an ACL packet from the host.
  package var aclLength: UInt16
  /// The number of ACL packets that it can hold.
  package var aclCount: UInt8
  /// Whether LE Read Buffer Size returns 0, so that the host must use the BR/EDR size.
  package var sharesBuffers: Bool
  package var maximumLinks: Int
  /// The answer to Create Connection at the link limit: 0x09 or 0x0D.
  package var limitStatus: HCIStatus
  package var filterAcceptListSize: Int
  package var advertisingSets: Int
  /// The most data octets in a link layer PDU, 27 to 251.
  package var dataLength: UInt16
  /// The signal strength at receivers, in dBm.
  package var signal: Int8
  /// The number of entries of its resolving list; 0 if it lacks the list and its commands.
  package var resolvingListSize: Int
  package var resolvingListFault: ResolvingListFault?
  /// The commands that it lacks although its kind has them.
  package var missing: [HCIOpcode]
  /// Whether it has a public address. Otherwise Read BD_ADDR returns zeros.
  package var hasPublicAddress: Bool

  /// How a resolving list that the controller reports as supported does not work.
  package enum ResolvingListFault: Hashable, Sendable {
    /// The commands succeed, but no address is resolved.
    case resolvesNothing
    /// As `resolvesNothing`, and attempts through the filter accept list fail with 0x3E.
    case failsLists
    /// All commands but LE Read Resolving List Size are refused as unknown.
    case refuses
  }

  package init(
    isExtended: Bool = false, hasCodedPHY: Bool = false, aclLength: UInt16 = 251, aclCount: UInt8 = 8, sharesBuffers: Bool = false,
    maximumLinks: Int = 8,
    limitStatus: HCIStatus = .connectionLimitExceeded, filterAcceptListSize: Int = 16, advertisingSets: Int = 4,
    dataLength: UInt16 = 251, signal: Int8 = -58, resolvingListSize: Int = 0, resolvingListFault: ResolvingListFault? = nil,
    missing: [HCIOpcode] = [], hasPublicAddress: Bool = true
  ) {
    self.isExtended = isExtended
    self.hasCodedPHY = hasCodedPHY
    self.aclLength = aclLength
    self.aclCount = aclCount
    self.sharesBuffers = sharesBuffers
    self.maximumLinks = maximumLinks
    self.limitStatus = limitStatus
    self.filterAcceptListSize = filterAcceptListSize
    self.advertisingSets = advertisingSets
    self.dataLength = dataLength
    self.signal = signal
    self.resolvingListSize = resolvingListSize
    self.resolvingListFault = resolvingListFault
    self.missing = missing
    self.hasPublicAddress = hasPublicAddress
  }

  /// A Bluetooth 4.2 controller with the legacy commands.
  package static let legacy = ControllerModel()
  /// A Bluetooth 5.2 controller with the legacy and the extended commands.
  package static let extended = ControllerModel(isExtended: true)
  /// As `extended`, with LE Coded.
  package static let coded = ControllerModel(isExtended: true, hasCodedPHY: true)

  /// As `extended`, with a resolving list of 8 entries.
  package static let privacy = ControllerModel(isExtended: true, resolvingListSize: 8)

  /// As `legacy`, without a public address.
  package static let unaddressed = ControllerModel(hasPublicAddress: false)

  private static let extendedOnly: [HCIOpcode] = [
    .leReadPHY, .leSetDefaultPHY, .leSetPHY, .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters,
    .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable,
    .leReadMaximumAdvertisingDataLength, .leReadNumberOfSupportedAdvertisingSets, .leRemoveAdvertisingSet,
    .leClearAdvertisingSets, .leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection,
    .leReadBufferSizeV2,
  ]

  /// Features with their commands (Vol 6, Part B, 4.6; Vol 4, Part E, 3.1).
  private static let parts: [(feature: LEFeature, commands: [HCIOpcode])] = [
    (
      .encryption,
      [.leEncrypt, .leRand, .leEnableEncryption, .leLongTermKeyRequestReply, .leLongTermKeyRequestNegativeReply]
    ),
    (.connectionParametersRequest, [.leConnectionParameterRequestReply, .leConnectionParameterRequestNegativeReply]),
    (.extendedReject, []), (.peripheralInitiatedFeaturesExchange, [.leReadRemoteFeatures]),
    (.ping, [.setEventMaskPage2, .readAuthenticatedPayloadTimeout, .writeAuthenticatedPayloadTimeout]),
    (.dataLengthExtension, dataLengthCommands), (.privacy, resolvingListCommands),
    (.phy2M, [.leReadPHY, .leSetDefaultPHY, .leSetPHY]),
    (
      .extendedAdvertising,
      [
        .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
        .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable, .leReadMaximumAdvertisingDataLength,
        .leReadNumberOfSupportedAdvertisingSets, .leRemoveAdvertisingSet, .leClearAdvertisingSets,
        .leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection,
      ]
    ),
  ]

  private static let dataLengthCommands: [HCIOpcode] = [
    .leSetDataLength, .leReadSuggestedDefaultDataLength, .leWriteSuggestedDefaultDataLength, .leReadMaximumDataLength,
  ]

  /// The commands of LL Privacy. A controller may lack LE Set Privacy Mode, which was added later.
  static let resolvingListCommands: [HCIOpcode] = [
    .leAddToResolvingList, .leRemoveFromResolvingList, .leClearResolvingList, .leReadResolvingListSize,
    .leReadPeerResolvableAddress, .leReadLocalResolvableAddress, .leSetAddressResolutionEnable, .leSetResolvableAddressTimeout,
  ]

  package var supportedCommands: [HCIOpcode] {
    HCIOpcode.known.filter {
      !missing.contains($0) && (isExtended || !Self.extendedOnly.contains($0))
        && (resolvingListSize > 0 || !Self.resolvingListCommands.contains($0) && $0 != .leSetPrivacyMode)
        && (dataLength > 27 || !Self.dataLengthCommands.contains($0))
    }
  }

  /// The LE features, without those that lack one of their commands.
  package var leFeatures: UInt64 {
    let commands = supportedCommands
    let features = Self.parts.filter { $0.commands.allSatisfy { commands.contains($0) } }.map(\.feature)
    return LEFeature.mask(features + (isExtended ? [.channelSelectionAlgorithm2] : []) + (hasCodedPHY ? [.phyCoded] : []))
  }
}
