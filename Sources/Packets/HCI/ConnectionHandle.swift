package import Vocabulary

/// The handle of a link at one controller, 0x0000 to 0x0EFF (Vol 4, Part E, 5.3.1). It is invalid
/// once the link is gone.
package struct ConnectionHandle: Hashable, Comparable, Portable, CustomStringConvertible {
  package var raw: UInt16

  package init(_ raw: UInt16) { self.raw = raw & 0x0FFF }

  package static func < (left: ConnectionHandle, right: ConnectionHandle) -> Bool { left.raw < right.raw }

  /// Two octets; the upper four bits are reserved and ignored.
  package init(reading reader: inout RawSpan) throws(DecodeError) { self.init(try reader.readUInt16()) }

  package func write(to writer: inout ByteWriter) { writer.put(raw) }

  package var description: String { "0x\(Hex.text(raw).lowercased())" }
}
