import Exchange
import Packets
import Vocabulary

/// The answers to a client (Vol 3, Part F, 3.4). Everything is answered: what cannot be is refused by an Error Response; commands that are not
/// understood are ignored.
extension GattServer {
  /// One PDU that is no response and no value.
  mutating func answer(_ bytes: [UInt8], _ session: inout ServerSession, mtu: Int) -> [ServerOutput] {
    guard let opcode = bytes.first else { return [] }
    let pdu: ATTPDU
    do {
      pdu = try decode(ATTPDU.self, from: bytes, name: "ATT PDU")
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
      // one request at a time: a second one is kept until the first is answered
      if session.deferred.count < 16 { session.deferred.append(bytes) }
      return []
    }
    return request(pdu, &session, mtu: mtu)
  }

  private mutating func request(_ pdu: ATTPDU, _ session: inout ServerSession, mtu: Int) -> [ServerOutput] {
    switch pdu {
    case .findInformationRequest(let range): return findInformation(range, mtu: mtu)
    case .findByTypeValueRequest(let range, let type, let value): return findByTypeValue(range, type, value, mtu: mtu)
    case .readByTypeRequest(let range, let type): return readByType(range, type, &session, mtu: mtu)
    case .readByGroupTypeRequest(let range, let type): return readByGroupType(range, type, mtu: mtu)
    case .readRequest(let handle): return read(handle, offset: 0, pdu, &session, mtu: mtu)
    case .readBlobRequest(let handle, let offset): return read(handle, offset: Int(offset), pdu, &session, mtu: mtu)
    case .readMultipleRequest(let handles), .readMultipleVariableRequest(let handles):
      return readMultiple(handles, pdu, session, mtu: mtu)
    case .writeRequest(let handle, let value): return write(handle, value, &session)
    case .prepareWriteRequest(let handle, let offset, let value): return prepare(handle, Int(offset), value, pdu, &session)
    case .executeWriteRequest(let write): return execute(write, &session)
    default: return [refusal(pdu.opcode, AttributeHandle(0), .requestNotSupported)]
    }
  }

  private func refusal(_ opcode: UInt8, _ handle: AttributeHandle, _ code: ATTError) -> ServerOutput {
    .send(.errorResponse(request: opcode, handle: handle, code: code))
  }

  // MARK: Finding

  private func within(_ range: HandleRange) -> ArraySlice<ServerAttribute> {
    let first = max(Int(range.start.raw), 1) - 1
    let last = min(Int(range.end.raw), attributes.count)
    return first < last ? attributes[first..<last] : []
  }

  private func findInformation(_ range: HandleRange, mtu: Int) -> [ServerOutput] {
    let opcode = ATTOpcode.findInformationRequest
    guard range.isValid else { return [refusal(opcode, range.start, .invalidHandle)] }
    var list: [HandleUUID] = []
    var size = 2
    for attribute in within(range) {
      // one answer has UUIDs of one width
      if let first = list.first, first.type.wireSize != attribute.type.wireSize { break }
      size += 2 + attribute.type.wireSize
      if size > mtu { break }
      list.append(HandleUUID(attribute.handle, attribute.type))
    }
    return list.isEmpty ? [refusal(opcode, range.start, .attributeNotFound)] : [.send(.findInformationResponse(list))]
  }

  private func findByTypeValue(_ range: HandleRange, _ type: UInt16, _ value: [UInt8], mtu: Int) -> [ServerOutput] {
    let opcode = ATTOpcode.findByTypeValueRequest
    guard range.isValid else { return [refusal(opcode, range.start, .invalidHandle)] }
    var list: [HandleRange] = []
    for attribute in within(range) where attribute.type == UUID(type) && (list.count + 1) * 4 + 1 <= mtu {
      guard case .fixed(let own) = attribute.content, Self.isSame(own, value) else { continue }
      list.append(HandleRange(attribute.handle, attribute.groupEnd ?? attribute.handle))
    }
    return list.isEmpty ? [refusal(opcode, range.start, .attributeNotFound)] : [.send(.findByTypeValueResponse(list))]
  }

  /// A UUID may be asked for in its long form.
  private static func isSame(_ own: [UInt8], _ asked: [UInt8]) -> Bool {
    own == asked || (own.count == 2 && asked.count == 16 && UUID(attributeValue: own) == UUID(attributeValue: asked))
  }

