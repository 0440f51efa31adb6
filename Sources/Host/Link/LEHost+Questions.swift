import Exchange
import Packets
import Vocabulary

/// The peer's questions outside of ATT: each is answered, also with a no (rule 9).
extension LEHost {
  // MARK: L2CAP signalling (Vol 3, Part A, 4)

  mutating func receiveSignal(_ payload: [UInt8], on handle: ConnectionHandle) {
    guard let index = isLive(handle) else { return }
    // a code and an identifier, at least; 0x00 is no identifier
    guard payload.count >= 2, payload[1] != 0 else {
      links[index].dropped += 1
      return
    }
    let identifier = payload[1]
    // MTUsig is 23 (Vol 3, Part A, 4.1): reason 1 with the largest that is taken
    guard payload.count <= 23 else { return answer(L2CAPSignal(identifier, .reject(reason: 1, data: [23, 0])), on: handle) }
    guard let signal = try? decode(L2CAPSignal.self, from: payload, name: "L2CAP command") else {
      // a reject is never rejected
      if payload[0] != 0x01 { answer(L2CAPSignal(identifier, .reject(reason: 0, data: [])), on: handle) }
      return
    }
    switch signal.command {
    case .connectionParameterUpdateRequest(let wanted):
      guard links[index].role == .central else {
        // only a peripheral may ask (4.20)
        return answer(L2CAPSignal(identifier, .reject(reason: 0, data: [])), on: handle)
      }
      answer(L2CAPSignal(identifier, .connectionParameterUpdateResponse(result: wanted.isValid ? 0 : 1)), on: handle)
      guard wanted.isValid else { return }
      send(
        .leConnectionUpdate(
          ConnectionUpdate(
            handle: handle,
            connection: ConnectionParameters(
              intervalMinimum: wanted.intervalMin, intervalMaximum: wanted.intervalMax, latency: wanted.latency,
              supervisionTimeout: wanted.timeout))), for: .aside)
    case .disconnectionRequest(let destination, let source):
      // reason 2: no such channel, and which (4.1)
      var data = ByteWriter()
      data.put(destination)
      data.put(source)
      answer(L2CAPSignal(identifier, .reject(reason: 2, data: data.bytes)), on: handle)
    case .leCreditConnectionRequest:
      // 0x0002: SPSM not supported (4.23)
      answer(
        L2CAPSignal(identifier, .leCreditConnectionResponse(destination: 0, mtu: 0, mps: 0, credits: 0, result: 2)), on: handle)
    case .creditConnectionRequest:
      // 0x0002: all connections refused, SPSM not supported (4.26)
      answer(
        L2CAPSignal(identifier, .creditConnectionResponse(mtu: 0, mps: 0, credits: 0, result: 2, destinations: [])), on: handle)
    case .creditReconfigureRequest, .unknown: answer(L2CAPSignal(identifier, .reject(reason: 0, data: [])), on: handle)
    case .reject, .disconnectionResponse, .connectionParameterUpdateResponse, .leCreditConnectionResponse, .flowControlCredit,
      .creditConnectionResponse, .creditReconfigureResponse:
      break
    }
  }

  private mutating func answer(_ signal: L2CAPSignal, on handle: ConnectionHandle) {
    sendFrame(L2CAPChannel.signalling, signal.encoded, on: handle)
  }

  // MARK: SMP (Vol 3, Part H, 3)

  /// Nothing can be paired: Pairing Request and Security Request are told so, the rest that would
  /// begin something is not understood.
  mutating func receiveSecurity(_ payload: [UInt8], on handle: ConnectionHandle) {
    switch payload.first {
    // Pairing Failed ends the matter (3.5.5); it is never answered
    case nil, 0x05: return
    // Pairing Request, Security Request: pairing not supported
    case 0x01, 0x0B: sendFrame(L2CAPChannel.security, [0x05, 0x05], on: handle)
    // command not supported
    default: sendFrame(L2CAPChannel.security, [0x05, 0x07], on: handle)
    }
  }

  // MARK: HCI

  mutating func longTermKeyAsked(_ event: LongTermKeyRequest) {
    heard(event.handle)
    send(.leLongTermKeyRequestNegativeReply(event.handle), for: .aside)
  }

  mutating func connectionParametersAsked(_ event: ConnectionParameterRequest) {
    heard(event.handle)
    let wanted = ConnectionParameters(
      intervalMinimum: event.intervalMinimum, intervalMaximum: event.intervalMaximum, latency: event.latency,
      supervisionTimeout: event.supervisionTimeout)
    if wanted.isValid {
      send(.leConnectionParameterRequestReply(ConnectionParameterReply(handle: event.handle, connection: wanted)), for: .aside)
    } else {
      send(.leConnectionParameterRequestNegativeReply(event.handle, reason: .unacceptableParameters), for: .aside)
    }
  }
}
