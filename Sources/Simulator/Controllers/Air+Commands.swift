import Packets
import Vocabulary

/// The commands of a host, and their answers (Vol 4, Part E, 7).
extension Air {
  /// Commands that are answered by Command Status and completed by another event.
  private static let answeredByStatus: [HCIOpcode] = [
    .disconnect, .readRemoteVersion, .leCreateConnection, .leExtendedCreateConnection, .leConnectionUpdate,
    .leReadRemoteFeatures, .leEnableEncryption, .leSetPHY,
  ]

  /// Commands whose Command Complete contains the handle, even with an error (Vol 4, Part E, 4.5).
  private static let answeredWithHandle: [HCIOpcode] = [
    .readRSSI, .readTransmitPower, .readAuthenticatedPayloadTimeout, .writeAuthenticatedPayloadTimeout, .leReadChannelMap,
    .leLongTermKeyRequestReply, .leLongTermKeyRequestNegativeReply, .leConnectionParameterRequestReply,
    .leConnectionParameterRequestNegativeReply, .leSetDataLength, .leReadPHY,
  ]

  mutating func complete(_ opcode: HCIOpcode, _ controller: Int, _ status: HCIStatus = .success, _ value: (any Portable)? = nil) {
    emit(.commandComplete(CommandComplete(opcode: opcode, status: status, returning: value)), controller)
  }

  mutating func status(_ opcode: HCIOpcode, _ controller: Int, _ status: HCIStatus = .success) {
    emit(.commandStatus(CommandStatus(status: status, opcode: opcode)), controller)
  }

  mutating func refuse(_ command: HCICommand, _ controller: Int, _ reason: HCIStatus) {
    refuse(command.opcode, command.handle, controller, reason)
  }

  /// Refuses a command in the form of its answer.
  mutating func refuse(_ opcode: HCIOpcode, _ handle: ConnectionHandle?, _ controller: Int, _ reason: HCIStatus) {
    if !controllers[controller].supported.supports(opcode) {
      status(opcode, controller, .unknownCommand)
    } else if Self.answeredByStatus.contains(opcode) {
      status(opcode, controller, reason)
    } else {
      let names = handle != nil && Self.answeredWithHandle.contains(opcode)
      complete(opcode, controller, reason, names ? handle : nil)
    }
  }

  mutating func perform(_ command: HCICommand, _ controller: Int) {
    let opcode = command.opcode
    guard controllers[controller].supported.supports(opcode) else {
      status(opcode, controller, .unknownCommand)
      return
    }
    if let refused = controllers[controller].faults.refusedCommand, refused.opcode == nil || refused.opcode == opcode {
      controllers[controller].faults.refusedCommand = nil
      refuse(command, controller, refused.status)
      return
    }
    guard takesDialect(of: opcode, controller) else {
      refuse(command, controller, .commandDisallowed)
      return
    }
    switch command {
    case .reset: reset(controller)
    case .setEventMask(let mask):
      controllers[controller].eventMask = mask
      complete(opcode, controller)
    case .leSetEventMask(let mask):
      controllers[controller].leEventMask = mask
      complete(opcode, controller)
    case .setEventMaskPage2(let mask):
      controllers[controller].eventMaskPage2 = mask
      complete(opcode, controller)
    case .leEncrypt(let key, let plaintext):
      // HCI has the least significant octet first, FIPS 197 the most significant.
      let data = AES128.encrypt(plaintext.reversed(), key: key.reversed())
      complete(opcode, controller, .success, EncryptedData(data: data.reversed()))
    case .leSetHostChannelClassification(let map): classify(map, controller)
    case .leSetDefaultPHY(let preferences):
      complete(opcode, controller, preferences.fault(controllers[controller].model) ?? .success)
    case .readLocalVersion, .readLocalSupportedCommands, .readLocalSupportedFeatures, .readBufferSize, .readAddress,
      .leReadBufferSize, .leReadBufferSizeV2, .leReadLocalSupportedFeatures, .leReadSupportedStates,
      .leReadAdvertisingTransmitPower, .leReadFilterAcceptListSize, .leReadSuggestedDefaultDataLength,
      .leReadMaximumDataLength, .leReadMaximumAdvertisingDataLength, .leReadNumberOfSupportedAdvertisingSets, .leRand,
      .leReadResolvingListSize:
      complete(opcode, controller, .success, property(command, controller))
    case .leSetRandomAddress(let bits): setRandomAddress(bits, controller)
    case .leClearFilterAcceptList, .leAddToFilterAcceptList, .leRemoveFromFilterAcceptList: changeAcceptList(command, controller)
    case .leAddToResolvingList, .leRemoveFromResolvingList, .leClearResolvingList, .leReadPeerResolvableAddress,
      .leReadLocalResolvableAddress, .leSetAddressResolutionEnable, .leSetResolvableAddressTimeout, .leSetPrivacyMode:
      performResolving(command, controller)
    case .leWriteSuggestedDefaultDataLength(let octets, let time):
      guard (27...251).contains(octets), (328...17040).contains(time) else {
        complete(opcode, controller, .invalidParameters)
        return
      }
      controllers[controller].suggestedOctets = octets
      controllers[controller].suggestedTime = time
      complete(opcode, controller)
    case .leSetAdvertisingParameters(let parameters): setAdvertising(parameters, controller)
    case .leSetAdvertisingData(let data):
      controllers[controller].sets[legacySet(controller)].data = data
      complete(opcode, controller)
    case .leSetScanResponseData(let data):
      controllers[controller].sets[legacySet(controller)].response = data
      complete(opcode, controller)
    case .leSetAdvertisingEnable(let enable): setAdvertising(enable: enable, controller)
    case .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
      .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable, .leRemoveAdvertisingSet, .leClearAdvertisingSets:
      performExtendedAdvertising(command, controller)
    case .leSetScanParameters, .leSetScanEnable, .leSetExtendedScanParameters, .leSetExtendedScanEnable:
      performScanning(command, controller)
    case .leCreateConnection, .leExtendedCreateConnection, .leCreateConnectionCancel: performInitiating(command, controller)
    case .disconnect, .readRemoteVersion, .readRSSI, .readTransmitPower, .readAuthenticatedPayloadTimeout,
      .writeAuthenticatedPayloadTimeout, .leConnectionUpdate, .leReadRemoteFeatures, .leReadChannelMap, .leEnableEncryption,
      .leLongTermKeyRequestReply, .leLongTermKeyRequestNegativeReply, .leConnectionParameterRequestReply,
      .leConnectionParameterRequestNegativeReply, .leSetDataLength, .leReadPHY, .leSetPHY:
      performOnLink(command, controller)
    case .unknown: status(opcode, controller, .unknownCommand)
    }
  }

