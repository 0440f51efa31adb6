import Exchange
import Packets
package import Vocabulary

/// Answers of the table's owner.
extension GattServer {
  /// Takes the owner's answer to a request of this link's central. Does nothing if it is not of
  /// this link.
  mutating func answered(_ id: ServerRequestID, _ answer: ServerAnswer, _ session: inout ServerSession, mtu: Int) -> [ServerOutput]?
  {
    if let place = session.commands.firstIndex(where: { $0.id == id }) {
      let command = session.commands.remove(at: place)
      if case .refuse = answer { return [] }
      guard let attribute = attribute(command.handle) else { return [] }
      return store(attribute, stored(command.value, answer), &session)
    }
    guard let waiting = session.waiting, waiting.id == id else { return nil }
    return end(waiting, answer, &session, mtu: mtu)
  }

  /// The table was replaced during a request, whose answer would no longer match.
  mutating func abandon(_ session: inout ServerSession, mtu: Int) -> [ServerOutput] {
    session.commands = []
    guard let waiting = session.waiting else { return [] }
    return end(waiting, .refuse(ATTError.unlikelyError.raw), &session, mtu: mtu)
  }

  mutating func end(_ waiting: ServerSession.Waiting, _ answer: ServerAnswer, _ session: inout ServerSession, mtu: Int)
    -> [ServerOutput]
  {
    session.waiting = nil
    var outputs = settle(waiting.purpose, answer, &session, mtu: mtu)
    while session.waiting == nil, !session.deferred.isEmpty {
      outputs += self.answer(session.deferred.removeFirst(), &session, mtu: mtu)
    }
    return outputs
  }

  /// The value to store for a write; an answer of `value` replaces the written one.
  func stored(_ written: [UInt8], _ answer: ServerAnswer) -> [UInt8] {
    if case .value(let other) = answer { Array(other.prefix(AttributeLimits.value)) } else { written }
  }

  mutating func settle(
    _ purpose: ServerSession.Waiting.Purpose, _ answer: ServerAnswer, _ session: inout ServerSession, mtu: Int
  )
    -> [ServerOutput]
  {
    switch purpose {
    case .read(let handle): return give(handle, answer, .readRequest(handle), offset: 0, &session, mtu: mtu)
    case .readBlob(let handle, let offset):
      return give(handle, answer, .readBlobRequest(handle, offset: offset), offset: Int(offset), &session, mtu: mtu)
    case .readByType(let handle):
      if case .refuse(let code) = answer { return [refusal(ATTOpcode.readByTypeRequest, handle, ATTError(code))] }
      let value = given(handle, answer, &session)
      return [.send(.readByTypeResponse([HandleValue(handle, Array(value.prefix(min(mtu - 4, 253))))]))]
    case .write(let handle, let value):
      if case .refuse(let code) = answer { return [refusal(ATTOpcode.writeRequest, handle, ATTError(code))] }
      guard let attribute = attribute(handle) else { return [refusal(ATTOpcode.writeRequest, handle, .invalidHandle)] }
      let outputs = store(attribute, stored(value, answer), &session)
      return [.send(.writeResponse)] + outputs
    case .execute(let parts):
      guard let part = parts.first else { return [.send(.executeWriteResponse)] }
      if case .refuse(let code) = answer { return [refusal(ATTOpcode.executeWriteRequest, part.handle, ATTError(code))] }
      var outputs: [ServerOutput] = []
      if let attribute = attribute(part.handle) { outputs = store(attribute, stored(part.value, answer), &session) }
      return outputs + goOn(Array(parts.dropFirst()), &session)
    case .readMultiple(let handles, let values, let isVariable):
      guard handles.indices.contains(values.count) else { return [] }
      let handle = handles[values.count]
      if case .refuse(let code) = answer { return [refusal(Self.readMultipleOpcode(isVariable), handle, ATTError(code))] }
      return readMultiple(handles, values + [given(handle, answer, &session)], isVariable, &session, mtu: mtu)
    }
  }

  mutating func given(_ handle: AttributeHandle, _ answer: ServerAnswer, _ session: inout ServerSession) -> [UInt8] {
    var value: [UInt8] = []
    if case .value(let given) = answer {
      value = Array(given.prefix(AttributeLimits.value))
    } else if let attribute = attribute(handle) {
      value = self.value(of: attribute, session)
    }
    session.lastRead = HandleValue(handle, value)
    return value
  }

  mutating func give(
    _ handle: AttributeHandle, _ answer: ServerAnswer, _ pdu: ATTPDU, offset: Int, _ session: inout ServerSession, mtu: Int
  ) -> [ServerOutput] {
    if case .refuse(let code) = answer { return [refusal(pdu.opcode, handle, ATTError(code))] }
    return [part(of: given(handle, answer, &session), from: offset, pdu, handle, mtu: mtu)]
  }
}

extension LEHost {
  /// Whether our server has a Client Characteristic Configuration descriptor at this handle.
  package func isConfiguration(_ handle: AttributeHandle) -> Bool {
    if case .configuration? = server.attribute(handle)?.content { true } else { false }
  }
}
