package import Vocabulary

/// A command to a controller (Vol 4, Part E, 7). Commands that this host does not use are
/// `unknown`.
package enum HCICommand: Hashable, Sendable {
  // Link control and status
  case disconnect(ConnectionHandle, reason: HCIStatus)
  case readRemoteVersion(ConnectionHandle)
  case readRSSI(ConnectionHandle)
  case readTransmitPower(ConnectionHandle, maximum: Bool)
  case readAuthenticatedPayloadTimeout(ConnectionHandle)
  /// In 10 ms.
  case writeAuthenticatedPayloadTimeout(ConnectionHandle, timeout: UInt16)
  // The controller
  case reset
  case setEventMask(UInt64)
  case setEventMaskPage2(UInt64)
  case readLocalVersion
  case readLocalSupportedCommands
  case readLocalSupportedFeatures
  case readBufferSize
  case readAddress
  // LE: the controller
  case leSetEventMask(UInt64)
  case leReadBufferSize
  case leReadBufferSizeV2
  case leReadLocalSupportedFeatures
  case leReadSupportedStates
  case leSetRandomAddress(UInt64)
  case leEncrypt(key: [UInt8], plaintext: [UInt8])
  case leRand
  // LE: advertising
  case leSetAdvertisingParameters(AdvertisingParameters)
  case leReadAdvertisingTransmitPower
  /// At most 31 octets.
  case leSetAdvertisingData([UInt8])
  /// At most 31 octets.
  case leSetScanResponseData([UInt8])
  case leSetAdvertisingEnable(Bool)
  // LE: scanning
  case leSetScanParameters(ScanParameters)
  case leSetScanEnable(Bool, filterDuplicates: Bool)
  // LE: initiating
  case leCreateConnection(CreateConnection)
  case leCreateConnectionCancel
  case leReadFilterAcceptListSize
  case leClearFilterAcceptList
  case leAddToFilterAcceptList(Address)
  case leRemoveFromFilterAcceptList(Address)
  // LE: private addresses
  case leAddToResolvingList(ResolvingListEntry)
  case leRemoveFromResolvingList(Address)
  case leClearResolvingList
  case leReadResolvingListSize
  case leReadPeerResolvableAddress(Address)
  case leReadLocalResolvableAddress(Address)
  case leSetAddressResolutionEnable(Bool)
  /// The lifetime of private addresses: 1 to 3600 s.
  case leSetResolvableAddressTimeout(UInt16)
  case leSetPrivacyMode(Address, PrivacyMode)
  // LE: links
  case leConnectionUpdate(ConnectionUpdate)
  case leSetHostChannelClassification(ChannelMap)
  case leReadChannelMap(ConnectionHandle)
  case leReadRemoteFeatures(ConnectionHandle)
  case leEnableEncryption(EnableEncryption)
  case leLongTermKeyRequestReply(ConnectionHandle, key: [UInt8])
  case leLongTermKeyRequestNegativeReply(ConnectionHandle)
  case leConnectionParameterRequestReply(ConnectionParameterReply)
  case leConnectionParameterRequestNegativeReply(ConnectionHandle, reason: HCIStatus)
  case leSetDataLength(ConnectionHandle, octets: UInt16, time: UInt16)
  case leReadSuggestedDefaultDataLength
  case leWriteSuggestedDefaultDataLength(octets: UInt16, time: UInt16)
  case leReadMaximumDataLength
  case leReadPHY(ConnectionHandle)
  case leSetDefaultPHY(PHYPreferences)
  case leSetPHY(ConnectionHandle, PHYPreferences, options: UInt16)
  // LE: the extended set
  case leSetAdvertisingSetRandomAddress(set: UInt8, bits: UInt64)
  case leSetExtendedAdvertisingParameters(ExtendedAdvertisingParameters)
  case leSetExtendedAdvertisingData(ExtendedAdvertisingData)
  case leSetExtendedScanResponseData(ExtendedAdvertisingData)
  case leSetExtendedAdvertisingEnable(Bool, sets: [ExtendedAdvertisingSet])
  case leReadMaximumAdvertisingDataLength
  case leReadNumberOfSupportedAdvertisingSets
  case leRemoveAdvertisingSet(UInt8)
  case leClearAdvertisingSets
  case leSetExtendedScanParameters(ExtendedScanParameters)
  case leSetExtendedScanEnable(ExtendedScanEnable)
  case leExtendedCreateConnection(ExtendedCreateConnection)

  case unknown(HCIOpcode, [UInt8])

  package var opcode: HCIOpcode {
    switch self {
    case .disconnect: .disconnect
    case .readRemoteVersion: .readRemoteVersion
    case .readRSSI: .readRSSI
    case .readTransmitPower: .readTransmitPower
    case .readAuthenticatedPayloadTimeout: .readAuthenticatedPayloadTimeout
    case .writeAuthenticatedPayloadTimeout: .writeAuthenticatedPayloadTimeout
    case .reset: .reset
    case .setEventMask: .setEventMask
    case .setEventMaskPage2: .setEventMaskPage2
    case .readLocalVersion: .readLocalVersion
    case .readLocalSupportedCommands: .readLocalSupportedCommands
    case .readLocalSupportedFeatures: .readLocalSupportedFeatures
    case .readBufferSize: .readBufferSize
    case .readAddress: .readAddress
    case .leSetEventMask: .leSetEventMask
    case .leReadBufferSize: .leReadBufferSize
    case .leReadBufferSizeV2: .leReadBufferSizeV2
    case .leReadLocalSupportedFeatures: .leReadLocalSupportedFeatures
    case .leReadSupportedStates: .leReadSupportedStates
    case .leSetRandomAddress: .leSetRandomAddress
    case .leEncrypt: .leEncrypt
    case .leRand: .leRand
    case .leSetAdvertisingParameters: .leSetAdvertisingParameters
    case .leReadAdvertisingTransmitPower: .leReadAdvertisingTransmitPower
    case .leSetAdvertisingData: .leSetAdvertisingData
    case .leSetScanResponseData: .leSetScanResponseData
    case .leSetAdvertisingEnable: .leSetAdvertisingEnable
    case .leSetScanParameters: .leSetScanParameters
    case .leSetScanEnable: .leSetScanEnable
    case .leCreateConnection: .leCreateConnection
    case .leCreateConnectionCancel: .leCreateConnectionCancel
    case .leReadFilterAcceptListSize: .leReadFilterAcceptListSize
    case .leClearFilterAcceptList: .leClearFilterAcceptList
    case .leAddToFilterAcceptList: .leAddToFilterAcceptList
    case .leRemoveFromFilterAcceptList: .leRemoveFromFilterAcceptList
    case .leAddToResolvingList: .leAddToResolvingList
    case .leRemoveFromResolvingList: .leRemoveFromResolvingList
    case .leClearResolvingList: .leClearResolvingList
    case .leReadResolvingListSize: .leReadResolvingListSize
    case .leReadPeerResolvableAddress: .leReadPeerResolvableAddress
    case .leReadLocalResolvableAddress: .leReadLocalResolvableAddress
    case .leSetAddressResolutionEnable: .leSetAddressResolutionEnable
    case .leSetResolvableAddressTimeout: .leSetResolvableAddressTimeout
    case .leSetPrivacyMode: .leSetPrivacyMode
    case .leConnectionUpdate: .leConnectionUpdate
    case .leSetHostChannelClassification: .leSetHostChannelClassification
    case .leReadChannelMap: .leReadChannelMap
    case .leReadRemoteFeatures: .leReadRemoteFeatures
    case .leEnableEncryption: .leEnableEncryption
    case .leLongTermKeyRequestReply: .leLongTermKeyRequestReply
    case .leLongTermKeyRequestNegativeReply: .leLongTermKeyRequestNegativeReply
    case .leConnectionParameterRequestReply: .leConnectionParameterRequestReply
    case .leConnectionParameterRequestNegativeReply: .leConnectionParameterRequestNegativeReply
    case .leSetDataLength: .leSetDataLength
    case .leReadSuggestedDefaultDataLength: .leReadSuggestedDefaultDataLength
    case .leWriteSuggestedDefaultDataLength: .leWriteSuggestedDefaultDataLength
    case .leReadMaximumDataLength: .leReadMaximumDataLength
    case .leReadPHY: .leReadPHY
    case .leSetDefaultPHY: .leSetDefaultPHY
    case .leSetPHY: .leSetPHY
    case .leSetAdvertisingSetRandomAddress: .leSetAdvertisingSetRandomAddress
    case .leSetExtendedAdvertisingParameters: .leSetExtendedAdvertisingParameters
    case .leSetExtendedAdvertisingData: .leSetExtendedAdvertisingData
    case .leSetExtendedScanResponseData: .leSetExtendedScanResponseData
    case .leSetExtendedAdvertisingEnable: .leSetExtendedAdvertisingEnable
    case .leReadMaximumAdvertisingDataLength: .leReadMaximumAdvertisingDataLength
    case .leReadNumberOfSupportedAdvertisingSets: .leReadNumberOfSupportedAdvertisingSets
    case .leRemoveAdvertisingSet: .leRemoveAdvertisingSet
    case .leClearAdvertisingSets: .leClearAdvertisingSets
    case .leSetExtendedScanParameters: .leSetExtendedScanParameters
    case .leSetExtendedScanEnable: .leSetExtendedScanEnable
    case .leExtendedCreateConnection: .leExtendedCreateConnection
    case .unknown(let opcode, _): opcode
    }
  }
}
