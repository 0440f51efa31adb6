import Packets
import Vocabulary

/// Commands about one link, and the control procedures of the link layer (Vol 6, Part B, 5.1).
extension Air {
  /// The link with a host's handle, and the host's role on it.
  func link(_ handle: ConnectionHandle, _ controller: Int) -> (index: Int, role: LinkRole)? {
    for index in controllers[controller].links where links[index].isAnnounced {
      let role = links[index].role(of: controller)
      if links[index][role].handle == handle { return (index, role) }
    }
    return nil
  }

  mutating func start(_ procedure: LinkProcedure, _ index: Int, _ role: LinkRole) {
    links[index].catchUp(to: now)
    links[index][role].append(LinkItem(content: .control(procedure), readyAt: now))
    reschedule(index)
  }

  mutating func performOnLink(_ command: HCICommand, _ controller: Int) {
    let opcode = command.opcode
    guard let handle = command.handle, let (index, role) = link(handle, controller) else {
      return refuse(command, controller, .unknownConnection)
    }
    switch command {
    case .disconnect(_, let reason):
      let allowed: [HCIStatus] = [
        .authenticationFailure, .remoteUserTerminated, .remoteLowResources, .remotePowerOff, .unsupportedRemoteFeature,
        .pairingWithUnitKeyNotSupported, .unacceptableParameters,
      ]
      guard allowed.contains(reason) else { return refuse(command, controller, .invalidParameters) }
      guard !links[index][role].isTerminating else { return refuse(command, controller, .commandDisallowed) }
      status(opcode, controller)
      links[index][role].isTerminating = true
      start(.terminate(reason: reason), index, role)
    case .readRemoteVersion:
      status(opcode, controller)
      start(.versionExchange, index, role)
    case .leReadRemoteFeatures:
      status(opcode, controller)
      start(.featureExchange, index, role)
    case .readRSSI:
      let rssi = measure(links[index][role.other].controller, controller)
      complete(opcode, controller, .success, ReadRSSI(handle: handle, rssi: rssi))
    case .readTransmitPower: complete(opcode, controller, .success, ReadTransmitPower(handle: handle, power: 0))
    case .leConnectionUpdate(let value):
      guard value.connection.isValid else { return refuse(command, controller, .invalidParameters) }
      guard links[index].update == nil, links[index].procedureEnds == nil else {
        return refuse(command, controller, .commandDisallowed)
      }
      status(opcode, controller)
      start(role == .central ? .connectionUpdate(value.connection) : .parameterRequest(value.connection), index, role)
    case .leConnectionParameterRequestReply(let value):
      guard role == .central, links[index].parameterRequest != nil else { return refuse(command, controller, .commandDisallowed) }
      guard value.connection.isValid else { return refuse(command, controller, .invalidParameters) }
      links[index].parameterRequest = nil
      links[index].procedureEnds = nil
      start(.connectionUpdate(value.connection), index, role)
      complete(opcode, controller, .success, HandleReturn(handle: handle))
    case .leConnectionParameterRequestNegativeReply(_, let reason):
      guard role == .central, links[index].parameterRequest != nil else { return refuse(command, controller, .commandDisallowed) }
      links[index].parameterRequest = nil
      links[index].procedureEnds = nil
      start(.parameterRejected(reason), index, role)
      complete(opcode, controller, .success, HandleReturn(handle: handle))
    case .leSetDataLength(_, let octets, let time):
      guard (27...251).contains(octets), (328...17040).contains(time) else {
        return refuse(command, controller, .invalidParameters)
      }
      links[index][role].wantedOctets = min(octets, controllers[controller].model.dataLength)
      start(.dataLength, index, role)
      complete(opcode, controller, .success, HandleReturn(handle: handle))
    case .leReadPHY:
      let half = links[index][role]
      complete(opcode, controller, .success, ReadPHY(handle: handle, transmit: half.transmitPHY, receive: half.receivePHY))
    case .leSetPHY(_, let preferences, _):
      if let fault = preferences.fault(controllers[controller].model) { return refuse(command, controller, fault) }
      status(opcode, controller)
      let models = [role, role.other].map { controllers[links[index][$0].controller].model }
      let bothKnow2M = models.allSatisfy(\.isExtended)
      let bothKnowCoded = models.allSatisfy(\.hasCodedPHY)
      func choose(_ mask: UInt8, _ hasNoPreference: Bool, _ current: UInt8) -> UInt8 {
        if hasNoPreference { return current }
        if bothKnow2M, mask & 0b010 != 0 { return 2 }
        if mask & 0b001 != 0 { return 1 }
        return bothKnowCoded && mask & 0b100 != 0 ? 3 : current
      }
      let half = links[index][role]
      let transmit = choose(preferences.transmit, preferences.all & 1 != 0, half.transmitPHY)
      let receive = choose(preferences.receive, preferences.all & 2 != 0, half.receivePHY)
      start(.phy(transmit: transmit, receive: receive), index, role)
    case .leReadChannelMap:
      complete(opcode, controller, .success, ReadChannelMap(handle: handle, map: links[index].channelMap))
    case .readAuthenticatedPayloadTimeout, .writeAuthenticatedPayloadTimeout: performPayloadTimeout(command, index, role)
    case .leEnableEncryption, .leLongTermKeyRequestReply, .leLongTermKeyRequestNegativeReply:
      performEncryption(command, index, role)
    default: refuse(command, controller, .commandDisallowed)
    }
  }

