import Exchange
import Packets
import Vocabulary

/// Finding attributes (Vol 3, Part F, 3.4.3 and 3.4.4.9).
extension GattServer {
  func within(_ range: HandleRange) -> ArraySlice<ServerAttribute> {
    let first = max(Int(range.start.raw), 1) - 1
    let last = min(Int(range.end.raw), attributes.count)
    return first < last ? attributes[first..<last] : []
  }

  func findInformation(_ range: HandleRange, mtu: Int) -> [ServerOutput] {
    let opcode = ATTOpcode.findInformationRequest
    guard range.isValid else { return [refusal(opcode, range.start, .invalidHandle)] }
    var list: [HandleUUID] = []
    var size = 2
    for attribute in within(range) {
      // A response has UUIDs of one width.
      if let first = list.first, first.type.wireSize != attribute.type.wireSize { break }
      size += 2 + attribute.type.wireSize
      if size > mtu { break }
      list.append(HandleUUID(attribute.handle, attribute.type))
    }
    return list.isEmpty ? [refusal(opcode, range.start, .attributeNotFound)] : [.send(.findInformationResponse(list))]
  }

  /// Does not find values that are unreadable or that only the owner knows, because a client could
  /// otherwise guess them (Vol 3, Part F, 3.4.3.3).
  func findByTypeValue(_ range: HandleRange, _ type: UInt16, _ value: [UInt8], _ session: ServerSession, mtu: Int)
    -> [ServerOutput]
  {
    let opcode = ATTOpcode.findByTypeValueRequest
    guard range.isValid else { return [refusal(opcode, range.start, .invalidHandle)] }
    var list: [HandleRange] = []
    for attribute in within(range) where attribute.type == UUID(type) && (list.count + 1) * 4 + 1 <= mtu {
      guard mayRead(attribute, session) == nil, !attribute.asksBeforeRead else { continue }
      let own = self.value(of: attribute, session)
      guard attribute.isService ? Self.isSame(own, value) : own == value else { continue }
      list.append(HandleRange(attribute.handle, groupEnd(of: attribute)))
    }
    return list.isEmpty ? [refusal(opcode, range.start, .attributeNotFound)] : [.send(.findByTypeValueResponse(list))]
  }

  /// The end of a service or characteristic; any other attribute is a group by itself (Vol 3, Part
  /// G, 2.5.3).
  private func groupEnd(of attribute: ServerAttribute) -> AttributeHandle {
    guard attribute.type == DiscoverCharacteristics.declaration else { return attribute.groupEnd ?? attribute.handle }
    let rest = attributes.dropFirst(Int(attribute.handle.raw))
    let next = rest.first { $0.isService || $0.type == DiscoverCharacteristics.declaration }
    return next?.handle.previous ?? attributes.last?.handle ?? attribute.handle
  }

  /// Compares UUIDs, of which a client may send the long form.
  static func isSame(_ own: [UInt8], _ asked: [UInt8]) -> Bool {
    own == asked || (own.count == 2 && asked.count == 16 && UUID(attributeValue: own) == UUID(attributeValue: asked))
  }

  func readByGroupType(_ range: HandleRange, _ type: UUID, mtu: Int) -> [ServerOutput] {
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
}
