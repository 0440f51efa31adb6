package import Vocabulary

/// What can be wrong with an H4 stream.
package enum H4Error: Error, Hashable, Sendable {
  /// No packet begins with this octet: host and controller are out of step. `resync` finds the way
  /// back.
  case unknownType(UInt8)
  /// The header of a packet that no controller sends: host and controller are out of step here too.
  case implausible([UInt8])
  /// The packet was whole, its content was not. The stream is in step, and reading may go on.
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
