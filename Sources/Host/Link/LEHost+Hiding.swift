import Packets

/// Finds the secrets in packets, so that captures can blank them out.
extension LEHost {
  /// Whether a PDU that a bearer is sending contains a secret.
  func hides(_ pdu: [UInt8], on handle: ConnectionHandle) -> Bool {
    switch pdu.first {
    case ATTOpcode.writeRequest, ATTOpcode.writeCommand, ATTOpcode.prepareWriteRequest:
      guard let index = link(handle) else { return false }
      return links[index].gatt.hides
    default: return false
    }
  }

  /// Returns the octet from which on a received H4 packet may contain a secret: the echo of a
  /// prepared write, or a value that was read to verify one. `nil` if it contains none. Call this
  /// before the packet is handled.
  package func hiddenFrom(_ packet: [UInt8]) -> Int? {
    // Check the packet first. Most are notifications, and a look at the link copies it.
    guard packet.first == H4Type.acl.rawValue, packet.count > 5, let start = Self.answerStart(packet),
      let index = link(ConnectionHandle(UInt16(packet[1]) | UInt16(packet[2]) << 8)), links[index].gatt.hides
    else { return nil }
    return start
  }

  /// The position of the value in an ACL packet that may contain a response.
  private static func answerStart(_ packet: [UInt8]) -> Int? {
    if packet[2] >> 4 & 0b11 == 1 { return 5 }
    guard packet.count > 10, packet[7] == UInt8(L2CAPChannel.attribute), packet[8] == 0 else { return nil }
    switch packet[9] {
    case ATTOpcode.readResponse, ATTOpcode.readBlobResponse, ATTOpcode.readByTypeResponse,
      ATTOpcode.prepareWriteResponse:
      return 10
    default: return nil
    }
  }
}
