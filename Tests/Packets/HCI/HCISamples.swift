import Packets
import Vocabulary

/// A value of every kind.
enum HCISamples {
  static let handle = ConnectionHandle(0x0E42)
  static let address = Address(bits: 0xC47C_8D6A_120F, kind: .random)
  static let connection = ConnectionParameters(
    intervalMinimum: 24, intervalMaximum: 40, latency: 2, supervisionTimeout: 500, eventLengthMinimum: 1, eventLengthMaximum: 7)
  static let key: [UInt8] = Array(0..<16)
  static let sequence: [UInt8] = Array(2...28)

  static let commands: [HCICommand] = [
    .disconnect(handle, reason: .remoteUserTerminated), .readRemoteVersion(handle), .readRSSI(handle),
    .readTransmitPower(handle, maximum: true), .readAuthenticatedPayloadTimeout(handle),
    .writeAuthenticatedPayloadTimeout(handle, timeout: 0x0BB8), .leSetHostChannelClassification(ChannelMap(bits: 0x10_0000_0001)),
    .leReadChannelMap(handle), .reset, .setEventMask(0x2000_1FFF_FFFF_FFFF), .setEventMaskPage2(1),
    .readLocalVersion, .readLocalSupportedCommands, .readLocalSupportedFeatures, .readBufferSize, .readAddress,
    .leSetEventMask(0x1F), .leReadBufferSize, .leReadBufferSizeV2, .leReadLocalSupportedFeatures, .leReadSupportedStates,
    .leSetRandomAddress(address.bits), .leEncrypt(key: key, plaintext: key.reversed()), .leRand,
    .leSetAdvertisingParameters(
      AdvertisingParameters(
        intervalMinimum: 0x20, intervalMaximum: 0x40, type: .directedLowDuty, ownAddressType: .random, peer: address,
        channelMap: 0b101, filterPolicy: .listOnly)),
    .leReadAdvertisingTransmitPower, .leSetAdvertisingData([2, 1, 6]), .leSetAdvertisingData(Array(repeating: 7, count: 31)),
    .leSetScanResponseData([]), .leSetAdvertisingEnable(true),
    .leSetScanParameters(
      ScanParameters(active: true, interval: 0x60, window: 0x30, ownAddressType: .resolvableOrRandom, filterPolicy: .listOnly)),
    .leSetScanEnable(true, filterDuplicates: false),
    .leCreateConnection(
      CreateConnection(
        scanInterval: 0x60, scanWindow: 0x60, useFilterAcceptList: true, peer: address, ownAddressType: .random,
        connection: connection)),
    .leCreateConnectionCancel, .leReadFilterAcceptListSize, .leClearFilterAcceptList, .leAddToFilterAcceptList(address),
    .leRemoveFromFilterAcceptList(address), .leConnectionUpdate(ConnectionUpdate(handle: handle, connection: connection)),
    .leReadRemoteFeatures(handle),
    .leAddToResolvingList(ResolvingListEntry(peer: address, peerKey: key, localKey: key.reversed())),
    .leRemoveFromResolvingList(address), .leClearResolvingList, .leReadResolvingListSize, .leReadPeerResolvableAddress(address),
    .leReadLocalResolvableAddress(address), .leSetAddressResolutionEnable(true), .leSetResolvableAddressTimeout(0x0384),
    .leSetPrivacyMode(address, .device), .leSetPrivacyMode(address, .network),
    .leEnableEncryption(EnableEncryption(handle: handle, random: 0x0102_0304_0506_0708, diversifier: 0x1234, longTermKey: key)),
    .leLongTermKeyRequestReply(handle, key: key), .leLongTermKeyRequestNegativeReply(handle),
    .leConnectionParameterRequestReply(ConnectionParameterReply(handle: handle, connection: connection)),
    .leConnectionParameterRequestNegativeReply(handle, reason: .unacceptableParameters),
    .leSetDataLength(handle, octets: 251, time: 2120), .leReadSuggestedDefaultDataLength,
    .leWriteSuggestedDefaultDataLength(octets: 251, time: 2120), .leReadMaximumDataLength, .leReadPHY(handle),
    .leSetDefaultPHY(PHYPreferences(all: 0, transmit: 3, receive: 3)),
    .leSetPHY(handle, PHYPreferences(all: 1, transmit: 1, receive: 2), options: 2),
    .leSetAdvertisingSetRandomAddress(set: 1, bits: address.bits),
    .leSetExtendedAdvertisingParameters(
      ExtendedAdvertisingParameters(set: 1, properties: 0x13, intervalMinimum: 0xA0, intervalMaximum: 0x0001_0000, peer: address)),
    .leSetExtendedAdvertisingData(ExtendedAdvertisingData(set: 1, data: Array(repeating: 5, count: 251))),
    .leSetExtendedScanResponseData(ExtendedAdvertisingData(set: 1, operation: 1, fragmentPreference: 0, data: [1])),
    .leSetExtendedAdvertisingEnable(true, sets: [ExtendedAdvertisingSet(set: 1), ExtendedAdvertisingSet(set: 2, duration: 9)]),
    .leSetExtendedAdvertisingEnable(false, sets: []), .leReadMaximumAdvertisingDataLength,
    .leReadNumberOfSupportedAdvertisingSets, .leRemoveAdvertisingSet(3), .leClearAdvertisingSets,
    .leSetExtendedScanParameters(
      ExtendedScanParameters(
        le1M: ExtendedScanPHY(active: true, interval: 96, window: 48),
        leCoded: ExtendedScanPHY(active: false, interval: 960, window: 48))),
    .leSetExtendedScanParameters(ExtendedScanParameters(le1M: ExtendedScanPHY(active: true, interval: 96, window: 48))),
    .leSetExtendedScanEnable(ExtendedScanEnable(enable: true, filterDuplicates: 2, duration: 100, period: 3)),
    .leExtendedCreateConnection(
      ExtendedCreateConnection(
        useFilterAcceptList: false, peer: address, le1M: InitiatingPHY(scanInterval: 96, scanWindow: 96, connection: connection),
        le2M: InitiatingPHY(scanInterval: 97, scanWindow: 96, connection: connection),
        leCoded: InitiatingPHY(scanInterval: 98, scanWindow: 96, connection: connection))),
    .unknown(HCIOpcode(0xFC01), [1, 2, 3]),
  ]

