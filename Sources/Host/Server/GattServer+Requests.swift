import Exchange
import Packets
import Vocabulary

/// Responses to a client (Vol 3, Part F, 3.4). Every request is answered, if only with an Error
/// Response; unknown commands are ignored.
extension GattServer {
  /// Handles one PDU other than responses and values.
  mutating func answer(_ bytes: [UInt8], _ session: inout ServerSession, mtu: Int) -> [ServerOutput] {
    guard let opcode = bytes.first else { return [] }
    let pdu: ATTPDU
    do {
      pdu = try ATTPDU(encoded: bytes, name: "ATT PDU")
    } catch {
      if ATTOpcode.isCommand(opcode) || opcode == ATTOpcode.handleValueConfirmation { return [] }
      return [refusal(opcode, AttributeHandle(0), .invalidPDU)]
    }
    switch pdu {
    case .handleValueConfirmation, .signedWriteCommand: return []
    case .writeCommand(let handle, let value): return command(handle, value, &session)
    case .unknown:
      return ATTOpcode.isCommand(opcode) ? [] : [refusal(opcode, AttributeHandle(0), .requestNotSupported)]
    default: break
    }
    if session.waiting != nil {
      // One request at a time: the next waits until the first is answered.
      if session.deferred.count < 16 { session.deferred.append(bytes) }
      return []
    }
    return request(pdu, &session, mtu: mtu)
  }

  mutating func request(_ pdu: ATTPDU, _ session: inout ServerSession, mtu: Int) -> [ServerOutput] {
    switch pdu {
    case .findInformationRequest(let range): return findInformation(range, mtu: mtu)
    case .findByTypeValueRequest(let range, let type, let value): return findByTypeValue(range, type, value, session, mtu: mtu)
    case .readByTypeRequest(let range, let type): return readByType(range, type, &session, mtu: mtu)
    case .readByGroupTypeRequest(let range, let type): return readByGroupType(range, type, mtu: mtu)
    case .readRequest(let handle): return read(handle, offset: 0, pdu, &session, mtu: mtu)
    case .readBlobRequest(let handle, let offset): return read(handle, offset: Int(offset), pdu, &session, mtu: mtu)
    case .readMultipleRequest(let handles), .readMultipleVariableRequest(let handles):
      return readMultiple(handles, pdu, &session, mtu: mtu)
    case .writeRequest(let handle, let value): return write(handle, value, &session)
    case .prepareWriteRequest(let handle, let offset, let value):
      return prepare(handle, Int(offset), value, pdu, &session, mtu: mtu)
    case .executeWriteRequest(let write): return execute(write, &session)
    default: return [refusal(pdu.opcode, AttributeHandle(0), .requestNotSupported)]
    }
  }

  func refusal(_ opcode: UInt8, _ handle: AttributeHandle, _ code: ATTError) -> ServerOutput {
    .send(.errorResponse(request: opcode, handle: handle, code: code))
  }
}
