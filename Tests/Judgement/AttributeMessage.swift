/// An ATT PDU, as far as the judge needs it (Vol 3, Part F, 3.4). It does not share the project's
/// reader, so it can disagree with it.
package struct AttributeMessage: Equatable {
  package var bytes: [UInt8]

  package init(bytes: [UInt8]) { self.bytes = bytes }

  package var opcode: UInt8 { bytes.first ?? 0 }
  package func word(_ index: Int) -> Int? { index + 1 < bytes.count ? Int(bytes[index]) | Int(bytes[index + 1]) << 8 : nil }

  private static let requests: Set<UInt8> = [0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x20]

  package var isRequest: Bool { Self.requests.contains(opcode) }
  package var isNotification: Bool { opcode == 0x1B || opcode == 0x1D }

  /// Whether this answers `request`: the next odd opcode, or an error that names it (3.4.1.1).
  package func answers(_ request: AttributeMessage) -> Bool {
    if opcode == 0x01 { return bytes.count == 5 && bytes[1] == request.opcode }
    return opcode == request.opcode + 1
  }

  package var isError: Bool { opcode == 0x01 }

  /// The handle of a write, a read or a notification.
  package var handle: Int? {
    switch opcode {
    case 0x0A, 0x0C, 0x12, 0x16, 0x1B, 0x1D, 0x52: word(1)
    default: nil
    }
  }

  /// The value that is written or notified.
  package var value: [UInt8] {
    switch opcode {
    case 0x12, 0x1B, 0x1D, 0x52: Array(bytes.dropFirst(3))
    case 0x16: Array(bytes.dropFirst(5))
    case 0x0B: Array(bytes.dropFirst(1))
    // A read by UUID needs only one handle-value pair (3.4.4.2).
    case 0x09: bytes.count >= 4 ? Array(bytes[4..<min(bytes.count, 2 + Int(bytes[1]))]) : []
    default: []
    }
  }

  /// Read By Type of the Database Hash (Vol 3, Part G, 7.3).
  package var asksForHash: Bool { opcode == 0x08 && Array(bytes.dropFirst(5)) == [0x2A, 0x2B] }
}

/// A request of service, characteristic or descriptor discovery.
package struct DiscoveryRequest: Equatable {
  /// The request without its position: the same kind over the same handles has the same answer.
  package struct Kind: Hashable {
    package var opcode: UInt8
    package var type: [UInt8]
  }

  package var kind: Kind
  package var start: Int
  package var end: Int

  package init?(_ message: AttributeMessage) {
    guard let start = message.word(1), let end = message.word(3) else { return nil }
    let type = Array(message.bytes.dropFirst(5))
    switch message.opcode {
    case 0x04, 0x06, 0x10: break
    case 0x08: guard type == [0x02, 0x28] || type == [0x03, 0x28] else { return nil }
    default: return nil
    }
    kind = Kind(opcode: message.opcode, type: type)
    self.start = start
    self.end = end
  }

  package var isDeclarationCheck: Bool { kind.opcode == 0x08 && kind.type == [0x03, 0x28] && end - start <= 1 }

  /// The last handle that an answer covers. Requests up to it need not be repeated.
  package func covered(by answer: AttributeMessage) -> Int? {
    if answer.isError {
      // Attribute Not Found: nothing more in the whole range.
      return answer.bytes.count == 5 && answer.bytes[4] == 0x0A ? end : nil
    }
    let bytes = answer.bytes
    func word(_ index: Int) -> Int? { index >= 0 ? answer.word(index) : nil }
    switch answer.opcode {
    case 0x05:
      guard bytes.count > 2 else { return nil }
      let size = bytes[1] == 1 ? 4 : 18
      return (bytes.count - 2) / size > 0 ? word(2 + ((bytes.count - 2) / size - 1) * size) : nil
    case 0x07: return word(bytes.count - 2)
    case 0x09, 0x11:
      guard bytes.count > 2, bytes[1] > 0 else { return nil }
      let size = Int(bytes[1])
      let count = (bytes.count - 2) / size
      guard count > 0 else { return nil }
      let last = 2 + (count - 1) * size
      return word(answer.opcode == 0x11 ? last + 2 : last)
    default: return nil
    }
  }
}
