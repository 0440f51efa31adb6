/// Why bytes could not be read.
package enum DecodeError: Error, Hashable, Sendable {
  /// The bytes ended: so many were needed, so many were left.
  case truncated(needed: Int, left: Int)
  /// So many bytes were left behind a value of this type.
  case trailing(Int, after: StaticName)
  /// A field had a value that it must not have.
  case invalid(StaticName, UInt64)
}

/// A name fixed at compile time, so that an error costs no allocation and still compares.
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