  private func readByGroupType(_ range: HandleRange, _ type: UUID, mtu: Int) -> [ServerOutput] {
    let opcode = ATTOpcode.readByGroupTypeRequest
    guard range.isValid else { return [refusal(opcode, range.start, .invalidHandle)] }
    guard type == UUID(0x2800) || type == UUID(0x2801) else { return [refusal(opcode, range.start, .unsupportedGroupType)] }
    var list: [GroupValue] = []
    var size = 2
    for attribute in within(range) where attribute.type == type {
      guard case .fixed(let value) = attribute.content, let end = attribute.groupEnd else { continue }
      if let first = list.first, first.value.count != value.count { break }
      size += 4 + value.count
      if size > mtu { break }
      list.append(GroupValue(HandleRange(attribute.handle, end), value))
    }
    return list.isEmpty ? [refusal(opcode, range.start, .attributeNotFound)] : [.send(.readByGroupTypeResponse(list))]
  }

  // MARK: Reading

  private func mayRead(_ attribute: ServerAttribute, _ session: ServerSession) -> ATTError? {
    guard attribute.abilities.contains(.read) else { return .readNotPermitted }
    return protection(attribute, session)
  }

  private func protection(_ attribute: ServerAttribute, _ session: ServerSession) -> ATTError? {
    // without a key there is nothing to encrypt with: authentication is what is missing (Vol 3, Part C, 10.3.1)
    attribute.protection == .open || session.isEncrypted ? nil : .insufficientAuthentication
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

  /// Asks the owner, who answers by `answered`.
  private mutating func ask(
    _ purpose: ServerSession.Waiting.Purpose, _ session: inout ServerSession, _ event: (ServerRequestID) -> HostEvent
  )
    -> [ServerOutput]
  {
    let id = ServerRequestID(nextRequest)
    nextRequest += 1
    session.waiting = ServerSession.Waiting(id: id, purpose: purpose)
    return [.report(owner, event(id))]
  }

  private mutating func read(_ handle: AttributeHandle, offset: Int, _ pdu: ATTPDU, _ session: inout ServerSession, mtu: Int)
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

  private func part(of value: [UInt8], from offset: Int, _ pdu: ATTPDU, _ handle: AttributeHandle, mtu: Int) -> ServerOutput {
    guard offset <= value.count else { return refusal(pdu.opcode, handle, .invalidOffset) }
    let part = Array(value[offset...].prefix(mtu - 1))
    return if case .readBlobRequest = pdu { .send(.readBlobResponse(part)) } else { .send(.readResponse(part)) }
  }

  private mutating func readByType(_ range: HandleRange, _ type: UUID, _ session: inout ServerSession, mtu: Int) -> [ServerOutput] {
    let opcode = ATTOpcode.readByTypeRequest
    guard range.isValid else { return [refusal(opcode, range.start, .invalidHandle)] }
    var list: [HandleValue] = []
    var size = 2
    for attribute in within(range) where attribute.type == type {
      if let error = mayRead(attribute, session) {
        // an error counts only for the first; later ones end the list before them (3.4.4.1)
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

  private func readMultiple(_ handles: [AttributeHandle], _ pdu: ATTPDU, _ session: ServerSession, mtu: Int) -> [ServerOutput] {
    var values: [[UInt8]] = []
    for handle in handles {
      guard let attribute = attribute(handle) else { return [refusal(pdu.opcode, handle, .invalidHandle)] }
      if let error = mayRead(attribute, session) { return [refusal(pdu.opcode, handle, error)] }
      values.append(value(of: attribute, session))
    }
    guard case .readMultipleVariableRequest = pdu else {
      return [.send(.readMultipleResponse(Array(values.joined().prefix(mtu - 1))))]
    }
    var list: [ATTPDU.LengthValue] = []
    var left = mtu - 1
    for value in values {
      guard left >= 2 else { break }
      list.append(ATTPDU.LengthValue(Array(value.prefix(left - 2)), length: UInt16(clamping: value.count)))
      left -= 2 + min(value.count, left - 2)
    }
    return [.send(.readMultipleVariableResponse(list))]
  }

  // MARK: Writing

  private func mayWrite(_ attribute: ServerAttribute, _ value: [UInt8], _ session: ServerSession, _ ability: ServerTable.Abilities)
    -> ATTError?
  {
    guard attribute.abilities.contains(ability) else { return .writeNotPermitted }
    if let error = protection(attribute, session) { return error }
    switch attribute.content {
    case .configuration:
      guard value.count == 2 else { return .invalidAttributeValueLength }
      guard value[1] == 0, value[0] & ~configurable(attribute.handle) == 0 else { return .valueNotAllowed }
      return nil
    case .clientFeatures:
      guard let features = value.first else { return .invalidAttributeValueLength }
      // a bit once set stays set (Vol 3, Part G, 7.2)
      return session.features & ~features == 0 ? nil : .valueNotAllowed
    case .value: return value.count > AttributeLimits.value ? .invalidAttributeValueLength : nil
    case .fixed, .databaseHash: return .writeNotPermitted
    }
  }

  /// The bits that a configuration may have: notify 1, indicate 2, as the characteristic before it can.
  private func configurable(_ handle: AttributeHandle) -> UInt8 {
    guard let value = handle.previous.flatMap({ attribute($0) }) else { return 0 }
    return (value.abilities.contains(.notify) ? 1 : 0) | (value.abilities.contains(.indicate) ? 2 : 0)
  }

  private mutating func store(_ attribute: ServerAttribute, _ value: [UInt8], _ session: inout ServerSession) -> [ServerOutput] {
    switch attribute.content {
    case .value(let id, _):
      attributes[Int(attribute.handle.raw) - 1].content = .value(id, value)
      return []
    case .clientFeatures:
      session.features = value.first ?? 0
      return []
    case .configuration(let id): return configure(attribute.handle, id, UInt16(value.first ?? 0), &session)
    case .fixed, .databaseHash: return []
    }
  }

  private func configure(_ handle: AttributeHandle, _ id: ServerAttributeID?, _ value: UInt16, _ session: inout ServerSession)
    -> [ServerOutput]
  {
    let before = session.configuration(handle)
    session.configurations.removeAll { $0.handle == handle }
    if value != 0 { session.configurations.append(ServerSession.Configuration(handle: handle, value: value)) }
    guard let id, before != value else { return [] }
    if value == 0 { return [.report(owner, .unsubscribed(id, session.peer))] }
    return [.report(owner, .subscribed(id, session.peer, value & 1 != 0 ? .notify : .indicate))]
  }

  private mutating func write(_ handle: AttributeHandle, _ value: [UInt8], _ session: inout ServerSession) -> [ServerOutput] {
    let opcode = ATTOpcode.writeRequest
    guard let attribute = attribute(handle) else { return [refusal(opcode, handle, .invalidHandle)] }
    if let error = mayWrite(attribute, value, session, .write) { return [refusal(opcode, handle, error)] }
    if attribute.asksBeforeWrite, case .value(let id, _) = attribute.content {
      let peer = session.peer
      return ask(.write(handle, value), &session) { .writeRequested($0, id, peer, value, withResponse: true) }
    }
    let told = store(attribute, value, &session)
    return [.send(.writeResponse)] + told
  }

  private mutating func command(_ handle: AttributeHandle, _ value: [UInt8], _ session: inout ServerSession) -> [ServerOutput] {
    guard let attribute = attribute(handle), mayWrite(attribute, value, session, .writeWithoutResponse) == nil else { return [] }
    guard attribute.asksBeforeWrite, case .value(let id, _) = attribute.content else { return store(attribute, value, &session) }
    let request = ServerRequestID(nextRequest)
    nextRequest += 1
    // an owner that answers none of them costs no memory without end
    if session.commands.count >= AttributeLimits.preparedWrites { session.commands.removeFirst() }
    session.commands.append(ServerSession.Command(id: request, handle: handle, value: value))
    return [.report(owner, .writeRequested(request, id, session.peer, value, withResponse: false))]
  }

  private func prepare(_ handle: AttributeHandle, _ offset: Int, _ value: [UInt8], _ pdu: ATTPDU, _ session: inout ServerSession)
    -> [ServerOutput]
  {
    guard let attribute = attribute(handle) else { return [refusal(pdu.opcode, handle, .invalidHandle)] }
    guard attribute.abilities.contains(.write) else { return [refusal(pdu.opcode, handle, .writeNotPermitted)] }
    if let error = protection(attribute, session) { return [refusal(pdu.opcode, handle, error)] }
    let octets = session.prepared.reduce(value.count) { $0 + $1.value.count }
    guard session.prepared.count < AttributeLimits.preparedWrites, octets <= AttributeLimits.preparedOctets else {
      return [refusal(pdu.opcode, handle, .prepareQueueFull)]
    }
    session.prepared.append(ServerSession.Prepared(handle: handle, offset: offset, value: value))
    return [.send(.prepareWriteResponse(handle, offset: UInt16(clamping: offset), value))]
  }

  /// Offsets and lengths are checked here, before anything is written (Vol 3, Part F, 3.4.6.3).
  private mutating func execute(_ write: Bool, _ session: inout ServerSession) -> [ServerOutput] {
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
        // the first part keeps what stands before it
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

  private mutating func goOn(_ parts: [ServerSession.Prepared], _ session: inout ServerSession) -> [ServerOutput] {
    var rest = parts[...]
    var told: [ServerOutput] = []
    while let part = rest.first {
      guard let attribute = attribute(part.handle) else { break }
      if attribute.asksBeforeWrite, case .value(let id, _) = attribute.content {
        let peer = session.peer
        return told + ask(.execute(Array(rest)), &session) { .writeRequested($0, id, peer, part.value, withResponse: true) }
      }
      told += store(attribute, part.value, &session)
      rest = rest.dropFirst()
    }
    return [.send(.executeWriteResponse)] + told
  }

  // MARK: The owner's answers

  /// The owner's answer to a request of this link's central; nothing when it is none of its.
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

  /// The table was replaced under a request: its owner's answer would be about something else.
  mutating func abandon(_ session: inout ServerSession, mtu: Int) -> [ServerOutput] {
    session.commands = []
    guard let waiting = session.waiting else { return [] }
    return end(waiting, .refuse(ATTError.unlikelyError.raw), &session, mtu: mtu)
  }

  private mutating func end(_ waiting: ServerSession.Waiting, _ answer: ServerAnswer, _ session: inout ServerSession, mtu: Int)
    -> [ServerOutput]
  {
    session.waiting = nil
    var outputs = settle(waiting.purpose, answer, &session, mtu: mtu)
    while session.waiting == nil, !session.deferred.isEmpty {
      outputs += self.answer(session.deferred.removeFirst(), &session, mtu: mtu)
    }
    return outputs
  }

  /// `value` as the answer to a write stores something else than what was written.
  private func stored(_ written: [UInt8], _ answer: ServerAnswer) -> [UInt8] {
    if case .value(let other) = answer { Array(other.prefix(AttributeLimits.value)) } else { written }
  }

  private mutating func settle(
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
      let told = store(attribute, stored(value, answer), &session)
      return [.send(.writeResponse)] + told
    case .execute(let parts):
      guard let part = parts.first else { return [.send(.executeWriteResponse)] }
      if case .refuse(let code) = answer { return [refusal(ATTOpcode.executeWriteRequest, part.handle, ATTError(code))] }
      var told: [ServerOutput] = []
      if let attribute = attribute(part.handle) { told = store(attribute, stored(part.value, answer), &session) }
      return told + goOn(Array(parts.dropFirst()), &session)
    }
  }

  private mutating func given(_ handle: AttributeHandle, _ answer: ServerAnswer, _ session: inout ServerSession) -> [UInt8] {
    var value: [UInt8] = []
    if case .value(let given) = answer {
      value = Array(given.prefix(AttributeLimits.value))
    } else if let attribute = attribute(handle) {
      value = self.value(of: attribute, session)
    }
    session.lastRead = HandleValue(handle, value)
    return value
  }

  private mutating func give(
    _ handle: AttributeHandle, _ answer: ServerAnswer, _ pdu: ATTPDU, offset: Int, _ session: inout ServerSession, mtu: Int
  ) -> [ServerOutput] {
    if case .refuse(let code) = answer { return [refusal(pdu.opcode, handle, ATTError(code))] }
    return [part(of: given(handle, answer, &session), from: offset, pdu, handle, mtu: mtu)]
  }
}
