/// The handle of an attribute, 0x0001 to 0xFFFF (Vol 3, Part F, 3.2.2).
package struct AttributeHandle: Hashable, Comparable, Sendable, CustomStringConvertible {
  package var raw: UInt16

  package init(_ raw: UInt16) { self.raw = raw }

  package static let first = AttributeHandle(0x0001)
  package static let last = AttributeHandle(0xFFFF)

  /// The next handle; `nil` after 0xFFFF.
  package var next: AttributeHandle? { raw == 0xFFFF ? nil : AttributeHandle(raw + 1) }

  /// The previous handle; `nil` before 0x0001.
  package var previous: AttributeHandle? { raw <= 1 ? nil : AttributeHandle(raw - 1) }

  package static func < (left: AttributeHandle, right: AttributeHandle) -> Bool { left.raw < right.raw }

  package var description: String { "0x\(Hex.text(raw).lowercased())" }
}

extension AttributeHandle: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { self.init(try reader.readUInt16()) }

  package func write(to writer: inout ByteWriter) { writer.put(raw) }
}