  /// The peer of `role` has received this PDU.
  mutating func received(_ procedure: LinkProcedure, _ index: Int, from role: LinkRole) {
    let peer = role.other
    let handle = links[index][peer].handle
    let controller = links[index][peer].controller
    switch procedure {
    case .terminate(let reason): end(index, peer, reason)
    case .versionExchange, .featureExchange, .connectionUpdate: break
    case .dataLength: changeDataLength(index, role)
    case .parameterRequest(let parameters):
      guard controllers[controller].leEventMask >> 5 & 1 == 1, controllers[controller].hasHost else {
        links[index][peer].append(LinkItem(content: .control(.parameterRejected(.unsupportedRemoteFeature)), readyAt: now))
        return
      }
      links[index].parameterRequest = parameters
      links[index].procedureEnds = now + Self.procedureTimeout
      emit(
        .leConnectionParameterRequest(
          ConnectionParameterRequest(
            handle: handle, intervalMinimum: parameters.intervalMinimum, intervalMaximum: parameters.intervalMaximum,
            latency: parameters.latency, supervisionTimeout: parameters.supervisionTimeout)), controller)
    case .parameterRejected(let reason):
      emit(
        .leConnectionUpdateComplete(
          ConnectionUpdateComplete(
            status: reason, handle: handle, interval: links[index].intervalUnits, latency: links[index].latency,
            supervisionTimeout: links[index].timeoutUnits)), controller)
    case .phy(let transmit, let receive):
      let isChanged = links[index][role].transmitPHY != transmit || links[index][role].receivePHY != receive
      links[index][role].transmitPHY = transmit
      links[index][role].receivePHY = receive
      links[index][peer].transmitPHY = receive
      links[index][peer].receivePHY = transmit
      guard isChanged else { return }
      emit(
        .lePHYUpdateComplete(PHYUpdateComplete(status: .success, handle: handle, transmit: receive, receive: transmit)), controller)
    case .channelMap(let map): links[index].channelMap = map
    case .pingRequest: links[index][peer].append(LinkItem(content: .control(.pingResponse), readyAt: now))
    case .pingResponse: links[index][peer].isPinging = false
    case .pauseRequest, .pauseResponse, .encryption, .encryptionResponse, .startRequest, .startResponse, .encryptionRejected:
      receivedEncryption(procedure, index, at: peer)
    }
  }