  static let connected = ConnectionComplete(
    status: .success, handle: handle, role: .peripheral, peer: address, isIdentity: true, interval: 24, latency: 1,
    supervisionTimeout: 500, clockAccuracy: 5)

  static let events: [HCIEvent] = [
    .disconnectionComplete(DisconnectionComplete(status: .success, handle: handle, reason: .connectionTimeout)),
    .encryptionChange(EncryptionChange(status: .success, handle: handle, enabled: 1)),
    .encryptionKeyRefreshComplete(status: .success, handle),
    .readRemoteVersionComplete(RemoteVersion(status: .success, handle: handle, version: 12, company: 0x0059, subversion: 3)),
    .commandComplete(CommandComplete(opcode: .reset, status: .success)),
    .commandComplete(CommandComplete(opcode: .leRand, status: .success, returning: RandomNumber(number: 77))),
    .commandStatus(CommandStatus(status: .commandDisallowed, opcode: .leCreateConnection)), .hardwareError(code: 0x42),
    .numberOfCompletedPackets([]),
    .numberOfCompletedPackets([CompletedPackets(handle: handle, count: 3), CompletedPackets(handle: ConnectionHandle(1), count: 1)]
    ),
    .dataBufferOverflow(linkType: 1), .authenticatedPayloadTimeoutExpired(handle), .leConnectionComplete(connected),
    .leConnectionComplete(ConnectionComplete(failed: .unknownConnection)),
    .leAdvertisingReport([
      AdvertisingReport(kind: .connectableUndirected, address: address, data: [2, 1, 6], rssi: -50),
      AdvertisingReport(kind: .scanResponse, address: address, isIdentity: true, data: [], rssi: 127),
    ]),
    .leConnectionUpdateComplete(
      ConnectionUpdateComplete(status: .success, handle: handle, interval: 24, latency: 0, supervisionTimeout: 500)),
    .leReadRemoteFeaturesComplete(RemoteFeatures(status: .success, handle: handle, features: 0xFF)),
    .leLongTermKeyRequest(LongTermKeyRequest(handle: handle, random: 5, diversifier: 6)),
    .leConnectionParameterRequest(
      ConnectionParameterRequest(handle: handle, intervalMinimum: 6, intervalMaximum: 12, latency: 0, supervisionTimeout: 100)),
    .leDataLengthChange(
      DataLengthChange(handle: handle, transmitOctets: 251, transmitTime: 2120, receiveOctets: 27, receiveTime: 328)),
    .leEnhancedConnectionComplete(
      EnhancedConnectionComplete(connection: connected, localPrivateAddress: 0x4000_0000_0001, peerPrivateAddress: 2)),
    .lePHYUpdateComplete(PHYUpdateComplete(status: .success, handle: handle, transmit: 2, receive: 1)),
    .leExtendedAdvertisingReport([
      ExtendedAdvertisingReport(properties: 0x13, address: address, rssi: -60, data: [2, 1, 6]),
      ExtendedAdvertisingReport(
        properties: 0x05, address: nil, secondaryPHY: 2, setIdentifier: 3, transmitPower: 8, rssi: -61, periodicInterval: 80,
        target: address, data: []),
    ]),
    .leScanTimeout,
    .leAdvertisingSetTerminated(AdvertisingSetTerminated(status: .success, set: 1, handle: handle, completedEvents: 2)),
    .leChannelSelectionAlgorithm(ChannelSelectionAlgorithm(handle: handle, algorithm: 1)), .leUnknown(subevent: 0x7F, [1]),
    .unknown(code: 0xFF, [9, 8]),
  ]

