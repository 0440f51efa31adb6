/// The octet before each packet of an H4 stream (Vol 4, Part A, 2).
package enum H4Type: UInt8, Sendable {
  case command = 1
  case acl = 2
  case sco = 3
  case event = 4
  case iso = 5

  /// The octets between the type and the payload.
  package var headerLength: Int {
    switch self {
    case .command, .sco: 3
    case .acl, .iso: 4
    case .event: 2
    }
  }

  /// The number of octets after the header; 0 if the header is incomplete.
  package func payloadLength(header: some RandomAccessCollection<UInt8>) -> Int {
    guard header.count >= headerLength else { return 0 }
    func octet(_ offset: Int) -> Int { Int(header[header.index(header.startIndex, offsetBy: offset)]) }
    switch self {
    case .command, .sco: return octet(2)
    case .event: return octet(1)
    case .acl: return octet(2) | octet(3) << 8
    // The upper two bits are reserved (Vol 4, Part E, 5.4.5).
    case .iso: return octet(2) | (octet(3) & 0x3F) << 8
    }
  }
}