  /// `role` knows that its PDU arrived.
  mutating func acknowledged(_ procedure: LinkProcedure, _ index: Int, by role: LinkRole) {
    let handle = links[index][role].handle
    let controller = links[index][role].controller
    let peer = controllers[links[index][role.other].controller].model
    switch procedure {
    case .terminate: end(index, role, .localHostTerminated)
    case .versionExchange:
      emit(
        .readRemoteVersionComplete(
          RemoteVersion(
            status: .success, handle: handle, version: peer.isExtended ? 0x0B : 0x08, company: 0xFFFF, subversion: 0)), controller)
    case .featureExchange:
      emit(
        .leReadRemoteFeaturesComplete(RemoteFeatures(status: .success, handle: handle, features: peer.leFeatures)), controller)
    case .connectionUpdate(let parameters):
      // At least six events later, so that a peripheral that misses some still receives it (Vol 6,
      // Part B, 5.1.1).
      links[index].update = (links[index].lastStepped + 6 + Int64(links[index].latency), parameters)
    case .phy:
      let half = links[index][role]
      emit(
        .lePHYUpdateComplete(
          PHYUpdateComplete(status: .success, handle: handle, transmit: half.transmitPHY, receive: half.receivePHY)), controller)
    case .dataLength, .parameterRequest, .parameterRejected, .channelMap, .pingRequest, .pingResponse, .pauseRequest,
      .pauseResponse, .encryption, .encryptionResponse, .startRequest, .startResponse, .encryptionRejected:
      break
    }
  }

  /// One side may send what it wants, up to what the other can receive (Vol 6, Part B, 5.1.9).
  private mutating func changeDataLength(_ index: Int, _ role: LinkRole) {
    let own = controllers[links[index][role].controller]
    let wanted = links[index][role].wantedOctets ?? min(own.suggestedOctets, own.model.dataLength)
    let octets = max(27, min(wanted, controllers[links[index][role.other].controller].model.dataLength))
    guard octets != links[index][role].octets else { return }
    links[index][role].octets = octets
    for side in [role, role.other] {
      let transmit = links[index][side].octets
      let receive = links[index][side.other].octets
      emit(
        .leDataLengthChange(
          DataLengthChange(
            handle: links[index][side].handle, transmitOctets: transmit, transmitTime: Self.airTime(transmit),
            receiveOctets: receive, receiveTime: Self.airTime(receive))), links[index][side].controller)
    }
  }
}

extension PHYPreferences {
  /// The error of these preferences for a controller with LE 1M, LE 2M and perhaps LE Coded (Vol 4,
  /// Part E, 7.8.48). A side without preference is not checked.
  func fault(_ model: ControllerModel) -> HCIStatus? {
    let wanted = [all & 1 == 0 ? transmit : 1, all & 2 == 0 ? receive : 1]
    if wanted.contains(0) { return .invalidParameters }
    return wanted.contains { $0 & ~(model.hasCodedPHY ? 0b111 : 0b011) != 0 } ? .unsupportedFeature : nil
  }
}

extension HCICommand {
  /// The handle in a command about a link.
  var handle: ConnectionHandle? {
    switch self {
    case .disconnect(let handle, _), .readRemoteVersion(let handle), .readRSSI(let handle), .readTransmitPower(let handle, _),
      .leReadRemoteFeatures(let handle), .leLongTermKeyRequestReply(let handle, _), .leLongTermKeyRequestNegativeReply(let handle),
      .leConnectionParameterRequestNegativeReply(let handle, _), .leSetDataLength(let handle, _, _), .leReadPHY(let handle),
      .leSetPHY(let handle, _, _), .leReadChannelMap(let handle), .readAuthenticatedPayloadTimeout(let handle),
      .writeAuthenticatedPayloadTimeout(let handle, _):
      handle
    case .leConnectionUpdate(let value): value.handle
    case .leEnableEncryption(let value): value.handle
    case .leConnectionParameterRequestReply(let value): value.handle
    default: nil
    }
  }
}
