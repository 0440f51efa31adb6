/// An event of a controller (Vol 4, Part E, 7.7). Events that this host does not use are `unknown`
/// and `leUnknown`.
package enum HCIEvent: Hashable, Sendable {
  case disconnectionComplete(DisconnectionComplete)
  case encryptionChange(EncryptionChange)
  case encryptionKeyRefreshComplete(status: HCIStatus, ConnectionHandle)
  case readRemoteVersionComplete(RemoteVersion)
  case commandComplete(CommandComplete)
  case commandStatus(CommandStatus)
  case hardwareError(code: UInt8)
  case numberOfCompletedPackets([CompletedPackets])
  case dataBufferOverflow(linkType: UInt8)
  case authenticatedPayloadTimeoutExpired(ConnectionHandle)
  // LE Meta
  case leConnectionComplete(ConnectionComplete)
  case leAdvertisingReport([AdvertisingReport])
  case leConnectionUpdateComplete(ConnectionUpdateComplete)
  case leReadRemoteFeaturesComplete(RemoteFeatures)
  case leLongTermKeyRequest(LongTermKeyRequest)
  case leConnectionParameterRequest(ConnectionParameterRequest)
  case leDataLengthChange(DataLengthChange)
  case leEnhancedConnectionComplete(EnhancedConnectionComplete)
  case lePHYUpdateComplete(PHYUpdateComplete)
  case leExtendedAdvertisingReport([ExtendedAdvertisingReport])
  case leScanTimeout
  case leAdvertisingSetTerminated(AdvertisingSetTerminated)
  case leChannelSelectionAlgorithm(ChannelSelectionAlgorithm)

  case leUnknown(subevent: UInt8, [UInt8])
  case unknown(code: UInt8, [UInt8])

  package var code: UInt8 {
    switch self {
    case .disconnectionComplete: 0x05
    case .encryptionChange: 0x08
    case .encryptionKeyRefreshComplete: 0x30
    case .readRemoteVersionComplete: 0x0C
    case .commandComplete: 0x0E
    case .commandStatus: 0x0F
    case .hardwareError: 0x10
    case .numberOfCompletedPackets: 0x13
    case .dataBufferOverflow: 0x1A
    case .authenticatedPayloadTimeoutExpired: 0x57
    case .unknown(let code, _): code
    default: 0x3E
    }
  }

  /// The subevent code of an LE Meta event.
  package var subevent: UInt8? {
    switch self {
    case .leConnectionComplete: 0x01
    case .leAdvertisingReport: 0x02
    case .leConnectionUpdateComplete: 0x03
    case .leReadRemoteFeaturesComplete: 0x04
    case .leLongTermKeyRequest: 0x05
    case .leConnectionParameterRequest: 0x06
    case .leDataLengthChange: 0x07
    case .leEnhancedConnectionComplete: 0x0A
    case .lePHYUpdateComplete: 0x0C
    case .leExtendedAdvertisingReport: 0x0D
    case .leScanTimeout: 0x11
    case .leAdvertisingSetTerminated: 0x12
    case .leChannelSelectionAlgorithm: 0x14
    case .leUnknown(let subevent, _): subevent
    default: nil
    }
  }
}
