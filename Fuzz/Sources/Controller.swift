import Packets
import Vocabulary

/// A controller that behaves well, except where it was set to refuse, to stay silent, or to answer
/// something else.
struct Controller {
  var isExtended: Bool
  var aclLength: UInt16
  var aclCount: UInt8
  var acceptListSize: UInt8
  var publicAddress: UInt64
  /// What is refused, with which status and how many more times.
  var refusals: [(opcode: HCIOpcode, status: HCIStatus, times: Int)] = []
  var isSilent = false
  /// Links, including those that the host has ended.
  var handles: [ConnectionHandle] = []
  /// The peer that the host is trying to connect to: none, one, or any on the list.
  var isInitiating = false
  var target: Address?
  var list: [Address] = []

  init(_ input: inout Input) {
    let how = input.byte()
    isExtended = how & 1 == 1
    aclLength = [27, 251, 1021, 1][Int(how >> 1 & 3)]
    aclCount = [1, 4, 15, 255][Int(how >> 3 & 3)]
    acceptListSize = [0, 1, 8, 255][Int(how >> 5 & 3)]
    publicAddress = how & 0x80 == 0 ? 0x00_1B_DC_0A_0B_0C : 0
  }

  private static let legacy: [HCIOpcode] = [
    .disconnect, .readRSSI, .reset, .setEventMask, .readLocalVersion, .readLocalSupportedFeatures, .readBufferSize, .readAddress,
    .leSetEventMask, .leReadBufferSize, .leReadLocalSupportedFeatures, .leSetRandomAddress, .leSetAdvertisingParameters,
    .leSetAdvertisingData, .leSetScanResponseData, .leSetAdvertisingEnable, .leSetScanParameters, .leSetScanEnable,
    .leCreateConnection, .leCreateConnectionCancel, .leReadFilterAcceptListSize, .leClearFilterAcceptList,
    .leAddToFilterAcceptList, .leRemoveFromFilterAcceptList, .leConnectionUpdate, .leSetDataLength,
    .leWriteSuggestedDefaultDataLength, .leSetDefaultPHY,
  ]

  private static let extended: [HCIOpcode] = [
    .leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection, .leSetExtendedAdvertisingParameters,
    .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable,
    .leSetAdvertisingSetRandomAddress, .leReadBufferSizeV2, .leAddToResolvingList, .leRemoveFromResolvingList,
    .leClearResolvingList, .leReadResolvingListSize, .leSetAddressResolutionEnable, .leSetPrivacyMode,
  ]

  /// The packets that answer a command, in order.
  mutating func answer(_ bytes: [UInt8]) -> [[UInt8]] {
    guard case .command(let command)? = try? HCIPacket(encoded: bytes) else {
      demand(false, "\(Hex.text(bytes)) was sent, which is no command")
      return []
    }
    if isSilent { return [] }
    let opcode = command.opcode
    var status = HCIStatus.success
    if let index = refusals.firstIndex(where: { $0.opcode == opcode && $0.times > 0 }) {
      refusals[index].times -= 1
      status = refusals[index].status
    }
    func complete(_ value: (any Portable)? = nil) -> [[UInt8]] {
      [Self.packet(.commandComplete(CommandComplete(opcode: opcode, status: status, returning: status.isSuccess ? value : nil)))]
    }
    func begun() -> [[UInt8]] { [Self.packet(.commandStatus(CommandStatus(status: status, opcode: opcode)))] }
    switch command {
    case .readLocalSupportedCommands: return complete(SupportedCommands(Self.legacy + (isExtended ? Self.extended : [])))
    case .readLocalSupportedFeatures: return complete(LocalFeatures(mask: 0x60_0000_0000))
    case .readLocalVersion:
      return complete(LocalVersion(hciVersion: 0x0C, hciRevision: 1, lmpVersion: 0x0C, company: 0x05F1, lmpSubversion: 2))
    case .readAddress: return complete(ReadAddress(address: Address(bits: publicAddress, kind: .public)))
    case .leReadLocalSupportedFeatures:
      let features: [LEFeature] = [.encryption, .connectionParametersRequest, .dataLengthExtension, .phy2M]
      return complete(LocalFeatures(mask: LEFeature.mask(features + (isExtended ? [.extendedAdvertising, .privacy] : []))))
    case .leReadBufferSizeV2:
      return complete(LEReadBufferSizeV2(aclLength: aclLength, aclCount: aclCount, isoLength: 0, isoCount: 0))
    case .leReadBufferSize: return complete(LEReadBufferSize(aclLength: aclLength, aclCount: aclCount))
    case .readBufferSize: return complete(ReadBufferSize(aclLength: 1021, scoLength: 0, aclCount: 8, scoCount: 0))
    case .leReadFilterAcceptListSize: return complete(ListSize(count: acceptListSize))
    case .leReadResolvingListSize: return complete(ListSize(count: 2))
    case .readRSSI(let handle): return complete(ReadRSSI(handle: handle, rssi: -57))
    case .leAddToFilterAcceptList(let address):
      if status.isSuccess { list.append(address) }
      return complete()
    case .leRemoveFromFilterAcceptList(let address):
      if status.isSuccess { list.removeAll { $0 == address } }
      return complete()
    case .leCreateConnection(let wanted):
      initiate(status, wanted.useFilterAcceptList ? nil : wanted.peer)
      return begun()
    case .leExtendedCreateConnection(let wanted):
      initiate(status, wanted.useFilterAcceptList ? nil : wanted.peer)
      return begun()
    case .leCreateConnectionCancel:
      guard isInitiating, status.isSuccess else { return complete() }
      isInitiating = false
      return complete() + [Self.packet(.leConnectionComplete(ConnectionComplete(failed: HCIStatus(0x02))))]
    case .disconnect(let handle, _):
      guard status.isSuccess, handles.contains(handle) else { return begun() }
      handles.removeAll { $0 == handle }
      let end = DisconnectionComplete(status: .success, handle: handle, reason: .localHostTerminated)
      return begun() + [Self.packet(.disconnectionComplete(end))]
    case .leConnectionUpdate: return begun()
    case .reset:
      handles = []
      list = []
      isInitiating = false
      return complete()
    default: return complete()
    }
  }

  private mutating func initiate(_ status: HCIStatus, _ peer: Address?) {
    guard status.isSuccess else { return }
    isInitiating = true
    target = peer
  }

  static func packet(_ event: HCIEvent) -> [UInt8] { HCIPacket.event(event).encoded }
}
