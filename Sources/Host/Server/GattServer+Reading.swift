import Exchange
import Packets
import Vocabulary

/// Reading attributes (Vol 3, Part F, 3.4.4).
extension GattServer {
  func mayRead(_ attribute: ServerAttribute, _ session: ServerSession) -> ATTError? {
    guard attribute.properties.contains(.read) else { return .readNotPermitted }
    return refusal(attribute.protection, session)
  }

  func refusal(_ protection: ServerTable.Protection, _ session: ServerSession) -> ATTError? {
    guard protection != .open else { return nil }
    // Without a key the link cannot be encrypted, so authentication is missing (Vol 3, Part C,
    // 10.3.1).
    guard session.isEncrypted else { return session.hasBond ? .insufficientEncryption : .insufficientAuthentication }
    if protection == .authentication, !session.isAuthenticated { return .insufficientAuthentication }
    return session.isKeyShort ? .encryptionKeySizeTooShort : nil
  }

  func value(of attribute: ServerAttribute, _ session: ServerSession) -> [UInt8] {
    switch attribute.content {
    case .fixed(let value), .value(_, let value): value
    case .configuration:
      [
        UInt8(truncatingIfNeeded: session.configuration(attribute.handle)),
        UInt8(truncatingIfNeeded: session.configuration(attribute.handle) >> 8),
      ]
    case .databaseHash: hash ?? Array(repeating: 0, count: 16)
    case .clientFeatures: [session.features]
    }
  }

  /// Asks the owner, which answers through `answered`.
  mutating func ask(
    _ purpose: ServerSession.Waiting.Purpose, _ session: inout ServerSession, _ event: (ServerRequestID) -> HostEvent
  )
    -> [ServerOutput]
  {
    let id = ServerRequestID(nextRequest)
    nextRequest += 1
    session.waiting = ServerSession.Waiting(id: id, purpose: purpose)
    return [.report(owner, event(id))]
  }

  mutating func read(_ handle: AttributeHandle, offset: Int, _ pdu: ATTPDU, _ session: inout ServerSession, mtu: Int)
    -> [ServerOutput]
  {
    guard let attribute = attribute(handle) else { return [refusal(pdu.opcode, handle, .invalidHandle)] }
    if let error = mayRead(attribute, session) { return [refusal(pdu.opcode, handle, error)] }
    if attribute.asksBeforeRead, case .value(let id, _) = attribute.content {
      if offset > 0, let last = session.lastRead, last.handle == handle {
        return [part(of: last.value, from: offset, pdu, handle, mtu: mtu)]
      }
      let peer = session.peer
      let purpose: ServerSession.Waiting.Purpose =
        if case .readBlobRequest(_, let offset) = pdu { .readBlob(handle, offset: offset) } else { .read(handle) }
      return ask(purpose, &session) { .readRequested($0, id, peer) }
    }
    return [part(of: value(of: attribute, session), from: offset, pdu, handle, mtu: mtu)]
  }

  func part(of value: [UInt8], from offset: Int, _ pdu: ATTPDU, _ handle: AttributeHandle, mtu: Int) -> ServerOutput {
    guard offset <= value.count else { return refusal(pdu.opcode, handle, .invalidOffset) }
    let part = Array(value[offset...].prefix(mtu - 1))
    return if case .readBlobRequest = pdu { .send(.readBlobResponse(part)) } else { .send(.readResponse(part)) }
  }

  mutating func readByType(_ range: HandleRange, _ type: UUID, _ session: inout ServerSession, mtu: Int) -> [ServerOutput] {
    let opcode = ATTOpcode.readByTypeRequest
    guard range.isValid else { return [refusal(opcode, range.start, .invalidHandle)] }
    var list: [HandleValue] = []
    var size = 2
    for attribute in within(range) where attribute.type == type {
      if let error = mayRead(attribute, session) {
        // Only an error of the first attribute counts. A later one ends the list before it
        // (3.4.4.1).
        if list.isEmpty { return [refusal(opcode, attribute.handle, error)] }
        break
      }
      if attribute.asksBeforeRead, case .value(let id, _) = attribute.content {
        if !list.isEmpty { break }
        let peer = session.peer
        return ask(.readByType(attribute.handle), &session) { .readRequested($0, id, peer) }
      }
      let value = Array(value(of: attribute, session).prefix(min(mtu - 4, 253)))
      if let first = list.first, first.value.count != value.count { break }
      size += 2 + value.count
      if size > mtu { break }
      list.append(HandleValue(attribute.handle, value))
    }
    return list.isEmpty ? [refusal(opcode, range.start, .attributeNotFound)] : [.send(.readByTypeResponse(list))]
  }

  static func readMultipleOpcode(_ isVariable: Bool) -> UInt8 {
    isVariable ? ATTOpcode.readMultipleVariableRequest : ATTOpcode.readMultipleRequest
  }

  mutating func readMultiple(_ handles: [AttributeHandle], _ pdu: ATTPDU, _ session: inout ServerSession, mtu: Int)
    -> [ServerOutput]
  {
    // The first unreadable handle decides, before any owner is asked (Vol 3, Part F, 3.4.4.7).
    for handle in handles {
      guard let attribute = attribute(handle) else { return [refusal(pdu.opcode, handle, .invalidHandle)] }
      if let error = mayRead(attribute, session) { return [refusal(pdu.opcode, handle, error)] }
    }
    return readMultiple(handles, [], pdu.opcode == ATTOpcode.readMultipleVariableRequest, &session, mtu: mtu)
  }

  /// Collects the values from the store or the owner, whose answer continues here.
  mutating func readMultiple(
    _ handles: [AttributeHandle], _ known: [[UInt8]], _ isVariable: Bool, _ session: inout ServerSession, mtu: Int
  ) -> [ServerOutput] {
    var values = known
    for handle in handles.dropFirst(known.count) {
      guard let attribute = attribute(handle) else { return [refusal(Self.readMultipleOpcode(isVariable), handle, .invalidHandle)] }
      if attribute.asksBeforeRead, case .value(let id, _) = attribute.content {
        let peer = session.peer
        return ask(.readMultiple(handles, values: values, isVariable: isVariable), &session) { .readRequested($0, id, peer) }
      }
      values.append(value(of: attribute, session))
    }
    guard isVariable else { return [.send(.readMultipleResponse(Array(values.joined().prefix(mtu - 1))))] }
    var list: [ATTPDU.LengthValue] = []
    var left = mtu - 1
    for value in values {
      guard left >= 2 else { break }
      list.append(ATTPDU.LengthValue(Array(value.prefix(left - 2)), length: UInt16(clamping: value.count)))
      left -= 2 + min(value.count, left - 2)
    }
    return [.send(.readMultipleVariableResponse(list))]
  }
}
