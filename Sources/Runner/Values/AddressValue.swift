package import Vocabulary

/// An address in a recipe, whose type may be unknown.
package struct AddressValue: Equatable, Sendable {
  /// The 48 bits; above them 0 (unknown type), 1 (public) or 2 (random).
  private let packed: UInt64

  package init(bits: UInt64, kind: Address.Kind?) {
    let mark: UInt64 =
      switch kind {
      case nil: 0
      case .public: 1
      case .random: 2
      }
    packed = bits & 0xFFFF_FFFF_FFFF | mark << 48
  }

  package init(_ address: Address) { self.init(bits: address.bits, kind: address.kind) }

  /// Parses `C4:7C:8D:6A:12:0F`, followed by `/public` or `/random` if the type is known.
  package init?(_ text: some StringProtocol) {
    guard let address = Address(text) else { return nil }
    self.init(bits: address.bits, kind: text.utf8.contains(UInt8(ascii: "/")) ? address.kind : nil)
  }

  package var bits: UInt64 { packed & 0xFFFF_FFFF_FFFF }

  package var kind: Address.Kind? {
    switch packed >> 48 {
    case 1: .public
    case 2: .random
    default: nil
    }
  }

  /// Whether both are the same device; types are compared only if both are known.
  package func isSame(as other: AddressValue) -> Bool {
    guard bits == other.bits else { return false }
    guard let kind, let otherKind = other.kind else { return true }
    return kind == otherKind
  }
}

extension AddressValue: CustomStringConvertible {
  /// The six octets, without the type.
  package var description: String { Address(bits: bits, kind: .public).description }

  /// With the type if it is known, as in a recipe.
  package var withKind: String { kind.map { Address(bits: bits, kind: $0).withKind } ?? description }
}

extension AddressValue: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let raw = try reader.readUInt64()
    guard raw >> 48 <= 2 else { throw .invalid("address type", raw >> 48) }
    packed = raw
  }

  package func write(to writer: inout ByteWriter) { writer.put(packed) }
}
