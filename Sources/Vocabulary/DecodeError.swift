/// The reason why bytes could not be decoded.
package enum DecodeError: Error, Hashable, Sendable {
  /// There were too few bytes.
  case truncated(needed: Int, left: Int)
  /// Bytes were left over after a value of this type.
  case trailing(Int, after: StaticName)
  /// A field had an invalid value.
  case invalid(StaticName, UInt64)
}

/// A name fixed at compile time, so that an error needs no allocation and is comparable.
package struct StaticName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  package let text: StaticString

  package init(stringLiteral value: StaticString) { text = value }

  package var description: String { text.description }

  package static func == (left: StaticName, right: StaticName) -> Bool { left.description == right.description }

  package func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

extension DecodeError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .truncated(let needed, let left): "\(needed) more byte\(needed == 1 ? "" : "s") needed, \(left) left"
    case .trailing(let count, let type): "\(count) byte\(count == 1 ? "" : "s") left over after \(type)"
    case .invalid(let field, let value): "\(field) may not be 0x\(String(value, radix: 16))"
    }
  }
}
