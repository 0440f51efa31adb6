package import Vocabulary

extension HCICommand: Portable {
  /// Opcode, length, parameters (Vol 4, Part E, 5.4.1).
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let opcode = try HCIOpcode(reading: &reader)
    let count = Int(try reader.readUInt8())
    guard reader.byteCount >= count else { throw .truncated(needed: count, left: reader.byteCount) }
    var parameters = reader.extracting(first: count)
    try reader.skip(count)
    self = try Self.read(opcode, &parameters)
    guard parameters.isAtEnd else { throw .trailing(parameters.byteCount, after: "HCI command") }
  }

  private static func read(_ opcode: HCIOpcode, _ reader: inout RawSpan) throws(DecodeError) -> HCICommand {
    switch opcode {
    case .disconnect:
      let handle = try ConnectionHandle(reading: &reader)
      return .disconnect(handle, reason: try HCIStatus(reading: &reader))
    case .readRemoteVersion: return .readRemoteVersion(try ConnectionHandle(reading: &reader))
    case .readRSSI: return .readRSSI(try ConnectionHandle(reading: &reader))
    case .readTransmitPower:
      let handle = try ConnectionHandle(reading: &reader)
      return .readTransmitPower(handle, maximum: try reader.readBool())
    case .readAuthenticatedPayloadTimeout: return .readAuthenticatedPayloadTimeout(try ConnectionHandle(reading: &reader))
    case .writeAuthenticatedPayloadTimeout:
      let handle = try ConnectionHandle(reading: &reader)
      return .writeAuthenticatedPayloadTimeout(handle, timeout: try reader.readUInt16())
    case .reset: return .reset
    case .setEventMask: return .setEventMask(try reader.readUInt64())
    case .setEventMaskPage2: return .setEventMaskPage2(try reader.readUInt64())
    case .readLocalVersion: return .readLocalVersion
    case .readLocalSupportedCommands: return .readLocalSupportedCommands
    case .readLocalSupportedFeatures: return .readLocalSupportedFeatures
    case .readBufferSize: return .readBufferSize
    case .readAddress: return .readAddress
    case .leSetEventMask: return .leSetEventMask(try reader.readUInt64())
    case .leReadBufferSize: return .leReadBufferSize
    case .leReadBufferSizeV2: return .leReadBufferSizeV2
    case .leReadLocalSupportedFeatures: return .leReadLocalSupportedFeatures
    case .leReadSupportedStates: return .leReadSupportedStates
    case .leSetRandomAddress: return .leSetRandomAddress(try reader.readAddressBits())
    case .leEncrypt:
      let key = try reader.readBytes(16)
      return .leEncrypt(key: key, plaintext: try reader.readBytes(16))
    case .leRand: return .leRand
    case .leSetAdvertisingParameters: return .leSetAdvertisingParameters(try AdvertisingParameters(reading: &reader))
    case .leReadAdvertisingTransmitPower: return .leReadAdvertisingTransmitPower
    case .leSetAdvertisingData: return .leSetAdvertisingData(try readAdvertisingData(&reader))
    case .leSetScanResponseData: return .leSetScanResponseData(try readAdvertisingData(&reader))
    case .leSetAdvertisingEnable: return .leSetAdvertisingEnable(try reader.readBool())
    case .leSetScanParameters: return .leSetScanParameters(try ScanParameters(reading: &reader))
    case .leSetScanEnable:
      let enable = try reader.readBool()
      return .leSetScanEnable(enable, filterDuplicates: try reader.readBool())
    case .leCreateConnection: return .leCreateConnection(try CreateConnection(reading: &reader))
    case .leCreateConnectionCancel: return .leCreateConnectionCancel
    case .leReadFilterAcceptListSize: return .leReadFilterAcceptListSize
    case .leClearFilterAcceptList: return .leClearFilterAcceptList
    case .leAddToFilterAcceptList: return .leAddToFilterAcceptList(try reader.readTypedAddress())
    case .leRemoveFromFilterAcceptList: return .leRemoveFromFilterAcceptList(try reader.readTypedAddress())
    case .leAddToResolvingList: return .leAddToResolvingList(try ResolvingListEntry(reading: &reader))
    case .leRemoveFromResolvingList: return .leRemoveFromResolvingList(try reader.readTypedAddress())
    case .leClearResolvingList: return .leClearResolvingList
    case .leReadResolvingListSize: return .leReadResolvingListSize
    case .leReadPeerResolvableAddress: return .leReadPeerResolvableAddress(try reader.readTypedAddress())
    case .leReadLocalResolvableAddress: return .leReadLocalResolvableAddress(try reader.readTypedAddress())
    case .leSetAddressResolutionEnable: return .leSetAddressResolutionEnable(try reader.readBool())
    case .leSetResolvableAddressTimeout: return .leSetResolvableAddressTimeout(try reader.readUInt16())
    case .leSetPrivacyMode:
      let peer = try reader.readTypedAddress()
      return .leSetPrivacyMode(peer, try reader.readRaw(PrivacyMode.self, "privacy mode"))
    case .leConnectionUpdate: return .leConnectionUpdate(try ConnectionUpdate(reading: &reader))
    case .leSetHostChannelClassification: return .leSetHostChannelClassification(try ChannelMap(reading: &reader))
    case .leReadChannelMap: return .leReadChannelMap(try ConnectionHandle(reading: &reader))
    case .leReadRemoteFeatures: return .leReadRemoteFeatures(try ConnectionHandle(reading: &reader))
    case .leEnableEncryption: return .leEnableEncryption(try EnableEncryption(reading: &reader))
    case .leLongTermKeyRequestReply:
      let handle = try ConnectionHandle(reading: &reader)
      return .leLongTermKeyRequestReply(handle, key: try reader.readBytes(16))
    case .leLongTermKeyRequestNegativeReply:
      return .leLongTermKeyRequestNegativeReply(try ConnectionHandle(reading: &reader))
    case .leConnectionParameterRequestReply:
      return .leConnectionParameterRequestReply(try ConnectionParameterReply(reading: &reader))
    case .leConnectionParameterRequestNegativeReply:
      let handle = try ConnectionHandle(reading: &reader)
      return .leConnectionParameterRequestNegativeReply(handle, reason: try HCIStatus(reading: &reader))
    case .leSetDataLength:
      let handle = try ConnectionHandle(reading: &reader)
      let octets = try reader.readUInt16()
      return .leSetDataLength(handle, octets: octets, time: try reader.readUInt16())
    case .leReadSuggestedDefaultDataLength: return .leReadSuggestedDefaultDataLength
    case .leWriteSuggestedDefaultDataLength:
      let octets = try reader.readUInt16()
      return .leWriteSuggestedDefaultDataLength(octets: octets, time: try reader.readUInt16())
    case .leReadMaximumDataLength: return .leReadMaximumDataLength
    case .leReadPHY: return .leReadPHY(try ConnectionHandle(reading: &reader))
    case .leSetDefaultPHY: return .leSetDefaultPHY(try PHYPreferences(reading: &reader))
    case .leSetPHY:
      let handle = try ConnectionHandle(reading: &reader)
      let preferences = try PHYPreferences(reading: &reader)
      return .leSetPHY(handle, preferences, options: try reader.readUInt16())
    default: return try readExtended(opcode, &reader)
    }
  }

  private static func readExtended(_ opcode: HCIOpcode, _ reader: inout RawSpan) throws(DecodeError) -> HCICommand {
    switch opcode {
    case .leSetAdvertisingSetRandomAddress:
      let set = try reader.readUInt8()
      return .leSetAdvertisingSetRandomAddress(set: set, bits: try reader.readAddressBits())
    case .leSetExtendedAdvertisingParameters:
      return .leSetExtendedAdvertisingParameters(try ExtendedAdvertisingParameters(reading: &reader))
    case .leSetExtendedAdvertisingData:
      return .leSetExtendedAdvertisingData(try ExtendedAdvertisingData(reading: &reader))
    case .leSetExtendedScanResponseData:
      return .leSetExtendedScanResponseData(try ExtendedAdvertisingData(reading: &reader))
    case .leSetExtendedAdvertisingEnable:
      let enable = try reader.readBool()
      let count = Int(try reader.readUInt8())
      var sets: [ExtendedAdvertisingSet] = []
      for _ in 0..<count { sets.append(try ExtendedAdvertisingSet(reading: &reader)) }
      return .leSetExtendedAdvertisingEnable(enable, sets: sets)
    case .leReadMaximumAdvertisingDataLength: return .leReadMaximumAdvertisingDataLength
    case .leReadNumberOfSupportedAdvertisingSets: return .leReadNumberOfSupportedAdvertisingSets
    case .leRemoveAdvertisingSet: return .leRemoveAdvertisingSet(try reader.readUInt8())
    case .leClearAdvertisingSets: return .leClearAdvertisingSets
    case .leSetExtendedScanParameters: return .leSetExtendedScanParameters(try ExtendedScanParameters(reading: &reader))
    case .leSetExtendedScanEnable: return .leSetExtendedScanEnable(try ExtendedScanEnable(reading: &reader))
    case .leExtendedCreateConnection:
      return .leExtendedCreateConnection(try ExtendedCreateConnection(reading: &reader))
    default: return .unknown(opcode, reader.readRest())
    }
  }

  /// A length, then always 31 octets, of which only the first ones count (Vol 4, Part E, 7.8.7).
  private static func readAdvertisingData(_ reader: inout RawSpan) throws(DecodeError) -> [UInt8] {
    let count = try reader.readUInt8()
    guard count <= 31 else { throw .invalid("advertising data length", UInt64(count)) }
    let data = try reader.readBytes(Int(count))
    try reader.skip(31 - Int(count))
    return data
  }

  package func write(to writer: inout ByteWriter) {
    opcode.write(to: &writer)
    let start = writer.bytes.count
    writer.put(0 as UInt8)
    writeParameters(to: &writer)
    writer.bytes[start] = UInt8(clamping: writer.bytes.count - start - 1)
  }

  private func writeParameters(to writer: inout ByteWriter) {
    switch self {
    case .reset, .readLocalVersion, .readLocalSupportedCommands, .readLocalSupportedFeatures, .readBufferSize, .readAddress,
      .leReadBufferSize, .leReadBufferSizeV2, .leReadLocalSupportedFeatures, .leReadSupportedStates, .leRand,
      .leReadAdvertisingTransmitPower, .leCreateConnectionCancel, .leReadFilterAcceptListSize, .leClearFilterAcceptList,
      .leReadSuggestedDefaultDataLength, .leReadMaximumDataLength, .leReadMaximumAdvertisingDataLength,
      .leReadNumberOfSupportedAdvertisingSets, .leClearAdvertisingSets, .leClearResolvingList, .leReadResolvingListSize:
      break
    case .disconnect(let handle, let reason), .leConnectionParameterRequestNegativeReply(let handle, let reason):
      handle.write(to: &writer)
      reason.write(to: &writer)
    case .readRemoteVersion(let handle), .readRSSI(let handle), .leReadRemoteFeatures(let handle),
      .leLongTermKeyRequestNegativeReply(let handle), .leReadPHY(let handle), .leReadChannelMap(let handle),
      .readAuthenticatedPayloadTimeout(let handle):
      handle.write(to: &writer)
    case .readTransmitPower(let handle, let maximum):
      handle.write(to: &writer)
      writer.put(maximum)
    case .writeAuthenticatedPayloadTimeout(let handle, let timeout):
      handle.write(to: &writer)
      writer.put(timeout)
    case .leSetHostChannelClassification(let map): map.write(to: &writer)
    case .setEventMask(let mask), .setEventMaskPage2(let mask), .leSetEventMask(let mask): writer.put(mask)
    case .leSetRandomAddress(let bits): writer.put(addressBits: bits)
    case .leEncrypt(let key, let plaintext):
      writer.put(key, padded: 16)
      writer.put(plaintext, padded: 16)
    case .leSetAdvertisingParameters(let value): value.write(to: &writer)
    case .leSetAdvertisingData(let data), .leSetScanResponseData(let data):
      writer.put(UInt8(min(data.count, 31)))
      writer.put(data, padded: 31)
    case .leSetAdvertisingEnable(let enable): writer.put(enable)
    case .leSetScanParameters(let value): value.write(to: &writer)
    case .leSetScanEnable(let enable, let filterDuplicates):
      writer.put(enable)
      writer.put(filterDuplicates)
    case .leCreateConnection(let value): value.write(to: &writer)
    case .leAddToFilterAcceptList(let address), .leRemoveFromFilterAcceptList(let address),
      .leRemoveFromResolvingList(let address), .leReadPeerResolvableAddress(let address),
      .leReadLocalResolvableAddress(let address):
      writer.put(typed: address)
    case .leAddToResolvingList(let entry): entry.write(to: &writer)
    case .leSetAddressResolutionEnable(let enable): writer.put(enable)
    case .leSetResolvableAddressTimeout(let seconds): writer.put(seconds)
    case .leSetPrivacyMode(let peer, let mode):
      writer.put(typed: peer)
      writer.put(mode.rawValue)
    case .leConnectionUpdate(let value): value.write(to: &writer)
    case .leEnableEncryption(let value): value.write(to: &writer)
    case .leLongTermKeyRequestReply(let handle, let key):
      handle.write(to: &writer)
      writer.put(key, padded: 16)
    case .leConnectionParameterRequestReply(let value): value.write(to: &writer)
    case .leSetDataLength(let handle, let octets, let time):
      handle.write(to: &writer)
      writer.put(octets)
      writer.put(time)
    case .leWriteSuggestedDefaultDataLength(let octets, let time):
      writer.put(octets)
      writer.put(time)
    case .leSetDefaultPHY(let value): value.write(to: &writer)
    case .leSetPHY(let handle, let value, let options):
      handle.write(to: &writer)
      value.write(to: &writer)
      writer.put(options)
    case .leSetAdvertisingSetRandomAddress(let set, let bits):
      writer.put(set)
      writer.put(addressBits: bits)
    case .leSetExtendedAdvertisingParameters(let value): value.write(to: &writer)
    case .leSetExtendedAdvertisingData(let value), .leSetExtendedScanResponseData(let value): value.write(to: &writer)
    case .leSetExtendedAdvertisingEnable(let enable, let sets):
      // 63 sets fill the 255 octets of a command.
      let sets = sets.prefix(63)
      writer.put(enable)
      writer.put(UInt8(sets.count))
      for set in sets { set.write(to: &writer) }
    case .leRemoveAdvertisingSet(let set): writer.put(set)
    case .leSetExtendedScanParameters(let value): value.write(to: &writer)
    case .leSetExtendedScanEnable(let value): value.write(to: &writer)
    case .leExtendedCreateConnection(let value): value.write(to: &writer)
    case .unknown(_, let bytes): writer.put(bytes.prefix(255))
    }
  }
}
