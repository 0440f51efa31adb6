import Vocabulary

/// The name of an adapter of the kernel.
package enum AdapterName: Equatable, Sendable, CustomStringConvertible {
  /// The first usable adapter.
  case any
  /// The adapter with an index, such as `hci1`. The index may change after it was unplugged.
  case index(UInt16)
  /// The adapter with a public address, whatever its index.
  case address(UInt64)

  /// Reads a name; `nil` if the text is neither `hciN` nor an address.
  package init?(_ text: String) {
    if text.hasPrefix("hci"), text.count > 3, text.dropFirst(3).allSatisfy({ ("0"..."9").contains($0) }),
      let index = UInt16(text.dropFirst(3)), index < .max
    {
      self = .index(index)
    } else if let address = Address(text), address.kind == .public {
      self = .address(address.bits)
    } else {
      return nil
    }
  }

  package var description: String {
    switch self {
    case .any: "any adapter"
    case .index(let index): "hci\(index)"
    case .address(let bits): "\(Address(bits: bits, kind: .public))"
    }
  }

  /// The adapter with this name; `nil` for `any`.
  package func find(among all: [AdapterSummary]) -> AdapterSummary? {
    all.first { summary in
      switch self {
      case .any: false
      case .index(let index): summary.index == index
      case .address(let bits): summary.address?.bits == bits
      }
    }
  }

  /// Two octets with kind and index, or seven with the address, for messages between our own
  /// processes.
  var encoded: [UInt8] {
    switch self {
    case .any: [0]
    case .index(let index): [1, UInt8(truncatingIfNeeded: index), UInt8(truncatingIfNeeded: index >> 8)]
    case .address(let bits): [2] + (0..<6).map { UInt8(truncatingIfNeeded: bits >> UInt64(8 * $0)) }
    }
  }

  init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .any
    case 1: self = .index(try reader.readUInt16())
    case 2:
      var bits: UInt64 = 0
      for place in 0..<6 { bits |= UInt64(try reader.readUInt8()) << UInt64(8 * place) }
      self = .address(bits)
    case let other: throw .invalid("adapter name", UInt64(other))
    }
  }
}