  static let acl: [ACLPacket] = [
    ACLPacket(handle: handle, boundary: .firstNonFlushable, data: [3, 0, 4, 0, 0x0A, 3, 0]),
    ACLPacket(handle: handle, boundary: .continuing, broadcast: 2, data: []),
    ACLPacket(handle: ConnectionHandle(0), boundary: .complete, data: Array(repeating: 1, count: 300)),
  ]

  static let packets: [HCIPacket] =
    commands.map { .command($0) } + events.map { .event($0) } + acl.map { .acl($0) } + [
      .sco([0x01, 0x00, 0x02, 7, 8]), .iso([0x01, 0x40, 0x02, 0x40, 7, 8]), .event(.leScanTimeout, trailing: [1, 2]),
    ]

  static let returns: [HCISample] = [
    HCISample(LocalVersion(hciVersion: 0x0C, hciRevision: 1, lmpVersion: 0x0C, company: 0xFFFF, lmpSubversion: 2)),
    HCISample(SupportedCommands([.reset, .leRand, .leReadBufferSizeV2])), HCISample(LocalFeatures(mask: 0x0123_4567_89AB_CDEF)),
    HCISample(ReadBufferSize(aclLength: 251, scoLength: 0, aclCount: 8, scoCount: 0)),
    HCISample(ReadAddress(address: Address(bits: 0x0000_5E00_5301, kind: .public))), HCISample(ReadRSSI(handle: handle, rssi: -70)),
    HCISample(ReadTransmitPower(handle: handle, power: 8)), HCISample(HandleReturn(handle: handle)),
    HCISample(AuthenticatedPayloadTimeout(handle: handle, timeout: 3000)),
    HCISample(ReadChannelMap(handle: handle, map: ChannelMap(bits: 0x1E_0000_00E0))),
    HCISample(LEReadBufferSize(aclLength: 27, aclCount: 4)),
    HCISample(LEReadBufferSizeV2(aclLength: 251, aclCount: 4, isoLength: 0, isoCount: 0)),
    HCISample(AdvertisingTransmitPower(power: -4)),
    HCISample(ListSize(count: 8)), HCISample(ResolvableAddress(bits: 0x4123_4567_89AB)), HCISample(EncryptedData(data: key)),
    HCISample(RandomNumber(number: .max)),
    HCISample(SupportedStates(mask: 0x3FF)), HCISample(SuggestedDataLength(octets: 27, time: 328)),
    HCISample(MaximumDataLength(transmitOctets: 251, transmitTime: 2120, receiveOctets: 251, receiveTime: 2120)),
    HCISample(ReadPHY(handle: handle, transmit: 1, receive: 1)), HCISample(MaximumAdvertisingDataLength(octets: 1650)),
    HCISample(
      BtsnoopRecord(isSent: true, time: .simulationStart, packet: .command(.reset))),
    HCISample(
      BtsnoopRecord(
        isSent: false, time: WallTime(nanoseconds: -1_000_000), bytes: [2, 1, 0, 0, 0], drops: 3, originalLength: 99)),
    HCISample(BtsnoopHeader()), HCISample(BtsnoopHeader(datalink: .unframed)),
  ]

  static let all: [HCISample] = packets.map { HCISample($0) } + returns
}
