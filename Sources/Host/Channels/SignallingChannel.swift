import Exchange
import Packets
import Vocabulary

/// L2CAP signalling (Vol 3, Part A, 4): each question of the peer is answered, also with a no
/// (rule 9).
struct SignallingChannel: Equatable, Sendable {
  /// Ours.
  let role: LinkRole

  func receive(_ pdu: [UInt8]) -> [ChannelEffect] {
    // a code and an identifier, at least; 0x00 is no identifier
    guard pdu.count >= 2, pdu[1] != 0 else { return [.dropped] }
    let identifier = pdu[1]
    // MTUsig is 23 (Vol 3, Part A, 4.1): reason 1 with the largest that is taken
    guard pdu.count <= 23 else { return [answer(identifier, .reject(reason: 1, data: [23, 0]))] }
    guard let signal = try? L2CAPSignal(encoded: pdu, name: "L2CAP command") else {
      // a reject is never rejected
      return pdu[0] == 0x01 ? [] : [answer(identifier, .reject(reason: 0, data: []))]
    }
    switch signal.command {
    case .connectionParameterUpdateRequest(let wanted):
      // only a peripheral may ask (4.20)
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
      // reason 2: no such channel, and which (4.1)
      var data = ByteWriter()
      data.put(destination)
      data.put(source)
      return [answer(identifier, .reject(reason: 2, data: data.bytes))]
    case .leCreditConnectionRequest:
      // 0x0002: SPSM not supported (4.23)
      return [answer(identifier, .leCreditConnectionResponse(destination: 0, mtu: 0, mps: 0, credits: 0, result: 2))]
    case .creditConnectionRequest:
      // 0x0002: all connections refused, SPSM not supported (4.26)
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
