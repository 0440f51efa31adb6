import Exchange
import Host
import Packets
import Runner
import Vocabulary

/// The requests that a peripheral has received, and the refusals that tests have ordered.
struct PeripheralTraffic {
  private(set) var requests = 0
  private(set) var writes = 0
  /// How often each value was written.
  private(set) var values: [[UInt8]: Int] = [:]
  /// The number of answered discovery requests that were sent again.
  private(set) var repeated = 0
  /// The refusals for the next request of each kind.
  var refusals: [(request: TestOrder.Request, code: UInt8)] = []
  /// The answered discovery requests.
  private var answered: Set<[UInt8]> = []
  /// The request that waits for its response, by link.
  private var open: [(link: UInt16, pdu: [UInt8])] = []

  /// More than any attribute table needs.
  private static let mostAnswered = 65_536

  /// Takes a packet from the controller. Returns the response if the request must be refused; the
  /// host then does not see it.
  mutating func take(_ packet: [UInt8], host: LEHost) -> [UInt8]? {
    guard let (link, pdu) = Self.attribute(packet), let opcode = pdu.first else { return nil }
    let isConfiguration = Self.handle(pdu).map { host.isConfiguration($0) } ?? false
    if opcode == ATTOpcode.writeCommand {
      count(pdu)
      return nil
    }
    guard ATTOpcode.isRequest(opcode) else { return nil }
    requests += 1
    if opcode == ATTOpcode.writeRequest, !isConfiguration { count(pdu) }
    if opcode == ATTOpcode.executeWriteRequest, pdu.last == 1 { writes += 1 }
    if Self.isDiscovery(pdu) {
      if answered.contains(pdu) { repeated += 1 }
      open.removeAll { $0.link == link }
      open.append((link, pdu))
    }
    let kind = kind(pdu, isConfiguration)
    guard let kind, let place = refusals.firstIndex(where: { $0.request == kind }) else { return nil }
    let code = refusals.remove(at: place).code
    let handle = Self.handle(pdu)?.raw ?? 0
    let answer: [UInt8] = [
      ATTOpcode.errorResponse, opcode, UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8), code,
    ]
    return HCIPacket.acl(
      ACLPacket(handle: ConnectionHandle(link), boundary: .firstNonFlushable, data: [UInt8(answer.count), 0, 4, 0] + answer)
    ).encoded
  }

  /// Takes a packet from the host.
  mutating func gave(_ packet: [UInt8]) {
    guard let (link, pdu) = Self.attribute(packet), let opcode = pdu.first, ATTOpcode.isResponse(opcode),
      let place = open.firstIndex(where: { $0.link == link })
    else { return }
    let asked = open.remove(at: place).pdu
    if answered.count < Self.mostAnswered { answered.insert(asked) }
  }

  private mutating func count(_ pdu: [UInt8]) {
    writes += 1
    // Only the first fragment of a long value is available.
    guard pdu.count <= 23, values.count < Self.mostAnswered else { return }
    values[Array(pdu.dropFirst(3)), default: 0] += 1
  }

  private func kind(_ pdu: [UInt8], _ isConfiguration: Bool) -> TestOrder.Request? {
    switch pdu[0] {
    case ATTOpcode.readRequest: .read
    case ATTOpcode.readByTypeRequest: Self.isDiscovery(pdu) || Self.type(pdu) == 0x2B2A ? nil : .read
    case ATTOpcode.writeRequest: isConfiguration ? .subscribe : .write
    case ATTOpcode.prepareWriteRequest: .write
    default: nil
    }
  }

  /// Whether this is a discovery request. The Read By Type before a first write reads one
  /// declaration and does not count.
  private static func isDiscovery(_ pdu: [UInt8]) -> Bool {
    switch pdu[0] {
    case ATTOpcode.findInformationRequest, ATTOpcode.findByTypeValueRequest, ATTOpcode.readByGroupTypeRequest: true
    case ATTOpcode.readByTypeRequest:
      (type(pdu) == 0x2803 || type(pdu) == 0x2802) && pdu.count >= 5 && (pdu[1], pdu[2]) != (pdu[3], pdu[4])
    default: false
    }
  }

  /// The type of a Read By Type Request, if it is a 16-bit one.
  private static func type(_ pdu: [UInt8]) -> UInt16? { pdu.count == 7 ? UInt16(pdu[5]) | UInt16(pdu[6]) << 8 : nil }

  private static func handle(_ pdu: [UInt8]) -> AttributeHandle? {
    pdu.count >= 3 ? AttributeHandle(UInt16(pdu[1]) | UInt16(pdu[2]) << 8) : nil
  }

  /// The ATT PDU of an H4 packet, as far as the first fragment of its frame contains it.
  private static func attribute(_ packet: [UInt8]) -> (link: UInt16, pdu: [UInt8])? {
    guard packet.count > 9, packet[0] == H4Type.acl.rawValue, packet[2] >> 4 & 0b11 != 1, packet[7] == 4, packet[8] == 0 else {
      return nil
    }
    return (UInt16(packet[1]) | UInt16(packet[2] & 0x0F) << 8, Array(packet[9...]))
  }
}
