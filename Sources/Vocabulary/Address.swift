/// A device address with its type (Vol 6, Part B, 1.3).
///
/// The 48 bits are one number, most significant octet first as printed.
package struct Address: Hashable, Comparable, Sendable {
  package enum Kind: UInt8, Sendable {
    case `public` = 0
    case random = 1
  }

  /// The 48 bits as printed: `C4:7C:8D:6A:12:0F` is `0xC47C8D6A120F`.
  package var bits: UInt64
  package var kind: Kind

  package init(bits: UInt64, kind: Kind) {
    self.bits = bits & 0xFFFF_FFFF_FFFF
    self.kind = kind
  }

  /// Whether the two most significant bits mark a random static address (Vol 6, Part B, 1.3.2.1).
  package var isStaticRandom: Bool { kind == .random && bits >> 46 == 0b11 }

  /// Whether this is a resolvable private address (Vol 6, Part B, 1.3.2.2).
  package var isResolvablePrivate: Bool { kind == .random && bits >> 46 == 0b01 }

  package static func < (left: Address, right: Address) -> Bool {
    (left.bits, left.kind.rawValue) < (right.bits, right.kind.rawValue)
  }

  /// Parses `C4:7C:8D:6A:12:0F`, perhaps with `/public` or `/random`; `nil` if it is not an
  /// address. The type is `.public` if there is no suffix.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2 else { return nil }
    let octets = parts[0].split(separator: ":", omittingEmptySubsequences: false)
    guard octets.count == 6 else { return nil }
    var bits: UInt64 = 0
    for octet in octets {
      guard octet.utf8.count == 2, octet.utf8.allSatisfy({ Hex.digit($0) != nil }), let value = UInt64(octet, radix: 16)
      else { return nil }
      bits = bits << 8 | value
    }
    switch parts.count == 2 ? String(parts[1]) : "public" {
    case "public": self.init(bits: bits, kind: .public)
    case "random": self.init(bits: bits, kind: .random)
    default: return nil
    }
  }
}

extension Address: CustomStringConvertible {
  package var description: String {
    var text = ""
    for place in stride(from: 40, through: 0, by: -8) {
      if !text.isEmpty { text += ":" }
      text += Hex.text(UInt8(truncatingIfNeeded: bits >> UInt64(place)), uppercase: true)
    }
    return text
  }

  /// The address with its type, as in a recipe: `C4:7C:8D:6A:12:0F/random`.
  package var withKind: String { "\(description)/\(kind == .public ? "public" : "random")" }
}

extension Address: Durable {
  /// Six octets, least significant first, as in HCI; then one octet for the type.
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    var bits: UInt64 = 0
    for place in 0..<6 { bits |= UInt64(try reader.readUInt8()) << UInt64(8 * place) }
    let raw = try reader.readUInt8()
    guard let kind = Kind(rawValue: raw) else { throw .invalid("address type", UInt64(raw)) }
    self.init(bits: bits, kind: kind)
  }

  package func write(to writer: inout ByteWriter) {
    for place in 0..<6 { writer.put(UInt8(truncatingIfNeeded: bits >> UInt64(8 * place))) }
    writer.put(kind.rawValue)
  }
}
