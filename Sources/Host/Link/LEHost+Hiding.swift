import Packets

/// Secrets on their way: where in a packet they stand, for whoever keeps packets.
extension LEHost {
  /// Whether a PDU that a bearer sends now carries a secret.
  func hides(_ pdu: [UInt8], on handle: ConnectionHandle) -> Bool {
    switch pdu.first {
    case ATTOpcode.writeRequest, ATTOpcode.writeCommand, ATTOpcode.prepareWriteRequest:
      guard let index = link(handle) else { return false }
      return links[index].gatt.hides
    default: return false
    }
  }

  /// From which octet on an H4 packet of the controller, which is about to be handled, may hold a
  /// secret: the echo of a prepared write, a value that was asked for to verify one. Nothing when
  /// it holds none.
  package func hiddenFrom(_ packet: [UInt8]) -> Int? {
    // By the packet first: most are notifications, and to ask a link copies it.
    guard packet.first == H4Type.acl.rawValue, packet.count > 5, let start = Self.answerStart(packet),
      let index = link(ConnectionHandle(UInt16(packet[1]) | UInt16(packet[2]) << 8)), links[index].gatt.hides
    else { return nil }
    return start
  }

  /// Where the value stands in an ACL packet that may hold an answer.
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
