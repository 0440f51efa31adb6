import Exchange
import Packets
import Vocabulary

/// L2CAP signalling (Vol 3, Part A, 4). Every request of the peer is answered, if only with a
/// refusal (rule 9).
struct SignallingChannel: Equatable, Sendable {
  /// Our role.
  let role: LinkRole

  func receive(_ pdu: [UInt8]) -> [ChannelEffect] {
    // A PDU has at least a code and an identifier; 0x00 is not a valid identifier.
    guard pdu.count >= 2, pdu[1] != 0 else { return [.dropped] }
    let identifier = pdu[1]
    // MTUsig is 23 (Vol 3, Part A, 4.1). Reason 1 carries the largest accepted size.
    guard pdu.count <= 23 else { return [answer(identifier, .reject(reason: 1, data: [23, 0]))] }
    guard let signal = try? L2CAPSignal(encoded: pdu, name: "L2CAP command") else {
      // A reject is never rejected.
      return pdu[0] == 0x01 ? [] : [answer(identifier, .reject(reason: 0, data: []))]
    }
    switch signal.command {
    case .connectionParameterUpdateRequest(let wanted):
      // Only a peripheral may send this (4.20).
      guard role == .central else { return [answer(identifier, .reject(reason: 0, data: []))] }
      let response = answer(identifier, .connectionParameterUpdateResponse(result: wanted.isValid ? 0 : 1))
      guard wanted.isValid else { return [response] }
      return [
        response,
        .update(
          ConnectionParameters(
            intervalMinimum: wanted.intervalMin, intervalMaximum: wanted.intervalMax, latency: wanted.latency,
            supervisionTimeout: wanted.timeout)),
      ]
    case .disconnectionRequest(let destination, let source):
      // Reason 2: invalid CID, with the channel's endpoints (4.1).
      var data = ByteWriter()
      data.put(destination)
      data.put(source)
      return [answer(identifier, .reject(reason: 2, data: data.bytes))]
    case .leCreditConnectionRequest:
      // 0x0002: SPSM not supported (4.23).
      return [answer(identifier, .leCreditConnectionResponse(destination: 0, mtu: 0, mps: 0, credits: 0, result: 2))]
    case .creditConnectionRequest:
      // 0x0002: all connections refused, SPSM not supported (4.26).
      return [answer(identifier, .creditConnectionResponse(mtu: 0, mps: 0, credits: 0, result: 2, destinations: []))]
    case .creditReconfigureRequest, .unknown: return [answer(identifier, .reject(reason: 0, data: []))]
    case .reject, .disconnectionResponse, .connectionParameterUpdateResponse, .leCreditConnectionResponse, .flowControlCredit,
      .creditConnectionResponse, .creditReconfigureResponse:
      return []
    }
  }

  private func answer(_ identifier: UInt8, _ command: L2CAPSignal.Command) -> ChannelEffect {
    .send(L2CAPSignal(identifier, command).encoded)
  }
}
