import Exchange
import Packets
import Vocabulary

/// The peer's requests outside ATT. Each is answered, if only with a refusal (rule 9).
extension LEHost {
  // MARK: Channels

  mutating func apply(_ effects: [ChannelEffect], of channel: UInt16, on handle: ConnectionHandle) {
    for effect in effects {
      switch effect {
      case .send(let pdu): sendFrame(channel, pdu, on: handle)
      case .update(let parameters):
        send(.leConnectionUpdate(ConnectionUpdate(handle: handle, connection: parameters)), for: .aside)
      case .dropped: if let index = isLive(handle) { links[index].dropped += 1 }
      }
    }
  }

  // MARK: HCI

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
