import Exchange
import Packets
import Vocabulary

/// Writing attributes, at once or prepared (Vol 3, Part F, 3.4.5 and 3.4.6).
extension GattServer {
  func mayWrite(_ attribute: ServerAttribute, _ value: [UInt8], _ session: ServerSession, _ property: ServerTable.Properties)
    -> ATTError?
  {
    guard attribute.properties.contains(property) else { return .writeNotPermitted }
    if let error = refusal(attribute.writeProtection, session) { return error }
    switch attribute.content {
    case .configuration:
      guard value.count == 2 else { return .invalidAttributeValueLength }
      guard value[1] == 0, value[0] & ~configurable(attribute.handle) == 0 else { return .valueNotAllowed }
      return nil
    case .clientFeatures:
      guard let features = value.first else { return .invalidAttributeValueLength }
      // A client may not clear a bit (Vol 3, Part G, 7.2).
      return session.features & ~features == 0 ? nil : .valueNotAllowed
    case .value: return value.count > AttributeLimits.value ? .invalidAttributeValueLength : nil
    case .fixed, .databaseHash: return .writeNotPermitted
    }
  }

  /// The bits that a configuration may set: 1 to notify, 2 to indicate, if the characteristic has
  /// them.
  func configurable(_ handle: AttributeHandle) -> UInt8 {
    guard let value = handle.previous.flatMap({ attribute($0) }) else { return 0 }
    return (value.properties.contains(.notify) ? 1 : 0) | (value.properties.contains(.indicate) ? 2 : 0)
  }

  mutating func store(_ attribute: ServerAttribute, _ value: [UInt8], _ session: inout ServerSession) -> [ServerOutput] {
    switch attribute.content {
    case .value(let id, _):
      attributes[Int(attribute.handle.raw) - 1].content = .value(id, value)
      return []
    case .clientFeatures:
      session.features = value.first ?? 0
      session.isChanged = true
      return []
    case .configuration(let id): return configure(attribute.handle, id, UInt16(value.first ?? 0), &session)
    case .fixed, .databaseHash: return []
    }
  }

  /// Stores a value without asking the owner, and reports it.
  private mutating func take(_ attribute: ServerAttribute, _ value: [UInt8], _ session: inout ServerSession) -> [ServerOutput] {
    let outputs = store(attribute, value, &session)
    guard case .value(let id, _) = attribute.content, id.raw >= 0 else { return outputs }
    return outputs + [.report(owner, .valueWritten(id, session.peer, value))]
  }

  func configure(_ handle: AttributeHandle, _ id: ServerAttributeID?, _ value: UInt16, _ session: inout ServerSession)
    -> [ServerOutput]
  {
    let before = session.configuration(handle)
    session.configurations.removeAll { $0.handle == handle }
    if before != value { session.isChanged = true }
    if value != 0 { session.configurations.append(ServerSession.Configuration(handle: handle, value: value)) }
    guard let id, before != value else { return [] }
    if value == 0 { return [.report(owner, .unsubscribed(id, session.peer))] }
    return [.report(owner, .subscribed(id, session.peer, value & 1 != 0 ? .notify : .indicate))]
  }

  mutating func write(_ handle: AttributeHandle, _ value: [UInt8], _ session: inout ServerSession) -> [ServerOutput] {
    let opcode = ATTOpcode.writeRequest
    guard let attribute = attribute(handle) else { return [refusal(opcode, handle, .invalidHandle)] }
    if let error = mayWrite(attribute, value, session, .write) { return [refusal(opcode, handle, error)] }
    if let id = asked(attribute) {
      let peer = session.peer
      return ask(.write(handle, value), &session) { .writeRequested($0, id, peer, value, withResponse: true) }
    }
    let outputs = take(attribute, value, &session)
    return [.send(.writeResponse)] + outputs
  }

  /// The attribute if its owner answers write requests.
  private func asked(_ attribute: ServerAttribute) -> ServerAttributeID? {
    guard case .value(let id, _) = attribute.content, attribute.asksBeforeWrite || confirmsWrites && id.raw >= 0 else { return nil }
    return id
  }

