package import Vocabulary

/// An error in an H4 stream.
package enum H4Error: Error, Hashable, Sendable {
  /// No packet starts with this octet, so host and controller are out of step. `resync` recovers.
  case unknownType(UInt8)
  /// The header of a packet that no controller sends, so they are out of step as well.
  case implausible([UInt8])
  /// The packet was complete but its content invalid. The stream is in step, and reading may
  /// continue.
  case malformed([UInt8], DecodeError)
}

extension H4Error: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unknownType(let type): "no HCI packet begins with 0x\(Hex.text(type))"
    case .implausible(let bytes): "no controller sends an HCI packet that begins with \(Hex.text(bytes))"
    case .malformed(let bytes, let error): "\(error) in HCI packet \(Hex.text(bytes))"
    }
  }
}
