package import Vocabulary

/// A connection to the keeper's socket. The process numbers connections and never reuses a number.
package struct ConnectionID: Hashable, Comparable, Sendable {
  package var raw: UInt64

  package init(_ raw: UInt64) { self.raw = raw }

  package static func < (left: ConnectionID, right: ConnectionID) -> Bool { left.raw < right.raw }
}

/// The peer of a socket according to the kernel (SO_PEERCRED).
package struct Credentials: Equatable, Sendable {
  package var process: Int32
  package var user: UInt32

  package init(process: Int32, user: UInt32) {
    self.process = process
    self.user = user
  }
}

extension ConnectionID: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { self.init(try reader.next()) }
  package func write(to writer: inout ByteWriter) { raw.write(to: &writer) }
}

extension Credentials: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(process: Int32(bitPattern: try reader.readUInt32()), user: try reader.next())
  }

  package func write(to writer: inout ByteWriter) { writer.put(all: UInt32(bitPattern: process), user) }
}