  /// Whether the command fits those used since the last reset, which may not mix legacy and
  /// extended ones.
  private mutating func takesDialect(of opcode: HCIOpcode, _ controller: Int) -> Bool {
    let dialect: VirtualController.Dialect
    switch opcode {
    case .leSetAdvertisingParameters, .leSetAdvertisingData, .leSetScanResponseData, .leSetAdvertisingEnable,
      .leReadAdvertisingTransmitPower, .leSetScanParameters, .leSetScanEnable, .leCreateConnection:
      dialect = .legacy
    case .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
      .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable, .leReadMaximumAdvertisingDataLength,
      .leReadNumberOfSupportedAdvertisingSets, .leRemoveAdvertisingSet, .leClearAdvertisingSets,
      .leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection:
      dialect = .extended
    default: return true
    }
    if controllers[controller].dialect == .undecided { controllers[controller].dialect = dialect }
    return controllers[controller].dialect == dialect
  }

  private mutating func property(_ command: HCICommand, _ controller: Int) -> any Portable {
    let model = controllers[controller].model
    let version: UInt8 = model.isExtended ? 0x0B : 0x08
    switch command {
    case .readLocalVersion:
      // 0xFFFF is not an assigned company, so this cannot be mistaken for a product.
      return LocalVersion(hciVersion: version, hciRevision: 0, lmpVersion: version, company: 0xFFFF, lmpSubversion: 0)
    case .readLocalSupportedCommands: return controllers[controller].supported
    // LE supported by the controller, BR/EDR not supported (Vol 2, Part C, 3.3).
    case .readLocalSupportedFeatures: return LocalFeatures(mask: 1 << 37 | 1 << 38)
    case .readBufferSize:
      return ReadBufferSize(
        aclLength: model.sharesBuffers ? model.aclLength : 0, scoLength: 0,
        aclCount: model.sharesBuffers ? UInt16(model.aclCount) : 0, scoCount: 0)
    case .readAddress: return ReadAddress(address: Address(bits: controllers[controller].publicBits, kind: .public))
    case .leReadBufferSize:
      return LEReadBufferSize(
        aclLength: model.sharesBuffers ? 0 : model.aclLength, aclCount: model.sharesBuffers ? 0 : model.aclCount)
    case .leReadBufferSizeV2:
      return LEReadBufferSizeV2(
        aclLength: model.sharesBuffers ? 0 : model.aclLength, aclCount: model.sharesBuffers ? 0 : model.aclCount, isoLength: 0,
        isoCount: 0)
    case .leReadLocalSupportedFeatures: return LocalFeatures(mask: model.leFeatures)
    case .leReadSupportedStates: return SupportedStates(mask: 0x0000_03FF_FFFF_FFFF)
    case .leReadAdvertisingTransmitPower: return AdvertisingTransmitPower(power: 0)
    case .leReadFilterAcceptListSize: return ListSize(count: UInt8(clamping: model.filterAcceptListSize))
    case .leReadResolvingListSize: return ListSize(count: UInt8(clamping: model.resolvingListSize))
    case .leReadSuggestedDefaultDataLength:
      return SuggestedDataLength(
        octets: controllers[controller].suggestedOctets, time: controllers[controller].suggestedTime)
    case .leReadMaximumDataLength:
      let time = Air.airTime(model.dataLength)
      return MaximumDataLength(
        transmitOctets: model.dataLength, transmitTime: time, receiveOctets: model.dataLength, receiveTime: time)
    case .leReadMaximumAdvertisingDataLength: return MaximumAdvertisingDataLength(octets: 1650)
    case .leReadNumberOfSupportedAdvertisingSets: return ListSize(count: UInt8(clamping: model.advertisingSets))
    default: return RandomNumber(number: controllers[controller].random.next())
    }
  }

