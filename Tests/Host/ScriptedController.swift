import Packets
import Vocabulary

/// A test controller that answers commands from a script and does nothing else. The test sends
/// links and advertisements.
struct ScriptedController {
  var publicAddress: UInt64? = 0x00_1B_DC_0A_0B_0C
  var isExtended = false
  var hasBufferSizeV2 = false
  var aclLength: UInt16 = 27
  var aclCount: UInt8 = 4
  var classicLength: UInt16 = 1021
  var classicCount: UInt16 = 8
  var acceptListSize: UInt8 = 4
  var allowedPackets: UInt8 = 1
  /// Refuses with this status, the first so many times.
  var refusals: [(opcode: HCIOpcode, status: HCIStatus, times: Int)] = []
  /// Never answers.
  var silent: [HCIOpcode] = []
  var hasDataLength = true
  var hasResolvingList = false
  var hasPrivacyMode = true

  private static let extendedCommands: [HCIOpcode] = [
    .leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection, .leSetExtendedAdvertisingParameters,
    .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable,
    .leSetAdvertisingSetRandomAddress,
  ]

  private var supported: SupportedCommands {
    var list: [HCIOpcode] = [
      .disconnect, .readRSSI, .reset, .setEventMask, .readLocalVersion, .readLocalSupportedFeatures, .readBufferSize, .readAddress,
      .leSetEventMask, .leReadBufferSize, .leReadLocalSupportedFeatures, .leSetRandomAddress, .leSetAdvertisingParameters,
      .leSetAdvertisingData, .leSetScanResponseData, .leSetAdvertisingEnable, .leSetScanParameters, .leSetScanEnable,
      .leCreateConnection, .leCreateConnectionCancel, .leReadFilterAcceptListSize, .leClearFilterAcceptList,
      .leAddToFilterAcceptList,
      .leRemoveFromFilterAcceptList, .leConnectionUpdate,
    ]
    if isExtended { list += Self.extendedCommands }
    if hasBufferSizeV2 { list.append(.leReadBufferSizeV2) }
    if hasDataLength { list += [.leSetDataLength, .leWriteSuggestedDefaultDataLength] }
    if hasResolvingList {
      list += [
        .leAddToResolvingList, .leRemoveFromResolvingList, .leClearResolvingList, .leSetAddressResolutionEnable,
      ]
      if hasPrivacyMode { list.append(.leSetPrivacyMode) }
    }
    return SupportedCommands(list)
  }

  private var features: LocalFeatures {
    var list: [LEFeature] = [.encryption, .connectionParametersRequest]
    if hasDataLength { list.append(.dataLengthExtension) }
    if isExtended { list.append(.extendedAdvertising) }
    if hasResolvingList { list.append(.privacy) }
    return LocalFeatures(mask: LEFeature.mask(list))
  }

  mutating func answer(_ command: HCICommand) -> [HCIEvent] {
    let opcode = command.opcode
    if silent.contains(opcode) { return [] }
    var status = HCIStatus.success
    if let index = refusals.firstIndex(where: { $0.opcode == opcode && $0.times > 0 }) {
      refusals[index].times -= 1
      status = refusals[index].status
    }
    func complete(_ value: (any Portable)? = nil) -> [HCIEvent] {
      var event = CommandComplete(opcode: opcode, status: status, returning: status.isSuccess ? value : nil)
      event.allowedPackets = allowedPackets
      return [.commandComplete(event)]
    }
    switch command {
    case .readLocalSupportedCommands: return complete(supported)
    case .readLocalSupportedFeatures: return complete(LocalFeatures(mask: 0x60_0000_0000))
    case .readLocalVersion:
      return complete(LocalVersion(hciVersion: 0x0C, hciRevision: 1, lmpVersion: 0x0C, company: 0x05F1, lmpSubversion: 2))
    case .readAddress: return complete(ReadAddress(address: Address(bits: publicAddress ?? 0, kind: .public)))
    case .leReadLocalSupportedFeatures: return complete(features)
    case .leReadBufferSizeV2:
      return complete(LEReadBufferSizeV2(aclLength: aclLength, aclCount: aclCount, isoLength: 0, isoCount: 0))
    case .leReadBufferSize: return complete(LEReadBufferSize(aclLength: aclLength, aclCount: aclCount))
    case .readBufferSize:
      return complete(ReadBufferSize(aclLength: classicLength, scoLength: 0, aclCount: classicCount, scoCount: 0))
    case .leReadFilterAcceptListSize: return complete(ListSize(count: acceptListSize))
    case .readRSSI(let handle): return complete(ReadRSSI(handle: handle, rssi: -57))
    case .disconnect, .leCreateConnection, .leExtendedCreateConnection, .leConnectionUpdate:
      return [.commandStatus(CommandStatus(status: status, allowedPackets: allowedPackets, opcode: opcode))]
    default: return complete()
    }
  }
}