  mutating func command(_ handle: AttributeHandle, _ value: [UInt8], _ session: inout ServerSession) -> [ServerOutput] {
    guard let attribute = attribute(handle), mayWrite(attribute, value, session, .writeWithoutResponse) == nil else { return [] }
    guard attribute.asksBeforeWrite, case .value(let id, _) = attribute.content else { return take(attribute, value, &session) }
    let request = ServerRequestID(nextRequest)
    nextRequest += 1
    // Bound the memory for an owner that never answers.
    if session.commands.count >= AttributeLimits.preparedWrites { session.commands.removeFirst() }
    session.commands.append(ServerSession.Command(id: request, handle: handle, value: value))
    return [.report(owner, .writeRequested(request, id, session.peer, value, withResponse: false))]
  }

  func prepare(
    _ handle: AttributeHandle, _ offset: Int, _ value: [UInt8], _ pdu: ATTPDU, _ session: inout ServerSession, mtu: Int
  ) -> [ServerOutput] {
    // The request was longer than the MTU, and so would be its echo.
    guard value.count + 5 <= mtu else { return [refusal(pdu.opcode, handle, .invalidPDU)] }
    guard let attribute = attribute(handle) else { return [refusal(pdu.opcode, handle, .invalidHandle)] }
    guard attribute.properties.contains(.write) else { return [refusal(pdu.opcode, handle, .writeNotPermitted)] }
    if let error = refusal(attribute.writeProtection, session) { return [refusal(pdu.opcode, handle, error)] }
    let octets = session.prepared.reduce(value.count) { $0 + $1.value.count }
    guard session.prepared.count < AttributeLimits.preparedWrites, octets <= AttributeLimits.preparedOctets else {
      return [refusal(pdu.opcode, handle, .prepareQueueFull)]
    }
    session.prepared.append(ServerSession.Prepared(handle: handle, offset: offset, value: value))
    return [.send(.prepareWriteResponse(handle, offset: UInt16(clamping: offset), value))]
  }

  /// Checks all offsets and lengths before it writes anything (Vol 3, Part F, 3.4.6.3).
  mutating func execute(_ write: Bool, _ session: inout ServerSession) -> [ServerOutput] {
    let opcode = ATTOpcode.executeWriteRequest
    let parts = session.prepared
    session.prepared = []
    guard write else { return [.send(.executeWriteResponse)] }
    var whole: [ServerSession.Prepared] = []
    for part in parts {
      guard let attribute = attribute(part.handle) else { return [refusal(opcode, part.handle, .invalidHandle)] }
      if let place = whole.firstIndex(where: { $0.handle == part.handle }) {
        guard part.offset <= whole[place].value.count else { return [refusal(opcode, part.handle, .invalidOffset)] }
        whole[place].value.replaceSubrange(
          part.offset..<min(part.offset + part.value.count, whole[place].value.count), with: part.value)
      } else {
        // The first part keeps the octets before its offset.
        let before = value(of: attribute, session)
        guard part.offset <= before.count else { return [refusal(opcode, part.handle, .invalidOffset)] }
        whole.append(ServerSession.Prepared(handle: part.handle, offset: 0, value: before.prefix(part.offset) + part.value))
      }
    }
    for part in whole {
      guard let attribute = attribute(part.handle) else { continue }
      if let error = mayWrite(attribute, part.value, session, .write) { return [refusal(opcode, part.handle, error)] }
    }
    return goOn(whole, &session)
  }

  mutating func goOn(_ parts: [ServerSession.Prepared], _ session: inout ServerSession) -> [ServerOutput] {
    var rest = parts[...]
    var outputs: [ServerOutput] = []
    while let part = rest.first {
      guard let attribute = attribute(part.handle) else { break }
      if let id = asked(attribute) {
        let peer = session.peer
        return outputs + ask(.execute(Array(rest)), &session) { .writeRequested($0, id, peer, part.value, withResponse: true) }
      }
      outputs += take(attribute, part.value, &session)
      rest = rest.dropFirst()
    }
    return [.send(.executeWriteResponse)] + outputs
  }
}