  /// The time in microseconds of a PDU with this data length on LE 1M, including a MIC (Vol 6, Part
  /// B, 4.5.10).
  static func airTime(_ octets: UInt16) -> UInt16 { (octets + 14) * 8 }

  private mutating func setRandomAddress(_ bits: UInt64, _ controller: Int) {
    let busy =
      controllers[controller].scanning != nil || controllers[controller].initiating != nil
      || controllers[controller].sets.contains { $0.isEnabled && $0.number == nil }
    if busy {
      complete(.leSetRandomAddress, controller, .commandDisallowed)
    } else {
      controllers[controller].randomAddress = bits
      complete(.leSetRandomAddress, controller)
    }
  }

  private mutating func changeAcceptList(_ command: HCICommand, _ controller: Int) {
    guard !controllers[controller].usesAcceptList else {
      complete(command.opcode, controller, .commandDisallowed)
      return
    }
    switch command {
    case .leAddToFilterAcceptList(let address):
      if !controllers[controller].acceptList.contains(address) {
        guard controllers[controller].acceptList.count < controllers[controller].model.filterAcceptListSize else {
          complete(command.opcode, controller, .memoryExceeded)
          return
        }
        controllers[controller].acceptList.append(address)
      }
    case .leRemoveFromFilterAcceptList(let address): controllers[controller].acceptList.removeAll { $0 == address }
    default: controllers[controller].acceptList = []
    }
    complete(command.opcode, controller)
  }

  /// Performs the commands of the resolving list (Vol 4, Part E, 7.8.38 to 7.8.45 and 7.8.77).
  private mutating func performResolving(_ command: HCICommand, _ controller: Int) {
    let opcode = command.opcode
    guard controllers[controller].model.resolvingListFault != .refuses else { return status(opcode, controller, .unknownCommand) }
    let isOnAir = controllers[controller].isOnAir
    // A list in use on the air cannot be changed.
    let isUsed = controllers[controller].resolving.isEnabled && isOnAir
    switch command {
    case .leReadPeerResolvableAddress(let peer), .leReadLocalResolvableAddress(let peer):
      let entry = controllers[controller].resolving.entries.first { $0.keys.peer == peer }
      let bits = opcode == .leReadPeerResolvableAddress ? entry?.peerAddress : entry?.localAddress
      complete(opcode, controller, bits == nil ? .unknownConnection : .success, bits.map { ResolvableAddress(bits: $0) })
    case .leSetResolvableAddressTimeout(let seconds):
      guard (1...3600).contains(seconds) else { return complete(opcode, controller, .invalidParameters) }
      controllers[controller].resolving.timeout = seconds
      complete(opcode, controller)
    case .leSetAddressResolutionEnable(let enable):
      if !isOnAir { controllers[controller].resolving.isEnabled = enable }
      complete(opcode, controller, isOnAir ? .commandDisallowed : .success)
    case _ where isUsed: complete(opcode, controller, .commandDisallowed)
    case .leAddToResolvingList(let entry):
      let room = controllers[controller].model.resolvingListSize
      complete(opcode, controller, controllers[controller].resolving.add(entry, room: room))
    case .leRemoveFromResolvingList(let peer): complete(opcode, controller, controllers[controller].resolving.remove(peer))
    case .leSetPrivacyMode(let peer, let mode):
      complete(opcode, controller, controllers[controller].resolving.setMode(mode, of: peer))
    default:
      controllers[controller].resolving.clear()
      complete(opcode, controller)
    }
  }

  /// Restores the state after power-on. Links end without an event here; the peers notice by their
  /// timers.
  private mutating func reset(_ controller: Int) {
    record(AirRecord(time: now, kind: .reset, from: controllers[controller].identity))
    controllers[controller].faults.heldEvents = []
    for link in controllers[controller].links { abandon(link, controller) }
    for set in controllers[controller].sets.indices { stopAdvertising(controller, set) }
    let old = controllers[controller]
    var fresh = VirtualController(id: old.id, name: old.name, model: old.model, identity: old.identity, random: old.random)
    fresh.hasHost = old.hasHost
    fresh.isVanished = old.isVanished
    fresh.loss = old.loss
    fresh.delay = old.delay
    fresh.faults = old.faults
    fresh.scanGeneration = old.scanGeneration + 1
    controllers[controller] = fresh
    listenersChanged()
    complete(.reset, controller)
  }
}
